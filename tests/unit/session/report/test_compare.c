/* Two sessions whose difference is known: how large it is, and what it is worth. */
#include "rig/summary_rig.h"

#include "session/report/report.h"

enum { TICKS = 400 };

/* Noise of standard deviation s around a mean, without a pattern. */
struct noise {
	uint64_t seed;
	double mean, s;
	double like, last; /* each interval keeps so much of the one before */
};

static double next(struct noise *noise)
{
	double sum = 0;

	for (unsigned i = 0; i < 12; i++) {
		noise->seed = noise->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		sum += (double)(noise->seed >> 40) / (1 << 24) - 0.5;
	}
	noise->last = noise->like * noise->last + sqrt(1 - noise->like * noise->like) * sum;
	return noise->mean + noise->s * noise->last;
}

/* A on cpu 0 as the noise has it, and 1000 on cpu 1. */
static void tell(struct told *told, const char *model, unsigned n_ticks, struct noise noise)
{
	struct text text = { 0 };

	tell_head(&text, model);
	for (unsigned i = 1; i <= n_ticks; i++) {
		char count[32];

		snprintf(count, sizeof(count), "%.0f", next(&noise));
		tell_row(&text, i, 0, 0, count, 1, "ok");
		tell_row(&text, i, 0, 1, "500", 1, "ok");
		tell_row(&text, i, 1, 0, "1000", 1, "ok");
		tell_row(&text, i, 1, 1, "500", 1, "ok");
	}
	told_make(told, &text, "r=A/B");
	text_fini(&text);
}

static const struct difference *find(const struct comparison *comparison, const char *row,
				     const char *name)
{
	for (size_t i = 0; i < comparison->n; i++) {
		const struct difference *difference = &comparison->difference[i];
		char is[EVENT_NAME_MAX + 4];

		summary_figure_name(comparison->summary[0], difference->figure[0], is, sizeof(is));
		if (strcmp(difference->row[0]->name, row) == 0 && strcmp(is, name) == 0)
			return difference;
	}
	fail_msg("no %s of %s", name, row);
	return NULL;
}

static void near(double is, double wanted, double share)
{
	if (fabs(is - wanted) > share * fabs(wanted))
		fail_msg("%g, not %g", is, wanted);
}

/* Counts of 1e6 with a standard deviation of 1e5 in 0.1 s: rates of 1e7 and 1e6. The error of one
 * mean of 400 is 5e4, of a difference 7.07e4. */
static void differences_are_weighed(void **state)
{
	static const struct {
		int line;
		double by;
		enum change_verdict verdict;
	} rows[] = {
		{ __LINE__, 0, VERDICT_WITHIN_ERROR },
		{ __LINE__, 1.005e6 - 1e6, VERDICT_WITHIN_ERROR },
		{ __LINE__, 1.05e6 - 1e6, VERDICT_WITHIN_SPREAD },
		{ __LINE__, 0.93e6 - 1e6, VERDICT_WITHIN_SPREAD },
		{ __LINE__, 1.2e6 - 1e6, VERDICT_BEYOND_SPREAD },
		{ __LINE__, 0.8e6 - 1e6, VERDICT_BEYOND_SPREAD },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct told first, second;
		struct comparison comparison;
		struct err err;

		tell(&first, "M", TICKS, (struct noise){ .seed = 1, .mean = 1e6, .s = 1e5 });
		tell(&second, "M", TICKS,
		     (struct noise){ .seed = 2, .mean = 1e6 + rows[i].by, .s = 1e5 });
		must(compare(&first.summary, &second.summary, &comparison, &err), &err);
		assert_true(comparison.same_machine);

		const struct difference *is = find(&comparison, "cpu0", "A");

		assert_same(is->change.delta,
			    is->figure[1]->mean.value - is->figure[0]->mean.value);
		assert_same(is->change.delta_pct,
			    100 * is->change.delta / is->figure[0]->mean.value);
		assert_true(fabs(is->change.delta - 10 * rows[i].by) < 3 * 7.07e4);
		near(is->change.spread, 1e6, 0.1);
		near(is->change.error, 7.07e4, 0.15);
		if (is->change.verdict != rows[i].verdict)
			fail_msg("line %d: %s", rows[i].line, verdict_name[is->change.verdict]);
		assert_int_equal(find(&comparison, "cpu0", "r")->change.verdict, rows[i].verdict);
		assert_int_equal(find(&comparison, "cpu1", "A")->change.verdict,
				 VERDICT_WITHIN_ERROR);
		comparison_fini(&comparison);
		told_end(&first);
		told_end(&second);
	}
}

/* Of 100 pairs of the same noise a few are called different, also where neighbours are alike: at two
 * errors 5 of 100 are expected. Without the correction it would be half of them. */
static void noise_is_seldom_taken_for_a_difference(void **state)
{
	static const double alike[] = { 0, 0.8 };

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(alike); k++) {
		unsigned n_wrong = 0;

		for (uint64_t i = 0; i < 60; i++) {
			struct told told[2];
			struct comparison comparison;
			struct err err;

			for (unsigned m = 0; m < 2; m++)
				tell(&told[m], "M", TICKS,
				     (struct noise){ .seed = 100 + 2 * i + m,
						     .mean = 1e6,
						     .s = 1e5,
						     .like = alike[k] });
			must(compare(&told[0].summary, &told[1].summary, &comparison, &err), &err);
			n_wrong += find(&comparison, "cpu0", "A")->change.verdict !=
				   VERDICT_WITHIN_ERROR;
			comparison_fini(&comparison);
			told_end(&told[0]);
			told_end(&told[1]);
		}
		if (n_wrong > 9)
			fail_msg("%u of 60 where neighbours are alike by %g", n_wrong, alike[k]);
	}
}

/* A change of what never varies is a change. */
static void a_change_without_spread_is_one(void **state)
{
	struct told first, second;
	struct comparison comparison;
	struct err err;

	(void)state;
	tell(&first, "M", 3, (struct noise){ .mean = 1000 });
	tell(&second, "M", 3, (struct noise){ .mean = 1001 });
	must(compare(&first.summary, &second.summary, &comparison, &err), &err);
	assert_int_equal(find(&comparison, "cpu0", "A")->change.verdict, VERDICT_BEYOND_SPREAD);
	assert_int_equal(find(&comparison, "cpu1", "A")->change.verdict, VERDICT_WITHIN_ERROR);
	comparison_fini(&comparison);
	told_end(&first);
	told_end(&second);
}

static void too_few_intervals_say_nothing(void **state)
{
	struct told first, second;
	struct comparison comparison;
	struct err err;

	(void)state;
	tell(&first, "M", 1, (struct noise){ .mean = 1000 });
	tell(&second, "M", 3, (struct noise){ .mean = 2000 });
	must(compare(&first.summary, &second.summary, &comparison, &err), &err);
	assert_int_equal(find(&comparison, "cpu0", "A")->change.verdict, VERDICT_UNKNOWN);
	assert_same(find(&comparison, "cpu0", "A")->change.delta_pct, 100);
	comparison_fini(&comparison);
	told_end(&first);
	told_end(&second);
}

/* Cores of different machines have nothing to do with each other. */
static void other_machines_are_compared_by_type(void **state)
{
	struct told first, second;
	struct comparison comparison;
	struct err err;

	(void)state;
	tell(&first, "M", 5, (struct noise){ .mean = 1000 });
	tell(&second, "another", 5, (struct noise){ .mean = 2000 });
	must(compare(&first.summary, &second.summary, &comparison, &err), &err);
	assert_false(comparison.same_machine);
	assert_int_equal(comparison.n, 3); /* A, B, r of the type */
	for (size_t i = 0; i < comparison.n; i++)
		assert_int_equal(comparison.difference[i].row[0]->by, BY_TYPE);
	assert_same(find(&comparison, "cpu", "A")->change.delta_pct, 50);
	assert_int_equal(comparison.only[0].n + comparison.only[1].n, 0);
	comparison_fini(&comparison);
	told_end(&first);
	told_end(&second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences_are_weighed),
		cmocka_unit_test(noise_is_seldom_taken_for_a_difference),
		cmocka_unit_test(a_change_without_spread_is_one),
		cmocka_unit_test(too_few_intervals_say_nothing),
		cmocka_unit_test(other_machines_are_compared_by_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
