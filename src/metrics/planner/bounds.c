/* bounds.c: how few mux groups are possible, how hard an item is */
#include "metrics/planner/pack.h"

#include <errno.h>

unsigned packing_limit(const struct planner_request *request, unsigned type)
{
	unsigned n = event_table_machine(request->events)->type[type].n_counters;

	return n ? n : request->max_counters;
}

/* --- how hard an item is --- */

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

unsigned packing_hardness(const struct packing *p, const struct plan_item *item)
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

/* --- how few mux groups are possible --- */

/* Different events of some items on one type; one more than can ever be counted is enough. */
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

/* @first, @n  of items->use[] */
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

/* As few as the places allow that all events have, and those that some of them must share. */
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

int packing_refuse_mux(struct err *err)
{
	return err_set(err, ENOSPC,
		       "that takes more than %d sets of events, and no more can be multiplexed: "
		       "ask for less at a time",
		       MUX_MAX);
}

int packing_check_size(const struct packing *p, const struct plan_item *item, struct err *err)
{
	for (unsigned t = 0; t < p->empty.machine->n_types && item->number != ITEM_ASKED; t++)
		if (list_distinct(p, t, item->first, item->n).n > COLUMNS_MAX)
			return err_set(err, ENOSPC,
				       "metric %s takes more than %d different events, and no more "
				       "can be multiplexed",
				       p->request->metrics->metric[item->number].name, COLUMNS_MAX);
	return 0;
}

int packing_bounds(const struct packing *p, unsigned *ret_least, struct err *err)
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
