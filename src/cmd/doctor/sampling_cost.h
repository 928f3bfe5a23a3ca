/* sampling_cost.h: how much longer work takes on a core that m1top samples */
#ifndef CMD_DOCTOR_SAMPLING_COST_H
#define CMD_DOCTOR_SAMPLING_COST_H

#include "cmd/options/options.h"
#include "event/event.h"
#include "machine/sample.h"

enum { SAMPLING_INTERVALS = 3 };

/** What Arm recommends that counting may cost at most, on an average. */
#define SAMPLING_LIMIT_PCT 5.0

/** Those that are tried. */
extern const unsigned sampling_interval_ms[SAMPLING_INTERVALS];

struct sampling_cost {
	bool is_cycles; /* of the core; else CPU time of the work and of all of m1top, in ns */
	double without; /* the least of several runs, as the others are */
	double with[SAMPLING_INTERVALS];
};

/** Told before each run. */
typedef void sampling_progress_fn(void *context, unsigned done, unsigned all);

/** What m1top's own threads take of a core that works. */
struct sampling_own {
	unsigned n; /* 0: this backend's counts cannot be told apart by task */
	char what[SLOTS_MAX + 1][EVENT_NAME_MAX]; /* an event; the first is CPU time */
	double pct[SLOTS_MAX + 1]
		  [SAMPLING_INTERVALS]; /* of the whole core's; NaN: nothing was counted */
};

/**
 * The same work on one CPU, alone and while m1top's default events are sampled there; then with the counts
 * of each task.
 *
 * @return 0, with the reason where ret_own has none; errors of setup_open and sampler_start; -ENOTSUP no
 *         kernel runs here
 */
int sampling_cost_measure(const struct options *options, unsigned cpu,
			  sampling_progress_fn *progress, void *context, struct sampling_cost *ret,
			  struct sampling_own *ret_own, struct err *err);

/** What an interval adds, in per cent; negative: less than runs differ. */
double sampling_cost_pct(const struct sampling_cost *cost, unsigned interval);

#endif
