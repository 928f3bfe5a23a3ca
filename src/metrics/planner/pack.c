/* pack.c: which item in which turn */
#include "metrics/planner/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* Greedy alone, in whatever order, takes a set too many where users ask for groups: -M Branch on M1 to
 * M3 is five sets instead of four by the hardest first, -M TLB on a PMUv3 with four counters three
 * instead of two in every order that was tried. docs/metrics.md has the figures.
 *
 * Steps of the search for one turn less: tries of an item in a turn. Opening groups is dearer. */
enum { STEPS_MAX = 16000, STEPS_ASKING_MAX = 200 };

/* What counts an input in a turn already. Two columns may be asked for, each for itself.
 * @return its place among the wants, -1 */
static int find_input(const struct event_request *turn, unsigned type,
		      const struct plan_input *input)
{
	const struct event *event = input->event[type];

	for (size_t i = 0; i < turn->n[type]; i++) {
		const struct want *want = &turn->want[type][i];
		const struct event *here = want->event;
		bool is_it = here == event ||
			     (event_counts_as(here, event) && metric_input_is(here, input->text));

		if (is_it && !(want->fixed && input->fixed && want->slot != input->slot))
			return (int)i;
	}
	return -1;
}

/* As it was asked for. */
static bool has_input(const struct event_request *turn, unsigned type,
		      const struct plan_input *input)
{
	int at = find_input(turn, type, input);

	return at >= 0 && (!input->fixed || turn->want[type][at].fixed);
}

/* How many events of an item a turn lacks. */
static unsigned n_missing(const struct packing *p, const struct event_request *turn,
			  const struct plan_item *item)
{
	unsigned n = 0;

	for (unsigned i = 0; i < item->n; i++) {
		const struct plan_use *use = &p->items->use[item->first + i];
		const struct plan_input *input = &p->items->input[use->input];

		for (unsigned t = 0; t < TYPES_MAX; t++)
			n += use->types >> t & 1 && !has_input(turn, t, input);
	}
	return n;
}

static bool add_use(const struct packing *p, const struct plan_use *use, struct event_request *turn)
{
	const struct plan_input *input = &p->items->input[use->input];

	for (unsigned t = 0; t < TYPES_MAX; t++) {
		struct want want = { input->event[t], input->slot, input->fixed };
		int at = use->types >> t & 1 ? find_input(turn, t, input) : -1;

		if (!(use->types >> t & 1))
			continue;
		/* rows behind those of -e */
		if (at < 0 &&
		    event_request_add_row(turn, t, &want, 2 * SLOTS_MAX + use->input, NULL))
			return false;
		if (at >= 0 && input->fixed) {
			turn->want[t][at].slot = input->slot;
			turn->want[t][at].fixed = true;
		}
	}
	return true;
}

static bool add_item(const struct packing *p, const struct plan_item *item,
		     struct event_request *turn)
{
	bool has_room = true;

	for (unsigned i = 0; i < item->n && has_room; i++)
		has_room = add_use(p, &p->items->use[item->first + i], turn);
	return has_room;
}

static bool is_within_limit(const struct packing *p, const struct event_request *turn,
			    unsigned type)
{
	unsigned limit = packing_limit(p->request, type), n = 0;

	for (size_t i = 0; i < turn->n[type]; i++) {
		const struct event *event = turn->want[type][i].event;

		n += event->needs_counter && !event->refused[0];
	}
	return !limit || n <= limit;
}

/* Columns of their own for events that only some types count, where columns are no counters. */
static void spread_columns(struct event_request *turn)
{
	uint16_t row[TYPES_MAX * SLOTS_MAX];
	int n = 0;

	for (unsigned t = 0; t < turn->machine->n_types; t++) {
		if (type_has_fixed_pair(&turn->machine->type[t]))
			return;
		for (size_t i = 0; i < turn->n[t]; i++) {
			int at = 0;

			while (at < n && row[at] != turn->row[t][i])
				at++;
			row[at] = turn->row[t][i];
			n += at == n;
			if (at < SLOTS_MAX && turn->want[t][i].slot < 0)
				turn->want[t][i].slot = at;
		}
	}
}

static int place(const struct event_request *turn, const char *preset, struct set *ret,
		 struct err *err)
{
	struct event_request aligned = *turn;

	if (turn->machine->n_types > 1) {
		spread_columns(&aligned);
		event_request_align(&aligned);
	}
	return event_request_place(&aligned, preset, ret, err);
}

static bool is_accepted(const struct packing *p, const struct event_request *turn, struct err *err)
{
	struct set set;

	return place(turn, "", &set, err) == 0 &&
	       p->request->fits(p->request->data, &set, err) == 0;
}

/* What is used of it: most is room. */
static void copy(const struct event_request *from, struct event_request *ret)
{
	ret->table = from->table;
	ret->machine = from->machine;
	ret->privilege = from->privilege;
	ret->limit = from->limit;
	memcpy(ret->n, from->n, sizeof(ret->n));
	for (unsigned t = 0; t < TYPES_MAX; t++) {
		memcpy(ret->want[t], from->want[t], from->n[t] * sizeof(from->want[t][0]));
		memcpy(ret->row[t], from->row[t], from->n[t] * sizeof(from->row[t][0]));
	}
}

static bool is_same(const struct event_request *a, const struct event_request *b, unsigned type)
{
	return a->n[type] == b->n[type] &&
	       memcmp(a->want[type], b->want[type], a->n[type] * sizeof(a->want[type][0])) == 0;
}

/* The turn with the item, if that is possible. */
static bool try(const struct packing *p, const struct event_request *turn,
		const struct plan_item *item, struct event_request *ret, struct err *err)
{
	copy(turn, ret);
	if (!add_item(p, item, ret))
		return false;
	for (unsigned t = 0; t < ret->machine->n_types; t++) {
		struct placement unused;

		if (!is_same(ret, turn, t) && (!is_within_limit(p, ret, t) ||
					       placement_make(&ret->machine->type[t], ret->want[t],
							      ret->n[t], &unused, NULL)))
			return false;
	}
	return !p->asks || !p->request->fits || is_accepted(p, ret, err);
}

bool packing_fits_alone(const struct packing *p, const struct plan_item *item, struct err *err)
{
	struct event_request turn;

	return try(p, &p->empty, item, &turn, err);
}

int packing_place_alone(const struct packing *p, const struct plan_item *item, struct set *ret,
			struct err *err)
{
	struct event_request turn = p->empty;

	add_item(p, item, &turn);
	return place(&turn, "", ret, err);
}

struct turn_search {
	struct packing *p;
	const unsigned *order; /* items, the hardest first */
	unsigned max;          /* turns */
	unsigned n_turns;      /* of p->turn[] in use */
	uint8_t *turn_of;
};

/* The turn not yet tried that lacks least of an item. @return n_turns when all were tried */
static unsigned next_turn(const struct turn_search *s, const struct plan_item *item, uint64_t tried,
			  unsigned *ret_missing)
{
	unsigned best = s->n_turns;

	*ret_missing = UINT32_MAX;
	for (unsigned t = 0; t < s->n_turns; t++) {
		unsigned missing =
			tried >> t & 1 ? UINT32_MAX : n_missing(s->p, &s->p->turn[t], item);

		if (missing < *ret_missing) {
			*ret_missing = missing;
			best = t;
		}
	}
	return best;
}

static bool assign(struct turn_search *s, size_t i);

static bool assign_to(struct turn_search *s, size_t i, unsigned turn,
		      const struct event_request *from)
{
	struct packing *p = s->p;
	struct event_request without; /* the one copy of each step: it goes deep */

	if (!p->budget)
		return false;
	p->budget--;
	copy(from, &without);
	if (try(p, &without, &p->items->item[s->order[i]], &p->turn[turn], NULL)) {
		s->turn_of[s->order[i]] = (uint8_t)turn;
		if (assign(s, i + 1))
			return true;
	}
	copy(&without, &p->turn[turn]);
	return false;
}

/* Item number i of the order and all behind it. */
static bool assign(struct turn_search *s, size_t i)
{
	const struct packing *p = s->p;
	uint64_t tried = 0;
	unsigned missing;

	if (i == p->items->n)
		return true;
	for (unsigned n = 0; n < s->n_turns; n++) {
		unsigned turn = next_turn(s, &p->items->item[s->order[i]], tried, &missing);

		tried |= UINT64_C(1) << turn;
		if (!missing) {
			s->turn_of[s->order[i]] = (uint8_t)turn;
			return assign(s, i + 1); /* costs nothing: no other place is better */
		}
		if (assign_to(s, i, turn, &p->turn[turn]))
			return true;
	}
	if (s->n_turns == s->max)
		return false;
	s->n_turns++;
	if (assign_to(s, i, s->n_turns - 1, &p->empty))
		return true;
	s->n_turns--;
	return false;
}

static bool search(struct packing *p, const unsigned *order, unsigned max, unsigned budget)
{
	AUTO_FREE uint8_t *turn_of = calloc(p->items->n + 1, 1);
	struct turn_search s = { .p = p, .order = order, .max = max, .turn_of = turn_of };

	if (!turn_of)
		return false;
	p->budget = budget;
	p->turn[0] = p->first;
	s.n_turns = p->has_first;
	if (!assign(&s, 0))
		return false;
	p->n_turns = s.n_turns;
	memcpy(p->turn_of, turn_of, p->items->n);
	return true;
}

static void order_by_hardness(const struct packing *p, unsigned *order)
{
	for (size_t i = 0; i < p->items->n; i++) {
		unsigned mine = packing_hardness(p, &p->items->item[i]);
		size_t at = i;

		while (at && packing_hardness(p, &p->items->item[order[at - 1]]) < mine) {
			order[at] = order[at - 1];
			at--;
		}
		order[at] = (unsigned)i;
	}
}

/* Turns in the order in which their first items were asked for; the first stays if it must. */
static void number_turns(struct packing *p)
{
	uint8_t number[TURNS_MAX];
	unsigned n = p->has_first;

	memset(number, 0xff, sizeof(number));
	if (n)
		number[0] = 0;
	for (size_t i = 0; i < p->items->n; i++) {
		uint8_t *its = &number[p->turn_of[i]];

		if (*its == 0xff)
			*its = (uint8_t)n++;
		p->turn_of[i] = *its;
	}
}

int packing_solve(struct packing *p, struct err *err)
{
	unsigned least, budget = p->asks ? STEPS_ASKING_MAX : STEPS_MAX;
	int rc = packing_bounds(p, &least, err);

	if (rc)
		return rc;

	AUTO_FREE unsigned *order = calloc(p->items->n + 1, sizeof(*order));

	if (!order)
		return err_set(err, ENOMEM, "out of memory");
	order_by_hardness(p, order);
	/* the first way down is the greedy one, which needs no more tries than this */
	if (!search(p, order, TURNS_MAX, (unsigned)p->items->n * (TURNS_MAX + 1)))
		return packing_refuse_turns(err);
	while (p->n_turns > least && p->n_turns > 1 && search(p, order, p->n_turns - 1, budget))
		;
	number_turns(p);
	return 0;
}

int packing_set(const struct packing *p, unsigned turn, const char *preset, struct set *ret,
		struct err *err)
{
	struct event_request asked = turn || !p->has_first ? p->empty : p->first;

	for (size_t i = 0; i < p->items->n; i++)
		if (p->turn_of[i] == turn)
			add_item(p, &p->items->item[i], &asked);

	bool is_preset = memcmp(asked.n, p->first.n, sizeof(asked.n)) == 0;

	return place(&asked, turn || !is_preset ? "" : preset, ret, err);
}
