#include "discover/estimate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"

/*
 * Statistics: the least-squares slope over the lengths is a weighted sum of means, of trigger and
 * control at each length, each with its own scatter and number of repeats. Divided by its standard
 * error it has Student's t distribution, with the degrees of freedom by B. L. Welch and F. E.
 * Satterthwaite. Outliers, from runs disturbed without notice, are removed from the means first.
 */

enum {
	ENOUGH = 3, /* repeats needed to estimate a scatter */
};

#define Z99 2.5758 /* normal deviate of a two-sided 99 % interval */

struct mean {
	double value;
	double variance; /* of the mean, not of a run */
	double freedom;  /* degrees of freedom of the variance */
};

/* Repeats of one length. */
struct length {
	double n;
	double count[2][REPEATS_MAX]; /* of control, trigger */
	unsigned n_repeats;
	struct mean mean[2];
};

struct lengths {
	struct length of[LENGTHS_MAX];
	unsigned n;
};

/* ---- repeats ---- */

/* Move values without outliers to the front; if there are many outliers, keep all. @return number of values left */
static unsigned leave_out_far(double *value, unsigned n)
{
	double near[REPEATS_MAX], middle;
	unsigned n_near = 0;

	memcpy(near, value, n * sizeof(*near));

	double reach = outlier_limit(near, n, 1, &middle); /* counts are integers */

	for (unsigned i = 0; i < n; i++)
		if (fabs(value[i] - middle) <= reach)
			near[n_near++] = value[i];
	if (3 * (n - n_near) > n)
		return n;
	memcpy(value, near, n_near * sizeof(*near));
	return n_near;
}

static struct mean estimate_mean_of(double *value, unsigned n_repeats)
{
	unsigned n = leave_out_far(value, n_repeats);
	struct mean mean = { .freedom = n - 1 };
	double squares = 0;

	for (unsigned i = 0; i < n; i++)
		mean.value += value[i];
	mean.value /= n;
	for (unsigned i = 0; i < n; i++)
		squares += (value[i] - mean.value) * (value[i] - mean.value);
	mean.variance = squares / mean.freedom / n;
	return mean;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return (x->n > y->n) - (x->n < y->n);
}

static struct length *estimate_length_of(struct lengths *lengths, double n)
{
	if (lengths->n && lengths->of[lengths->n - 1].n >= n)
		return &lengths->of[lengths->n - 1];
	if (lengths->n == LENGTHS_MAX)
		return NULL;
	lengths->of[lengths->n] = (struct length){ .n = n };
	return &lengths->of[lengths->n++];
}

static void sort_into(struct pair *pair, size_t n, struct lengths *ret)
{
	qsort(pair, n, sizeof(*pair), compare_pairs);
	ret->n = 0;
	for (size_t i = 0; i < n; i++) {
		struct length *length = estimate_length_of(ret, pair[i].n);

		if (!length || length->n_repeats == REPEATS_MAX)
			continue;
		length->count[0][length->n_repeats] = pair[i].control;
		length->count[1][length->n_repeats++] = pair[i].trigger;
	}
}

static void group(struct pair *pair, size_t n, struct lengths *ret)
{
	sort_into(pair, n, ret);

	unsigned n_lengths = ret->n;

	ret->n = 0;
	for (unsigned i = 0; i < n_lengths; i++)
		if (ret->of[i].n_repeats >= ENOUGH)
			ret->of[ret->n++] = ret->of[i];
	for (unsigned i = 0; i < ret->n; i++)
		for (unsigned kind = 0; kind < 2; kind++)
			ret->of[i].mean[kind] =
				estimate_mean_of(ret->of[i].count[kind], ret->of[i].n_repeats);
}

static double estimate_difference(const struct length *length)
{
	return length->mean[1].value - length->mean[0].value;
}

/* ---- the slope ---- */

/* Compute the weight of each length's count in the slope. @return the common divisor */
static double weigh(const struct lengths *lengths, double *ret)
{
	double sum = 0, scale = 0;

	for (unsigned i = 0; i < lengths->n; i++)
		sum += lengths->of[i].n;
	for (unsigned i = 0; i < lengths->n; i++) {
		ret[i] = lengths->n * lengths->of[i].n - sum;
		scale += ret[i] * lengths->of[i].n;
	}
	return scale;
}

/* Add up the weighted differences. One degree of freedom is subtracted: counter noise is rather
 * flat, for which Student's t at 7 repeats would miss 1.6 % instead of 1. */
static struct mean weighted_sum(const struct lengths *lengths, const double *weight)
{
	struct mean sum = { 0 };
	double squares = 0;

	for (unsigned i = 0; i < lengths->n; i++) {
		sum.value += weight[i] * estimate_difference(&lengths->of[i]);
		for (unsigned kind = 0; kind < 2; kind++) {
			const struct mean *mean = &lengths->of[i].mean[kind];
			double variance = weight[i] * weight[i] * mean->variance;

			sum.variance += variance;
			sum.freedom += mean->freedom;
			squares += variance * variance / mean->freedom;
		}
	}
	if (squares > 0)
		sum.freedom = sum.variance * sum.variance / squares;
	sum.freedom = fmax(sum.freedom - 1, 1);
	return sum;
}

/*
 * Compute slope, interval and p. Counts are integers: even if all repeats are equal they may be off
 * by one, which bounds the interval and is noise that a response must exceed.
 */
static void interval(const struct lengths *lengths, struct estimate *estimate)
{
	double weight[LENGTHS_MAX];
	double scale = weigh(lengths, weight), count = weight[lengths->n - 1];
	struct mean sum = weighted_sum(lengths, weight);
	double error = sqrt(sum.variance);
	double half = fmax(error * student_t(Z99, sum.freedom), count) / scale;

	estimate->slope = sum.value / scale;
	estimate->low = estimate->slope - half;
	estimate->high = estimate->slope + half;
	estimate->p = student_chance(sum.value / fmax(error, count), sum.freedom);
}

/* ---- the line ---- */

static double beyond(const struct length *length, double slope)
{
	return estimate_difference(length) - slope * length->n;
}

/* Compute intercept and residuals; the shortest runs show best what starting costs. */
static void line(const struct lengths *lengths, struct estimate *estimate)
{
	estimate->intercept = beyond(&lengths->of[0], estimate->slope);
	for (unsigned i = 0; i < lengths->n; i++) {
		const struct length *length = &lengths->of[i];
		double off = beyond(length, estimate->slope) - estimate->intercept;
		double error = sqrt(length->mean[0].variance + length->mean[1].variance);

		estimate->residual = fmax(estimate->residual, fabs(off));
		estimate->noise = fmax(estimate->noise, 4 * fmax(error, 1));
	}
	estimate->n_largest = lengths->of[lengths->n - 1].n;
}

void estimate_make(struct pair *pair, size_t n, struct estimate *ret)
{
	struct lengths lengths;

	*ret = (struct estimate){ .slope = NAN,
				  .low = NAN,
				  .high = NAN,
				  .intercept = NAN,
				  .p = 1,
				  .k = NAN,
				  .n_pairs = (uint32_t)n };
	group(pair, n, &lengths);
	if (lengths.n < 2)
		return;
	ret->verdict = VERDICT_NONE;
	interval(&lengths, ret);
	line(&lengths, ret);
}

/* ---- verdicts ---- */

#define LEAST_SLOPE   0.01 /* least counts per trigger of a response */
#define TOLERANCE     0.01 /* relative deviation of a straight line */
#define SURE          3.0  /* intervals within which all true values of a sweep lie */
#define WIDEST        0.3  /* widest range that singles out a factor, relative to it */

/* p of a certain response; p of chance; half interval too wide to tell a quarter from nothing */
#define CLEAR_P       1e-7
#define UNCLEAR_P     0.01
#define UNCLEAR_WIDTH 0.1

/* Return the largest p that is a discovery (Y. Benjamini, Y. Hochberg); below 0: none. */
static double threshold(const double *sorted, size_t n, double rate)
{
	for (size_t i = n; i-- > 0;)
		if (sorted[i] <= rate * (double)(i + 1) / (double)n)
			return sorted[i];
	return -1;
}

struct sure_range {
	double low, high;
};

/* Widen the interval, as a 99 % interval misses one true value in a hundred. */
static struct sure_range verdict_range_of(const struct estimate *estimate)
{
	double more = (SURE - 1) / 2 * (estimate->high - estimate->low);

	return (struct sure_range){ estimate->low - more, estimate->high + more };
}

/* @return number of factors in the range; ret: the last of them */
static unsigned factors_within(struct sure_range range, double *ret)
{
	static const double known[] = { 0.25, 0.5, 1, 2, 3, 4, 6, 8, 16, 32, 64 };
	unsigned n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		double k = copysign(known[i], range.low + range.high);

		if (range.low > k || range.high < k)
			continue;
		*ret = k;
		n++;
	}
	return n;
}

/* @return NaN if there is no simple factor, or more than one */
static double factor(const struct estimate *estimate)
{
	struct sure_range sure = verdict_range_of(estimate);
	double k = NAN;

	if (factors_within(sure, &k) != 1)
		return NAN;
	return sure.high - sure.low <= WIDEST * fabs(k) ? k : NAN;
}

bool estimate_is_unclear(const struct estimate *estimate)
{
	struct sure_range sure = verdict_range_of(estimate);
	double half = (estimate->high - estimate->low) / 2, k;

	if (estimate->verdict == VERDICT_UNKNOWN ||
	    (sure.low > -LEAST_SLOPE && sure.high < LEAST_SLOPE))
		return false;
	if (estimate->p >= CLEAR_P)
		return estimate->p < UNCLEAR_P || half > UNCLEAR_WIDTH;
	return factors_within(sure, &k) && isnan(factor(estimate));
}

static void decide(struct estimate *estimate, double largest_p)
{
	double rise = fabs(estimate->slope) * estimate->n_largest;

	estimate->k = NAN;
	estimate->verdict = VERDICT_NONE;
	if (estimate->p > largest_p || fabs(estimate->slope) < LEAST_SLOPE)
		return;
	estimate->verdict = VERDICT_RELATED;
	if (!(estimate->residual <= fmax(TOLERANCE * rise, estimate->noise)))
		return;
	estimate->k = factor(estimate);
	if (!isnan(estimate->k))
		estimate->verdict = VERDICT_CONSISTENT;
}

int estimates_decide(struct estimate *const *estimate, size_t n, double rate)
{
	AUTO_FREE double *p = malloc((n + 1) * sizeof(*p));
	double largest;
	size_t n_known = 0;

	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (estimate[i]->verdict != VERDICT_UNKNOWN)
			p[n_known++] = estimate[i]->p;
	sort_figures(p, n_known);
	largest = threshold(p, n_known, rate);
	for (size_t i = 0; i < n; i++)
		if (estimate[i]->verdict != VERDICT_UNKNOWN)
			decide(estimate[i], largest);
	return 0;
}

/* ---- cycles ---- */

bool estimate_is_of_cycles(const double *count, const double *cycles, size_t n, double *ret_ratio)
{
	double counts = 0, cycled = 0;

	for (size_t i = 0; i < n; i++) {
		counts += count[i];
		cycled += cycles[i];
	}
	if (n < 2 || counts <= 0 || cycled <= 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		double expected = cycles[i] * counts / cycled;

		if (fabs(count[i] - expected) > 0.03 * expected)
			return false;
	}
	*ret_ratio = counts / cycled;
	return true;
}

bool estimate_may_be_of_work(const struct estimate *estimate, double per_cycle)
{
	const struct estimate cycles = {
		.slope = estimate->slope / per_cycle,
		.low = estimate->low / per_cycle,
		.high = estimate->high / per_cycle,
	};

	return estimate->verdict == VERDICT_CONSISTENT && !isnan(factor(&cycles));
}

const char estimate_verdict_name[][12] = {
	[VERDICT_UNKNOWN] = "unknown", [VERDICT_NONE] = "none",
	[VERDICT_RELATED] = "related", [VERDICT_CONSISTENT] = "consistent",
	[VERDICT_CYCLES] = "cycles",   [VERDICT_TIME] = "time",
};
