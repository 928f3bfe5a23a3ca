/* pack.c: which item in which mux group */
#include "metrics/planner/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* Greedy alone, in whatever order, takes a set too many where users ask for groups: -M Branch on M1 to
 * M3 is five sets instead of four by the hardest first, -M TLB on a PMUv3 with four counters three
 * instead of two in every order that was tried. docs/metrics.md has the figures.
 *
 * Steps of the search for one mux group less: tries of an item in a group. Opening them is
 * dearer. */
enum { STEPS_MAX = 16000, STEPS_ASKING_MAX = 200 };

/* What counts an input in a mux group already. Two columns may be asked for, each for itself.
 * @return its place among the wants, -1 */
static int find_input(const struct event_request *mux, unsigned type,
		      const struct plan_input *input)
{
	const struct event *event = input->event[type];

	for (size_t i = 0; i < mux->n[type]; i++) {
		const struct want *want = &mux->want[type][i];
		const struct event *here = want->event;
		bool is_it = here == event ||
			     (event_counts_as(here, event) && metric_input_is(here, input->text));

		if (is_it && !(want->fixed && input->fixed && want->slot != input->slot))
			return (int)i;
	}
	return -1;
}

/* As it was asked for. */
static bool has_input(const struct event_request *mux, unsigned type,
		      const struct plan_input *input)
{
	int at = find_input(mux, type, input);

	return at >= 0 && (!input->fixed || mux->want[type][at].fixed);
}

/* How many events of an item a mux group lacks. */
static unsigned n_missing(const struct packing *p, const struct event_request *mux,
			  const struct plan_item *item)
{
	unsigned n = 0;

	for (unsigned i = 0; i < item->n; i++) {
		const struct plan_use *use = &p->items->use[item->first + i];
		const struct plan_input *input = &p->items->input[use->input];

		for (unsigned t = 0; t < TYPES_MAX; t++)
			n += use->types >> t & 1 && !has_input(mux, t, input);
	}
	return n;
}

static bool add_use(const struct packing *p, const struct plan_use *use, struct event_request *mux)
{
	const struct plan_input *input = &p->items->input[use->input];

	for (unsigned t = 0; t < TYPES_MAX; t++) {
		struct want want = { input->event[t], input->slot, input->fixed };
		int at = use->types >> t & 1 ? find_input(mux, t, input) : -1;

		if (!(use->types >> t & 1))
			continue;
		/* rows behind those of -e */
		if (at < 0 &&
		    event_request_add_row(mux, t, &want, 2 * SLOTS_MAX + use->input, NULL))
			return false;
		if (at >= 0 && input->fixed) {
			mux->want[t][at].slot = input->slot;
			mux->want[t][at].fixed = true;
		}
	}
	return true;
}

static bool add_item(const struct packing *p, const struct plan_item *item,
		     struct event_request *mux)
{
	bool has_room = true;

	for (unsigned i = 0; i < item->n && has_room; i++)
		has_room = add_use(p, &p->items->use[item->first + i], mux);
	return has_room;
}

static bool is_within_limit(const struct packing *p, const struct event_request *mux, unsigned type)
{
	unsigned limit = packing_limit(p->request, type), n = 0;

	for (size_t i = 0; i < mux->n[type]; i++) {
		const struct event *event = mux->want[type][i].event;

		n += event->needs_counter && !event->refused[0];
	}
	return !limit || n <= limit;
}

/* Columns of their own for events that only some types count, where columns are no counters. */
static void spread_columns(struct event_request *mux)
{
	uint16_t row[TYPES_MAX * SLOTS_MAX];
	int n = 0;

	for (unsigned t = 0; t < mux->machine->n_types; t++) {
		if (type_has_fixed_pair(&mux->machine->type[t]))
			return;
		for (size_t i = 0; i < mux->n[t]; i++) {
			int at = 0;

			while (at < n && row[at] != mux->row[t][i])
				at++;
			row[at] = mux->row[t][i];
			n += at == n;
			if (at < SLOTS_MAX && mux->want[t][i].slot < 0)
				mux->want[t][i].slot = at;
		}
	}
}

static int place(const struct event_request *mux, const char *preset, struct set *ret,
		 struct err *err)
{
	struct event_request aligned = *mux;

	if (mux->machine->n_types > 1) {
		spread_columns(&aligned);
		event_request_align(&aligned);
	}
	return event_request_place(&aligned, preset, ret, err);
}

static bool is_accepted(const struct packing *p, const struct event_request *mux, struct err *err)
{
	struct set set;

	return place(mux, "", &set, err) == 0 && p->request->fits(p->request->data, &set, err) == 0;
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

/* The mux group with the item, if that is possible. */
static bool try(const struct packing *p, const struct event_request *mux,
		const struct plan_item *item, struct event_request *ret, struct err *err)
{
	copy(mux, ret);
	if (!add_item(p, item, ret))
		return false;
	for (unsigned t = 0; t < ret->machine->n_types; t++) {
		struct placement unused;

		if (!is_same(ret, mux, t) && (!is_within_limit(p, ret, t) ||
					      placement_make(&ret->machine->type[t], ret->want[t],
							     ret->n[t], &unused, NULL)))
			return false;
	}
	return !p->asks || !p->request->fits || is_accepted(p, ret, err);
}

bool packing_fits_alone(const struct packing *p, const struct plan_item *item, struct err *err)
{
	struct event_request mux;

	return try(p, &p->empty, item, &mux, err);
}

int packing_place_alone(const struct packing *p, const struct plan_item *item, struct set *ret,
			struct err *err)
{
	struct event_request mux = p->empty;

	add_item(p, item, &mux);
	return place(&mux, "", ret, err);
}

struct mux_search {
	struct packing *p;
	const unsigned *order; /* items, the hardest first */
	unsigned max;          /* mux groups */
	unsigned n_mux;        /* of p->mux[] in use */
	uint8_t *mux_of;
};

/* The mux group not yet tried that lacks least of an item. @return n_mux when all were tried */
static unsigned next_mux(const struct mux_search *s, const struct plan_item *item, uint64_t tried,
			 unsigned *ret_missing)
{
	unsigned best = s->n_mux;

	*ret_missing = UINT32_MAX;
	for (unsigned t = 0; t < s->n_mux; t++) {
		unsigned missing =
			tried >> t & 1 ? UINT32_MAX : n_missing(s->p, &s->p->mux[t], item);

		if (missing < *ret_missing) {
			*ret_missing = missing;
			best = t;
		}
	}
	return best;
}

static bool assign(struct mux_search *s, size_t i);

static bool assign_to(struct mux_search *s, size_t i, unsigned mux,
		      const struct event_request *from)
{
	struct packing *p = s->p;
	struct event_request without; /* the one copy of each step: it goes deep */

	if (!p->budget)
		return false;
	p->budget--;
	copy(from, &without);
	if (try(p, &without, &p->items->item[s->order[i]], &p->mux[mux], NULL)) {
		s->mux_of[s->order[i]] = (uint8_t)mux;
		if (assign(s, i + 1))
			return true;
	}
	copy(&without, &p->mux[mux]);
	return false;
}

/* Item number i of the order and all behind it. */
static bool assign(struct mux_search *s, size_t i)
{
	const struct packing *p = s->p;
	uint64_t tried = 0;
	unsigned missing;

	if (i == p->items->n)
		return true;
	for (unsigned n = 0; n < s->n_mux; n++) {
		unsigned mux = next_mux(s, &p->items->item[s->order[i]], tried, &missing);

		tried |= UINT64_C(1) << mux;
		if (!missing) {
			s->mux_of[s->order[i]] = (uint8_t)mux;
			return assign(s, i + 1); /* costs nothing: no other place is better */
		}
		if (assign_to(s, i, mux, &p->mux[mux]))
			return true;
	}
	if (s->n_mux == s->max)
		return false;
	s->n_mux++;
	if (assign_to(s, i, s->n_mux - 1, &p->empty))
		return true;
	s->n_mux--;
	return false;
}

static bool search(struct packing *p, const unsigned *order, unsigned max, unsigned budget)
{
	AUTO_FREE uint8_t *mux_of = calloc(p->items->n + 1, 1);
	struct mux_search s = { .p = p, .order = order, .max = max, .mux_of = mux_of };

	if (!mux_of)
		return false;
	p->budget = budget;
	p->mux[0] = p->first;
	s.n_mux = p->has_first;
	if (!assign(&s, 0))
		return false;
	p->n_mux = s.n_mux;
	memcpy(p->mux_of, mux_of, p->items->n);
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

/* Mux groups in the order in which their first items were asked for; the first stays if it must. */
static void number_mux(struct packing *p)
{
	uint8_t number[MUX_MAX];
	unsigned n = p->has_first;

	memset(number, 0xff, sizeof(number));
	if (n)
		number[0] = 0;
	for (size_t i = 0; i < p->items->n; i++) {
		uint8_t *its = &number[p->mux_of[i]];

		if (*its == 0xff)
			*its = (uint8_t)n++;
		p->mux_of[i] = *its;
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
	if (!search(p, order, MUX_MAX, (unsigned)p->items->n * (MUX_MAX + 1)))
		return packing_refuse_mux(err);
	while (p->n_mux > least && p->n_mux > 1 && search(p, order, p->n_mux - 1, budget))
		;
	number_mux(p);
	return 0;
}

int packing_set(const struct packing *p, unsigned mux, const char *preset, struct set *ret,
		struct err *err)
{
	struct event_request asked = mux || !p->has_first ? p->empty : p->first;

	for (size_t i = 0; i < p->items->n; i++)
		if (p->mux_of[i] == mux)
			add_item(p, &p->items->item[i], &asked);

	bool is_preset = memcmp(asked.n, p->first.n, sizeof(asked.n)) == 0;

	return place(&asked, mux || !is_preset ? "" : preset, ret, err);
}
