/* A session's metrics: from a catalogue and from -M, refused, bound to a set, judged. */
#include <math.h>
#include <string.h>

#include "rig/metrics_rig.h"

static const struct event topdown = { .name = "topdown" };

static void order_and_texts(void **state)
{
	const struct metrics *metrics = *state;
	int number = metrics_find(metrics, "MISS_rate");

	assert_string_equal(metrics->metric[0].name, "IPC");
	assert_string_equal(metrics->metric[1].name, "CPI");
	assert_int_equal(metrics->n, 6);
	assert_string_equal(metrics->metric[number].unit, "%");
	assert_string_equal(metrics->metric[number].group, "Cache;Summary");
	assert_string_equal(metrics->metric[number].expr, "misses / refs");
	assert_int_equal(metrics_find(metrics, "Misses"), number); /* the label */
	assert_int_equal(metrics_find(metrics, "half"), -1);
	assert_int_equal(metrics_find(metrics, "nothing"), -1);
}

static void refused(void **state)
{
	static const struct {
		const char *name, *why;
	} rows[] = {
		{ "tma_slots", "threshold: column 16: ends too early" },
		{ "half", "column 4: ends too early" },
		{ "wheel", "metric \"wheel\" uses itself" },
	};
	const struct metrics *metrics = *state;

	assert_int_equal(metrics->n_refused, ARRAY_SIZE(rows));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_string_equal(metrics->refused[i].name, rows[i].name);
		if (!strstr(metrics->refused[i].why, rows[i].why))
			fail_msg("%s: %s", rows[i].name, metrics->refused[i].why);
	}
}

/* What the set counts, and nothing else, has a column. */
static void bound_to_a_set(void **state)
{
	static const char *const has[] = { "IPC", "CPI", "guarded", "clocked" };
	const struct count slot[] = { { .value = 2000000000,
					.enabled_ns = NS_PER_S,
					.running_ns = NS_PER_S,
					.quality = QUALITY_OK },
				      { .value = 5000000000,
					.enabled_ns = NS_PER_S,
					.running_ns = NS_PER_S,
					.quality = QUALITY_OK },
				      { 0 } };
	static const double value[] = { 2.5, 0.4, 2000000000, 2 };
	const struct metrics *metrics = *state;
	struct reading reading[METRICS_BOUND_MAX];
	struct metrics_bound bound;

	assert_int_equal(metrics_bind(metrics, &metrics_rig_set, 1, &bound), 0);
	assert_int_equal(bound.n, ARRAY_SIZE(has));
	metrics_eval(metrics, &bound, 0, slot, reading);
	for (size_t i = 0; i < ARRAY_SIZE(has); i++) {
		int column = metrics_column(&bound, metrics_find(metrics, has[i]));

		assert_true(column >= 0);
		assert_int_equal(reading[column].quality, QUALITY_OK);
		assert_true(fabs(reading[column].value / value[i] - 1) < 1e-12);
	}
	assert_int_equal(metrics_column(&bound, metrics_find(metrics, "miss_rate")), -1);
	assert_int_equal(metrics_column(&bound, -1), -1);
	metrics_bound_fini(&bound);
}

/* However many a set gives: what was asked for is among those that a frame has room for. */
static void the_selected_come_first(void **state)
{
	static struct metric many[METRICS_BOUND_MAX + 100];
	const struct metrics *few = *state;
	const struct metrics metrics = { .metric = many, .n = ARRAY_SIZE(many) };
	struct metrics_bound bound;

	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = few->metric[metrics_find(few, "IPC")];
	many[ARRAY_SIZE(many) - 1].is_selected = true;
	assert_int_equal(metrics_bind(&metrics, &metrics_rig_set, 1, &bound), 0);
	assert_int_equal(bound.n, METRICS_BOUND_MAX);
	assert_int_equal(metrics_column(&bound, ARRAY_SIZE(many) - 1), METRICS_BOUND_MAX - 1);
	assert_int_equal(metrics_column(&bound, METRICS_BOUND_MAX - 1), -1);
	metrics_bound_fini(&bound);
}

static enum metric_alarm alarm_of(const struct metrics *metrics, const struct set *of,
				  const char *name, uint64_t n_cycles, uint64_t n_instructions)
{
	const struct count slot[] = {
		{ .value = n_cycles,
		  .enabled_ns = 1000,
		  .running_ns = 1000,
		  .quality = QUALITY_OK },
		{ .value = n_instructions,
		  .enabled_ns = 1000,
		  .running_ns = 1000,
		  .quality = QUALITY_OK },
		{ .value = 100, .enabled_ns = 1000, .running_ns = 1000, .quality = QUALITY_OK }
	};
	struct metrics_bound bound;

	assert_int_equal(metrics_bind(metrics, of, 1, &bound), 0);

	enum metric_alarm alarm =
		metrics_judge(metrics, &bound, metrics_find(metrics, name), 0, slot);

	metrics_bound_fini(&bound);
	return alarm;
}

static void thresholds(void **state)
{
	const struct metrics *metrics = *state;
	struct set full = metrics_rig_set;

	full.type[0].event[2] = &topdown;
	assert_int_equal(alarm_of(metrics, &metrics_rig_set, "IPC", 100, 300), ALARM_BEYOND);
	assert_int_equal(alarm_of(metrics, &metrics_rig_set, "IPC", 100, 100), ALARM_WITHIN);
	assert_int_equal(alarm_of(metrics, &metrics_rig_set, "IPC", 0, 100), ALARM_UNKNOWN);
	/* CPI > 1 & tma_slots > 0.5, the second of which needs an event more */
	assert_int_equal(alarm_of(metrics, &full, "CPI", 700, 600), ALARM_BEYOND);
	assert_int_equal(alarm_of(metrics, &full, "CPI", 200, 100), ALARM_WITHIN);
	assert_int_equal(alarm_of(metrics, &metrics_rig_set, "CPI", 100, 300), ALARM_WITHIN);
	assert_int_equal(alarm_of(metrics, &metrics_rig_set, "CPI", 700, 600), ALARM_UNKNOWN);
	assert_int_equal(alarm_of(metrics, &metrics_rig_set, "guarded", 1, 1), ALARM_UNKNOWN);
	assert_int_equal(alarm_of(metrics, &full, "tma_slots", 1, 1), ALARM_UNKNOWN);
}

/* Inputs are of the same groups, unless the set splits metrics; a threshold takes what there is. */
static void bound_to_mux_groups(void **state)
{
	static const uint64_t value[] = { 100, 50, 700, 600 }; /* mux group 0 had less to do */
	const struct metrics *metrics = *state;
	const int ipc = metrics_find(metrics, "IPC"), slots = metrics_find(metrics, "tma_slots");
	struct set mux = { .n_slots = 4,
			   .n_mux = 2,
			   .first = { 0, 2, 4 },
			   .type = {
				   { .event = { &metrics_rig_cycles, &topdown, &metrics_rig_cycles,
						&metrics_rig_instructions } } } };
	struct count slot[4];
	struct reading reading[METRICS_BOUND_MAX];
	struct metrics_bound bound;

	for (unsigned i = 0; i < 4; i++)
		slot[i] = (struct count){ .value = value[i],
					  .enabled_ns = 1000,
					  .running_ns = 500,
					  .quality = QUALITY_SCALED };
	assert_int_equal(metrics_bind(metrics, &mux, 1, &bound), 0);
	metrics_eval(metrics, &bound, 0, slot, reading);
	assert_true(fabs(reading[metrics_column(&bound, ipc)].value - 600.0 / 700) < 1e-12);
	assert_int_equal(reading[metrics_column(&bound, ipc)].quality, QUALITY_SCALED);
	assert_int_equal(metrics_column(&bound, slots), -1);
	/* CPI 7/6 > 1 & tma_slots 600/200 > 0.5: cycles of its own group, topdown of the other */
	assert_int_equal(metrics_judge(metrics, &bound, metrics_find(metrics, "CPI"), 0, slot),
			 ALARM_BEYOND);
	metrics_bound_fini(&bound);

	mux.splits_metrics = true;
	assert_int_equal(metrics_bind(metrics, &mux, 1, &bound), 0);
	metrics_eval(metrics, &bound, 0, slot, reading);
	assert_true(fabs(reading[metrics_column(&bound, ipc)].value - 600.0 / 700) < 1e-12);
	assert_true(fabs(reading[metrics_column(&bound, slots)].value - 3) < 1e-12);
	assert_int_equal(reading[metrics_column(&bound, slots)].quality, QUALITY_SCALED);
	metrics_bound_fini(&bound);
}

/* Mux groups 0, 2 and 3 have both inputs, the last in another order; group 1 has one of them. */
static void bound_to_all_mux_groups_that_have_it(void **state)
{
	static const struct {
		uint64_t value[7];
		uint64_t missing; /* columns that were not counted, as bits */
		double ipc;
		enum quality quality;
		enum metric_alarm alarm; /* IPC > 2 */
	} rows[] = {
		{ { 100, 100, 900, 100, 200, 300, 100 },
		  0,
		  600 / 300.,
		  QUALITY_SCALED,
		  ALARM_WITHIN },
		/* the first mux group alone would be within */
		{ { 100, 100, 900, 100, 600, 600, 100 },
		  0,
		  1300 / 300.,
		  QUALITY_SCALED,
		  ALARM_BEYOND },
		/* a mux group that did not run */
		{ { 100, 100, 900, 100, 200, 300, 100 },
		  0x03,
		  500 / 200.,
		  QUALITY_SCALED,
		  ALARM_BEYOND },
		{ { 100, 100, 900, 100, 200, 300, 100 }, 0x63, 2, QUALITY_SCALED, ALARM_WITHIN },
		{ { 100, 100, 900, 100, 200, 300, 100 },
		  0x7b,
		  0,
		  QUALITY_NOT_COUNTED,
		  ALARM_UNKNOWN },
	};
	const struct metrics *metrics = *state;
	const int ipc = metrics_find(metrics, "IPC");
	struct set mux = { .n_slots = 7,
			   .n_mux = 4,
			   .first = { 0, 2, 3, 5, 7 },
			   .type = { { .event = { &metrics_rig_cycles, &metrics_rig_instructions,
						  &metrics_rig_cycles, &metrics_rig_cycles,
						  &metrics_rig_instructions,
						  &metrics_rig_instructions,
						  &metrics_rig_cycles } } } };
	struct metrics_bound bound;

	assert_int_equal(metrics_bind(metrics, &mux, 1, &bound), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct count slot[7];
		struct reading reading[METRICS_BOUND_MAX];

		for (unsigned k = 0; k < 7; k++) {
			bool is_missing = rows[i].missing >> k & 1;

			slot[k] = (struct count){ .value = is_missing ? 0 : rows[i].value[k],
						  .enabled_ns = 1000,
						  .running_ns = is_missing ? 0 : 250,
						  .quality = is_missing ? QUALITY_NOT_COUNTED
									: QUALITY_SCALED };
		}
		metrics_eval(metrics, &bound, 0, slot, reading);

		struct reading got = reading[metrics_column(&bound, ipc)];

		assert_int_equal(got.quality, rows[i].quality);
		if (fabs(got.value - rows[i].ipc) > 1e-12)
			fail_msg("%zu: %g", i, got.value);
		assert_int_equal(metrics_judge(metrics, &bound, ipc, 0, slot), rows[i].alarm);
	}
	metrics_bound_fini(&bound);
}

/* Of another privilege, cycles are no input of the same ratio. */
static void mux_groups_of_other_events_stay_apart(void **state)
{
	const struct metrics *metrics = *state;
	struct event user_cycles = metrics_rig_cycles, user_instructions = metrics_rig_instructions;
	struct set mux = { .n_slots = 4, .n_mux = 2, .first = { 0, 2, 4 } };
	struct metrics_bound bound;

	user_cycles.privilege = user_instructions.privilege = PRIVILEGE_USER;
	mux.type[0] = (struct placement){ .event = { &metrics_rig_cycles, &metrics_rig_instructions,
						     &user_cycles, &user_instructions } };
	assert_int_equal(metrics_bind(metrics, &mux, 1, &bound), 0);
	assert_int_equal(bound.binding[0][metrics_column(&bound, metrics_find(metrics, "IPC"))]
				 ->slots.word[0],
			 3);
	metrics_bound_fini(&bound);
}

/* 500 a second on each of two cores: a row of both has 1000, also when one lost another column. */
static void time_of_a_row(void **state)
{
	const struct count lost = { .quality = QUALITY_LOST };
	const struct count one = {
		.value = 500, .enabled_ns = NS_PER_S, .running_ns = NS_PER_S, .quality = QUALITY_OK
	};
	struct count slot[COLUMNS_MAX] = { 0 };
	struct reading reading[METRICS_BOUND_MAX];
	struct metrics_selection selection;
	struct metrics_bound bound;

	for (unsigned core = 0; core < 2; core++) {
		count_add_core(&slot[0], core ? &one : &lost);
		count_add_core(&slot[1], &one);
	}
	assert_int_equal(
		metrics_select(*state, "rate=instructions/duration_time", &selection, NULL), 0);
	assert_int_equal(metrics_bind(*state, &metrics_rig_set, 1, &bound), 0);
	metrics_eval(*state, &bound, 0, slot, reading);
	assert_true(reading[metrics_column(&bound, selection.number[0])].value == 1000);
	metrics_selection_fini(&selection);
	metrics_bound_fini(&bound);
}

static void chosen(void **state)
{
	static const struct {
		int line;
		const char *list;
		const char *name[6];
	} rows[] = {
		{ __LINE__, "ipc", { "IPC" } },
		{ __LINE__, "CPI,IPC,CPI", { "CPI", "IPC" } },
		/* of a group what there are events for; by name whatever is asked for */
		{ __LINE__, "cache", { "guarded" } },
		{ __LINE__, "IPC,Summary", { "IPC", "CPI" } },
		{ __LINE__, "summary,MISS_RATE", { "IPC", "CPI", "miss_rate" } },
		{ __LINE__, "x=1000*instructions/cycles", { "x" } },
		{ __LINE__, "y=max(1, cycles),IPC,z.2=min(1,2)", { "y", "IPC", "z.2" } },
		{ __LINE__, "w=2*IPC if IPC > 1 else CPI", { "w" } },
		{ __LINE__, " IPC , CPI ", { "IPC", "CPI" } },
		{ __LINE__, "b=2*a, a = 3 * IPC", { "b", "a" } },
		{ __LINE__, "c=a+b", { "c" } }, /* those of before */
		{ __LINE__, "c=a+b,IPC", { "c", "IPC" } },
		{ __LINE__, "", { NULL } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct metrics *metrics = *state;
		struct metrics_selection selection;
		struct err err = { "" };
		size_t n = 0;

		if (metrics_select(metrics, rows[i].list, &selection, &err))
			fail_msg("line %d: %s", rows[i].line, err.text);
		for (; rows[i].name[n]; n++) {
			if (n >= selection.n ||
			    strcmp(metrics->metric[selection.number[n]].name, rows[i].name[n]) != 0)
				fail_msg("line %d: number %zu is no %s", rows[i].line, n,
					 rows[i].name[n]);
		}
		assert_int_equal(selection.n, n);
		metrics_selection_fini(&selection);
	}
}

static void not_chosen(void **state)
{
	static const struct {
		int line;
		const char *list;
		int rc;
		const char *says;
	} rows[] = {
		{ __LINE__, "IPCC", -ENOENT,
		  "no metric is named \"IPCC\" here (m1top list metrics); near: IPC" },
		{ __LINE__, "IPC,,CPI", -EINVAL, "a metric is missing between two commas" },
		{ __LINE__, " ", -EINVAL, "a metric is missing" },
		{ __LINE__, "TMA", -ENOENT,
		  "no metric of group TMA can be counted here: no event is named \"topdown\"" },
		{ __LINE__, "IPC,half", -EINVAL, "metric half cannot be used: " },
		{ __LINE__, "instructions/cycles", -EINVAL, "give the expression a name: x=" },
		{ __LINE__, "x=1+", -EINVAL, "x: column 3: ends too early" },
		{ __LINE__, "x=unheard/cycles", -ENOENT, "x: no event is named \"unheard\"" },
		{ __LINE__, "x=user_time/cycles", -ENOENT,
		  "x: user_time is not counted: task-clock counts user" },
		{ __LINE__, "x=2*y,y=IPC+", -EINVAL, "x: y: column 5: ends too early" },
		{ __LINE__, "p=2*q,q=p", -ELOOP, "p: metric \"q\" uses itself" },
		{ __LINE__, "p=p", -ELOOP, "uses itself" },
		{ __LINE__, "p=1,p=2", -EINVAL, "a metric is already named \"p\"" },
		{ __LINE__, "p=Q,q=1", -ENOENT, "p: no event is named \"Q\"" },
		{ __LINE__, "ipc=cycles", -EINVAL, "a metric is already named \"ipc\"" },
	};
	struct metrics *metrics = *state;
	unsigned n = metrics->n;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct metrics_selection selection = { .n = 77 };
		struct err err = { "" };
		int rc = metrics_select(metrics, rows[i].list, &selection, &err);

		if (rc != rows[i].rc || selection.n != 77 || !strstr(err.text, rows[i].says))
			fail_msg("line %d: %d \"%s\"", rows[i].line, rc, err.text);
	}
	assert_int_equal(metrics->n, n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(order_and_texts, metrics_rig_make,
						metrics_rig_unmake),
		cmocka_unit_test_setup_teardown(refused, metrics_rig_make, metrics_rig_unmake),
		cmocka_unit_test_setup_teardown(bound_to_a_set, metrics_rig_make,
						metrics_rig_unmake),
		cmocka_unit_test_setup_teardown(the_selected_come_first, metrics_rig_make,
						metrics_rig_unmake),
		cmocka_unit_test_setup_teardown(thresholds, metrics_rig_make, metrics_rig_unmake),
		cmocka_unit_test_setup_teardown(bound_to_mux_groups, metrics_rig_make,
						metrics_rig_unmake),
		cmocka_unit_test_setup_teardown(bound_to_all_mux_groups_that_have_it,
						metrics_rig_make, metrics_rig_unmake),
		cmocka_unit_test_setup_teardown(mux_groups_of_other_events_stay_apart,
						metrics_rig_make, metrics_rig_unmake),
		cmocka_unit_test_setup_teardown(time_of_a_row, metrics_rig_make,
						metrics_rig_unmake),
		cmocka_unit_test_setup_teardown(chosen, metrics_rig_make, metrics_rig_unmake),
		cmocka_unit_test_setup_teardown(not_chosen, metrics_rig_make, metrics_rig_unmake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
