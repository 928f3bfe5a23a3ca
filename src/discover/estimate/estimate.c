#include "discover/estimate/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "discover/estimate/median.h"
#include "discover/estimate/student.h"

/*
 * The statistic: the slope of least squares through the lengths is a weighted sum of means, of trigger
 * and control at each length, each of which has a scatter and a number of repeats of its own. Divided by
 * its standard error it has Student's t distribution, with the degrees of freedom of B. L. Welch and
 * F. E. Satterthwaite. Runs that were disturbed unseen are left out of the means before.
 */

enum {
	LENGTHS_MAX = 12, /* different n */
	REPEATS_MAX = 64, /* of one n that are looked at */
	ENOUGH = 3,       /* repeats, or their scatter is a guess */
};

#define Z99 2.5758 /* the normal deviate that one in a hundred exceeds */

struct mean {
	double value;
	double variance; /* of this value, not of a run */
	double freedom;  /* degrees of, of the variance */
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

/* The few that lie far off are left out; what is many belongs to it. @return how many are left, in front */
static unsigned leave_out_far(double *value, unsigned n)
{
	double near[REPEATS_MAX], middle, reach;
	unsigned n_near = 0;

	memcpy(near, value, n * sizeof(*near));
	reach = median_reach(near, n, 1, &middle); /* counts are whole */
	for (unsigned i = 0; i < n; i++)
		if (fabs(value[i] - middle) <= reach)
			near[n_near++] = value[i];
	if (3 * (n - n_near) > n)
		return n;
	memcpy(value, near, n_near * sizeof(*near));
	return n_near;
}

static struct mean mean_of(double *value, unsigned n_repeats)
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

static struct length *length_of(struct lengths *lengths, double n)
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
		struct length *length = length_of(ret, pair[i].n);

		if (!length || length->n_repeats == REPEATS_MAX)
			continue;
		length->count[0][length->n_repeats] = pair[i].control;
		length->count[1][length->n_repeats++] = pair[i].trigger;
	}
}

static void leave_out_rare(struct lengths *lengths)
{
	unsigned n = 0;

	for (unsigned i = 0; i < lengths->n; i++)
		if (lengths->of[i].n_repeats >= ENOUGH)
			lengths->of[n++] = lengths->of[i];
	lengths->n = n;
}

static void group(struct pair *pair, size_t n, struct lengths *ret)
{
	sort_into(pair, n, ret);
	leave_out_rare(ret);
	for (unsigned i = 0; i < ret->n; i++)
		for (unsigned kind = 0; kind < 2; kind++)
			ret->of[i].mean[kind] =
				mean_of(ret->of[i].count[kind], ret->of[i].n_repeats);
}

static double difference(const struct length *length)
{
	return length->mean[1].value - length->mean[0].value;
}

/* ---- the slope ---- */

/* What a count at each length adds to the slope, times a number that is returned. */
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

/* Of one degree of freedom less than of normal noise: that of counters is rather flat, of which Student's
 * t at 7 repeats would miss 1.6 % instead of 1. */
static struct mean weighted_sum(const struct lengths *lengths, const double *weight)
{
	struct mean sum = { 0 };
	double squares = 0;

	for (unsigned i = 0; i < lengths->n; i++) {
		sum.value += weight[i] * difference(&lengths->of[i]);
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
 * Counts are whole: even repeats that are all equal may be off by one. This is a bound for the interval;
 * for a response it is noise to stand out from.
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
	return difference(length) - slope * length->n;
}

/* The shortest runs tell best what starting costs. */
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
