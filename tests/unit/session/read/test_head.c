/* Session files written by hand: what is wrong is named with its place, what is odd does no harm. */
#include "rig/reader_rig.h"

static const char head[] =
	"# m1top session 1\n"
	"# host h kernel k backend sim interval_ms 100 started 2020-11-17T12:00:00.000+00:00\n"
	"# machine M cpuid= simulated=1\n"
	"# type cpu pmu= counters=0 width=64 slot_is_counter=0 first_fit=0\n"
	"# cpu 0 type=cpu cluster=0 midr=0x0\n"
	"# set 1 type=cpu slot=0 pmu=software event=page-faults config=0x2 width=64 unit= scale=1\n"
	"tick,time_s,cpu,type,pmu,slot,pid,event,count,enabled_ns,running_ns,quality\n"
	"1,0.1,0,cpu,software,0,,page-faults,5,100,100,ok\n";

/* A line of the head with another in its place, or lines behind it, and what is said. */
static void mistakes_are_named_with_their_place(void **state)
{
	static const struct {
		int line;
		const char *old, *new, *says;
	} rows[] = {
		{ __LINE__, "# m1top session 1", "# m1top session 2", ":1:17: format 2 is newer" },
		{ __LINE__, "# m1top session 1", "tick,time", ":1:1: not a session file" },
		{ __LINE__, "interval_ms 100", "interval_ms x", ":2:" },
		{ __LINE__, "interval_ms 100", "interval_ms 1e-7",
		  ":2:43: expected an interval in ms" },
		{ __LINE__, "12:00:00.000+00:00", "noon", "RFC 3339" },
		{ __LINE__, "simulated=1", "simulated=2", ":3:20: simulated=2" },
		{ __LINE__, " width=64 slot", " slot", ":4:1: width= is missing" },
		{ __LINE__, "cluster=0", "cluster=1", "no CPU above is in cluster 0" },
		{ __LINE__, "# cpu 0 type=cpu", "# cpu 0 type=P", "no core type \"P\"" },
		{ __LINE__, "midr=0x0\n",
		  "midr=0x0\n# source activity path=idle type=P events=0x2\n",
		  "no core type \"P\"" },
		{ __LINE__, "midr=0x0\n", "midr=0x0\n# source activity path=idle type=cpu\n",
		  "events= is missing" },
		{ __LINE__, "midr=0x0\n", "midr=0x0\n# literals type=cpu num_cpus=few\n",
		  ":6:21: num_cpus=few" },
		{ __LINE__, "midr=0x0\n", "midr=0x0\n# pmu arm_cmn_0\n",
		  ":6:1: identifier= is missing" },
		{ __LINE__, "config=0x2", "config=2x", ":6:" },
		{ __LINE__, "slot=0 pmu", "slot=0 turn=0 skips=64 pmu", ":6:32: skips=64" },
		{ __LINE__, "slot=0 pmu=software",
		  "slot=0 turn=1 pmu=software event=x config=0x1 unit= scale=1\n"
		  "# set 1 type=cpu slot=1 turn=1 skips=63 pmu=software",
		  "set 1 skips more than 64 slots" },
		{ __LINE__, "scale=1\n", "scale=\n", "scale=: expected a number" },
		{ __LINE__, "event=page", "event=\"page", "unterminated quote" },
		{ __LINE__, "1,0.1,0,cpu", "0,0.1,0,cpu", ":8:1: tick \"0\"" },
		{ __LINE__, "1,0.1,0,cpu", "1,0.1,3,cpu",
		  ":8:7: cpu \"3\": not a CPU of the head" },
		{ __LINE__, "1,0.1,0,cpu", "1,0.1,0,P", ":8:9: type \"P\"" },
		{ __LINE__, "1,0.1,0,cpu", "1,1e3,0,cpu", ":8:3: time_s" },
		{ __LINE__, "1,0.1,0,cpu", "1,9999999999.0,0,cpu", ":8:3: time_s" },
		{ __LINE__, ",software,0,,", ",software,1,,",
		  "the set above counts nothing in this slot" },
		{ __LINE__, "0,,page-faults", "0,,page-fault", ":8:25: event \"page-fault\"" },
		{ __LINE__, "faults,5,", "faults,-5,", "count \"-5\": expected a whole number" },
		{ __LINE__, "faults,5,", "faults,,", "count \"\": expected a whole number" },
		{ __LINE__, "5,100,100,ok", "5,100,100,lost", "must be empty" },
		{ __LINE__, "100,100,ok", "100,101,ok", "running_ns \"101\"" },
		{ __LINE__, "100,ok", "100,fine", "quality \"fine\"" },
		{ __LINE__, "100,ok", "100", "a row has 12 fields" },
		{ __LINE__, "100,ok", "100,ok,x", "error \"x\": expected a whole number" },
		{ __LINE__, "100,ok", "100,ok,1,", "error \"1,\"" },
		{ __LINE__, "100,ok\n", "100,ok\n1,0.1,0,cpu,software,0,,page-faults,5,1,1,ok\n",
		  ":9:22: slot \"0\": occurs twice" },
		{ __LINE__, "100,ok\n", "100,ok\n# mark x\n", ":9:8: expected a time in seconds" },
		{ __LINE__, "100,ok\n", "100,ok\n# off 1.0 cpu 7\n", "a CPU of the head" },
		{ __LINE__, "100,ok\n", "100,ok\n# interval 1.0 -1 ms\n", "an interval in ms" },
		{ __LINE__, "100,ok\n", "100,ok\n# interval 1.0 1e-9 ms\n",
		  ":9:16: expected an interval in ms" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *at = strstr(head, rows[i].old);
		struct text text = { 0 };
		struct reader *reader = NULL;
		struct err err = { "" };
		size_t n_frames = 0;

		assert_non_null(at);
		text_printf(&text, "%.*s%s%s", (int)(at - head), head, rows[i].new,
			    at + strlen(rows[i].old));
		reader_rig_store(text.bytes, text.n);
		if (reader_rig_read_all(&reader, &n_frames, &err) != -EINVAL ||
		    !strstr(err.text, rows[i].says) || !strstr(err.text, reader_rig_path))
			fail_msg("line %d: %s", rows[i].line, err.text);
		reader_close(reader);
		text_fini(&text);
	}
}

/* No number that a file says is too large for where it is kept. */
static void costs_are_kept_in_range(void **state)
{
	struct session_item item;
	struct reader *reader;
	struct text text = { 0 };
	struct err err;

	(void)state;
	text_printf(&text,
		    "%s# own 0.1 core_pct=-5 total_pct=1e300 wakeups_s=-1 late_max_us=1e9 "
		    "late_p99_us=12.5 dropped=-1\n",
		    head);
	reader_rig_store(text.bytes, text.n);
	must(reader_open(reader_rig_path, 0, NULL, &reader, &err), &err);
	must(reader_next(reader, &item, &err), &err);
	assert_int_equal(item.what, SESSION_FRAME);
	assert_true(item.frame->own_core_share == 0 && item.frame->own_total_share == CPUS_MAX &&
		    item.frame->own_wakeups_per_s == 0);
	assert_int_equal(item.frame->late_max_ns, UINT32_MAX);
	assert_int_equal(item.frame->late_p99_ns, 12500);
	assert_int_equal(item.frame->n_dropped, 0);
	frame_unref(item.frame);
	reader_close(reader);
	text_fini(&text);
}

/* A core that was read very late makes its tick end behind the next one. */
static void time_never_goes_back(void **state)
{
	static const char *const more[] = {
		"2,0.5,0,cpu,software,0,,page-faults,5,100,100,ok\n",
		("3,0.3,0,cpu,software,0,,page-faults,5,100,100,ok\n"
		 "# own 0.3 core_pct=1\n"),
		"4,0.6,0,cpu,software,0,,page-faults,5,100,100,ok\n",
	};
	static const uint64_t end_ms[] = { 100, 500, 500, 600 };
	struct reader *reader;
	struct text text = { 0 };
	struct err err;

	(void)state;
	text_printf(&text, "%s%s%s%s", head, more[0], more[1], more[2]);
	reader_rig_store(text.bytes, text.n);
	text_fini(&text);
	must(reader_open(reader_rig_path, 0, NULL, &reader, &err), &err);
	for (size_t i = 0; i < ARRAY_SIZE(end_ms); i++) {
		struct session_item item;

		must(reader_next(reader, &item, &err), &err);
		assert_int_equal(item.what, SESSION_FRAME);
		assert_int_equal(item.frame->t_ns, end_ms[i] * NS_PER_MS);
		assert_int_equal(item.t_ns, item.frame->t_ns);
		frame_unref(item.frame);
	}
	reader_close(reader);
}

/* Zeros are bytes like others: a field goes on behind them. */
static void zeros_end_no_field(void **state)
{
	static const char *const fields[] = { ",cpu,", "faults,5", ",software,0" };
	char bytes[sizeof(head) + 100];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const char *row = strstr(strstr(head, "tick,"), "\n1,");
		size_t at =
			(size_t)(strstr(row, fields[i]) - head) + strcspn(fields[i] + 1, ",") + 1;
		struct reader *reader = NULL;
		struct err err = { "" };
		size_t n_frames = 0;

		memcpy(bytes, head, at);
		memset(bytes + at, 0, 100);
		memcpy(bytes + at + 100, head + at, sizeof(head) - 1 - at);
		if (i == 2) /* "metric" is a row to skip, but not what only begins so */
			memcpy(bytes + at - 8, "metric\0", 8);
		reader_rig_store(bytes, sizeof(head) - 1 + 100);
		assert_int_equal(reader_rig_read_all(&reader, &n_frames, &err),
				 i == 2 ? 0 : -EINVAL);
		assert_int_equal(n_frames, i == 2);
		reader_close(reader);
	}
}

/* Whether there is a count of cycles decides what a recorded frequency is made of. */
static void activity_has_the_events_of_its_path(void **state)
{
	static const struct {
		const char *source, *input;
	} rows[] = {
		{ "# source activity path=cpufreq type=cpu events=0x3\n",
		  "activity/active-cycles/" },
		{ "# source activity path=idle type=cpu events=0x2\n", "cycles" },
		{ "# source battery path=x\n", "cycles" },
	};
	const char *at = strstr(head, "# set");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct text text = { 0 };
		struct reader *reader = NULL;
		struct format_context context;
		struct err err = { "" };
		int number;

		text_printf(&text, "%.*s%s%s", (int)(at - head), head, rows[i].source, at);
		reader_rig_store(text.bytes, text.n);
		must(reader_open(reader_rig_path, 0, NULL, &reader, &err), &err);
		reader_format_context(reader, &context);
		number = metrics_find(context.metrics, "Frequency");
		assert_true(number >= 0);
		assert_string_equal(metric_input(context.metrics->metric[number].program[0], 1),
				    rows[i].input);
		reader_close(reader);
		text_fini(&text);
	}
}

/* Sessions are longer than one reader knows: what it does not know says nothing. */
static void unknown_notes_say_nothing(void **state)
{
	struct text text = { 0 };
	struct reader *reader;
	struct err err = { "" };
	size_t n_frames = 0;

	(void)state;
	text_printf(&text, "%s# weather T 5 \"fine\n1,0.1,0,cpu,metric,,,IPC,1.5,100,100,ok\n",
		    head);
	reader_rig_store(text.bytes, text.n);
	must(reader_rig_read_all(&reader, &n_frames, &err), &err);
	assert_int_equal(n_frames, 1);
	reader_close(reader);
	text_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mistakes_are_named_with_their_place),
		cmocka_unit_test(costs_are_kept_in_range),
		cmocka_unit_test(time_never_goes_back),
		cmocka_unit_test(zeros_end_no_field),
		cmocka_unit_test(activity_has_the_events_of_its_path),
		cmocka_unit_test(unknown_notes_say_nothing),
	};

	return cmocka_run_group_tests(tests, reader_rig_make_file, reader_rig_remove_file);
}
