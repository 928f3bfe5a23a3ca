/* pack.c: assign items to mux groups */
#include "metrics/planner/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

unsigned packing_limit(const struct planner_request *request, unsigned type)
{
	unsigned n = event_table_machine(request->events)->type[type].n_counters;

	return n ? n : request->max_counters;
}

/* --- hardness of items --- */

static unsigned n_legal(const struct packing *p, unsigned type, const struct plan_input *input)
{
	const struct event *event = input->event[type];
	unsigned limit = packing_limit(p->request, type);

	if (input->fixed)
		return 1;
	if (event->counters)
		return (unsigned)__builtin_popcountll(event->counters);
	return limit ? limit : CORE_SLOTS_MAX;
}

/* Estimate the counters that an item takes from others, on the type where that is most. */
static unsigned packing_hardness(const struct packing *p, const struct plan_item *item)
{
	unsigned hardest = 0;

	for (unsigned t = 0; t < TYPES_MAX; t++) {
		unsigned sum = 0;

		for (unsigned i = 0; i < item->n; i++) {
			const struct plan_use *use = &p->items->use[item->first + i];
			const struct plan_input *input = &p->items->input[use->input];

			if (use->types >> t & 1)
				sum += input->event[t]->needs_counter
					       ? 64 + 64 / n_legal(p, t, input)
					       : 1;
		}
		hardest = sum > hardest ? sum : hardest;
	}
	return hardest;
}

/* --- lower bound of the number of mux groups --- */

/* Different events of some items on one type, up to one more than can be counted. */
struct distinct {
	const struct event *event[COLUMNS_MAX + 1];
	unsigned n;
};

static void add_distinct(struct distinct *all, const struct event *event)
{
	for (unsigned i = 0; i < all->n; i++)
		if (all->event[i] == event)
			return;
	all->event[all->n++] = event;
}

/* List the different events of uses. @first, @n  in items->use[] */
static struct distinct list_distinct(const struct packing *p, unsigned type, size_t first, size_t n)
{
	struct distinct all = { .n = 0 };

	for (size_t i = first; i < first + n && all.n <= COLUMNS_MAX; i++) {
		const struct plan_use *use = &p->items->use[i];

		if (use->types >> type & 1)
			add_distinct(&all, p->items->input[use->input].event[type]);
	}
	return all;
}

static unsigned n_mux_for(unsigned n_events, unsigned n_places)
{
	return n_places ? (n_events + n_places - 1) / n_places : 1;
}

static unsigned most(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* Get a lower bound from the slots of all events, and from those that subsets of events must share. */
static unsigned fewest_mux(const struct packing *p, unsigned type, const struct distinct *all)
{
	const struct core_type *its = &p->empty.machine->type[type];
	unsigned n_counted = 0, least = n_mux_for(all->n, SLOTS_MAX);

	for (unsigned i = 0; i < all->n; i++) {
		uint64_t slots = placement_slots(its, all->event[i]);
		unsigned n_within = 0;

		for (unsigned k = 0; k < all->n; k++)
			n_within += !(placement_slots(its, all->event[k]) & ~slots);
		least = most(least, n_mux_for(n_within, (unsigned)__builtin_popcountll(slots)));
		n_counted += all->event[i]->needs_counter && !all->event[i]->refused[0];
	}
	return most(least, n_mux_for(n_counted, packing_limit(p->request, type)));
}

static int packing_refuse_mux(struct err *err)
{
	return err_set(err, ENOSPC,
		       "that takes more than %d sets of events, and no more can be multiplexed: "
		       "ask for less at a time",
		       MUX_MAX);
}

int packing_check_size(const struct packing *p, const struct plan_item *item, struct err *err)
{
	for (unsigned t = 0; t < p->empty.machine->n_types && item->number != ITEM_REQUESTED; t++)
		if (list_distinct(p, t, item->first, item->n).n > COLUMNS_MAX)
			return err_set(err, ENOSPC,
				       "metric %s takes more than %d different events, and no more "
				       "can be multiplexed",
				       p->request->metrics->metric[item->number].name, COLUMNS_MAX);
	return 0;
}

/* Calculate a lower bound of the number of mux groups.
 * @return 0; -ENOSPC if it exceeds MUX_MAX, or the events exceed COLUMNS_MAX */
static int packing_bounds(const struct packing *p, unsigned *ret_least, struct err *err)
{
	unsigned least = 1, n_columns = 0;

	for (unsigned t = 0; t < p->empty.machine->n_types; t++) {
		const struct distinct all = list_distinct(p, t, 0, p->items->n_uses);

		n_columns = most(n_columns, all.n);
		least = most(least, fewest_mux(p, t, &all));
	}
	if (least > MUX_MAX)
		return packing_refuse_mux(err);
	if (n_columns > COLUMNS_MAX)
		return err_set(err, ENOSPC,
			       "that is more than %d different events, and no more can be "
			       "multiplexed: ask for less at a time",
			       COLUMNS_MAX);
	*ret_least = least;
	return 0;
}

/* Limits of the search for one mux group less, in tries of an item in a group. Tries that open events are slower, so
 * that their limit is lower.
 *
 * Greedy assignment alone takes one set too many for common requests: -M Branch on M1 to M3 takes five sets instead of
 * four with the hardest first, -M TLB on a PMUv3 with four counters three instead of two in every order tried. The
 * search saves a set for one in four pairs of groups and for one in fifty of 10 000 random lists, but for no single
 * metric, pair of metrics or pair of presets. */
enum { STEPS_MAX = 16000, STEPS_ASKING_MAX = 200 };

/* Find an event of a mux group that counts an input. An event requested in two fixed columns is counted in both.
 * @return its index among the wants, -1 */
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

/* Whether a mux group has an input, in the requested column. */
static bool has_input(const struct event_request *mux, unsigned type,
		      const struct plan_input *input)
{
	int at = find_input(mux, type, input);

	return at >= 0 && (!input->fixed || mux->want[type][at].fixed);
}

/* Count the events of an item that a mux group lacks. */
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
		/* rows after those of -e */
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

static bool pack_add_item(const struct packing *p, const struct plan_item *item,
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

/* Give each row a column of its own, even if only some types count it; not if columns are counters. */
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

static int pack_place(const struct event_request *mux, const char *preset, struct set *ret,
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

	return pack_place(mux, "", &set, err) == 0 &&
	       p->request->fits(p->request->data, &set, err) == 0;
}

/* Copy the used part of a request: most of the struct is unused. */
static void pack_copy(const struct event_request *from, struct event_request *ret)
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

static bool pack_is_same(const struct event_request *a, const struct event_request *b,
			 unsigned type)
{
	return a->n[type] == b->n[type] &&
	       memcmp(a->want[type], b->want[type], a->n[type] * sizeof(a->want[type][0])) == 0;
}

/* Add the item to a copy of the mux group, if possible. */
static bool pack_try(const struct packing *p, const struct event_request *mux,
		     const struct plan_item *item, struct event_request *ret, struct err *err)
{
	pack_copy(mux, ret);
	if (!pack_add_item(p, item, ret))
		return false;
	for (unsigned t = 0; t < ret->machine->n_types; t++) {
		struct placement unused;

		if (!pack_is_same(ret, mux, t) &&
		    (!is_within_limit(p, ret, t) ||
		     placement_make(&ret->machine->type[t], ret->want[t], ret->n[t], &unused,
				    NULL)))
			return false;
	}
	return !p->asks || !p->request->fits || is_accepted(p, ret, err);
}

bool packing_fits_alone(const struct packing *p, const struct plan_item *item, struct err *err)
{
	struct event_request mux;

	return pack_try(p, &p->empty, item, &mux, err);
}

int packing_place_alone(const struct packing *p, const struct plan_item *item, struct set *ret,
			struct err *err)
{
	struct event_request mux = p->empty;

	pack_add_item(p, item, &mux);
	return pack_place(&mux, "", ret, err);
}

struct mux_search {
	struct packing *p;
	const unsigned *order; /* items, hardest first */
	unsigned max;          /* maximum number of mux groups */
	unsigned n_mux;        /* number of p->mux[] in use */
	uint8_t *mux_of;
};

/* Find the mux group, among those not yet tried, that lacks fewest events of an item. @return n_mux if all were
 * tried */
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
	struct event_request without; /* the only copy per step, because the recursion is deep */

	if (!p->budget)
		return false;
	p->budget--;
	pack_copy(from, &without);
	if (pack_try(p, &without, &p->items->item[s->order[i]], &p->mux[mux], NULL)) {
		s->mux_of[s->order[i]] = (uint8_t)mux;
		if (assign(s, i + 1))
			return true;
	}
	pack_copy(&without, &p->mux[mux]);
	return false;
}

/* Assign item i of the order and all after it. */
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
			return assign(s, i + 1); /* adds no event: no other group is better */
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

/* Number the mux groups in the order in which their first items were requested; group 0 stays if it has requested
 * events. */
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
	/* the first descent is greedy and needs no more tries than this */
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
	struct event_request request = mux || !p->has_first ? p->empty : p->first;

	for (size_t i = 0; i < p->items->n; i++)
		if (p->mux_of[i] == mux)
			pack_add_item(p, &p->items->item[i], &request);

	bool is_preset = memcmp(request.n, p->first.n, sizeof(request.n)) == 0;

	return pack_place(&request, mux || !is_preset ? "" : preset, ret, err);
}
