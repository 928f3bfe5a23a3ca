/* test_own.c: metrics of -M, which the user gives as expressions */
#include <math.h>
#include <string.h>

#include "rig/metrics_rig.h"

/* Two that use each other are worked out like any other metric. */
static void own_of_own(void **state)
{
	struct metrics *metrics = *state;
	struct metrics_selection selection;
	struct reading reading[METRICS_BOUND_MAX];
	struct metrics_bound bound;
	struct count slot[COLUMNS_MAX] = {
		{ .value = 100, .enabled_ns = 9, .running_ns = 9, .quality = QUALITY_OK },
		{ .value = 300, .enabled_ns = 9, .running_ns = 9, .quality = QUALITY_OK },
	};

	assert_int_equal(metrics_select(metrics, "b=a*2,a=IPC+1", &selection, NULL), 0);
	assert_int_equal(metrics_bind(*state, &metrics_rig_set, 1, &bound), 0);
	metrics_eval(*state, &bound, 0, slot, reading);
	assert_true(reading[metrics_column(&bound, selection.number[0])].value == 8);
	assert_true(reading[metrics_column(&bound, selection.number[1])].value == 4);
	metrics_bound_fini(&bound);
	metrics_selection_fini(&selection);
}

/* Those that are there do not move when expressions are added, and these can be taken back. */
static void own_metrics_in_place(void **state)
{
	struct metrics *metrics = *state;
	const struct metric *first = metrics->metric;
	unsigned n = metrics->n;
	struct metrics_selection selection;
	struct err err = { "" };
	char item[16];

	for (unsigned i = 0; i < METRICS_OWN_MAX; i++) {
		snprintf(item, sizeof(item), "own%u=%u", i, i);
		assert_int_equal(metrics_select(metrics, item, &selection, &err), 0);
		metrics_selection_fini(&selection);
	}
	assert_int_equal(metrics_select(metrics, "one=2,more=3", &selection, &err), -EINVAL);
	assert_string_equal(err.text, "at most 64 expressions can be given");
	assert_ptr_equal(metrics->metric, first);
	assert_int_equal(metrics->n, n + METRICS_OWN_MAX);
	metrics_forget(metrics, n);
	assert_int_equal(metrics_select(metrics, "own0=7", &selection, &err), 0);
	assert_int_equal(selection.number[0], n);
	metrics_selection_fini(&selection);
}

/* An own formula takes an event in its unit, one of a catalogue what the counter counted: also where
 * the one uses the other. */
static void own_takes_what_columns_show(void **state)
{
	static const struct event joules = { .name = "instructions", .scale = 0.25 };
	struct set scaled = { .n_slots = 2,
			      .type = { { .event = { &metrics_rig_cycles, &joules } } } };
	static const struct {
		const char *expr;
		double value;
	} rows[] = {
		{ "j=instructions", 2 },
		{ "watts=instructions/duration_time", 1 },
		{ "raw=clocked+IPC*1e9", 2e9 + 2 },
		{ "both=instructions+IPC*1e9", 4 },
		{ "through=j+instructions", 4 },
		{ "most=max(instructions,cycles)", 4e9 },
	};
	const struct count slot[] = {
		{ .value = 4000000000,
		  .enabled_ns = 2 * NS_PER_S,
		  .running_ns = 2 * NS_PER_S,
		  .quality = QUALITY_OK },
		{ .value = 8,
		  .enabled_ns = 2 * NS_PER_S,
		  .running_ns = 2 * NS_PER_S,
		  .quality = QUALITY_OK },
	};
	struct metrics *metrics = *state;
	unsigned n = metrics->n;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct metrics_selection selection;
		struct metric_binding binding;
		struct err err;

		if (metrics_select(metrics, rows[i].expr, &selection, &err))
			fail_msg("%s: %s", rows[i].expr, err.text);

		const struct metric_program *program =
			metrics->metric[selection.number[0]].program[0];

		assert_true(metric_bind_set(program, &scaled, 0, &binding));
		double got = metric_eval(program, &binding, slot).value;

		if (fabs(got - rows[i].value) > 1e-6 * rows[i].value)
			fail_msg("%s: %g, not %g", rows[i].expr, got, rows[i].value);
		metrics_selection_fini(&selection);
	}
	metrics_forget(metrics, n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(own_of_own, metrics_rig_make, metrics_rig_unmake),
		cmocka_unit_test_setup_teardown(own_takes_what_columns_show, metrics_rig_make,
						metrics_rig_unmake),
		cmocka_unit_test_setup_teardown(own_metrics_in_place, metrics_rig_make,
						metrics_rig_unmake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
