/* estimate.c: errors of the estimates of multiplexed counts */
#include <math.h>

#include "sampler/threads/internal.h"

enum { ROUNDS_MIN = 4 }; /* fewest rounds for an error */

/* Factor of the largest difference between rates, so that 93 to 100 of 100 true values are within the error:
 * make accuracy. */
#define WIDENED 1.5

/* Factor of the largest rate of all rounds, which what was missed does not exceed. */
#define MARGIN  1.25

void mux_spread_add(struct mux_spread *spread, uint64_t delta, uint64_t base)
{
	if (!base)
		return;

	float rate = (float)delta / (float)base;

	spread->rate[spread->n++ % SPREAD_ROUNDS] = rate;
	spread->most = fmaxf(spread->most, rate);
	spread->base += (double)base;
	spread->squares += (double)base * (double)base;
	spread->n_new++;
}

/* Return the largest difference between a rate and those of the last rounds that may come again: the window's own, as many
 * before and one, and those that the work has come back from, as an earlier round is nearer by half. A step is
 * not: what was before it is over. */
static double farthest_from(const struct mux_spread *spread, double rate)
{
	double most = 0, nearest = INFINITY;

	for (unsigned age = spread->n < SPREAD_ROUNDS ? spread->n : SPREAD_ROUNDS; age > 0; age--) {
		double off = fabs((double)spread->rate[(spread->n - age) % SPREAD_ROUNDS] - rate);

		if (age <= 2 * spread->n_new + 1 || nearest <= off / 2)
			most = fmax(most, off);
		nearest = fmin(nearest, off);
	}
	return most;
}

/* @return the error of the total */
static double mux_error_of(const struct mux_spread *spread, const struct count *count,
			   const struct mux_coverage *coverage)
{
	double total = count_total(count).value, all = coverage->counted + coverage->missed;
	double counted = (double)count->value;
	/* rounds that would say as much if all had the same base */
	double n_rounds = spread->squares > 0 ? spread->base * spread->base / spread->squares : 1;
	double of_rate = WIDENED * farthest_from(spread, total / all) * sqrt(2 / (n_rounds + 1));
	double unlimited = coverage->counted > 0 ? counted * all / coverage->counted : 0;
	double possible = counted + MARGIN * (double)spread->most * coverage->missed;

	return fmin(of_rate * coverage->missed + fmax(0, unlimited - total),
		    fmax(total - counted, possible - total));
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
	spread->n_new = 0;
	return ceil(error) + 1; /* a count is a whole number */
}
