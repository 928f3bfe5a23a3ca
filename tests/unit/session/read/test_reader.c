/* Session files read back: what was written comes out again, and what is wrong is named. */
#include "rig/reader_rig.h"

#include <sys/stat.h>

#include "session/read/internal.h"
#include "session/sink.h"

#define INTERVAL_NS (100 * NS_PER_MS)

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

/* A session with all that can happen in one. @asked  NULL: nothing */
static void record(const char *options, unsigned n, const struct session_request *asked,
		   struct text *text)
{
	struct metrics_selection typed = { .n = 0 };
	struct rig rig;
	struct format_context context;
	struct err err = { "" };

	rig_up(&rig, options, INTERVAL_NS);
	format_context_init(&context, rig.sampler, &rig.metrics);
	context.bound = NULL; /* as replay knows it: with the first frame */
	if (asked)
		context.head.request = *asked;
	format_csv.begin(&context, text);
	for (unsigned i = 1; i <= n; i++) {
		assert_int_equal(sampler_step(rig.sampler), 0);
		drain(&rig, &context, text);
		if (i == n / 4) { /* key M: only a "# metric" note tells of it */
			must(metrics_select(&rig.metrics, "mine=max(1, INST_BRANCH_TAKEN)", &typed,
					    &err),
			     &err);
			rig_change(&rig, 5, "INST_BRANCH_TAKEN");
		}
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
	metrics_selection_fini(&typed);
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

static void comes_back(const char *options, const struct session_request *asked, const char *part)
{
	struct text first = { 0 }, second = { 0 };
	struct reader *reader;
	struct err err = { "" };

	record(options, 40, asked, &first);
	assert_non_null(strstr(first.bytes, part));
	reader_rig_store(first.bytes, first.n);
	must(reader_open(reader_rig_path, 0, NULL, &reader, &err), &err);
	replay(reader, &second);
	assert_false(reader_is_cut(reader));
	assert_false(reader_has_more(reader));
	reader_close(reader);
	assert_string_equal(first.bytes, second.bytes);
	text_fini(&first);
	text_fini(&second);
}

static void a_session_comes_back_byte_for_byte(void **state)
{
	static const char *const options[] = {
		"clock=virtual,seed=3",
		"clock=virtual,seed=4,cores=2,offline=1@0.5-1.5",
		"clock=virtual,seed=5,offline=0@1-2+2@1-3,steal=6.3@0.5-2,lost=5@2-3",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		comes_back(options[i], NULL, "\ntick,");
}

/* A log of the screen: what each set gives, and expressions that came as it ran. */
static void metrics_come_back_with_it(void **state)
{
	const struct session_request asked = { .of_sets = true };

	(void)state;
	comes_back("clock=virtual,seed=3", &asked, ",metric,,,IPC,");
	comes_back("clock=virtual,seed=5,offline=0@1-2+2@1-3,steal=6.3@0.5-2,lost=5@2-3", &asked,
		   ",metric,,,mine,");
}

/* Presets that rotate for days: sets that were there before are not read again each time. */
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
		rig_change(&rig, 5, i % 2 ? "INST_BRANCH" : "INST_BRANCH_TAKEN");
		drain(&rig, &context, &text);
	}
	rig_down(&rig);
	reader_rig_store(text.bytes, text.n);
	must(reader_open(reader_rig_path, 0, NULL, &reader, &err), &err);
	replay(reader, &again);
	assert_string_equal(text.bytes, again.bytes);
	for (const struct read_set *set = reader->sets; set; set = set->next)
		n++;
	assert_in_range(n, 2, 3); /* the first is a preset, which a change is not */
	reader_close(reader);
	text_fini(&text);
	text_fini(&again);
}

/* Rows at the end that are of one core's reading: what stands before their third comma is alike. */
static unsigned n_rows_of_last(const char *text, size_t n)
{
	unsigned n_rows = 0;
	size_t width = 0;

	for (size_t end = n; end > 1; n_rows++) {
		size_t begin = end - 1, commas = 0, k = 0;

		while (begin && text[begin - 1] != '\n')
			begin--;
		while (begin + k < end && commas < 3)
			commas += text[begin + k++] == ',';
		if (commas < 3 || text[begin] == 't' ||
		    (n_rows && (k != width || memcmp(text + begin, text + end, k) != 0)))
			break;
		width = k;
		end = begin;
	}
	return n_rows;
}

/* As a crash leaves it: what is whole counts, and that the file ends in the middle is said. */
static void what_a_crash_left_is_read(void **state)
{
	struct text text = { 0 };
	size_t rows_at;

	(void)state;
	record("clock=virtual,seed=3,cores=2", 8, NULL, &text);
	rows_at = (size_t)(strstr(text.bytes, "\n1,") + 1 - text.bytes);
	for (size_t n = rows_at; n <= text.n; n += n < text.n - 150 ? 307 : 1) {
		struct reader *reader;
		struct err err = { "" };
		size_t n_frames = 0;

		reader_rig_store(text.bytes, n);
		must(reader_rig_read_all(&reader, &n_frames, &err), &err);
		assert_int_equal(reader_is_cut(reader),
				 text.bytes[n - 1] != '\n' || n_rows_of_last(text.bytes, n) % 10);
		reader_close(reader);
	}
	text_fini(&text);
}

static void store_packed(const struct text *text, size_t leave)
{
	struct sink *sink;
	struct err err = { "" };
	char packed[sizeof(reader_rig_path) + 4];

	snprintf(packed, sizeof(packed), "%s.zst", reader_rig_path);
	must(sink_open(packed, SINK_FORCE, &sink, &err), &err);
	must(sink_write(sink, text->bytes, text->n, &err), &err);
	must(sink_close(sink, &err), &err);
	assert_int_equal(rename(packed, reader_rig_path), 0);
	if (leave) {
		struct stat st;

		assert_int_equal(stat(reader_rig_path, &st), 0);
		assert_int_equal(truncate(reader_rig_path, st.st_size - (off_t)leave), 0);
	}
}

static void compressed_files_are_read(void **state)
{
	struct text text = { 0 }, again = { 0 };
	struct reader *reader;
	struct err err = { "" };
	size_t n_frames = 0;

	(void)state;
	needs_feature("zstd");
	record("clock=virtual,seed=3", 40, NULL, &text);
	store_packed(&text, 0);
	must(reader_open(reader_rig_path, 0, NULL, &reader, &err), &err);
	replay(reader, &again);
	reader_close(reader);
	assert_string_equal(text.bytes, again.bytes);
	store_packed(&text, 7);
	must(reader_rig_read_all(&reader, &n_frames, &err), &err);
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
	record("clock=virtual,seed=3", 8, NULL, &text);
	record("clock=virtual,seed=4,cores=2", 9, NULL, &text);
	reader_rig_store(text.bytes, text.n);
	must(reader_rig_read_all(&reader, &n_frames, &err), &err);
	assert_int_equal(reader_machine(reader)->n_cores, 8);
	assert_true(reader_has_more(reader));
	reader_close(reader);
	must(reader_open(reader_rig_path, 1, NULL, &reader, &err), &err);
	assert_int_equal(reader_machine(reader)->n_cores, 2);
	must(reader_next(reader, &item, &err), &err);
	assert_int_equal(item.what, SESSION_FRAME);
	assert_int_equal(item.frame->number, 1);
	frame_unref(item.frame);
	reader_close(reader);
	assert_int_equal(reader_open(reader_rig_path, 2, NULL, &reader, &err), -ENOENT);
	assert_non_null(strstr(err.text, "2 sessions"));
	text_fini(&text);
}

/* Read three ticks of one count. @ret  the third, or why it is refused */
static void read_third(const char *before, const char *end, struct err *ret)
{
	static const char row[] = "0,cpu,software,0,,page-faults,";
	struct text text = { 0 };
	struct reader *reader;
	struct session_item item = { .what = SESSION_FRAME };
	struct err err = { "" };

	err_set(ret, EINVAL, "no third tick");
	text_printf(&text,
		    "# m1top session 1\n"
		    "# host h kernel k backend sim interval_ms 100 started "
		    "2020-11-17T12:00:00.000+00:00\n"
		    "# machine M cpuid= simulated=1\n"
		    "# type cpu pmu= counters=0 width=64 slot_is_counter=0 first_fit=0\n"
		    "# cpu 0 type=cpu cluster=0 midr=0x0\n"
		    "# set 1 type=cpu slot=0 pmu=software event=page-faults config=0x2 width=64 "
		    "unit= scale=1\n"
		    "tick,time_s,cpu,type,pmu,slot,pid,event,count,enabled_ns,running_ns,quality,"
		    "error\n"
		    "1,0.1,%s%s\n2,0.2,%s%s\n3,0.3,%s%s\n",
		    row, before, row, before, row, end);
	reader_rig_store(text.bytes, text.n);
	text_fini(&text);
	must(reader_open(reader_rig_path, 0, NULL, &reader, &err), &err);
	while (item.what != SESSION_END && !reader_next(reader, &item, &err)) {
		if (item.frame && item.frame->number == 3) {
			const struct count *count = item.frame->count;

			err_set(ret, EINVAL, "%llu %llu %llu %d %g",
				(unsigned long long)count->value,
				(unsigned long long)count->enabled_ns,
				(unsigned long long)count->running_ns, (int)count->quality,
				count->error);
		}
		frame_unref(item.frame);
		item.frame = NULL;
	}
	if (*err.text)
		*ret = err;
	reader_close(reader);
}

/* A row means the same behind any other, whether or not their ends are alike. */
static void ends_of_rows_are_independent(void **state)
{
	static const char *const ends[] = {
		"5,100,100,ok,",
		"6,100,100,ok",
		"5,100,90,scaled,3",
		"5,100,90,scaled,4",
		"7,1000,1000,ok,",
		",100,0,not_counted,",
		",100,100,ok,",
		"5x,100,100,ok,",
		"5,5,100,100,ok,",
		"5,100,100,ok,,",
		"5,100,110,ok,",
		"\"5\",100,100,ok,",
		"5,\"100\",100,ok,",
		"5,100,\"100\",ok,",
		"5,100,0,not_counted,",
		"5,00,100,100,ok,",
		"18446744073709551615,100,100,ok,",
		"18446744073709551616,100,100,ok,",
	};
	struct err alone, behind;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		read_third("1,1,1,ok,", ends[i], &alone);
		for (size_t k = 0; k < 6; k++) {
			read_third(ends[k], ends[i], &behind);
			if (strcmp(behind.text, alone.text) != 0)
				fail_msg("%s behind %s: %s, alone %s", ends[i], ends[k],
					 behind.text, alone.text);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_session_comes_back_byte_for_byte),
		cmocka_unit_test(metrics_come_back_with_it),
		cmocka_unit_test(what_a_crash_left_is_read),
		cmocka_unit_test(compressed_files_are_read),
		cmocka_unit_test(parts_of_a_file_are_sessions),
		cmocka_unit_test(sets_come_again),
		cmocka_unit_test(ends_of_rows_are_independent),
	};

	return cmocka_run_group_tests(tests, reader_rig_make_file, reader_rig_remove_file);
}
