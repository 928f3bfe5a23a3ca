/* experiment.h: one kernel on one core while a few events count: runs of several lengths, estimates */
#ifndef DISCOVER_RUN_EXPERIMENT_H
#define DISCOVER_RUN_EXPERIMENT_H

#include <stdatomic.h>

#include "discover/estimate/estimate.h"
#include "discover/run/runner.h"

enum {
	LENGTHS_MAX = 8,
	REPEATS_MIN = 5, /* fewer give no estimate */
	REPEATS_MAX = 64,
	TRIES_MAX = 8, /* of a run that is disturbed each time */
};

/** How a kernel is run. */
struct experiment_plan {
	uint64_t length[LENGTHS_MAX]; /* triggers in a run, ascending */
	unsigned n_lengths;
	unsigned repeats; /* of trigger and control, at each length */
	uint64_t seed;    /* of their order */
};

struct experiment_result {
	struct estimate estimate[SLOTS_MAX];
	double typical[SLOTS_MAX][2]; /* median count of the longest runs: control, trigger; NaN */
	double typical_ns[2];         /* their time */
	uint64_t n_runs;
	uint64_t rejected[N_DISTURBANCES]; /* of these; [UNDISTURBED] is 0 */
};

/** Lengths and repeats: 1, 100, 1000 … 7 times, or fewer and shorter ones. */
void experiment_plan_init(bool is_quick, struct experiment_plan *ret);

/** The lengths that a kernel allows, at least two different ones where n_max is more than 1. */
void experiment_cap(const struct kernel *kernel, struct experiment_plan *plan);

/**
 * Run trigger and control at every length, each repeat of both close together, in random order.
 *
 * A disturbed run is made again, up to TRIES_MAX times; then its pair is left out. Runs with far
 * more cycles than their repeats are made again in the same way.
 *
 * @runner  a set is loaded, the kernel in use
 * @n_slots of the set; the estimate of a slot that is not counted is VERDICT_UNKNOWN
 * @cycles  slot of cycles, -1: not counted, and slow is what takes long
 * @plan    as experiment_cap leaves it
 * @stop    set by another thread: end early; NULL: nobody does
 * @return  0; -ECANCELED; -ENODEV the core has gone; -ENOMEM
 */
int experiment_run(struct runner *runner, const struct kernel *kernel, unsigned n_slots, int cycles,
		   const struct experiment_plan *plan, const atomic_bool *stop,
		   struct experiment_result *ret);

#endif
