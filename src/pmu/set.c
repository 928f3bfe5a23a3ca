#include "pmu/set.h"

#include "base/cleanup.h"
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

static int resolve_all(struct wishes *wishes, const struct event_spec *given, size_t n,
		       struct err *err)
{
	AUTO_FREE struct event_spec *spec = NULL;
	int spread = event_specs_spread(wishes->table, given, n, &spec, &n, err);

	if (spread < 0)
		return spread;
	for (unsigned type = 0; type < wishes->machine->n_types; type++)
		for (size_t i = 0; i < n; i++) {
			const struct event *event;
			int result = event_resolve(wishes->table, type, &spec[i], wishes->levels,
						   &event, err);

			if (result == 0)
				result = wishes_add(wishes, type, event, spec[i].slot,
						    spec[i].slot >= 0, err);
			if (result < 0)
				return result;
		}
	return wishes_add_fixed_pair(wishes, err);
}

/* The columns that one type gives its events, as wishes of the types that have not chosen. */
static void share_columns(struct wishes *wishes, const struct wishes *part,
			  const size_t index[SLOTS_MAX], unsigned type,
			  const struct placement *placement)
{
	for (size_t i = 0; i < part->n[type]; i++) {
		int slot = placement_find(placement, part->want[type][i].event, -1);

		for (unsigned other = 0; other < wishes->machine->n_types; other++)
			if (wishes->want[other][index[i]].slot < 0)
				wishes->want[other][index[i]].slot = slot;
	}
}

/* An event stands in the same column on every type where that is possible: each type in turn
 * places what it can count, and hands its columns on. */
static void align_columns(struct wishes *wishes)
{
	for (unsigned type = 0; type < wishes->machine->n_types; type++) {
		struct wishes part = { .machine = wishes->machine };
		size_t index[SLOTS_MAX];
		struct placement placement;

		for (size_t i = 0; i < wishes->n[type]; i++) {
			const struct want *want = &wishes->want[type][i];

			if (want->event->refused[0])
				continue;
			index[part.n[type]] = i;
			part.want[type][part.n[type]++] = *want;
		}
		if (placement_make(&wishes->machine->type[type], part.want[type], part.n[type],
				   &placement, NULL) == 0)
			share_columns(wishes, &part, index, type, &placement);
	}
}

int set_make(struct event_table *table, const struct event_spec *spec, size_t n,
	     enum event_levels levels, struct set *ret, struct err *err)
{
	struct wishes wishes;

	wishes_init(&wishes, table, levels);

	int result = resolve_all(&wishes, spec, n, err);

	if (result < 0)
		return result;
	if (wishes.machine->n_types > 1)
		align_columns(&wishes);
	return wishes_place(&wishes, "", ret, err);
}
