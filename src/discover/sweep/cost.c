#include "discover/sweep/cost.h"

#include <stddef.h>

static double cost_of(struct runner *runner, const struct kernel *kernel,
		      const struct experiment_plan *plan)
{
	struct experiment_plan capped = *plan;
	double ns = 0;

	if (runner_use(runner, kernel, NULL))
		return 0;
	experiment_cap(kernel, &capped);
	for (unsigned i = 0; i < capped.n_lengths; i++)
		ns += (double)runner_cost_ns(runner, capped.length[i]);
	return ns;
}

void costs_measure(struct runner *runner, const struct kernel *const *kernel, unsigned n,
		   const struct experiment_plan *plan, struct costs *ret)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++) {
		ret->before[i] = sum;
		sum += cost_of(runner, kernel[i], plan);
	}
	ret->before[n] = sum;
	for (unsigned i = 0; i <= n; i++)
		ret->before[i] = sum > 0 ? ret->before[i] / sum : (double)i / n;
}

double costs_share(const struct costs *costs, unsigned kernel, double in_kernel)
{
	const double *before = &costs->before[kernel];

	return before[0] + in_kernel * (before[1] - before[0]);
}
