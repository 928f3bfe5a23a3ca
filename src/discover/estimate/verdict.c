#include "discover/estimate/estimate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "discover/estimate/median.h"

#define LEAST_SLOPE   0.01 /* one count in a hundred triggers: less is no response */
#define TOLERANCE     0.01 /* of a line */
#define SURE          3.0  /* intervals: beyond so many chance puts no truth of a whole sweep */
#define WIDEST        0.3 /* such a range, as a share of the factor: a wider one singles out none */

/* Surely a response; surely chance; half an interval that cannot tell a quarter from nothing. */
#define CLEAR_P       1e-7
#define UNCLEAR_P     0.01
#define UNCLEAR_WIDTH 0.1

/* Y. Benjamini, Y. Hochberg: the largest p that is still a discovery; below 0: none is. */
static double threshold(const double *sorted, size_t n, double rate)
{
	for (size_t i = n; i-- > 0;) {
		if (sorted[i] <= rate * (double)(i + 1) / (double)n)
			return sorted[i];
	}
	return -1;
}

static bool is_straight(const struct estimate *estimate)
{
	double rise = fabs(estimate->slope) * estimate->n_largest;

	return estimate->residual <= fmax(TOLERANCE * rise, estimate->noise);
}

struct sure_range {
	double low, high;
};

/* A 99 % interval misses one truth in a hundred. */
static struct sure_range range_of(const struct estimate *estimate)
{
	double more = (SURE - 1) / 2 * (estimate->high - estimate->low);

	return (struct sure_range){ estimate->low - more, estimate->high + more };
}

/* @return how many factors lie between the two; the last of them */
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

/* @return NaN: no simple factor, or more than one */
static double factor(const struct estimate *estimate)
{
	struct sure_range sure = range_of(estimate);
	double k = NAN;

	if (factors_within(sure, &k) != 1)
		return NAN;
	return sure.high - sure.low <= WIDEST * fabs(k) ? k : NAN;
}

bool estimate_is_unclear(const struct estimate *estimate)
{
	struct sure_range sure = range_of(estimate);
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
	estimate->k = NAN;
	estimate->verdict = VERDICT_NONE;
	if (estimate->p > largest_p || fabs(estimate->slope) < LEAST_SLOPE)
		return;
	estimate->verdict = VERDICT_RELATED;
	if (!is_straight(estimate))
		return;
	estimate->k = factor(estimate);
	if (!isnan(estimate->k))
		estimate->verdict = VERDICT_CONSISTENT;
}

int estimates_decide(struct estimate *const *estimate, size_t n, double rate)
{
	double *p = malloc((n + 1) * sizeof(*p)), largest;
	size_t n_known = 0;

	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (estimate[i]->verdict != VERDICT_UNKNOWN)
			p[n_known++] = estimate[i]->p;
	}
	sort_figures(p, n_known);
	largest = threshold(p, n_known, rate);
	for (size_t i = 0; i < n; i++) {
		if (estimate[i]->verdict != VERDICT_UNKNOWN)
			decide(estimate[i], largest);
	}
	free(p);
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

static const char *const verdict_names[] = {
	[VERDICT_UNKNOWN] = "unknown", [VERDICT_NONE] = "none",
	[VERDICT_RELATED] = "related", [VERDICT_CONSISTENT] = "consistent",
	[VERDICT_CYCLES] = "cycles",   [VERDICT_TIME] = "time",
};

const char *estimate_verdict_name(enum verdict verdict)
{
	return verdict_names[verdict];
}
