/* The history written to a file, and read back: every cell is a frame, with all its figures. */
#include "rig/sampler_rig.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "sampler/history.h"
#include "session/writer.h"
#include "session/reader.h"
#include "session/report/summary.h"

#define INTERVAL_NS (10 * NS_PER_MS)

static char path_csv[64], path_zst[64]; /* made in a folder of its own */

struct scene {
	struct rig rig;
	struct history *history;
	struct format_context context;
};

static void feed(struct scene *scene)
{
	const struct frame *frame;

	while ((frame = queue_pop(scene->rig.queue, NULL))) {
		history_add(scene->history, frame);
		frame_unref(frame);
	}
}

static void go(struct scene *scene, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(sampler_step(scene->rig.sampler), 0);
		feed(scene);
	}
}

static void begin(struct scene *scene, const char *options, size_t budget)
{
	*scene = (struct scene){ 0 };
	rig_up(&scene->rig, options, INTERVAL_NS);
	format_context_init(&scene->context, scene->rig.sampler, &scene->rig.metrics);
	assert_int_equal(history_new(&scene->rig.backend->machine, &scene->rig.metrics, budget,
				     &scene->history),
			 0);
}

static void end(struct scene *scene)
{
	history_free(scene->history);
	rig_down(&scene->rig);
}

static void store(struct scene *scene, const char *path, struct err *ret_said)
{
	struct history_file *file;
	struct err err = { "" };
	int rc;

	unlink(path);
	must(history_file_open(scene->history, &scene->context, 0, path, &file, &err), &err);
	while ((rc = history_file_write(file, NS_PER_MS, &err)) > 0)
		;
	must(rc, &err);
	must(history_file_close(file, ret_said, &err), &err);
}

static void assert_same(const struct frame *is, const struct frame *was)
{
	assert_int_equal(is->number, was->number);
	assert_int_equal(is->interval_ns, was->interval_ns);
	assert_int_equal(is->gap, was->gap);
	assert_int_equal(is->n_slots, was->n_slots);
	for (unsigned core = 0; core < is->n_cores; core++) {
		/* a core that was off has no rows until its first window has ended */
		assert_int_equal(is->core[core].state == CORE_ON, was->core[core].state == CORE_ON);
		if (is->core[core].state != CORE_ON)
			continue;
		assert_int_equal(is->core[core].t_ns, was->core[core].t_ns);
		assert_int_equal(is->core[core].lacks_last, was->core[core].lacks_last);
		for (unsigned slot = 0; slot < is->n_slots; slot++) {
			const struct count *a = &frame_counts(is, core)[slot];
			const struct count *b = &frame_counts(was, core)[slot];

			assert_int_equal(a->quality, b->quality);
			assert_int_equal(a->enabled_ns, b->enabled_ns);
			assert_int_equal(a->running_ns, b->running_ns);
			if (quality_has_value(a->quality))
				assert_int_equal(a->value, b->value);
		}
	}
}

static void compare(const struct scene *scene, const char *path)
{
	struct session_item item;
	struct reader *reader;
	struct err err = { "" };
	size_t n = 0;

	must(reader_open(path, 0, NULL, &reader, &err), &err);
	assert_int_equal(reader_head(reader)->started_wall_ns, scene->context.head.started_wall_ns);
	for (;;) {
		must(reader_next(reader, &item, &err), &err);
		if (item.what == SESSION_END)
			break;
		assert_int_equal(item.what, SESSION_FRAME);
		assert_true(n < history_n(scene->history));

		const struct frame *was = history_frame(scene->history, n++);

		assert_same(item.frame, was);
		frame_unref(was);
		frame_unref(item.frame);
	}
	assert_int_equal(n, history_n(scene->history));
	assert_false(reader_is_cut(reader));
	reader_close(reader);
	unlink(path);
}

static void every_frame_comes_back_from(const char *path)
{
	static struct scene scene;
	struct err said = { "" };
	char expected[100];

	begin(&scene, "clock=virtual,seed=3,offline=0@0.1-0.2+2@0.1-0.3,steal=6.3@0.05-0.2",
	      32 << 20);
	go(&scene, 20);
	rig_change(&scene.rig, 5, "INST_BRANCH_CALL");
	feed(&scene);
	go(&scene, 30);
	store(&scene, path, &said);
	snprintf(expected, sizeof(expected), "wrote %s, %zu frames, ", path,
		 history_n(scene.history));
	assert_memory_equal(said.text, expected, strlen(expected));
	compare(&scene, path);
	end(&scene);
}

static void every_frame_comes_back(void **state)
{
	(void)state;
	every_frame_comes_back_from(path_csv);
}

static void every_frame_comes_back_compressed(void **state)
{
	(void)state;
	needs_feature("zstd");
	every_frame_comes_back_from(path_zst);
}

/* Older cells are frames with longer windows: nothing that was counted is missing. */
static void what_was_put_together_comes_back_as_sums(void **state)
{
	static struct scene scene;
	struct err said = { "" };

	(void)state;
	begin(&scene, "clock=virtual,seed=5", 256 * 1024);
	go(&scene, 1200);
	assert_true(history_bucket(scene.history, 0)->n_frames > 1);
	store(&scene, path_csv, &said);
	assert_non_null(strstr(said.text, "merged from"));
	compare(&scene, path_csv);
	end(&scene);
}

/* Get the sum of a core's cycles, or of those of its type, in the report on the file. */
static struct count reported(unsigned core, bool by_type)
{
	struct summary summary;
	struct reader *reader;
	struct err err = { "" };
	struct count ret = { 0 };

	must(reader_open(path_csv, 0, NULL, &reader, &err), &err);
	must(summary_make(reader, path_csv, 0, NULL, NULL, NULL, &summary, &err), &err);
	for (size_t i = 0; i < summary.n_rows; i++)
		if (summary.row[i].by == (by_type ? BY_TYPE : BY_CORE) &&
		    summary.row[i].index == (by_type ? 0 : core))
			ret = summary.row[i].figure[0].sum;
	summary_fini(&summary);
	reader_close(reader);
	return ret;
}

/* Tell a frame, as if core 2 had answered too late for it. @carry  its window so far, which a later frame has */
static void tell_late(struct scene *scene, const struct frame *of, bool is_late,
		      struct count *carry)
{
	enum { LATE = 2 };
	struct frame *frame = frame_new(of->n_cores, of->of);
	struct count *late = frame->count + LATE * of->n_slots;

	frame->number = of->number;
	frame->t_ns = of->t_ns;
	frame->interval_ns = of->interval_ns;
	memcpy(frame->core, of->core, of->n_cores * sizeof(*of->core));
	memcpy(frame->count, of->count, (size_t)of->n_cores * of->n_slots * sizeof(*of->count));
	for (unsigned i = 0; i < of->n_slots; i++)
		count_add_window(&carry[i], &late[i]);
	memcpy(late, carry, of->n_slots * sizeof(*carry));
	frame->core[LATE].window_ns = carry[0].enabled_ns;
	if (is_late) {
		frame->core[LATE] = (struct frame_core){ .state = CORE_LATE };
		memset(late, 0, of->n_slots * sizeof(*late));
	} else {
		memset(carry, 0, of->n_slots * sizeof(*carry));
	}
	history_add(scene->history, frame);
	frame_unref(frame);
}

/* A core that was late in the last of merged frames: its row is partial, and a report's sums are, unless its part follows. */
static void a_late_core_comes_back(void **state)
{
	enum { N = 203 };
	static struct scene scene;
	struct err said = { "" };

	(void)state;
	for (unsigned is_late = 0; is_late < 2; is_late++) {
		struct count carry[COLUMNS_MAX] = { { 0 } };
		uint64_t of_core = 0, of_type = 0;
		size_t n_partial = 0;

		begin(&scene, "clock=virtual,seed=5", 1 << 20);
		history_free(scene.history);
		assert_int_equal(history_new_even(&scene.rig.backend->machine, &scene.rig.metrics,
						  16, 1 << 20, &scene.history),
				 0);
		for (size_t i = 0; i < N; i++) {
			const struct frame *frame;

			assert_int_equal(sampler_step(scene.rig.sampler), 0);
			frame = queue_pop(scene.rig.queue, NULL);
			of_core += frame_counts(frame, 2)[0].value;
			for (unsigned core = 0; core < 4; core++)
				of_type += frame_counts(frame, core)[0].value;
			tell_late(&scene, frame, i + 1 == N ? is_late : i % 3 != 1, carry);
			frame_unref(frame);
		}
		history_thin(scene.history);
		for (size_t i = 0; i < history_n(scene.history); i++) {
			const struct frame *frame = history_frame(scene.history, i);

			n_partial += frame->core[2].lacks_last;
			frame_unref(frame);
		}
		assert_true(n_partial > 1 && n_partial < history_n(scene.history));
		store(&scene, path_csv, &said);
		for (unsigned by_type = 0; by_type < 2; by_type++) {
			struct count sum = reported(2, by_type);

			assert_int_equal(sum.quality, is_late ? QUALITY_PARTIAL : QUALITY_OK);
			assert_int_equal(sum.value + carry[0].value, by_type ? of_type : of_core);
		}
		compare(&scene, path_csv);
		end(&scene);
	}
}

/* While a file is being written frames come in, and none of its cells changes. */
static void a_held_past_stays_and_grows(void **state)
{
	static struct scene scene;
	struct bucket first;
	struct history_file *file;
	struct err err = { "" };
	size_t n;

	(void)state;
	begin(&scene, "clock=virtual,seed=5", 256 * 1024);
	go(&scene, 600);
	n = history_n(scene.history);
	first = *history_bucket(scene.history, 0);
	history_hold(scene.history, true);
	unlink(path_csv);
	must(history_file_open(scene.history, &scene.context, 0, path_csv, &file, &err), &err);
	go(&scene, 300);
	assert_int_equal(history_n(scene.history), n + 300);
	assert_memory_equal(history_bucket(scene.history, 0), &first, sizeof(first));
	assert_int_equal(history_file_write(file, NS_PER_S * 60, &err), 0);
	must(history_file_close(file, NULL, &err), &err);
	history_hold(scene.history, false);
	assert_true(history_bytes(scene.history) < 256 * 1024 * 11 / 10);
	end(&scene);
	unlink(path_csv);
}

static void a_file_that_is_there_stays(void **state)
{
	static struct scene scene;
	struct history_file *file;
	struct err err = { "" };

	(void)state;
	begin(&scene, "clock=virtual,seed=5", 1 << 20);
	assert_int_equal(history_file_open(scene.history, &scene.context, 0, path_csv, &file, &err),
			 -ENODATA);
	go(&scene, 5);
	store(&scene, path_csv, &err);
	assert_int_equal(history_file_open(scene.history, &scene.context, 0, path_csv, &file, &err),
			 -EEXIST);
	assert_non_null(strstr(err.text, "choose another name"));
	end(&scene);
	unlink(path_csv);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_frame_comes_back),
		cmocka_unit_test(every_frame_comes_back_compressed),
		cmocka_unit_test(what_was_put_together_comes_back_as_sums),
		cmocka_unit_test(a_late_core_comes_back),
		cmocka_unit_test(a_held_past_stays_and_grows),
		cmocka_unit_test(a_file_that_is_there_stays),
	};

	char folder[] = "/tmp/m1top-past-XXXXXX";

	if (!mkdtemp(folder))
		return 1;
	snprintf(path_csv, sizeof(path_csv), "%s/past.csv", folder);
	snprintf(path_zst, sizeof(path_zst), "%s/past.csv.zst", folder);

	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	unlink(path_csv);
	unlink(path_zst);
	rmdir(folder);
	return failed;
}
