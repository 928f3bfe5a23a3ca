/* test_frame_sum.c: windows added up: what is counted, what is an estimate, and the metrics of it */
#include "rig/format_rig.h"

#include "session/format.h"

static struct frame *sum_of(unsigned first_number, unsigned last_number)
{
	struct frame_sum sum = { .by = BY_CORE };

	for (unsigned i = first_number; i <= last_number; i++) {
		struct frame *frame = format_rig_frame(i);

		assert_int_equal(
			frame_sum_add(&sum, frame, &format_rig_machine, &format_rig_metrics), 0);
		frame_unref(frame);
	}
	assert_int_equal(frame_sum_end(&sum, &format_rig_machine, &format_rig_metrics), 0);

	struct frame *ret = sum.frame;

	frame_ref(ret);
	frame_sum_fini(&sum);
	return ret;
}

static void counts_and_times_add_up(void **state)
{
	(void)state;
	struct frame *sum = sum_of(1, 2);
	const struct count *cpu0 = frame_counts(sum, 0), *cpu4 = frame_counts(sum, 2);

	assert_int_equal(sum->number, 2);
	assert_int_equal(sum->t_ns, 200 * NS_PER_MS);
	assert_int_equal(cpu0[0].value, 400000000);
	assert_int_equal(cpu0[0].running_ns, 200 * NS_PER_MS);
	assert_int_equal(cpu0[0].quality, QUALITY_OK);
	assert_int_equal(cpu4[0].value, 320000000);
	assert_int_equal(cpu4[0].enabled_ns, 200 * NS_PER_MS);
	assert_int_equal(cpu4[0].running_ns, 100 * NS_PER_MS);
	assert_int_equal(cpu4[0].quality, QUALITY_SCALED);
	assert_int_equal(sum->core[0].window_ns, 200 * NS_PER_MS);
	frame_unref(sum);
}

/* cpu1 is off in the second: its sum is of the time that it was on. */
static void an_offline_core_keeps_what_it_counted(void **state)
{
	(void)state;
	struct frame *sum = sum_of(1, 2);

	assert_int_equal(sum->core[1].state, CORE_ON);
	assert_int_equal(frame_counts(sum, 1)[0].value, 200000000);
	assert_int_equal(frame_counts(sum, 1)[0].enabled_ns, 100 * NS_PER_MS);
	assert_int_equal(frame_counts(sum, 1)[0].quality, QUALITY_OK);
	assert_int_equal(sum->core[1].window_ns, 100 * NS_PER_MS);
	frame_unref(sum);
}

static void metrics_are_of_the_sum(void **state)
{
	(void)state;
	struct frame *sum = sum_of(1, 2);
	int ipc = metrics_column(sum->bound, 0);

	assert_true(ipc >= 0);
	assert_float_equal(frame_metrics(sum, 0)[ipc].value, 2.5, 1e-9);
	assert_int_equal(frame_metrics(sum, 2)[ipc].quality, QUALITY_SCALED);
	frame_unref(sum);
}

/* Another set's columns are others: they are left out. */
static void another_set_is_left_out(void **state)
{
	(void)state;
	struct frame *sum = sum_of(1, 3);

	assert_int_equal(sum->number, 2);
	assert_int_equal(frame_counts(sum, 0)[0].value, 400000000);
	frame_unref(sum);
}

/* Two windows of one counter, and what they make together. */
static void standings(void **state)
{
	(void)state;
	static const struct {
		struct cell first, second;
		struct cell sum;
	} row[] = {
		{ { 10, 100, 100, QUALITY_OK },
		  { 5, 100, 100, QUALITY_OK },
		  { 15, 200, 200, QUALITY_OK } },
		{ { 10, 100, 100, QUALITY_OK },
		  { 0, 100, 0, QUALITY_NOT_COUNTED },
		  { 10, 200, 100, QUALITY_SCALED } },
		{ { 0, 100, 100, QUALITY_LOST },
		  { 10, 100, 100, QUALITY_OK },
		  { 10, 200, 100, QUALITY_SCALED } },
		{ { 0, 0, 0, QUALITY_NOT_SUPPORTED },
		  { 10, 100, 100, QUALITY_OK },
		  { 10, 100, 100, QUALITY_SCALED } },
		{ { 10, 100, 100, QUALITY_OK },
		  { 0, 0, 0, QUALITY_PENDING },
		  { 10, 100, 100, QUALITY_OK } },
		{ { 0, 0, 0, QUALITY_PENDING },
		  { 10, 100, 50, QUALITY_SCALED },
		  { 10, 100, 50, QUALITY_SCALED } },
		{ { 10, 100, 100, QUALITY_OK },
		  { 0, 0, 0, QUALITY_OFF },
		  { 10, 100, 100, QUALITY_OK } },
		{ { 10, 100, 100, QUALITY_OK },
		  { 0, 0, 0, QUALITY_NOT_COUNTED }, /* a task that slept */
		  { 10, 100, 100, QUALITY_OK } },
		{ { 0, 0, 0, QUALITY_NOT_COUNTED },
		  { 10, 100, 50, QUALITY_SCALED },
		  { 10, 100, 50, QUALITY_SCALED } },
		{ { 0, 0, 0, QUALITY_NOT_SUPPORTED },
		  { 0, 0, 0, QUALITY_NOT_SUPPORTED },
		  { 0, 0, 0, QUALITY_NOT_SUPPORTED } },
		{ { 0, 100, 0, QUALITY_NOT_COUNTED },
		  { 0, 100, 100, QUALITY_LOST },
		  { 0, 200, 0, QUALITY_LOST } },
		{ { 0, 0, 0, QUALITY_NONE }, { 0, 0, 0, QUALITY_OFF }, { 0, 0, 0, QUALITY_OFF } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct cell first_cells[N_SLOTS] = { row[i].first };
		struct cell second_cells[N_SLOTS] = { row[i].second };
		struct frame *one = format_rig_make_frame(1, &format_rig_first);
		struct frame *two = format_rig_make_frame(2, &format_rig_first);

		format_rig_fill(one, 0, first_cells);
		format_rig_fill(two, 0, second_cells);

		struct frame_sum sum = { .by = BY_CORE };

		assert_int_equal(frame_sum_add(&sum, one, &format_rig_machine, &format_rig_metrics),
				 0);
		assert_int_equal(frame_sum_add(&sum, two, &format_rig_machine, &format_rig_metrics),
				 0);

		const struct count *got = frame_counts(sum.frame, 0);

		if (got->value != row[i].sum.value || got->quality != row[i].sum.quality ||
		    got->enabled_ns != row[i].sum.enabled_ms * NS_PER_MS ||
		    got->running_ns != row[i].sum.running_ms * NS_PER_MS)
			fail_msg("row %zu: %d of %d ms, %s", i, (int)(got->running_ns / NS_PER_MS),
				 (int)(got->enabled_ns / NS_PER_MS), quality_name(got->quality));
		frame_unref(one);
		frame_unref(two);
		frame_sum_fini(&sum);
	}
}

/* A core that is late in the last window, so that its row lacks a part; in the next one it has that, too. */
static void a_late_core_leaves_at_least_this(void **state)
{
	static const struct cell cells[N_SLOTS] = { { 10, 100, 100, QUALITY_OK } };

	(void)state;
	for (unsigned n = 1; n <= 3; n++) {
		struct frame_sum sum = { .by = BY_TYPE };

		for (unsigned i = 1; i <= n; i++) {
			struct frame *frame = format_rig_make_frame(i, &format_rig_first);

			format_rig_fill(frame, 0, cells);
			if (i == 2)
				frame->core[1].state = CORE_LATE;
			else
				format_rig_fill(frame, 1, cells);
			assert_int_equal(frame_sum_add(&sum, frame, &format_rig_machine,
						       &format_rig_metrics),
					 0);
			frame_unref(frame);
		}
		assert_int_equal(frame_sum_end(&sum, &format_rig_machine, &format_rig_metrics), 0);
		assert_int_equal(sum.row[0].quality, n == 2 ? QUALITY_PARTIAL : QUALITY_OK);
		assert_int_equal(sum.row[0].value, n == 1 ? 20 : n == 2 ? 30 : 50);
		frame_sum_fini(&sum);
	}
}

/* Runs of one or two windows; a change of sets is the next run. */
static void runs_have_a_mean_and_its_standard_error(void **state)
{
	(void)state;
	static const struct {
		bool is_second_set;
		uint64_t value;
	} window[] = { { false, 60 }, { false, 40 }, { true, 110 }, { false, 120 }, { true, 131 } };
	struct frame_runs runs = { .run.by = BY_CORE };
	struct frame_sum mean;

	for (unsigned i = 0; i < ARRAY_SIZE(window); i++) {
		struct cell cells[N_SLOTS] = { { window[i].value, 100, 100, QUALITY_OK } };
		struct frame *frame = format_rig_make_frame(
			i + 1, window[i].is_second_set ? &format_rig_second : &format_rig_first);

		format_rig_fill(frame, 0, cells);
		assert_int_equal(
			frame_runs_add(&runs, frame, &format_rig_machine, &format_rig_metrics), 0);
		frame_unref(frame);
	}
	assert_int_equal(frame_runs_mean(&runs, &format_rig_machine, &mean), 0);
	assert_int_equal(runs.n, 4);
	assert_int_equal(frame_counts(mean.frame, 0)[0].value, 115); /* of 461 / 4 */
	assert_int_equal(frame_counts(mean.frame, 0)[0].running_ns, 125 * NS_PER_MS);
	/* 100, 110, 120, 131: their deviation is 13.30100, that of the mean half of it */
	assert_float_equal(runs.spread[0], 100 * 13.30100F / 2 / 115.25F, 1e-3);
	frame_sum_fini(&mean);
	frame_runs_fini(&runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_and_times_add_up),
		cmocka_unit_test(an_offline_core_keeps_what_it_counted),
		cmocka_unit_test(metrics_are_of_the_sum),
		cmocka_unit_test(another_set_is_left_out),
		cmocka_unit_test(standings),
		cmocka_unit_test(a_late_core_leaves_at_least_this),
		cmocka_unit_test(runs_have_a_mean_and_its_standard_error),
	};

	return cmocka_run_group_tests(tests, format_rig_setup, format_rig_teardown);
}
