/* planner.h: the fewest sets that count all of what was asked for: events, a preset, metrics */
#ifndef METRICS_PLANNER_PLANNER_H
#define METRICS_PLANNER_PLANNER_H

#include "metrics/metrics.h"

/** What to count. Zero is the default set of the machine, with what the parts of a core's time are
 * made of where it fits beside it. */
struct planner_request {
	struct event_table *events;
	const struct metrics *metrics;
	const struct event_spec *spec; /* -e; NULL: none */
	size_t n_specs;
	const char *preset;                        /* -P, several with commas; NULL: none */
	const struct metrics_selection *selection; /* -M; NULL: none */
	enum privilege privilege;
	unsigned max_counters; /* see set_default */
	bool splits_metrics;   /* --split */
	/* Optional. Would the kernel take this set? Counter masks are not all that limits it. 0, or
	 * -ENOSPC/-EINVAL saying what does not fit. NULL: the masks are believed. */
	int (*fits)(void *data, const struct set *set, struct err *err);
	void *data;
};

/**
 * Make the set: with one mux group where everything fits the counters at once, else with as few
 * as can be found, all inputs of a metric in the same one. Events and the preset come first, in
 * one group if they fit one, else each preset and each event for itself.
 *
 * @return 0; errors of set_make and set_preset; -ENOSPC: an event or a preset does not fit the
 *         counters by itself, or a metric and --split was not given, naming its events and the
 *         counters
 */
int planner_make(const struct planner_request *request, struct set *ret, struct err *err);

/**
 * How many sets one metric needs, measured by itself.
 *
 * @number  of request->metrics
 * @ret     1, or with more than the counters hold what --split would take
 * @return  0; an error says why it cannot be counted here at all
 */
int planner_n_sets(const struct planner_request *request, unsigned number, unsigned *ret,
		   struct err *err);

#endif
