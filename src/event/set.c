#include "event/set.h"

#include <string.h>

#include "event/request.h"

const struct event *set_event(const struct set *set, unsigned slot)
{
	const struct event *refused = NULL;

	for (unsigned type = 0; type < TYPES_MAX; type++) {
		const struct event *event = set->type[type].event[slot];

		if (event && !event->refused[0])
			return event;
		if (!refused)
			refused = event;
	}
	return refused;
}

int set_make(struct event_table *table, const struct event_spec *spec, size_t n,
	     enum privilege privilege, struct set *ret, struct err *err)
{
	struct event_request request;

	event_request_init(&request, table, privilege);

	int result = event_request_add_specs(&request, spec, n, err);

	if (result == 0)
		result = event_request_add_fixed_pair(&request, err);
	if (result < 0)
		return result;
	if (request.machine->n_types > 1)
		event_request_align(&request);
	return event_request_place(&request, "", ret, err);
}

static bool is_same_placement(const struct placement *a, const struct placement *b,
			      unsigned n_slots)
{
	for (unsigned slot = 0; slot < n_slots; slot++)
		if (a->event[slot] != b->event[slot] || a->counter[slot] != b->counter[slot])
			return false;
	return a->n_order == b->n_order && memcmp(a->order, b->order, a->n_order) == 0;
}

bool set_counts_same(const struct set *a, const struct set *b)
{
	if (a->n_slots != b->n_slots || set_n_mux(a) != set_n_mux(b) || a->by_task != b->by_task ||
	    a->root != b->root || a->splits_metrics != b->splits_metrics ||
	    strcmp(a->preset, b->preset) != 0 ||
	    (a->n_mux > 1 && (memcmp(a->first, b->first, a->n_mux + 1) != 0 ||
			      memcmp(a->skips, b->skips, a->n_slots) != 0)))
		return false;
	for (unsigned type = 0; type < TYPES_MAX; type++)
		if (!is_same_placement(&a->type[type], &b->type[type], a->n_slots))
			return false;
	return true;
}
