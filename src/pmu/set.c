#include "pmu/set.h"

#include "pmu/set_wishes.h"

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
	     enum event_levels levels, struct set *ret, struct err *err)
{
	struct wishes wishes;

	wishes_init(&wishes, table, levels);

	int result = wishes_add_specs(&wishes, spec, n, err);

	if (result == 0)
		result = wishes_add_fixed_pair(&wishes, err);
	if (result < 0)
		return result;
	if (wishes.machine->n_types > 1)
		wishes_align(&wishes);
	return wishes_place(&wishes, "", ret, err);
}
