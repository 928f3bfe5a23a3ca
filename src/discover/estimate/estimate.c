#include "discover/estimate/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "discover/estimate/median.h"
#include "discover/kernel/random.h"

/*
 * Method: H. Theil, P. K. Sen (median of slopes); G. L. Sievers (weights by distance, here because
 * short runs tell little of a slope); B. Efron (bootstrap).
 */

enum {
	LENGTHS_MAX = 12, /* different n */
	REPEATS_MAX = 64, /* of one n that are looked at */
	PAIRS_MIN = 5,
	LONGEST_MIN = 3, /* repeats of the longest runs, or their spread is a guess */
	DRAWS = 300,
};

#define CAUTION   1.2
#define MAD_SIGMA 1.4826 /* median absolute deviation to standard deviation */
#define ROUNDING  0.7    /* the least error: counts are whole numbers; of two medians, one count */

/* Repeats of one length. */
struct length {
	double n;
	double diff[REPEATS_MAX], trigger[REPEATS_MAX], control[REPEATS_MAX];
	unsigned n_diffs;
	double median; /* of the differences */
	double error;  /* its standard error */
};

struct lengths {
	struct length of[LENGTHS_MAX];
	unsigned n;
};

struct slope {
	double slope, weight;
};

static double median(const double *value, size_t n)
{
	double sorted[REPEATS_MAX];

	memcpy(sorted, value, n * sizeof(*value));
	return median_of(sorted, n);
}

static double median_deviation(const double *value, size_t n)
{
	double off[REPEATS_MAX], middle = median(value, n);

	for (size_t i = 0; i < n; i++)
		off[i] = fabs(value[i] - middle);
	return median(off, n);
}

/*
 * Few repeats lie close together by chance now and then, and would claim to know too much: the larger
 * of what the differences say, and trigger and control by themselves. Those that are all equal know a
 * whole number and no more. CAUTION is from trying 7 and 11
 * repeats: chance() is then never below the share of cases that it stands for.
 */
static double error_of_median(const struct length *length)
{
	double trigger = median_deviation(length->trigger, length->n_diffs);
	double control = median_deviation(length->control, length->n_diffs);
	double diff = median_deviation(length->diff, length->n_diffs);

	double scattered = CAUTION * MAD_SIGMA * fmax(diff, hypot(trigger, control)) *
			   sqrt(M_PI / 2 / length->n_diffs);

	return fmax(scattered, ROUNDING);
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

static void group(struct pair *pair, size_t n, struct lengths *ret)
{
	qsort(pair, n, sizeof(*pair), compare_pairs);
	ret->n = 0;
	for (size_t i = 0; i < n; i++) {
		struct length *length = length_of(ret, pair[i].n);

		if (!length || length->n_diffs == REPEATS_MAX)
			continue;
		length->trigger[length->n_diffs] = pair[i].trigger;
		length->control[length->n_diffs] = pair[i].control;
		length->diff[length->n_diffs++] = pair[i].trigger - pair[i].control;
	}
	for (unsigned i = 0; i < ret->n; i++) {
		ret->of[i].median = median(ret->of[i].diff, ret->of[i].n_diffs);
		ret->of[i].error = error_of_median(&ret->of[i]);
	}
}

/* The slope that splits the weights in halves. */
static double weighted_median(struct slope *slope, unsigned n)
{
	double half = 0, sum = 0;

	for (unsigned i = 1; i < n; i++) {
		struct slope moved = slope[i];
		unsigned j = i;

		for (; j > 0 && slope[j - 1].slope > moved.slope; j--)
			slope[j] = slope[j - 1];
		slope[j] = moved;
	}
	for (unsigned i = 0; i < n; i++)
		half += slope[i].weight / 2;
	for (unsigned i = 0; i < n; i++) {
		sum += slope[i].weight;
		if (sum >= half)
			return slope[i].slope;
	}
	return NAN;
}

/* @y  a value by length */
static double theil_sen(const struct lengths *lengths, const double *y)
{
	struct slope slope[LENGTHS_MAX * (LENGTHS_MAX - 1) / 2];
	unsigned n = 0;

	for (unsigned i = 0; i < lengths->n; i++) {
		for (unsigned j = i + 1; j < lengths->n; j++) {
			double apart = lengths->of[j].n - lengths->of[i].n;

			slope[n++] = (struct slope){ (y[j] - y[i]) / apart, apart };
		}
	}
	return weighted_median(slope, n);
}

static double slope_of_medians(const struct lengths *lengths)
{
	double y[LENGTHS_MAX];

	for (unsigned i = 0; i < lengths->n; i++)
		y[i] = lengths->of[i].median;
	return theil_sen(lengths, y);
}

/* ---- drawing again ---- */

static double drawn_median(const struct length *length, uint64_t *random)
{
	double drawn[REPEATS_MAX];

	for (unsigned i = 0; i < length->n_diffs; i++)
		drawn[i] = length->diff[random_next(random) % length->n_diffs];
	return median_of(drawn, length->n_diffs);
}

static bool all_are_equal(const struct length *length)
{
	for (unsigned i = 1; i < length->n_diffs; i++) {
		if (length->diff[i] != length->diff[0])
			return false;
	}
	return true;
}

/* Then every drawing is the same. */
static bool is_exact(const struct lengths *lengths)
{
	for (unsigned i = 0; i < lengths->n; i++) {
		if (!all_are_equal(&lengths->of[i]))
			return false;
	}
	return true;
}

static void draw_slopes(const struct lengths *lengths, uint64_t seed, double *ret)
{
	double y[LENGTHS_MAX];

	for (unsigned draw = 0; draw < DRAWS; draw++) {
		for (unsigned i = 0; i < lengths->n; i++)
			y[i] = drawn_median(&lengths->of[i], &seed);
		ret[draw] = theil_sen(lengths, y);
	}
	sort_figures(ret, DRAWS);
}

/* Half the width of the middle two thirds: repeats that were disturbed unseen do not count. */
static double spread_of_slopes(const struct lengths *lengths, uint64_t seed)
{
	double slope[DRAWS];

	if (is_exact(lengths))
		return 0;
	draw_slopes(lengths, seed, slope);
	return (slope[DRAWS - 1 - DRAWS / 6] - slope[DRAWS / 6]) / 2;
}

/* Two-sided, of Student's t. D. L. Wallace's normal deviate: good to three digits far into the tail. */
static double chance(double t, double freedom)
{
	double z = sqrt(freedom * log1p(t * t / freedom)) * (8 * freedom + 1) / (8 * freedom + 3);

	return erfc(z / sqrt(2));
}

/* The t that chance exceeds in so many cases. */
static double quantile(double share, double freedom)
{
	double low = 0, high = 1e4;

	for (unsigned i = 0; i < 50; i++) {
		double middle = (low + high) / 2;

		*(chance(middle, freedom) > share ? &low : &high) = middle;
	}
	return low;
}

/* The longest runs tell nearly all of a slope. */
static double error_of_slope(const struct lengths *lengths, uint64_t seed)
{
	const struct length *last = &lengths->of[lengths->n - 1];
	double apart = last[0].n - last[-1].n;

	return fmax(hypot(last[0].error, last[-1].error) / apart, spread_of_slopes(lengths, seed));
}

static void interval(const struct lengths *lengths, uint64_t seed, struct estimate *estimate)
{
	double freedom = lengths->of[lengths->n - 1].n_diffs - 1;
	double error = error_of_slope(lengths, seed), half = error * quantile(0.01, freedom);

	estimate->low = estimate->slope - half;
	estimate->high = estimate->slope + half;
	estimate->p = chance(estimate->slope / error, freedom);
}

/* ---- the line ---- */

static void line(const struct lengths *lengths, struct estimate *estimate)
{
	double beyond[LENGTHS_MAX];

	for (unsigned i = 0; i < lengths->n; i++)
		beyond[i] = lengths->of[i].median - estimate->slope * lengths->of[i].n;
	estimate->intercept = median(beyond, lengths->n);
	for (unsigned i = 0; i < lengths->n; i++) {
		estimate->residual =
			fmax(estimate->residual, fabs(beyond[i] - estimate->intercept));
		estimate->noise = fmax(estimate->noise, 3 * lengths->of[i].error);
	}
	estimate->n_largest = lengths->of[lengths->n - 1].n;
}

void estimate_make(struct pair *pair, size_t n, uint64_t seed, struct estimate *ret)
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
	if (lengths.n < 2 || n < PAIRS_MIN || lengths.of[lengths.n - 1].n_diffs < LONGEST_MIN)
		return;
	ret->verdict = VERDICT_NONE;
	ret->slope = slope_of_medians(&lengths);
	line(&lengths, ret);
	interval(&lengths, seed, ret);
}
