/* experiment.h: runs of one kernel at several lengths on one core while a few events count, and
 * the estimates */
#ifndef DISCOVER_RUN_EXPERIMENT_H
#define DISCOVER_RUN_EXPERIMENT_H

#include <stdatomic.h>

#include "discover/run/runner.h"

struct experiment_result {
	struct estimate estimate[SLOTS_MAX];
	double typical[SLOTS_MAX][2]; /* median count of the longest runs: control, trigger; NaN */
	double typical_ns[2];         /* time of the longest runs, ns */
	uint64_t n_runs;
	uint64_t rejected[N_DISTURBANCES]; /* rejected runs of these; [UNDISTURBED] is 0 */
};

/** Set the default lengths and repeats: 1, 100, 1000 … 7 times, or fewer and shorter ones. */
void experiment_plan_init(bool is_quick, struct experiment_plan *ret);

/** Limit the lengths to what a kernel allows; at least two different ones if n_max is more than 1. */
void experiment_cap(const struct kernel *kernel, struct experiment_plan *plan);

/**
 * Run trigger and control at every length, each repeat of both close together, in random order.
 *
 * A disturbed run is repeated up to TRIES_MAX times; then its pair is left out. Runs with far more
 * cycles than their repeats are repeated likewise.
 *
 * @runner  a set is loaded, the kernel in use
 * @n_slots of the set; the estimate of a slot that is not counted is VERDICT_UNKNOWN
 * @cycles  slot of cycles; -1: not counted, and slow runs are judged by time
 * @plan    from experiment_cap
 * @stop    set by another thread: end early; NULL: never
 * @return  0; -ECANCELED; -ENODEV if the core has gone; -ENOMEM
 */
int experiment_run(struct runner *runner, const struct kernel *kernel, unsigned n_slots, int cycles,
		   const struct experiment_plan *plan, const atomic_bool *stop,
		   struct experiment_result *ret);

/* ---- relative run time of each kernel, for an accurate remaining time from the start */

enum { COSTS_MAX = 64 }; /* kernels */

struct costs {
	double before[COSTS_MAX + 1]; /* share of the total time before each kernel, 0 … 1 */
};

/**
 * Run each kernel once at its allowed lengths, without counting. On a simulated core all take
 * equally long; kernels that cannot run take no time.
 *
 * @runner  left with some kernel in use
 * @kernel  `n` of them, at least 1
 * @plan    from experiment_plan_init
 */
void costs_measure(struct runner *runner, const struct kernel *const *kernel, unsigned n,
		   const struct experiment_plan *plan, struct costs *ret);

/** Return the overall share done when a share of this kernel is done. */
double costs_share(const struct costs *costs, unsigned kernel, double in_kernel);

#endif
