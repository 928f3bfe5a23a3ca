/* Sessions with tasks read back: every task of every frame as it was. */
#include "rig/reader_rig.h"

#include "rig/mux_rig.h"
#include "rig/tasks_rig.h"
#include "session/writer.h"

#define INTERVAL_NS (100 * NS_PER_MS)

enum { TICKS = 30, FRAMES_MAX = 2 * TICKS, TASKS_A_CORE = 9 };

struct recorded {
	struct rig rig;
	struct text text;
	const struct frame *frame[FRAMES_MAX]; /* as they were */
	size_t rows_end
		[FRAMES_MAX]; /* of the text: behind the frame's last row, only notes follow */
	size_t n;
};

static size_t end_of_rows(const struct text *text)
{
	size_t end = text->n;

	for (;;) {
		const char *line = text->bytes + end - 1;

		while (line[-1] != '\n')
			line--;
		if (*line != '#')
			return end;
		end = (size_t)(line - text->bytes);
	}
}

/* A thread lives for five frames and renames itself; then another has its number, and once before. */
static void live(struct core_task *task, uint64_t number, uint64_t t_ns)
{
	static const char *const comm[] = { "cc1",    "make -j4", "a \"b\"\n# c",
					    "x=1, 2", "",         "fifteen_letters" };
	uint64_t life = number / 5 + (number % 5 == 4 && task->tid % 6 == 5);

	if (number % 5 == 4 && task->tid % 6 >= 4) {
		task->tid -= task->tid % 6 == 5;
		task->ended_ns = t_ns - 1;
	}
	task->tid += 1000 * task->core * (task->tid % 2);
	task->first_ns = life * 5 * INTERVAL_NS + task->tid;
	snprintf(task->comm, sizeof(task->comm), "%s",
		 comm[(task->tid + life + number % 5 / 3) % 6]);
}

static void give_life(const struct frame *frame)
{
	const struct frame_tasks *tasks = frame->tasks;

	for (size_t i = 0; i < tasks->n; i++)
		if (tasks->task[i].kind == TASK_THREAD)
			live(&tasks->task[i], frame->number, frame->core[tasks->task[i].core].t_ns);
}

static void drain(struct rig *rig, struct format_context *context, struct recorded *ret)
{
	const struct frame *frame;

	while ((frame = queue_pop(rig->queue, NULL))) {
		assert_true(ret->n < FRAMES_MAX);
		if (frame->number % 11) {
			give_tasks(frame, TASKS_A_CORE, (unsigned)frame->number);
			give_life(frame);
		}
		format_csv.frame(context, frame, &ret->text);
		ret->rows_end[ret->n] = end_of_rows(&ret->text);
		ret->frame[ret->n++] = frame;
	}
}

/* @n_mux  0: the usual set */
static void record(const char *options, unsigned n_mux, struct recorded *ret)
{
	struct rig *rig = &ret->rig;
	struct format_context context;
	struct err err = { "" };

	*ret = (struct recorded){ .n = 0 };
	rig_make(rig, options, INTERVAL_NS);
	if (n_mux)
		rig->first = make_mux(rig, n_mux);
	rig->first.by_task = true;
	rig_start(rig);
	format_context_init(&context, rig->sampler, &rig->metrics);
	format_csv.begin(&context, &ret->text);
	for (unsigned i = 1; i <= TICKS; i++) {
		assert_int_equal(sampler_step(rig->sampler), 0);
		drain(rig, &context, ret);
		if (i == TICKS / 3 && !n_mux)
			rig_change(rig, 5, "INST_BRANCH_TAKEN");
		if (i == TICKS / 2)
			must(sampler_set_interval(rig->sampler, 2 * INTERVAL_NS, &err), &err);
		drain(rig, &context, ret);
	}
	assert_false(ret->text.failed);
}

static void recorded_fini(struct recorded *recorded)
{
	for (size_t i = 0; i < recorded->n; i++)
		frame_unref(recorded->frame[i]);
	text_fini(&recorded->text);
	rig_down(&recorded->rig);
}

/* The tasks of cores that have a column with a value: others have no rows. */
static const struct core_task *next_task(const struct frame *frame, size_t *i)
{
	for (; *i < frame->tasks->n; ++*i) {
		const struct core_task *task = &frame->tasks->task[*i];

		for (unsigned slot = 0; slot < frame->n_slots; slot++)
			if (quality_has_value(frame_counts(frame, task->core)[slot].quality))
				return task;
	}
	return NULL;
}

static void same_counts(const struct frame *a, size_t i, const struct frame *b, size_t k)
{
	for (unsigned slot = 0; slot < a->n_slots; slot++) {
		struct count is, was;

		core_task_count(a, i, slot, &was);
		core_task_count(b, k, slot, &is);
		assert_int_equal(is.quality, was.quality);
		if (was.quality == QUALITY_NONE || was.quality > QUALITY_SCALED)
			continue;
		assert_true(is.value == was.value && is.enabled_ns == was.enabled_ns &&
			    is.running_ns == was.running_ns);
	}
}

/* A note has a name in one line. */
static void same_name(const char *is, const char *was)
{
	for (; *was; is++, was++)
		assert_int_equal(*is, *was == '\n' ? ' ' : *was);
	assert_int_equal(*is, '\0');
}

static size_t same_tasks(const struct frame *was, const struct frame *is)
{
	size_t i = 0, k = 0;

	assert_int_equal(was->tasks == NULL, is->tasks == NULL);
	assert_true(is->set->by_task);
	if (!was->tasks || !is->tasks)
		return 0;
	assert_int_equal(is->tasks->n_switches, was->tasks->n_switches);
	assert_int_equal(is->tasks->n_lost, was->tasks->n_lost);
	assert_float_equal(is->tasks->cost_share, was->tasks->cost_share, 1e-6);
	for (const struct core_task *a; (a = next_task(was, &i)); i++, k++) {
		const struct core_task *b = &is->tasks->task[k];

		assert_true(k < is->tasks->n);
		assert_true(a->core == b->core && a->kind == b->kind && a->pid == b->pid &&
			    a->tid == b->tid && a->first_ns == b->first_ns &&
			    a->ended_ns == b->ended_ns);
		same_name(b->comm, a->comm);
		same_counts(was, i, is, k);
	}
	assert_int_equal(k, is->tasks->n);
	return k;
}

/* @return how many frames had tasks */
static void comes_back(const char *options, unsigned n_mux)
{
	struct recorded recorded;
	struct text again = { 0 };
	struct format_context context;
	struct reader *reader;
	struct session_item item;
	struct err err = { "" };
	const struct frame *last = NULL;
	size_t n = 0, n_tasks = 0;

	record(options, n_mux, &recorded);
	reader_rig_store(recorded.text.bytes, recorded.text.n);
	must(reader_open(reader_rig_path, 0, NULL, &reader, &err), &err);
	reader_format_context(reader, &context);
	format_csv.begin(&context, &again);
	for (;;) {
		must(reader_next(reader, &item, &err), &err);
		if (item.what == SESSION_END)
			break;
		assert_int_equal(item.what, SESSION_FRAME);
		n_tasks += same_tasks(recorded.frame[n++], item.frame);
		format_csv.frame(&context, item.frame, &again);
		frame_unref(last);
		last = item.frame;
	}
	assert_int_equal(n, recorded.n);
	assert_true(n_tasks > TICKS * TASKS_A_CORE);
	assert_string_equal(recorded.text.bytes, again.bytes);
	frame_unref(last);
	reader_close(reader);
	text_fini(&again);
	recorded_fini(&recorded);
}

static void tasks_come_back_byte_for_byte(void **state)
{
	(void)state;
	comes_back("clock=virtual,seed=3,cores=4", 0);
	comes_back("clock=virtual,seed=5,offline=0@0.5-1+2@0.5-1.5,steal=6.3@0.5-2,lost=5@1-2", 0);
	comes_back("clock=virtual,seed=3,cores=2", 3);
}

/* @ret_is_less  has the last frame no tasks, or nothing of its second core? */
static size_t read_cut(const struct recorded *recorded, size_t n, bool *ret_is_less)
{
	struct reader *reader;
	struct session_item item;
	struct err err = { "" };
	size_t n_frames = 0;

	reader_rig_store(recorded->text.bytes, n);
	must(reader_open(reader_rig_path, 0, NULL, &reader, &err), &err);
	for (;; n_frames++) {
		must(reader_next(reader, &item, &err), &err);
		if (item.what == SESSION_END)
			break;
		*ret_is_less = !item.frame->tasks || item.frame->core[1].state != CORE_ON;
		frame_unref(item.frame);
	}
	assert_true(reader_is_cut(reader) || recorded->text.bytes[n - 1] == '\n');
	reader_close(reader);
	return n_frames;
}

/* At the end of a frame's rows? */
static bool is_near(size_t n, const size_t whole[3])
{
	for (unsigned i = 1; i < 3; i++)
		if (n + 120 > whole[i] && n < whole[i] + 10)
			return true;
	return false;
}

/* As a crash leaves it, at many bytes: a frame whose tasks are not all there is left off, unless it
 * ends before the first of them, or between two cores. */
static void a_cut_costs_the_last_frame(void **state)
{
	struct recorded recorded;
	const size_t *whole;
	size_t n_less = 0;

	(void)state;
	record("clock=virtual,seed=3,cores=2", 0, &recorded);
	whole = &recorded.rows_end[recorded.n - 3];
	for (size_t n = whole[0]; n < recorded.text.n; n += is_near(n, whole) ? 1 : 151) {
		bool is_less = false;
		size_t n_frames = read_cut(&recorded, n, &is_less);
		size_t n_whole = recorded.n - 2 + (n >= whole[1]) + (n >= whole[2]);

		assert_int_equal(n_frames, n_whole + is_less);
		n_less += is_less;
	}
	assert_true(n_less);
	recorded_fini(&recorded);
}

/* From any frame on, tasks have their names again. */
static void every_place_knows_its_tasks(void **state)
{
	struct recorded recorded;
	struct reader_position *place[FRAMES_MAX] = { NULL };
	struct reader *reader;
	struct session_item item = { .what = SESSION_FRAME };
	struct err err = { "" };

	(void)state;
	record("clock=virtual,seed=3,cores=4", 0, &recorded);
	reader_rig_store(recorded.text.bytes, recorded.text.n);
	must(reader_open(reader_rig_path, 0, NULL, &reader, &err), &err);
	for (size_t i = 0; i < recorded.n; i++) {
		must(reader_next(reader, &item, &err), &err);
		frame_unref(item.frame);
		assert_int_equal(reader_mark_place(reader, &place[i]), 0);
	}
	for (size_t i = 0, k = 0; i + 1 < recorded.n; i++, k = (k + 7) % (recorded.n - 1)) {
		must(reader_seek(reader, place[k], &err), &err);
		must(reader_next(reader, &item, &err), &err);
		same_tasks(recorded.frame[k + 1], item.frame);
		frame_unref(item.frame);
	}
	for (size_t i = 0; i < recorded.n; i++)
		free(place[i]);
	reader_close(reader);
	recorded_fini(&recorded);
}

/* ---- files ---- */

static char folder[] = "/tmp/test_tasks.XXXXXX";

static void remove_folder_now(void)
{
	static const char *const name[] = { "run.csv", "run.1.csv", "run.2.csv", "run-2.csv" };
	char file[64];

	for (size_t i = 0; i < ARRAY_SIZE(name); i++) {
		snprintf(file, sizeof(file), "%s/%s", folder, name[i]);
		unlink(file);
	}
	rmdir(folder);
}

/* Each file by itself says all of its frames' tasks. @from  of the session's frames, the file's first */
static size_t file_is_complete(const char *name, const struct recorded *recorded, size_t from)
{
	char file[64];
	struct reader *reader;
	struct session_item item;
	struct err err = { "" };

	snprintf(file, sizeof(file), "%s/%s", folder, name);
	must(reader_open(file, 0, NULL, &reader, &err), &err);
	for (;; from++) {
		must(reader_next(reader, &item, &err), &err);
		if (item.what == SESSION_END)
			break;
		assert_true(from < recorded->n);
		same_tasks(recorded->frame[from], item.frame);
		frame_unref(item.frame);
	}
	reader_close(reader);
	return from;
}

/* What was read is written again. @lose  after as many frames the file is removed; 0: never */
static void write_files(const struct recorded *recorded, const struct sink_limits *limits,
			size_t lose)
{
	struct frame_writer writer = { .format = &format_csv };
	struct reader *reader;
	struct sink *sink;
	struct err err = { "" };
	char file[64];

	reader_rig_store(recorded->text.bytes, recorded->text.n);
	must(reader_open(reader_rig_path, 0, NULL, &reader, &err), &err);
	reader_format_context(reader, &writer.context);
	snprintf(file, sizeof(file), "%s/run.csv", folder);
	must(sink_open(file, SINK_NEW, &sink, &err), &err);
	must(frame_writer_begin(&writer, sink, limits, &err), &err);
	for (size_t i = 0; i < recorded->n; i++) {
		must(frame_writer_frame(&writer, recorded->frame[i], &err), &err);
		if (i + 1 < lose) /* the last of them is still buffered */
			must(sink_flush(sink, &err), &err);
		if (i + 1 == lose)
			assert_int_equal(unlink(file), 0);
	}
	must(frame_writer_close(&writer, &err), &err);
	reader_close(reader);
}

static void every_file_names_its_tasks(void **state)
{
	const struct sink_limits limits = { .max_bytes = 10 * 400 * 1000, .keep = 9 };
	struct recorded recorded;
	size_t n;

	(void)state;
	assert_non_null(mkdtemp(folder));
	record("clock=virtual,seed=3,cores=4", 0, &recorded);
	write_files(&recorded, &limits, 0);
	n = file_is_complete("run.2.csv", &recorded, 0);
	n = file_is_complete("run.1.csv", &recorded, n);
	assert_int_equal(file_is_complete("run.csv", &recorded, n), recorded.n);
	remove_folder_now();
	recorded_fini(&recorded);
}

static void a_file_that_was_lost_goes_on_with_its_tasks(void **state)
{
	struct recorded recorded;

	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/test_tasks.XXXXXX");
	assert_non_null(mkdtemp(folder));
	record("clock=virtual,seed=3,cores=2", 0, &recorded);
	write_files(&recorded, NULL, 8);
	assert_int_equal(file_is_complete("run-2.csv", &recorded, 7), recorded.n);
	remove_folder_now();
	recorded_fini(&recorded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_come_back_byte_for_byte),
		cmocka_unit_test(a_cut_costs_the_last_frame),
		cmocka_unit_test(every_place_knows_its_tasks),
		cmocka_unit_test(every_file_names_its_tasks),
		cmocka_unit_test(a_file_that_was_lost_goes_on_with_its_tasks),
	};

	return cmocka_run_group_tests(tests, reader_rig_make_file, reader_rig_remove_file);
}
