/* estimate.c: errors of the estimates of multiplexed counts */
#include <math.h>

#include "sampler/threads/internal.h"

enum { ROUNDS_MIN = 4 }; /* fewest rounds for an error */

/* Factor of the largest difference between rates, so that 93 to 100 of 100 true values are within the error:
 * make accuracy. */
#define WIDENED 1.5

void mux_spread_add(struct mux_spread *spread, uint64_t delta, uint64_t base)
{
	if (!base)
		return;
	spread->rate[spread->n++ % ROUNDS_KEPT] = (float)delta / (float)base;
	spread->base += (double)base;
	spread->squares += (double)base * (double)base;
}

/* Return the largest difference between a rate and those of the last rounds. */
static double farthest_from(const struct mux_spread *spread, double rate)
{
	double most = 0;

	for (unsigned i = 0; i < spread->n && i < ROUNDS_KEPT; i++)
		most = fmax(most, fabs((double)spread->rate[i] - rate));
	return most;
}

/* @return the error of the total */
static double mux_error_of(const struct mux_spread *spread, const struct count *count,
			   const struct mux_coverage *coverage)
{
	double total = count_total(count).value, all = coverage->counted + coverage->missed;
	/* rounds that would say as much if all had the same base */
	double n_rounds = spread->squares > 0 ? spread->base * spread->base / spread->squares : 1;
	double of_rate = WIDENED * farthest_from(spread, total / all) * sqrt(2 / (n_rounds + 1));
	double unlimited =
		coverage->counted > 0 ? (double)count->value * all / coverage->counted : 0;

	return of_rate * coverage->missed + fmax(0, unlimited - total);
}

double mux_spread_close(struct mux_spread *spread, const struct count *count,
			const struct mux_coverage *coverage)
{
	double error = (double)count->value;

	if (count->quality != QUALITY_SCALED)
		error = -1;
	else if (spread->n >= ROUNDS_MIN && coverage->counted + coverage->missed > 0)
		error = mux_error_of(spread, count, coverage) * (double)count->running_ns /
			(double)count->enabled_ns;
	spread->base = spread->squares = 0;
	return ceil(error) + 1; /* a count is a whole number */
}
