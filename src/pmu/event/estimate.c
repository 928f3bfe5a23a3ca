/* estimate.c: estimates of multiplexed counts from the events that all mux groups of a core count */
#include <math.h>

#include "pmu/set.h"

/* Largest factor between the estimates by cycles and by time: a mux group that ran while the core was nearly
 * idle says little about the rest of the window. There is no least factor: an estimate by cycles is never
 * below what was counted. */
#define FACTOR_MAX 2.0

/* @return the mux group's end if it does not count the event */
static unsigned find_in_mux(const struct set *set, unsigned type, unsigned mux,
			    const struct event *event)
{
	const struct event *const *at = set->type[type].event;
	unsigned column = set->first[mux];

	while (column < set->first[mux + 1] && at[column] != event &&
	       !(at[column] && event_counts_as(at[column], event)))
		column++;
	return column;
}

/* Find the columns of an event of the core PMU. @return false if not every mux group counts it */
static bool find_in_all(const struct set *set, unsigned type, const struct event *event,
			uint16_t *ret_column)
{
	if (!event || !event->needs_counter)
		return false;
	for (unsigned mux = 0; mux < set_n_mux(set); mux++) {
		unsigned column = find_in_mux(set, type, mux, event);

		if (column == set->first[mux + 1])
			return false;
		ret_column[mux] = (uint16_t)column;
	}
	return true;
}

bool set_find_cycles(const struct set *set, unsigned type, uint16_t ret_column[MUX_MAX])
{
	const struct event *const *at = set->type[type].event;

	for (unsigned i = 0; i < set->first[1]; i++)
		if (at[i] && at[i]->is_cycles && find_in_all(set, type, at[i], ret_column))
			return true;
	return false;
}

/* @own  cycles of the column's mux group  @all  those of all mux groups, a sum */
static void estimate_by_cycles(struct count *count, const struct count *own,
			       const struct count *all, struct mux_coverage *ret)
{
	double cycles = count_total(all).value;
	double by_time = (double)own->value * (double)own->enabled_ns / (double)own->running_ns;

	ret->counted = (double)own->value;
	ret->missed = fmax(0, cycles - ret->counted);
	if (own->value)
		count->extra = (double)count->value * (fmin(cycles / by_time, FACTOR_MAX) - 1);
}

void set_estimate(const struct set *set, unsigned type, struct count *count,
		  struct mux_coverage *ret)
{
	uint16_t cycles[MUX_MAX] = { 0 };

	for (unsigned i = 0; i < set->n_slots; i++)
		ret[i] = (struct mux_coverage){ (double)count[i].running_ns,
						count_missed_ns(&count[i]) };
	if (set_n_mux(set) == 1 || !set_find_cycles(set, type, cycles))
		return;

	struct count all = { .quality = QUALITY_NONE };

	for (unsigned mux = 0; mux < set_n_mux(set); mux++)
		count_add_mux(&all, &count[cycles[mux]]);
	for (unsigned i = 0; i < set->n_slots; i++) {
		const struct event *event = set->type[type].event[i];
		const struct count *own = &count[cycles[set_mux_of(set, i)]];

		if (!event || !event->needs_counter || count[i].quality != QUALITY_SCALED)
			continue;
		ret[i] = (struct mux_coverage){ 0 };
		if (own->quality == QUALITY_SCALED)
			estimate_by_cycles(&count[i], own, &all, &ret[i]);
	}
}
