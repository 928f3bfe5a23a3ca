/* test_openmetrics.c: the exposition of a hand-made session against tests/formats/openmetrics*.txt
 * (BLESS=1 rewrites them), what totals add up, names, content negotiation. */
#include "rig/format_rig.h"

#include <math.h>
#include <stdlib.h>

#include "pmu/sensors.h"
#include "rig/golden.h"
#include "session/openmetrics.h"

static const struct openmetrics_own own = { .cpu_ns = 12345678,
					    .wakeups = 42,
					    .memory_bytes = 4194304,
					    .started_wall_ns = UINT64_C(1605614400) * NS_PER_S,
					    /* the clock was set an hour forward meanwhile */
					    .zero_wall_ns = UINT64_C(1605618000) * NS_PER_S };

static void add(struct totals *totals, unsigned number, uint64_t lost)
{
	struct frame *frame = format_rig_frame(number);

	assert_int_equal(totals_add(totals, frame, lost), 0);
	frame_unref(frame);
}

/* On each core idle has a quarter, one command as much, another the rest. */
static void give_tasks(struct frame *frame)
{
	static const char *const comm[] = { "[idle]", "a \"b\"\\c\n", "make" };
	static const char *const path[] = { "", "/a \"b\"\\c\n", "/make.slice" };
	static const uint64_t time_ms[] = { 50, 20, 30 };
	struct frame_tasks *tasks = frame_tasks_new(3 * N_CORES, N_SLOTS, 1);

	assert_non_null(tasks);
	for (size_t i = 0; i < tasks->n; i++) {
		unsigned at = (unsigned)i / 3, which = (unsigned)i % 3;
		struct core_task *task = &tasks->task[i];

		*task = (struct core_task){ .core = (uint16_t)at,
					    .kind = which ? TASK_THREAD : TASK_IDLE,
					    .pid = which * 100,
					    .tid = which * 100 };
		snprintf(task->comm, sizeof(task->comm), "%s", comm[which]);
		task->cgroup = which ? cgroup_get(path[which]) : NULL;
		if (frame->core[at].state == CORE_ON)
			tasks->time_ns[i] = time_ms[which] * NS_PER_MS;
		for (unsigned slot = 0; slot < N_SLOTS; slot++) {
			uint64_t whole = frame_counts(frame, at)[slot].value;

			tasks->value[i * N_SLOTS + slot] =
				which == 2 ? whole - 2 * (whole / 4) : whole / 4;
		}
	}
	tasks->n_switches = 1000;
	tasks->n_lost = 1;
	tasks->cost_share = 0.0125F;
	frame->tasks = tasks;
}

/* The one that has most time; the other one is in [others]. */
static void commands_have_series(void **state)
{
	struct format_context context = format_rig_with_metrics(BY_CORE);
	struct totals totals;
	struct text out = { 0 }, tasks = { 0 };
	char *rest;

	(void)state;
	text_printf(&tasks, "# one command and one cgroup by name\n");
	totals_init(&totals, &format_rig_machine, 1, 1);
	for (unsigned n = 1; n <= 2; n++) {
		struct frame *frame = format_rig_frame(n);

		give_tasks(frame);
		assert_int_equal(totals_add(&totals, frame, 0), 0);
		frame_unref(frame);
	}
	openmetrics_write(&context, &totals, &own, OPENMETRICS_1_0, &out);
	assert_false(out.failed);
	for (char *line = strtok_r(out.bytes, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		if (strstr(line, "m1top_task_") || strstr(line, "m1top_cgroup_"))
			text_printf(&tasks, "%s\n", line);
	check_golden("openmetrics_tasks", &tasks);
	text_fini(&out);
	text_fini(&tasks);
	totals_fini(&totals);
}

static void golden(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum openmetrics_flavour flavour;
		unsigned n_frames;
		size_t n_shown;
		bool has_log;
	} row[] = {
		{ "openmetrics", OPENMETRICS_1_0, 2, N_METRICS, true },
		{ "openmetrics_plain", OPENMETRICS_0_0_4, 1, 1, false },
		{ "openmetrics_nothing", OPENMETRICS_1_0, 0, 0, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct format_context context = format_rig_with_metrics(BY_CORE);
		struct openmetrics_own with_log = own;
		struct totals totals;
		struct text out = { 0 };

		with_log.has_log = row[i].has_log;
		context.n_shown = row[i].n_shown;
		totals_init(&totals, &format_rig_machine, 0, 0);
		for (unsigned n = 1; n <= row[i].n_frames; n++)
			add(&totals, n, n == 2 ? 3 : 0);
		openmetrics_write(&context, &totals, &with_log, row[i].flavour, &out);
		assert_false(out.failed);
		check_golden(row[i].name, &out);
		text_fini(&out);
		totals_fini(&totals);
	}
}

static void totals_add_up(void **state)
{
	(void)state;
	struct totals totals;

	totals_init(&totals, &format_rig_machine, 0, 0);
	add(&totals, 1, 0);
	add(&totals, 2, 0);

	const struct total inst = totals_of(&totals, 0, 1);

	assert_int_equal(inst.sum.value, 1000000000);
	assert_int_equal(inst.sum.enabled_ns, 200 * NS_PER_MS);
	assert_int_equal(inst.sum.running_ns, 200 * NS_PER_MS);

	const struct total off_core = totals_of(&totals, 1, 1);

	assert_int_equal(off_core.sum.value, 500000000); /* kept while it is off */
	assert_int_equal(off_core.newest.quality, QUALITY_OFF);

	const struct total half = totals_of(&totals, 2, 0);

	assert_int_equal(half.sum.value, 320000000);
	assert_int_equal(half.sum.running_ns, 100 * NS_PER_MS);
	assert_int_equal(half.newest.running_ns, 50 * NS_PER_MS);
	assert_int_equal(half.newest.enabled_ns, 100 * NS_PER_MS);

	const struct total starved = totals_of(&totals, 2, 2);

	assert_int_equal(starved.sum.value, 0);
	assert_int_equal(starved.sum.enabled_ns, 200 * NS_PER_MS);
	assert_int_equal(starved.newest.quality, QUALITY_NOT_COUNTED);
	assert_true(totals_of(&totals, 2, 6).is_counted_twice);

	add(&totals, 3, 5); /* of another set */
	assert_int_equal(totals_of(&totals, 0, 1).sum.value, 1000000000);
	assert_int_equal(totals.n_frames, 3);
	assert_int_equal(totals.n_lost, 5);
	assert_int_equal(totals.n_missed, 7);
	totals_fini(&totals);
}

/* A core that answers late stays as it was: its next window has it all. */
static void late_core(void **state)
{
	(void)state;
	struct totals totals;
	struct frame *late = format_rig_frame(1);

	late->core[0].state = CORE_LATE;
	memset(late->count, 0, N_SLOTS * sizeof(*late->count));
	totals_init(&totals, &format_rig_machine, 0, 0);
	add(&totals, 1, 0);
	assert_int_equal(totals_add(&totals, late, 0), 0);
	frame_unref(late);
	assert_int_equal(totals.last->core[0].state, CORE_ON);
	assert_int_equal(totals_of(&totals, 0, 1).sum.value, 500000000);
	assert_int_equal(totals_of(&totals, 0, 1).newest.quality, QUALITY_OK);
	assert_int_equal(frame_metrics(totals.last, 0)[0].quality, QUALITY_OK);
	totals_fini(&totals);
}

/* cycles in both mux groups, each half of the time: one series that ran all the time. */
static void mux_groups_are_one_series(void **state)
{
	(void)state;
	static const struct cell half[N_SLOTS] = {
		{ 100, 100, 50, QUALITY_SCALED },
		{ 7, 100, 50, QUALITY_SCALED },
		{ 300, 100, 50, QUALITY_SCALED },
	};
	struct frame_set mux = {
		.set = { .number = 1, .n_slots = N_SLOTS, .n_mux = 2, .first = { 0, 2, 3 } },
		.bound.n_slots = N_SLOTS,
		.refs = 1,
	};
	struct totals totals;

	mux.set.type[0].event[0] = mux.set.type[0].event[2] = &format_rig_cycles_e;
	mux.set.type[0].event[1] = &format_rig_inst_e;

	struct frame *frame = format_rig_make_frame(1, &mux);

	format_rig_fill(frame, 0, half);
	totals_init(&totals, &format_rig_machine, 0, 0);
	assert_int_equal(totals_add(&totals, frame, 0), 0);
	frame_unref(frame);

	const struct total cycles = totals_of(&totals, 0, 0);

	assert_int_equal(cycles.sum.value, 400);
	assert_int_equal(cycles.sum.enabled_ns, 100 * NS_PER_MS);
	assert_int_equal(cycles.sum.running_ns, 100 * NS_PER_MS);
	assert_int_equal(cycles.newest.running_ns, 100 * NS_PER_MS);
	assert_int_equal(cycles.newest.enabled_ns, 100 * NS_PER_MS);
	assert_true(totals_of(&totals, 0, 2).is_counted_twice);
	assert_int_equal(totals_of(&totals, 0, 1).sum.running_ns, 50 * NS_PER_MS);
	totals_fini(&totals);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Check that each series and each family is there once. @out  is cut into lines */
static void check_once(struct text *out)
{
	char *line[1024], *rest, *next = strtok_r(out->bytes, "\n", &rest);
	size_t n = 0;

	for (; next; next = strtok_r(NULL, "\n", &rest)) {
		if (*next == '#' && strncmp(next, "# TYPE", 6) != 0)
			continue;
		assert_true(n < ARRAY_SIZE(line));
		*strrchr(next, ' ') = '\0'; /* without the value, or the kind */
		line[n++] = next;
	}
	qsort(line, n, sizeof(*line), compare_lines);
	for (size_t i = 1; i < n; i++)
		if (strcmp(line[i - 1], line[i]) == 0)
			fail_msg("twice: %s", line[i]);
}

/* Sensors and events of one name, and a command that calls itself as the idle time is called. */
static void nothing_is_there_twice(void **state)
{
	static const struct cell cell[N_SLOTS] = { { 100, 100, 100, QUALITY_OK },
						   { 700, 100, 100, QUALITY_OK } };
	struct frame_set set = { .set = { .number = 1, .n_slots = N_SLOTS },
				 .bound.n_slots = N_SLOTS,
				 .refs = 1 };
	struct event one = format_rig_cycles_e, other = format_rig_inst_e;
	struct format_context context = format_rig_context(BY_CORE);
	struct sensor sensor = { .name = "nvme/Composite", .kind = SENSOR_TEMPERATURE };
	struct frame *frame = format_rig_make_frame(1, &set);
	struct sensed *sensed = sensed_new(4);
	struct totals totals;
	struct text out = { 0 };

	(void)state;
	snprintf(one.name, sizeof(one.name), "x");
	snprintf(other.name, sizeof(other.name), "x");
	set.set.type[0].event[0] = &one;
	set.set.type[0].event[1] = &other;
	for (unsigned i = 0; i < 4; i++) {
		sensors_add(&format_rig_machine, &sensor);
		sensed->value[i] = 40 + i;
	}
	assert_string_equal(format_rig_machine.sensors->sensor[3].name, "nvme/Composite 4");
	frame->sensed = sensed;
	format_rig_fill(frame, 0, cell);
	give_tasks(frame);
	for (size_t i = 0; i < frame->tasks->n; i++)
		snprintf(((struct core_task *)frame->tasks->task)[i].comm, TASK_COMM_SIZE,
			 "[idle]");
	totals_init(&totals, &format_rig_machine, 5, 5);
	assert_int_equal(totals_add(&totals, frame, 0), 0);
	openmetrics_write(&context, &totals, &own, OPENMETRICS_1_0, &out);
	assert_non_null(strstr(out.bytes, "event=\"x\",config=\"0x8c\"} 700\n"));
	assert_non_null(strstr(out.bytes, "{sensor=\"nvme/Composite 2\"} 41\n"));
	check_once(&out);
	text_fini(&out);
	totals_fini(&totals);
	frame_unref(frame);
	free((void *)format_rig_machine.sensors);
	format_rig_machine.sensors = NULL;
}

static void names(void **state)
{
	(void)state;
	static const struct {
		const char *name, *unit, *text, *base;
		double factor;
	} row[] = {
		{ "IPC", "", "m1top_metric_ipc", "", 1 },
		{ "BranchMissRate", "%", "m1top_metric_branch_miss_ratio", "ratio", 0.01 },
		{ "l1d_miss_ratio_spec", "%", "m1top_metric_l1d_miss_spec_ratio", "ratio", 0.01 },
		{ "stall_share", "%", "m1top_metric_stall_ratio", "ratio", 0.01 },
		{ "store_share_by_load", "%", "m1top_metric_store_share_by_load_ratio", "ratio",
		  0.01 },
		{ "branch_mpki", "/Kinst", "m1top_metric_branch_misses_per_instruction",
		  "per_instruction", 1e-3 },
		{ "atomic_pki", "/Kinst", "m1top_metric_atomic_per_instruction", "per_instruction",
		  1e-3 },
		{ "l1d_writeback_bandwidth", "MB/s",
		  "m1top_metric_l1d_writeback_bandwidth_bytes_per_second", "bytes_per_second",
		  1e6 },
		{ "frontend_stalled_cycles", "%", "m1top_metric_frontend_stalled_cycles_ratio",
		  "ratio", 0.01 },
		{ "latency", "ns", "m1top_metric_latency_seconds", "seconds", 1e-9 },
		{ "walk_cycles", "cycles", "m1top_metric_walk_cycles", "cycles", 1 },
		{ "a.b-c  D", "furlongs", "m1top_metric_a_b_c_d", "", 1 },
		{ "rate", "%", "m1top_metric_rate_ratio", "ratio", 0.01 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		const struct metric one = { .name = row[i].name, .unit = row[i].unit };
		struct openmetrics_name name;

		openmetrics_name(&one, &name);
		assert_string_equal(name.text, row[i].text);
		assert_string_equal(name.unit, row[i].base);
		assert_true(fabs(name.factor / row[i].factor - 1) < 1e-12);
	}
}

static void accepted(void **state)
{
	(void)state;
	static const struct {
		const char *accept;
		enum openmetrics_flavour flavour;
	} row[] = {
		{ NULL, OPENMETRICS_0_0_4 },
		{ "", OPENMETRICS_0_0_4 },
		{ "*/*", OPENMETRICS_0_0_4 },
		{ "text/html, */*;q=0.1", OPENMETRICS_0_0_4 },
		{ "application/openmetrics-text", OPENMETRICS_1_0 },
		{ "application/openmetrics-text; version=1.0.0; charset=utf-8", OPENMETRICS_1_0 },
		{ "application/openmetrics-text;version=2.0.0", OPENMETRICS_0_0_4 },
		{ "application/openmetrics-text;q=0", OPENMETRICS_0_0_4 },
		{ "application/openmetrics-texts", OPENMETRICS_0_0_4 },
		{ "text/plain;version=0.0.4;q=0.9,application/openmetrics-text;q=0.5",
		  OPENMETRICS_0_0_4 },
		{ "TEXT/PLAIN; Q=0.3 , Application/OpenMetrics-Text; q=0.31", OPENMETRICS_1_0 },
		/* Prometheus 2.42 */
		{ "application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
		  "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		  OPENMETRICS_1_0 },
		{ ",,;;q=,application/openmetrics-text;q=", OPENMETRICS_0_0_4 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		if (openmetrics_accepted(row[i].accept) != row[i].flavour)
			fail_msg("Accept: %s", row[i].accept);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden),
		cmocka_unit_test(commands_have_series),
		cmocka_unit_test(totals_add_up),
		cmocka_unit_test(late_core),
		cmocka_unit_test(mux_groups_are_one_series),
		cmocka_unit_test(nothing_is_there_twice),
		cmocka_unit_test(names),
		cmocka_unit_test(accepted),
	};

	return cmocka_run_group_tests(tests, format_rig_setup, format_rig_teardown);
}
