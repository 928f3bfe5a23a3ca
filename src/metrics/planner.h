/* planner.h: find the fewest sets that count the requested events, presets and metrics */
#ifndef METRICS_PLANNER_H
#define METRICS_PLANNER_H

#include "metrics/metrics.h"

/** Preset of every event that the cores' PMUs can count; without one, of every event of the kernel's software. */
#define PRESET_ALL "all"

/**
 * Events, presets and metrics to count. Zero: the machine's default set, plus the inputs of the parts of a core's time
 * if they fit in as well.
 */
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
	/* Optional check that the kernel accepts a set: counter masks are not its only limits. @return 0, or
	 * -ENOSPC/-EINVAL naming what does not fit. NULL: only the masks are checked. */
	int (*fits)(void *data, const struct set *set, struct err *err);
	void *data;
};

/**
 * Make the set: with one mux group if everything fits the counters at once, else with as few as can be found, all
 * inputs of a metric in the same one. Events and the preset come first, in one group if they fit, else each preset and
 * each event separately.
 *
 * @return 0; errors of set_make and set_preset; -ENOSPC naming events and counters: an event or a preset does not fit
 *         the counters alone, or a metric does not and --split was not given
 */
int planner_make(const struct planner_request *request, struct set *ret, struct err *err);

/**
 * Get the number of sets that a metric needs when counted alone.
 *
 * @number  of request->metrics
 * @ret     1; if the counters do not suffice, the number with --split
 * @return  0; an error with the reason why it cannot be counted on this machine
 */
int planner_n_sets(const struct planner_request *request, unsigned number, unsigned *ret,
		   struct err *err);

#endif
