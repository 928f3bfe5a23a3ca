/* test_verdicts.c: what goes with time is told from work, by many kernels and by one */
#include "rig/sweep_rig.h"

#include <math.h>

#include "discover/findings.h"

/* Exact counts of 10000 triggers, beside as many cycles; the control has a tenth. */
static void add_exact(struct findings *findings, unsigned kernel, uint64_t id, double slope,
		      double per_cycle)
{
	double counts = slope * 10000 + 1000 * per_cycle;
	struct finding finding = {
		.id = id,
		.kernel = (uint16_t)kernel,
		.estimate = { .slope = slope,
			      .low = slope,
			      .high = slope,
			      .n_largest = 10000,
			      .p = slope == 0,
			      .n_pairs = 35,
			      .verdict = VERDICT_NONE },
		.count = { 1000 * per_cycle, counts },
		.cycles = { 1000, counts / per_cycle },
	};

	assert_int_equal(findings_add(findings, &finding), 0);
}

/* What is in proportion to cycles is time, but where time cannot be told from work. */
static void test_time_and_work(void **state)
{
	static const struct {
		double per_cycle;
		double cycles[3]; /* per nop, load, system call */
		enum verdict of_nop;
	} rows[] = {
		/* every instruction takes four cycles: instructions, and cycles themselves */
		{ 0.25, { 4, 0, 0 }, VERDICT_CONSISTENT },
		{ 0.25, { 4, 0, 2097 }, VERDICT_CONSISTENT },
		{ 1, { 4, 0, 2097 }, VERDICT_CYCLES },
		{ 0.1, { 4, 0, 0 }, VERDICT_CYCLES }, /* 0.4 per nop is no count of anything */
		/* eight slots in a cycle of a processor that does four nops in it */
		{ 8, { 0.25, 0, 0 }, VERDICT_CONSISTENT },
		{ 8, { 0.25, 0.37, 0 }, VERDICT_CYCLES }, /* so it is not work */
		{ 2.5, { 12.8, 0, 0 }, VERDICT_CYCLES },  /* nor this, though that is 32 */
		{ 0.25, { 0, 0, 2097 }, VERDICT_NONE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct findings findings = { .n_types = 1, .n_kernels = 3 };

		snprintf(findings.kernel[0], KERNEL_NAME_MAX, "nop");
		snprintf(findings.kernel[1], KERNEL_NAME_MAX, "load");
		snprintf(findings.kernel[2], KERNEL_NAME_MAX, "system-call");
		assert_int_equal(ids_all(0, &findings.ids), 0);
		assert_int_equal(findings_make_room(&findings), 0);
		for (unsigned kernel = 0; kernel < 3; kernel++)
			add_exact(&findings, kernel, 0, rows[i].cycles[kernel] * rows[i].per_cycle,
				  rows[i].per_cycle);
		assert_int_equal(findings_decide(&findings), 0);
		if (findings.finding[0].estimate.verdict != rows[i].of_nop)
			fail_msg("row %zu: %s", i,
				 estimate_verdict_name[findings.finding[0].estimate.verdict]);
		assert_true(fabs(findings.of_id[0].per_cycle - rows[i].per_cycle) < 1e-9);
		if (rows[i].cycles[2] != 0)
			assert_int_equal(findings.finding[2].estimate.verdict,
					 rows[i].of_nop == VERDICT_CONSISTENT ? VERDICT_RELATED
									      : VERDICT_CYCLES);
		findings_fini(&findings);
	}
	(void)state;
}

/* Of one id and kernel, beside a clock that its control moves by 1000 and its trigger by 50000. */
static struct finding timed(double control, double trigger, bool has_cycles)
{
	double slope = (trigger - control) / 10000;
	struct finding finding = {
		.estimate = { .slope = slope,
			      .low = slope - 1e-3,
			      .high = slope + 1e-3,
			      .n_largest = 10000,
			      .n_pairs = 35,
			      .verdict = VERDICT_NONE },
		.count = { control, trigger },
	};
	double *clock = has_cycles ? finding.cycles : finding.ns;

	clock[0] = 1000;
	clock[1] = 50000;
	return finding;
}

/* One kernel: what goes with time in trigger and control is given no factor, and no event is made of it. */
static void test_time_with_one_kernel(void **state)
{
	static const struct {
		double count[2];
		bool has_cycles, is_second_tried, is_second_unknown;
		enum verdict verdict;
		unsigned n_unsure;
	} rows[] = {
		{ { 408, 20408 }, true, false, false, VERDICT_CYCLES, 1 },
		{ { 400, 20400 }, true, false, false, VERDICT_CYCLES, 1 }, /* 2 % off */
		{ { 0, 20000 }, true, false, false, VERDICT_CONSISTENT, 0 },
		{ { 1000, 21000 }, true, false, false, VERDICT_CONSISTENT, 0 },
		{ { 408, 20408 }, false, false, false, VERDICT_TIME, 1 },
		{ { 0, 20000 }, false, false, false, VERDICT_CONSISTENT, 0 },
		/* another kernel did nothing to it */
		{ { 408, 20408 }, true, true, false, VERDICT_CONSISTENT, 0 },
		/* or had no undisturbed run */
		{ { 408, 20408 }, true, true, true, VERDICT_CYCLES, 1 },
	};

	static const struct finding unknown = { .kernel = 1,
						.estimate = { .p = 1, .k = NAN },
						.count = { NAN, NAN } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct findings findings = { .n_types = 1, .n_kernels = 2 };
		struct finding finding =
			timed(rows[i].count[0], rows[i].count[1], rows[i].has_cycles);
		struct findings_events events;
		struct text text = { 0 };

		snprintf(findings.kernel[0], KERNEL_NAME_MAX, "nop");
		snprintf(findings.kernel[1], KERNEL_NAME_MAX, "load");
		assert_int_equal(ids_all(0, &findings.ids), 0);
		assert_int_equal(findings_make_room(&findings), 0);
		assert_int_equal(findings_add(&findings, &finding), 0);
		findings.is_tried[1] = rows[i].is_second_tried;
		if (rows[i].is_second_unknown)
			assert_int_equal(findings_add(&findings, &unknown), 0);
		assert_int_equal(findings_decide(&findings), 0);
		if (findings.finding[0].estimate.verdict != rows[i].verdict)
			fail_msg("row %zu: %s", i,
				 estimate_verdict_name[findings.finding[0].estimate.verdict]);
		assert_true((findings.of_id[0].per_ns > 0) == (rows[i].verdict == VERDICT_TIME));
		findings_print_events(&findings, &text, &events);
		assert_int_equal(events.n_time + events.n_related, 0);
		assert_int_equal(events.n_factors, rows[i].verdict == VERDICT_CONSISTENT);
		assert_int_equal(events.n_unsure, rows[i].n_unsure);
		text_fini(&text);
		findings_fini(&findings);
	}
}

/* What responds to nothing has no pace: with one kernel, trigger and control are alike by chance. */
static void test_no_response_no_pace(void **state)
{
	for (unsigned has_cycles = 0; has_cycles < 2; has_cycles++) {
		struct findings findings = { .n_types = 1, .n_kernels = 1 };
		struct finding finding = timed(400, 400, has_cycles);
		double *clock = has_cycles ? finding.cycles : finding.ns;

		clock[1] = clock[0];
		finding.estimate.p = 1;
		snprintf(findings.kernel[0], KERNEL_NAME_MAX, "nop");
		assert_int_equal(ids_all(0, &findings.ids), 0);
		assert_int_equal(findings_make_room(&findings), 0);
		assert_int_equal(findings_add(&findings, &finding), 0);
		assert_int_equal(findings_decide(&findings), 0);
		assert_int_equal(findings.finding[0].estimate.verdict, VERDICT_NONE);
		assert_true(findings.of_id[0].per_cycle == 0 && findings.of_id[0].per_ns == 0);
		findings_fini(&findings);
	}
	(void)state;
}

/* An event of what goes with time says with which and how fast. */
static void test_events_of_time(void **state)
{
	static const struct {
		bool has_cycles;
		const char *pmu, *name, *what; /* NULL: there is none */
	} rows[] = {
		{ true, "cpu", "\"UNKNOWN_00_cycles\"", "\"Always 0.408 per cycle on E\"" },
		{ false, "cpu", "\"UNKNOWN_00_time\"", "\"Always 0.408 per ns on E\"" },
		{ false, "software", NULL, NULL }, /* the same nowhere else, and not unsure */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct findings findings = { .n_types = 1, .n_kernels = 2 };
		struct finding finding = timed(408, 20408, rows[i].has_cycles);
		struct findings_events events;
		struct text text = { 0 };

		snprintf(findings.type[0].name, sizeof(findings.type[0].name), "E");
		snprintf(findings.type[0].pmu, sizeof(findings.type[0].pmu), "%s", rows[i].pmu);
		snprintf(findings.kernel[0], KERNEL_NAME_MAX, "nop");
		snprintf(findings.kernel[1], KERNEL_NAME_MAX, "load");
		assert_int_equal(ids_all(0, &findings.ids), 0);
		assert_int_equal(findings_make_room(&findings), 0);
		for (finding.kernel = 0; finding.kernel < 2; finding.kernel++)
			assert_int_equal(findings_add(&findings, &finding), 0);
		assert_int_equal(findings_decide(&findings), 0);
		findings_print_events(&findings, &text, &events);
		assert_int_equal(events.n_time, rows[i].name != NULL);
		assert_int_equal(events.n_factors + events.n_related + events.n_unsure, 0);
		if (rows[i].name &&
		    (!strstr(text.bytes, rows[i].name) || !strstr(text.bytes, rows[i].what)))
			fail_msg("row %zu: %s", i, text.bytes);
		text_fini(&text);
		findings_fini(&findings);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_and_work),
		cmocka_unit_test(test_time_with_one_kernel),
		cmocka_unit_test(test_no_response_no_pace),
		cmocka_unit_test(test_events_of_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
