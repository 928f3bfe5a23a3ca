/* Session files read back: what was written comes out again, and what is wrong is named. */
#include "sampler_rig.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/reader.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_session_comes_back_byte_for_byte),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
