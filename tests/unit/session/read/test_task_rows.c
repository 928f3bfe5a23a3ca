/* Rows of tasks written by hand: what is wrong is named with its place. */
#include "rig/reader_rig.h"

static const char head[] =
	"# m1top session 1\n"
	"# host h kernel k backend sim interval_ms 100 started 2020-11-17T12:00:00.000+00:00\n"
	"# machine M cpuid= simulated=1\n"
	"# type cpu pmu= counters=0 width=64 slot_is_counter=0 first_fit=0\n"
	"# cpu 0 type=cpu cluster=0 midr=0x0\n"
	"# cpu 1 type=cpu cluster=0 midr=0x0\n"
	"# set 1 type=cpu slot=0 tasks=1 pmu=software event=page-faults config=0x2 width=64 unit= "
	"scale=1\n"
	"tick,time_s,cpu,type,pmu,slot,pid,event,count,enabled_ns,running_ns,quality,error\n"
	"1,0.1,0,cpu,software,0,,page-faults,5,100,100,ok,\n"
	"# task 0.05 77 process=70 name=cat\n"
	"1,0.1,0,cpu,software,0,77,page-faults,4,60,60,ok,\n"
	"# task 0.0 0 name=[idle]\n"
	"1,0.1,0,cpu,software,0,0,page-faults,1,40,40,ok,\n"
	"# tasks 0.1 switches=2 lost=0 cost_pct=0.1\n"
	"1,0.1,1,cpu,software,0,,page-faults,0,100,100,ok,\n"
	"1,0.1,1,cpu,software,0,0,page-faults,0,100,100,ok,\n"
	"2,0.2,0,cpu,software,0,,page-faults,0,100,100,ok,\n";

static void mistakes_are_named_with_their_place(void **state)
{
	static const struct {
		int line;
		const char *old, *new, *says;
	} rows[] = {
		{ __LINE__, "0,77,page", "0,78,page",
		  ":11:24: pid \"78\": no \"# task …\" note above" },
		{ __LINE__, "0,77,page", "0,seven,page", ":11:24: pid \"seven\": no task has" },
		{ __LINE__, "0,77,page", "0,-3,page", ":11:24: pid \"-3\": no task has" },
		{ __LINE__, "0,77,page", "0,--1,page", ":11:24: pid \"--1\": no task has" },
		{ __LINE__, "0,77,page", "0,4294967296,page", "no task has this number" },
		{ __LINE__, "faults,4,60", "faults,3,60",
		  ":16:1: tick 1: the tasks of cpu 0 have 4 of page-faults, and its own row says "
		  "5" },
		{ __LINE__, "1,0.1,1,cpu,software,0,,page-faults,0,100,100,ok,\n", "",
		  ":15:24: pid \"0\": the row of its CPU" },
		{ __LINE__, "5,100,100,ok", ",100,0,not_counted", ":11:24: pid \"77\": the row" },
		{ __LINE__, "faults,4,60,60", "faults,4,60,50", "more enabled_ns than running_ns" },
		{ __LINE__, "faults,4,60,60", "faults,4,60,70", ":11:44: running_ns \"70\"" },
		{ __LINE__, "faults,4,60", "faults,,60", ":11:39: count \"\"" },
		{ __LINE__, "# task 0.0 0",
		  "1,0.1,0,cpu,software,0,77,page-faults,0,60,60,ok,\n# task 0.0 0",
		  ":12:24: pid \"77\": occurs twice" },
		{ __LINE__, "# task 0.05 77 process=70 name=cat", "# task 0.05 77 name=cat",
		  ":10:1: process= is missing" },
		{ __LINE__, "process=70 name=cat", "process=70", ":10:1: name= is missing" },
		{ __LINE__, "# task 0.05 77", "# task 0.05 x",
		  ":10:13: expected the number of a task" },
		{ __LINE__, "# task 0.05 77", "# task now 77",
		  ":10:8: expected a time in seconds" },
		{ __LINE__, "# task 0.0 0 name", "# exit 0.08 task 70\n# task 0.0 0 name",
		  ":12:18: the rows above are not of this task" },
		{ __LINE__, "switches=2", "switches=two", "switches=two" },
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

/* Somebody has taken out rows that say 0: what is left is as good. */
static void rows_of_nothing_may_be_missing(void **state)
{
	static const char zero[] = "1,0.1,1,cpu,software,0,0,page-faults,0,100,100,ok,\n";
	const char *at = strstr(head, zero);
	struct text text = { 0 };
	struct reader *reader;
	struct err err = { "" };
	size_t n_frames = 0;

	(void)state;
	text_printf(&text, "%.*s%s", (int)(at - head), head, at + strlen(zero));
	reader_rig_store(text.bytes, text.n);
	must(reader_rig_read_all(&reader, &n_frames, &err), &err);
	assert_int_equal(n_frames, 2);
	reader_close(reader);
	text_fini(&text);
}

/* Its waiting was not read: it is not 0, and the core's time on it is none of a counter. */
static void what_was_not_read_is_not_counted(void **state)
{
	static const char session[] =
		"# m1top session 1\n"
		"# host h kernel k backend perf interval_ms 100 started "
		"2020-11-17T12:00:00.000+00:00\n"
		"# machine M cpuid= simulated=0\n"
		"# type cpu pmu= counters=0 width=64 slot_is_counter=0 first_fit=0\n"
		"# cpu 0 type=cpu cluster=0 midr=0x0\n"
		"# source activity path=idle type=cpu events=0x700002\n"
		"# set 1 type=cpu slot=0 tasks=1 pmu=activity event=wait-time config=0x15 width=64 "
		"unit=msec scale=1e-06\n"
		"tick,time_s,cpu,type,pmu,slot,pid,event,count,enabled_ns,running_ns,quality,"
		"error\n"
		"1,0.1,0,cpu,activity,0,,wait-time,900,100,100,ok,\n"
		"# task 0.05 77 process=70 name=cat\n"
		"1,0.1,0,cpu,activity,0,77,wait-time,900,60,60,ok,\n"
		"# task 0.05 78 process=78 name=true\n"
		"1,0.1,0,cpu,activity,0,78,wait-time,,40,0,not_counted,\n";
	struct session_item item = { .what = SESSION_FRAME };
	struct reader *reader;
	struct err err = { "" };
	struct count count;

	(void)state;
	reader_rig_store(session, strlen(session));
	must(reader_open(reader_rig_path, 0, NULL, &reader, &err), &err);
	do
		must(reader_next(reader, &item, &err), &err);
	while (item.what != SESSION_FRAME && item.what != SESSION_END);
	assert_int_equal(item.what, SESSION_FRAME);
	assert_int_equal(item.frame->tasks->n, 2);
	core_task_count(item.frame, 0, 0, &count);
	assert_int_equal(count.quality, QUALITY_OK);
	assert_int_equal(count.value, 900);
	core_task_count(item.frame, 1, 0, &count);
	assert_int_equal(count.quality, QUALITY_NOT_COUNTED);
	frame_unref(item.frame);
	reader_close(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mistakes_are_named_with_their_place),
		cmocka_unit_test(rows_of_nothing_may_be_missing),
		cmocka_unit_test(what_was_not_read_is_not_counted),
	};

	return cmocka_run_group_tests(tests, reader_rig_make_file, reader_rig_remove_file);
}
