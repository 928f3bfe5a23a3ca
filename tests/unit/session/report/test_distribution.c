/* Percentiles, spread and error of many figures, against the same worked out the plain way. */
#include "rig/harness.h"

#include <math.h>
#include <stdlib.h>

#include "session/report/summary.h"

enum { N = 20000 };

static double figure[N], sorted[N];

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Spread over six decades, both signs, some zeroes. */
static void make_figures(void)
{
	uint64_t seed = 12345;

	for (size_t i = 0; i < N; i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		figure[i] = pow(10, (double)(seed >> 40) / (1 << 24) * 6);
		if (i % 5 == 1)
			figure[i] = -figure[i];
		if (i % 50 == 0)
			figure[i] = 0;
		sorted[i] = figure[i];
	}
	qsort(sorted, N, sizeof(*sorted), by_size);
}

static void fill(struct distribution *distribution, size_t n, size_t coarse_at)
{
	for (size_t i = 0; i < n; i++) {
		if (i == coarse_at)
			assert_int_equal(distribution_coarsen(distribution), 0);
		assert_int_equal(distribution_add(distribution, figure[i]), 0);
	}
}

static double rank(double pct)
{
	size_t at = (size_t)ceil(N * pct / 100);

	return sorted[at ? at - 1 : 0];
}

static void exact_percentiles_are_those_of_the_sorted_list(void **state)
{
	struct distribution distribution = { 0 };

	(void)state;
	make_figures();
	fill(&distribution, N, N);
	for (double pct = 0; pct <= 100; pct += 0.5)
		assert_true(distribution_percentile(&distribution, pct) == rank(pct));
	assert_true(distribution.min == sorted[0] && distribution.max == sorted[N - 1]);
	distribution_fini(&distribution);
}

/* Figures may come after a percentile was asked for. */
static void percentiles_can_be_asked_in_between(void **state)
{
	static const double more[] = { 5, 1, 4, 2, 3 };
	struct distribution distribution = { 0 };

	(void)state;
	assert_true(isnan(distribution_percentile(&distribution, 50)));
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(distribution_add(&distribution, more[i]), 0);
		assert_true(distribution_percentile(&distribution, 50) > 0);
	}
	assert_true(distribution_percentile(&distribution, 50) == 3);
	assert_true(distribution_percentile(&distribution, 0) == 1);
	assert_true(distribution_percentile(&distribution, 100) == 5);
	distribution_fini(&distribution);
}

static void coarse_percentiles_are_within_four_per_mille(void **state)
{
	static const size_t coarse_at[] = { 0, 1000, N - 1 };

	(void)state;
	make_figures();
	for (size_t k = 0; k < ARRAY_SIZE(coarse_at); k++) {
		struct distribution distribution = { 0 };

		fill(&distribution, N, coarse_at[k]);
		assert_true(distribution.is_coarse);
		for (double pct = 0; pct <= 100; pct += 0.5) {
			double is = distribution_percentile(&distribution, pct), truth = rank(pct);

			if (fabs(is - truth) > 0.004 * fabs(truth))
				fail_msg("p%g from %zu on: %g, not %g", pct, coarse_at[k], is,
					 truth);
		}
		distribution_fini(&distribution);
	}
}

/* What is beyond the buckets stays between the smallest and the largest. */
static void odd_figures_are_kept(void **state)
{
	static const double odd[] = { 1e300, -1e300, 1e-300, 0 };
	struct distribution distribution = { 0 };

	(void)state;
	assert_int_equal(distribution_coarsen(&distribution), 0);
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++)
		assert_int_equal(distribution_add(&distribution, odd[i]), 0);
	assert_true(distribution.min == -1e300 && distribution.max == 1e300);
	assert_true(fabs(distribution_percentile(&distribution, 50)) < 1e-12);
	assert_true(distribution_percentile(&distribution, 100) > 1e19);
	distribution_fini(&distribution);
}

static double plain_spread(size_t n, double *ret_mean)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		sum += figure[i];
	*ret_mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (figure[i] - *ret_mean) * (figure[i] - *ret_mean);
	return sqrt(squares / (double)(n - 1));
}

/* Noise of neighbours that are alike by `r`: x' = r x + e. */
static void make_alike(double r)
{
	uint64_t seed = 99;
	double x = 0;

	for (size_t i = 0; i < N; i++) {
		double noise = 0;

		for (unsigned k = 0; k < 12; k++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			noise += (double)(seed >> 40) / (1 << 24) - 0.5;
		}
		x = r * x + noise;
		figure[i] = 1000 + x;
	}
}

static void the_error_knows_that_neighbours_are_alike(void **state)
{
	static const double alike[] = { 0, 0.5, 0.9 };

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(alike); k++) {
		struct distribution distribution = { 0 };
		double r = alike[k], mean, spread, wanted;

		make_alike(r);
		fill(&distribution, N, N);
		spread = plain_spread(N, &mean);
		wanted = spread / sqrt(N * (1 - r) / (1 + r));
		assert_true(fabs(distribution.mean - mean) < 1e-9 * fabs(mean));
		assert_true(fabs(distribution_stddev(&distribution) - spread) < 1e-9 * spread);
		if (fabs(distribution_error(&distribution) - wanted) > 0.05 * wanted)
			fail_msg("r %g: error %g, not %g", r, distribution_error(&distribution),
				 wanted);
		distribution_fini(&distribution);
	}
}

static void two_figures_are_the_fewest_for_a_spread(void **state)
{
	struct distribution distribution = { 0 };

	(void)state;
	assert_int_equal(distribution_add(&distribution, 7), 0);
	assert_true(isnan(distribution_stddev(&distribution)) &&
		    isnan(distribution_error(&distribution)));
	assert_int_equal(distribution_add(&distribution, 7), 0);
	assert_true(distribution_stddev(&distribution) == 0 &&
		    distribution_error(&distribution) == 0);
	distribution_fini(&distribution);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_percentiles_are_those_of_the_sorted_list),
		cmocka_unit_test(percentiles_can_be_asked_in_between),
		cmocka_unit_test(coarse_percentiles_are_within_four_per_mille),
		cmocka_unit_test(odd_figures_are_kept),
		cmocka_unit_test(the_error_knows_that_neighbours_are_alike),
		cmocka_unit_test(two_figures_are_the_fewest_for_a_spread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
