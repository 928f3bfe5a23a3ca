/* test_estimate.c: slopes, intervals and verdicts against data whose truth is known */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "discover/estimate.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const double lengths[] = { 1, 100, 1000, 10000 };

enum { REPEATS = 7, AGAIN = 4, N_PAIRS = COUNT(lengths) * REPEATS };

/* Noise as counters have it: a share of what is counted, a few counts, and now and then a blow. */
struct noise {
	double share, counts, blow;
	bool is_flat; /* else normal */
};

static uint64_t state = 1;

static double even(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(state >> 11) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(even() + 1e-300)) * cos(6.283185307179586 * even());
}

static double scattered(const struct noise *noise)
{
	return noise->is_flat ? sqrt(12) * (even() - 0.5) : normal();
}

static double counted(double truth, const struct noise *noise)
{
	double count =
		truth * (1 + noise->share * scattered(noise)) + noise->counts * scattered(noise);

	return floor(count + (even() < 0.05 ? noise->blow : 0) + 0.5);
}

/* slope × n beyond what both cause */
static void draw_pairs(double slope, double bend, double base_slope, const struct noise *noise,
		       unsigned n_pairs, struct pair *ret)
{
	for (unsigned i = 0; i < n_pairs; i++) {
		double n = lengths[i % COUNT(lengths)], base = 50 + base_slope * n;

		ret[i] = (struct pair){ n, counted(base + slope * n + bend * n * n, noise),
					counted(base, noise) };
	}
}

static void check_verdict(const struct estimate *estimate, enum verdict verdict, double k)
{
	print_message("# %s %g [%g, %g] p=%g\n", estimate_verdict_name[estimate->verdict],
		      estimate->slope, estimate->low, estimate->high, estimate->p);
	assert_int_equal(estimate->verdict, verdict);
	assert_true(isnan(k) ? isnan(estimate->k) : estimate->k == k);
}

/* As a sweep does: what is unclear is asked again. */
static struct estimate make(double slope, double bend, const struct noise *noise)
{
	struct pair pair[AGAIN * N_PAIRS];
	struct estimate ret;

	draw_pairs(slope, bend, 3, noise, N_PAIRS, pair);
	estimate_make(pair, N_PAIRS, &ret);
	if (!estimate_is_unclear(&ret))
		return ret;
	draw_pairs(slope, bend, 3, noise, AGAIN * N_PAIRS, pair);
	estimate_make(pair, AGAIN * N_PAIRS, &ret);
	return ret;
}

static void verdicts(void **context)
{
	static const struct {
		double slope, bend;
		struct noise noise;
		enum verdict verdict;
		double k;
	} row[] = {
		{ 0, 0, { 0, 0, 0, false }, VERDICT_NONE, NAN },
		{ 0, 0, { 0, 5, 0, false }, VERDICT_NONE, NAN },
		{ 0, 0, { 0, 5, 5000, false }, VERDICT_NONE, NAN },
		{ 0.002, 0, { 0, 0, 0, false }, VERDICT_NONE, NAN },
		{ 1, 0, { 0, 0, 0, false }, VERDICT_CONSISTENT, 1 },
		{ 1, 0, { 0, 5, 5000, false }, VERDICT_CONSISTENT, 1 },
		{ 0.5, 0, { 0.005, 5, 0, false }, VERDICT_CONSISTENT, 0.5 },
		{ 2, 0, { 0.01, 5, 0, false }, VERDICT_CONSISTENT, 2 },
		{ 4, 0, { 0, 20, 5000, false }, VERDICT_CONSISTENT, 4 },
		{ -1, 0, { 0, 2, 0, false }, VERDICT_CONSISTENT, -1 },
		{ 1.3, 0, { 0, 2, 0, false }, VERDICT_RELATED, NAN },
		{ 0.875, 0, { 0, 2, 0, false }, VERDICT_RELATED, NAN },
		{ 1, 1e-4, { 0, 2, 0, false }, VERDICT_RELATED, NAN },
		/* near to a factor is not the factor */
		{ 1.008, 0, { 0, 2, 0, false }, VERDICT_RELATED, NAN },
		{ 7.95, 0, { 0, 2, 0, false }, VERDICT_RELATED, NAN },
	};
	struct estimate estimate[COUNT(row)], *all[COUNT(row)];

	(void)context;
	for (unsigned i = 0; i < COUNT(row); i++) {
		estimate[i] = make(row[i].slope, row[i].bend, &row[i].noise);
		all[i] = &estimate[i];
	}
	assert_int_equal(estimates_decide(all, COUNT(row), 0.01), 0);
	for (unsigned i = 0; i < COUNT(row); i++)
		check_verdict(&estimate[i], row[i].verdict, row[i].k);
}

/* But a count more or less in the longest runs would be the same to them. */
static void exact_counts_have_exact_lines(void **context)
{
	static const struct noise none;
	struct estimate estimate = make(2, 0, &none);

	(void)context;
	assert_true(estimate.slope == 2 && estimate.intercept == 0 && estimate.residual == 0);
	assert_true(estimate.low <= 2 - 1e-4 && estimate.high >= 2 + 1e-4);
	assert_true(estimate.low > 2 - 1e-3 && estimate.high < 2 + 1e-3);
	assert_true(estimate.p < 1e-15);
}

/* All repeats of a kernel that triggers rarely agree on these. @count  by length */
static struct estimate make_rare(const double *count)
{
	static const double rare[] = { 1, 98, 195 };
	struct pair pair[COUNT(rare) * 5];
	struct estimate ret;

	for (unsigned i = 0; i < COUNT(pair); i++)
		pair[i] = (struct pair){ rare[i % COUNT(rare)], 30 + count[i % COUNT(rare)], 30 };
	estimate_make(pair, COUNT(pair), &ret);
	return ret;
}

/* A count or two that all repeats have are no response, and one too few is not another factor. */
static void a_few_counts_prove_nothing(void **context)
{
	static const struct {
		double count[3];
		enum verdict verdict;
		double k;
	} row[] = {
		{ { 0, 0, 1 }, VERDICT_NONE, NAN },
		{ { 0, 0, 2 }, VERDICT_NONE, NAN },
		{ { 0, 1, 2 }, VERDICT_NONE, NAN },
		{ { 0, 49, 98 }, VERDICT_CONSISTENT, 0.5 },
		{ { 0, 48, 97 }, VERDICT_CONSISTENT, 0.5 },
		{ { 1, 98, 195 }, VERDICT_CONSISTENT, 1 },
		{ { 0, 80, 160 }, VERDICT_RELATED, NAN },
	};
	struct estimate estimate[COUNT(row)], *all[COUNT(row)];

	(void)context;
	for (unsigned i = 0; i < COUNT(row); i++) {
		estimate[i] = make_rare(row[i].count);
		all[i] = &estimate[i];
		assert_true(estimate[i].high - estimate[i].low >= 2.0 / 195);
	}
	assert_int_equal(estimates_decide(all, COUNT(row), 0.01), 0);
	for (unsigned i = 0; i < COUNT(row); i++)
		check_verdict(&estimate[i], row[i].verdict, row[i].k);
}

/* More runs are worth their time where they may change the answer. */
static void what_is_unclear_is_told(void **context)
{
	static const struct {
		double low, high, p;
		bool is_unclear;
	} row[] = {
		{ 0.99, 1.01, 0, false },   /* 1 */
		{ 1.003, 1.013, 0, false }, /* 1 as well: chance misses by so much */
		{ 1.05, 1.06, 0, false },   /* no factor */
		{ 0.8, 1.2, 0, true },      /* 1, or 0.5, or none */
		{ -1.2, -0.8, 0, true },
		{ 2.8, 3.5, 0, true }, /* 3 or 4 */
		{ 1.3, 1.4, 0, false },
		{ 0.2, 0.3, 1e-4, true },     /* a response? */
		{ -0.002, 0.0021, 1, false }, /* none, whatever the p */
		{ 0.001, 0.002, 1e-4, false },
		{ -0.05, 0.05, 1, false }, /* none: that would be seen */
		{ -0.2, 0.2, 1, true },    /* 0.25 would not */
	};

	(void)context;
	for (unsigned i = 0; i < COUNT(row); i++) {
		const struct estimate estimate = { .low = row[i].low,
						   .high = row[i].high,
						   .p = row[i].p,
						   .verdict = VERDICT_NONE };

		if (estimate_is_unclear(&estimate) != row[i].is_unclear)
			fail_msg("row %u", i);
	}
}

static unsigned n_held(double slope, double base_slope, const struct noise *noise, unsigned n_pairs,
		       unsigned n)
{
	struct pair pair[AGAIN * N_PAIRS];
	unsigned held = 0;

	for (unsigned i = 0; i < n; i++) {
		struct estimate estimate;

		draw_pairs(slope, 0, base_slope, noise, n_pairs, pair);
		estimate_make(pair, n_pairs, &estimate);
		held += estimate.low <= slope && estimate.high >= slope;
	}
	return held;
}

/* Of 99 % intervals: whatever the noise, whether trigger and control have it or only one of them. */
static void intervals_hold_the_truth(void **context)
{
	enum { N = 10000 };
	static const struct {
		double slope, base_slope;
		struct noise noise;
		unsigned n_pairs;
	} row[] = {
		{ 0, 3, { .share = 0.01 }, N_PAIRS },
		{ 0, 0, { .counts = 5 }, N_PAIRS },
		{ 0, 0, { .counts = 3, .is_flat = true }, N_PAIRS },
		{ 1, 3, { .share = 0.01, .counts = 5 }, N_PAIRS },
		{ 1, 3, { .share = 0.01, .is_flat = true }, N_PAIRS },
		{ 1, 0, { .share = 0.01 }, N_PAIRS },
		{ 1, 0, { .share = 0.01, .is_flat = true }, N_PAIRS },
		{ 1, 0, { .share = 0.01, .is_flat = true }, AGAIN * N_PAIRS },
		{ 1, 3, { .share = 0.001, .counts = 5, .blow = 5000 }, AGAIN * N_PAIRS },
	};

	(void)context;
	for (unsigned i = 0; i < COUNT(row); i++) {
		unsigned held =
			n_held(row[i].slope, row[i].base_slope, &row[i].noise, row[i].n_pairs, N);

		print_message("# row %u: %u of %u\n", i, held, N);
		assert_in_range(held, N * 985 / 1000, N * 995 / 1000);
	}
}

static unsigned n_responses(struct estimate **all, unsigned from, unsigned to)
{
	unsigned n = 0;

	for (unsigned i = from; i < to; i++)
		n += all[i]->verdict >= VERDICT_RELATED;
	return n;
}

static void false_discoveries_are_few(void **context)
{
	enum { NOTHING = 3000, RESPONDING = 60 };
	static const struct noise noise = { 0.01, 5, 20000, false };
	static struct estimate estimate[NOTHING + RESPONDING];
	struct estimate *all[NOTHING + RESPONDING];

	(void)context;
	for (unsigned i = 0; i < COUNT(estimate); i++) {
		estimate[i] = make(i < NOTHING ? 0 : 1, 0, &noise);
		all[i] = &estimate[i];
	}
	assert_int_equal(estimates_decide(all, COUNT(estimate), 0.01), 0);

	unsigned invented = n_responses(all, 0, NOTHING);
	unsigned found = n_responses(all, NOTHING, COUNT(estimate));

	print_message("# %u invented, %u of %u found\n", invented, found, RESPONDING);
	assert_int_equal(found, RESPONDING);
	assert_true(invented <= 3);
}

static void too_little_is_unknown(void **context)
{
	struct pair same[8], few[4];
	struct estimate estimate, *all = &estimate;

	(void)context;
	for (unsigned i = 0; i < COUNT(same); i++)
		same[i] = (struct pair){ 100, 200, 100 };
	for (unsigned i = 0; i < COUNT(few); i++)
		few[i] = (struct pair){ 100 * (i + 1), 200 * (i + 1), 100 * (i + 1) };
	estimate_make(same, COUNT(same), &estimate);
	assert_int_equal(estimate.verdict, VERDICT_UNKNOWN);
	estimate_make(few, COUNT(few), &estimate);
	assert_int_equal(estimate.verdict, VERDICT_UNKNOWN);
	for (unsigned i = 0; i < COUNT(same); i++)
		same[i].n = i ? 100 : 1000; /* one of the longest: nothing says how they scatter */
	estimate_make(same, COUNT(same), &estimate);
	assert_int_equal(estimate.verdict, VERDICT_UNKNOWN);
	estimate_make(few, 0, &estimate);
	assert_int_equal(estimates_decide(&all, 1, 0.01), 0);
	assert_int_equal(estimate.verdict, VERDICT_UNKNOWN);
}

static void order_does_not_matter(void **context)
{
	static const struct noise noise = { 0.01, 5, 0, false };
	struct pair pair[N_PAIRS], back[N_PAIRS];
	struct estimate a, b;

	(void)context;
	draw_pairs(1, 0, 3, &noise, N_PAIRS, pair);
	for (unsigned i = 0; i < N_PAIRS; i++)
		back[N_PAIRS - 1 - i] = pair[i];
	estimate_make(pair, N_PAIRS, &a);
	estimate_make(back, N_PAIRS, &b);
	assert_true(a.slope == b.slope && a.intercept == b.intercept);
}

static void cycles_are_told(void **context)
{
	double cycles[] = { 1000, 5000, 20000, 70000, 300 };
	double follows[COUNT(cycles)], counts[COUNT(cycles)], ratio = 0;

	(void)context;
	for (unsigned i = 0; i < COUNT(cycles); i++) {
		follows[i] = cycles[i] * 0.25 + (i % 2 ? 1 : -1);
		counts[i] = 4000;
	}
	assert_true(estimate_is_of_cycles(follows, cycles, COUNT(cycles), &ratio));
	assert_true(fabs(ratio - 0.25) < 1e-3);
	assert_false(estimate_is_of_cycles(counts, cycles, COUNT(cycles), &ratio));
	assert_false(estimate_is_of_cycles(follows, cycles, 1, &ratio));
}

static void each_verdict_has_a_name_of_its_own(void **context)
{
	(void)context;
	for (int i = VERDICT_UNKNOWN; i <= VERDICT_TIME; i++)
		for (int j = VERDICT_UNKNOWN; j < i; j++)
			assert_string_not_equal(estimate_verdict_name[(enum verdict)i],
						estimate_verdict_name[(enum verdict)j]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts),
		cmocka_unit_test(exact_counts_have_exact_lines),
		cmocka_unit_test(a_few_counts_prove_nothing),
		cmocka_unit_test(what_is_unclear_is_told),
		cmocka_unit_test(intervals_hold_the_truth),
		cmocka_unit_test(false_discoveries_are_few),
		cmocka_unit_test(too_little_is_unknown),
		cmocka_unit_test(order_does_not_matter),
		cmocka_unit_test(cycles_are_told),
		cmocka_unit_test(each_verdict_has_a_name_of_its_own),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
