/* Tasks of the past: the largest stay, the rest is in [others], and sums stay as they are. */
#include "rig/tasks_rig.h"

#include <math.h>

#include "sampler/history.h"
#include "sampler/threads/bucket.h"

/* Sum a column over the tasks of one core. */
static uint64_t sum_on_core(const struct frame_tasks *tasks, unsigned core, unsigned column)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < tasks->n; i++)
		if (tasks->task[i].core == core)
			sum += tasks->value[i * tasks->n_slots + column];
	return sum;
}

enum { N_TASKS = 40, KEPT = 3 };

static const struct frame *next(struct rig *rig, unsigned seed)
{
	const struct frame *frame;

	assert_int_equal(sampler_step(rig->sampler), 0);
	frame = queue_pop(rig->queue, NULL);
	assert_non_null(frame);
	give_tasks(frame, N_TASKS, seed);
	return frame;
}

static void check_sums(const struct frame *frame, const struct frame *more,
		       const struct frame_tasks *tasks)
{
	for (unsigned core = 0; core < frame->n_cores; core++)
		for (unsigned column = 0; column < frame->n_slots; column++)
			assert_int_equal(
				sum_on_core(tasks, core, column),
				frame_counts(frame, core)[column].value +
					(more ? frame_counts(more, core)[column].value : 0));
}

static bool has(const struct frame_tasks *tasks, const struct core_task *task)
{
	for (size_t i = 0; i < tasks->n; i++)
		if (tasks->task[i].core == task->core && tasks->task[i].kind == task->kind &&
		    tasks->task[i].tid == task->tid)
			return true;
	return false;
}

static void the_largest_of_each_column_stay(void **state)
{
	struct rig rig;
	const struct frame *frame;
	const struct frame_tasks *kept;

	(void)state;
	rig_up(&rig, "clock=virtual,seed=3", 100 * NS_PER_MS);
	frame = next(&rig, 1);
	kept = frame_tasks_merge(frame->tasks, NULL, KEPT);
	check_sums(frame, NULL, kept);
	assert_true(kept->n < frame->tasks->n);
	assert_true(kept->n <= frame->n_cores * ((frame->n_slots + 1u) * KEPT + 3u));
	for (unsigned core = 0; core < frame->n_cores; core++)
		for (unsigned column = 0; column < frame->n_slots; column++) {
			size_t most = (size_t)core * N_TASKS;
			const uint64_t *value = frame->tasks->value + column;

			for (size_t i = most; i < (size_t)(core + 1) * N_TASKS; i++)
				if (value[i * frame->n_slots] > value[most * frame->n_slots])
					most = i;
			assert_true(has(kept, &frame->tasks->task[most]));
		}
	for (size_t i = 1; i < kept->n; i++) {
		const struct core_task *task = &kept->task[i];

		assert_true(task->core > task[-1].core ||
			    (task->core == task[-1].core &&
			     core_task_time_ns(kept, i) <= core_task_time_ns(kept, i - 1)));
	}
	frame_tasks_unref(kept);
	frame_unref(frame);
	rig_down(&rig);
}

static void two_windows_are_one(void **state)
{
	struct rig rig;
	const struct frame *frame, *more;
	const struct frame_tasks *one, *both;

	(void)state;
	rig_up(&rig, "clock=virtual,seed=3", 100 * NS_PER_MS);
	frame = next(&rig, 1);
	more = next(&rig, 2);
	one = frame_tasks_merge(frame->tasks, NULL, KEPT);
	both = frame_tasks_merge(one, more->tasks, KEPT);
	check_sums(frame, more, both);
	frame_tasks_unref(one);
	frame_tasks_unref(both);
	frame_unref(frame);
	frame_unref(more);
	rig_down(&rig);
}

static void few_are_not_copied(void **state)
{
	struct rig rig;
	const struct frame *frame;
	const struct frame_tasks *kept;

	(void)state;
	rig_up(&rig, "clock=virtual,seed=3", 100 * NS_PER_MS);
	frame = next(&rig, 1);
	kept = frame_tasks_merge(frame->tasks, NULL, N_TASKS);
	assert_ptr_equal(kept, frame->tasks);
	frame_tasks_unref(kept);
	frame_unref(frame);
	rig_down(&rig);
}

/* In the history, also where its buckets were put together again and again. */
static void a_bucket_s_tasks_are_its_counts(void **state)
{
	enum { FRAMES = 300, BUDGET = 512 * 1024 };
	struct rig rig;
	struct history *history;

	(void)state;
	rig_up(&rig, "clock=virtual,seed=3", 10 * NS_PER_MS);
	assert_int_equal(history_new(&rig.backend->machine, &rig.metrics, BUDGET, &history), 0);
	for (unsigned i = 0; i < FRAMES; i++) {
		const struct frame *frame = next(&rig, i);

		history_add(history, frame);
		frame_unref(frame);
	}
	assert_true(history_n(history) < FRAMES);
	assert_true(history_bytes(history) < BUDGET + BUDGET / 10);
	for (size_t i = 0; i < history_n(history); i++) {
		const struct frame *was = history_frame(history, i);

		assert_non_null(was->tasks);
		check_sums(was, NULL, was->tasks);
		frame_unref(was);
	}
	history_free(history);
	rig_down(&rig);
}

/* A thread's curve: what it counted on the cores of a type, over the window of all of them. */
static void the_past_of_a_task_is_its_own(void **state)
{
	struct rig rig;
	struct history *history;
	const struct frame *frame;
	struct history_query query = { .by = BY_TYPE, .index = 1, .metric = -1 };

	(void)state;
	rig_up(&rig, "clock=virtual,seed=3", 100 * NS_PER_MS);
	assert_int_equal(history_new(&rig.backend->machine, &rig.metrics, 1 << 24, &history), 0);
	frame = next(&rig, 1);
	query.event = frame->set->type[1].event[0];
	query.task = (struct task_id){ true, BY_THREAD, frame->tasks->task[0] };
	history_add(history, frame);

	struct task_rows *rows =
		task_rows_new(frame, &rig.backend->machine, BY_THREAD, NULL, false, NULL);
	struct history_value value = history_value(history, 0, &query);

	for (size_t i = 0; i < rows->n; i++) {
		struct count count = task_row_count(rows, &rows->row[i], 1, 0);
		double window_s = (double)frame->core[4].window_ns / 1e9;

		if (task_compare(rows->row[i].task, &query.task.like, BY_THREAD) == 0)
			assert_true(fabs(value.mean * window_s / count_total(&count).value - 1) <
				    1e-3);
	}
	assert_int_equal(value.quality,
			 QUALITY_PARTIAL); /* as in its row: more may be in [others] */
	query.task.like.tid = 99999;       /* it may be among [others] */
	assert_int_equal(history_value(history, 0, &query).quality, QUALITY_NONE);
	free(rows);
	frame_unref(frame);
	history_free(history);
	rig_down(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_of_each_column_stay),
		cmocka_unit_test(two_windows_are_one),
		cmocka_unit_test(few_are_not_copied),
		cmocka_unit_test(a_bucket_s_tasks_are_its_counts),
		cmocka_unit_test(the_past_of_a_task_is_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
