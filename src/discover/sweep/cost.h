/* cost.h: how long each kernel takes beside the others, so that a time left is honest from the beginning */
#ifndef DISCOVER_SWEEP_COST_H
#define DISCOVER_SWEEP_COST_H

#include "discover/run/experiment.h"

enum { COSTS_MAX = 64 }; /* kernels */

struct costs {
	double before[COSTS_MAX + 1]; /* of all kernels' time the share of those before it, 0 … 1 */
};

/**
 * Run each once at the lengths that it allows, counting nothing. On a simulated core all take as
 * long; what cannot be run takes no time.
 *
 * @runner  is left with some kernel in use
 * @kernel  `n` of them, at least 1
 * @plan    as experiment_plan_init leaves it
 */
void costs_measure(struct runner *runner, const struct kernel *const *kernel, unsigned n,
		   const struct experiment_plan *plan, struct costs *ret);

/** How far all is when a share of this kernel is done. */
double costs_share(const struct costs *costs, unsigned kernel, double in_kernel);

#endif
