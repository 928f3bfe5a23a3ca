/* Session files read back: what was written comes out again, and what is wrong is named. */
#include "sampler_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/reader.h"
#include "session/reader_internal.h"
#include "session/sink.h"

#define INTERVAL_NS (100 * NS_PER_MS)

static char path[] = "/tmp/test_reader.XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void store(const char *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

static void drain(struct rig *rig, struct format_context *context, struct text *text)
{
	const struct frame *frame;

	while ((frame = queue_pop(rig->queue, NULL))) {
		format_csv.frame(context, frame, text);
		frame_unref(frame);
	}
}

/* Keys Y and Y again, an interval later. */
static void yield(struct rig *rig, struct format_context *context, struct text *text)
{
	static const struct set nothing;
	struct set before = *sampler_set(rig->sampler);
	struct err err = { "" };

	must(sampler_load(rig->sampler, &nothing, &err), &err);
	assert_int_equal(sampler_step(rig->sampler), 0);
	drain(rig, context, text);
	must(sampler_load(rig->sampler, &before, &err), &err);
}

/* A session with all that can happen in one. */
static void record(const char *options, unsigned n, struct text *text)
{
	struct rig rig;
	struct format_context context;
	struct err err = { "" };

	rig_up(&rig, options, INTERVAL_NS);
	format_context_init(&context, rig.sampler, &rig.metrics);
	format_csv.begin(&context, text);
	for (unsigned i = 1; i <= n; i++) {
		assert_int_equal(sampler_step(rig.sampler), 0);
		drain(&rig, &context, text);
		if (i == n / 4)
			change(&rig, 5, "INST_BRANCH_TAKEN");
		if (i == n / 3)
			format_csv.mark(&context, 3 * INTERVAL_NS, "the \"encode\" begins, 100 %",
					text);
		if (i == n / 2)
			must(sampler_set_interval(rig.sampler, 2 * INTERVAL_NS, &err), &err);
		if (i == n / 2 + 2)
			format_csv.gap(&context, 7 * INTERVAL_NS, 3, "log too slow", text);
		if (i == n / 2 + 4)
			yield(&rig, &context, text);
		drain(&rig, &context, text);
	}
	rig_down(&rig);
	assert_false(text->failed);
}

static void replay(struct reader *reader, struct text *text)
{
	struct format_context context;
	struct session_item item;
	struct err err = { "" };

	reader_format_context(reader, &context);
	format_csv.begin(&context, text);
	do {
		must(reader_next(reader, &item, &err), &err);
		switch (item.what) {
		case SESSION_FRAME: format_csv.frame(&context, item.frame, text); break;
		case SESSION_MARK: format_csv.mark(&context, item.t_ns, item.text, text); break;
		case SESSION_GAP:
			format_csv.gap(&context, item.t_ns, item.n, item.text, text);
			break;
		case SESSION_END: break;
		}
		frame_unref(item.frame);
	} while (item.what != SESSION_END);
}

static void a_session_comes_back_byte_for_byte(void **state)
{
	static const char *const options[] = {
		"clock=virtual,seed=3",
		"clock=virtual,seed=4,cores=2,offline=1@0.5-1.5",
		"clock=virtual,seed=5,offline=0@1-2+2@1-3,steal=6.3@0.5-2,lost=5@2-3",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		struct text first = { 0 }, second = { 0 };
		struct reader *reader;
		struct err err = { "" };

		record(options[i], 40, &first);
		store(first.bytes, first.n);
		must(reader_open(path, 0, NULL, &reader, &err), &err);
		replay(reader, &second);
		assert_false(reader_is_cut(reader));
		assert_false(reader_has_more(reader));
		reader_close(reader);
		assert_string_equal(first.bytes, second.bytes);
		text_fini(&first);
		text_fini(&second);
	}
}

/* Presets that rotate for days: sets that were there before are not read anew each time. */
static void sets_come_again(void **state)
{
	struct text text = { 0 }, again = { 0 };
	struct format_context context;
	struct reader *reader;
	struct err err = { "" };
	struct rig rig;
	unsigned n = 0;

	(void)state;
	rig_up(&rig, "clock=virtual,seed=3,cores=2", INTERVAL_NS);
	format_context_init(&context, rig.sampler, &rig.metrics);
	format_csv.begin(&context, &text);
	for (unsigned i = 0; i < 20; i++) {
		assert_int_equal(sampler_step(rig.sampler), 0);
		drain(&rig, &context, &text);
		change(&rig, 5, i % 2 ? "INST_BRANCH" : "INST_BRANCH_TAKEN");
		drain(&rig, &context, &text);
	}
	rig_down(&rig);
	store(text.bytes, text.n);
	must(reader_open(path, 0, NULL, &reader, &err), &err);
	replay(reader, &again);
	assert_string_equal(text.bytes, again.bytes);
	for (const struct read_set *set = reader->sets; set; set = set->next)
		n++;
	assert_in_range(n, 2, 3); /* the first is a preset, which a change is not */
	reader_close(reader);
	text_fini(&text);
	text_fini(&again);
}

/* @return 0 and the number of frames, or what reader_open or reader_next said */
static int read_all(struct reader **ret, size_t *ret_frames, struct err *err)
{
	struct session_item item = { .what = SESSION_FRAME };
	size_t n = 0;
	int rc = reader_open(path, 0, NULL, ret, err);

	if (rc) {
		*ret = NULL;
		return rc;
	}
	while (!(rc = reader_next(*ret, &item, err)) && item.what != SESSION_END) {
		n += item.what == SESSION_FRAME;
		frame_unref(item.frame);
	}
	*ret_frames = n;
	return rc;
}

/* As a crash leaves it: every whole line counts, and that the last one is not whole is said. */
static void what_a_crash_left_is_read(void **state)
{
	struct text text = { 0 };
	size_t rows_at;

	(void)state;
	record("clock=virtual,seed=3,cores=2", 8, &text);
	rows_at = (size_t)(strstr(text.bytes, "\n1,") + 1 - text.bytes);
	for (size_t n = rows_at; n <= text.n; n += n < text.n - 300 ? 97 : 1) {
		struct reader *reader;
		struct err err = { "" };
		size_t n_frames = 0;

		store(text.bytes, n);
		must(read_all(&reader, &n_frames, &err), &err);
		assert_int_equal(reader_is_cut(reader), text.bytes[n - 1] != '\n');
		reader_close(reader);
	}
	text_fini(&text);
}

static void store_packed(const struct text *text, size_t leave)
{
	struct sink *sink;
	struct err err = { "" };
	char packed[sizeof(path) + 4];

	snprintf(packed, sizeof(packed), "%s.zst", path);
	must(sink_open(packed, SINK_FORCE, &sink, &err), &err);
	must(sink_write(sink, text->bytes, text->n, &err), &err);
	must(sink_close(sink, &err), &err);
	assert_int_equal(rename(packed, path), 0);
	if (leave) {
		struct stat st;

		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(truncate(path, st.st_size - (off_t)leave), 0);
	}
}

static void compressed_files_are_read(void **state)
{
	struct text text = { 0 }, again = { 0 };
	struct reader *reader;
	struct err err = { "" };
	size_t n_frames = 0;

	(void)state;
	record("clock=virtual,seed=3", 40, &text);
	store_packed(&text, 0);
	must(reader_open(path, 0, NULL, &reader, &err), &err);
	replay(reader, &again);
	reader_close(reader);
	assert_string_equal(text.bytes, again.bytes);
	store_packed(&text, 7);
	must(read_all(&reader, &n_frames, &err), &err);
	assert_true(reader_is_cut(reader));
	reader_close(reader);
	text_fini(&text);
	text_fini(&again);
}

static void parts_of_a_file_are_sessions(void **state)
{
	struct text text = { 0 };
	struct reader *reader;
	struct err err = { "" };
	struct session_item item;
	size_t n_frames = 0;

	(void)state;
	record("clock=virtual,seed=3", 8, &text);
	record("clock=virtual,seed=4,cores=2", 9, &text);
	store(text.bytes, text.n);
	must(read_all(&reader, &n_frames, &err), &err);
	assert_int_equal(reader_machine(reader)->n_cores, 8);
	assert_true(reader_has_more(reader));
	reader_close(reader);
	must(reader_open(path, 1, NULL, &reader, &err), &err);
	assert_int_equal(reader_machine(reader)->n_cores, 2);
	must(reader_next(reader, &item, &err), &err);
	assert_int_equal(item.what, SESSION_FRAME);
	assert_int_equal(item.frame->number, 1);
	frame_unref(item.frame);
	reader_close(reader);
	assert_int_equal(reader_open(path, 2, NULL, &reader, &err), -ENOENT);
	assert_non_null(strstr(err.text, "2 sessions"));
	text_fini(&text);
}

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
		  ":2:43: interval_ms and a number" },
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
		{ __LINE__, "scale=1\n", "scale=\n", "scale=: a number" },
		{ __LINE__, "event=page", "event=\"page", "a quote that is not closed" },
		{ __LINE__, "1,0.1,0,cpu", "0,0.1,0,cpu", ":8:1: tick \"0\"" },
		{ __LINE__, "1,0.1,0,cpu", "1,0.1,3,cpu", ":8:7: cpu \"3\": no CPU of the head" },
		{ __LINE__, "1,0.1,0,cpu", "1,0.1,0,P", ":8:9: type \"P\"" },
		{ __LINE__, "1,0.1,0,cpu", "1,1e3,0,cpu", ":8:3: time_s" },
		{ __LINE__, "1,0.1,0,cpu", "1,9999999999.0,0,cpu", ":8:3: time_s" },
		{ __LINE__, ",software,0,,", ",software,1,,",
		  "the set above counts nothing there" },
		{ __LINE__, "0,,page-faults", "0,,page-fault", ":8:25: event \"page-fault\"" },
		{ __LINE__, "faults,5,", "faults,-5,", "count \"-5\": a whole number" },
		{ __LINE__, "faults,5,", "faults,,", "count \"\": a whole number" },
		{ __LINE__, "5,100,100,ok", "5,100,100,lost", "nothing was expected" },
		{ __LINE__, "100,100,ok", "100,101,ok", "running_ns \"101\"" },
		{ __LINE__, "100,ok", "100,fine", "quality \"fine\"" },
		{ __LINE__, "100,ok", "100", "a row has 12 fields" },
		{ __LINE__, "100,ok", "100,ok,", "quality" },
		{ __LINE__, "100,ok\n", "100,ok\n1,0.1,0,cpu,software,0,,page-faults,5,1,1,ok\n",
		  ":9:22: slot \"0\": there twice" },
		{ __LINE__, "100,ok\n", "100,ok\n# mark x\n", ":9:8: a time in seconds" },
		{ __LINE__, "100,ok\n", "100,ok\n# off 1.0 cpu 7\n", "a CPU of the head" },
		{ __LINE__, "100,ok\n", "100,ok\n# interval 1.0 -1 ms\n", "an interval in ms" },
		{ __LINE__, "100,ok\n", "100,ok\n# interval 1.0 1e-9 ms\n",
		  ":9:16: an interval in ms" },
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
		store(text.bytes, text.n);
		if (read_all(&reader, &n_frames, &err) != -EINVAL ||
		    !strstr(err.text, rows[i].says) || !strstr(err.text, path))
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
	store(text.bytes, text.n);
	must(reader_open(path, 0, NULL, &reader, &err), &err);
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
		"3,0.3,0,cpu,software,0,,page-faults,5,100,100,ok\n"
		"# own 0.3 core_pct=1\n",
		"4,0.6,0,cpu,software,0,,page-faults,5,100,100,ok\n",
	};
	static const uint64_t end_ms[] = { 100, 500, 500, 600 };
	struct reader *reader;
	struct text text = { 0 };
	struct err err;

	(void)state;
	text_printf(&text, "%s%s%s%s", head, more[0], more[1], more[2]);
	store(text.bytes, text.n);
	text_fini(&text);
	must(reader_open(path, 0, NULL, &reader, &err), &err);
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
		store(bytes, sizeof(head) - 1 + 100);
		assert_int_equal(read_all(&reader, &n_frames, &err), i == 2 ? 0 : -EINVAL);
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
		store(text.bytes, text.n);
		must(reader_open(path, 0, NULL, &reader, &err), &err);
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
	store(text.bytes, text.n);
	must(read_all(&reader, &n_frames, &err), &err);
	assert_int_equal(n_frames, 1);
	reader_close(reader);
	text_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_session_comes_back_byte_for_byte),
		cmocka_unit_test(what_a_crash_left_is_read),
		cmocka_unit_test(compressed_files_are_read),
		cmocka_unit_test(parts_of_a_file_are_sessions),
		cmocka_unit_test(mistakes_are_named_with_their_place),
		cmocka_unit_test(costs_are_kept_in_range),
		cmocka_unit_test(time_never_goes_back),
		cmocka_unit_test(zeros_end_no_field),
		cmocka_unit_test(activity_has_the_events_of_its_path),
		cmocka_unit_test(unknown_notes_say_nothing),
		cmocka_unit_test(sets_come_again),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
