/* Tasks summed by thread, process and command: nothing is lost, and E and P stay apart. */
#include "rig/tasks_rig.h"

#include <math.h>

#include "sampler/history.h"

enum { N_TASKS = 15 };

static void assert_close(double is, double wanted)
{
	assert_true(fabs(is - wanted) <= 1e-6 * fabs(wanted));
}

static const struct frame *begin(struct rig *rig)
{
	const struct frame *frame;

	rig_up(rig, "clock=virtual,seed=3", 100 * NS_PER_MS);
	assert_int_equal(sampler_step(rig->sampler), 0);
	frame = queue_pop(rig->queue, NULL);
	assert_non_null(frame);
	give_tasks(frame, N_TASKS, 7);
	return frame;
}

static void end(struct rig *rig, const struct frame *frame)
{
	frame_unref(frame);
	rig_down(rig);
}

static void check_sums(const struct rig *rig, const struct frame *frame, enum task_by by)
{
	const struct machine *machine = &rig->backend->machine;
	struct task_rows *rows = task_rows_new(frame, machine, by, NULL, false, NULL);

	assert_non_null(rows);
	for (unsigned type = 0; type < machine->n_types; type++) {
		struct frame_row whole;

		frame_row(frame, machine, &rig->metrics, BY_TYPE, type, &whole);
		for (unsigned column = 0; column < frame->n_slots; column++) {
			uint64_t value = 0;

			if (!tasks_have_column(frame->set, column))
				continue;
			for (size_t i = 0; i < rows->n; i++)
				value += task_row_count(rows, &rows->row[i], type, column).value;
			assert_int_equal(value, whole.count[column].value);
		}
	}
	free(rows);
}

static void rows_add_up_to_the_cores(void **state)
{
	struct rig rig;
	const struct frame *frame = begin(&rig);

	(void)state;
	for (unsigned by = 0; by < N_TASK_BY; by++)
		check_sums(&rig, frame, by);
	end(&rig, frame);
}

static void there_is_a_row_a_thread_process_command(void **state)
{
	static const size_t n_rows[] = {
		[BY_THREAD] = 12, [BY_PROCESS] = 4, [BY_COMMAND] = 2, [BY_CGROUP] = 5
	};
	struct rig rig;
	const struct frame *frame = begin(&rig);

	(void)state;
	for (unsigned by = 0; by < N_TASK_BY; by++) {
		struct task_rows *rows =
			task_rows_new(frame, &rig.backend->machine, by, NULL, false, NULL);
		size_t n = n_rows[by];

		assert_int_equal(rows->n, n + N_TASK_KINDS - 1);
		for (size_t i = 0; i < rows->n; i++) {
			const struct task_row *row = &rows->row[i];

			assert_int_equal(row->task->kind, i < n ? TASK_THREAD : TASK_IDLE + i - n);
			assert_int_equal(row->types, 3);
			assert_true(!i || i >= n || row->time_ns <= row[-1].time_ns);
			assert_true(by != BY_PROCESS || row->task->tid == row->task->pid);
		}
		free(rows);
	}
	end(&rig, frame);
}

/* Sum up one column of the parts of a frame's tasks on one core type: of a cgroup and what is below it; NULL: of all. */
static uint64_t sum_below(const struct frame *frame, const struct machine *machine, unsigned type,
			  unsigned column, const struct cgroup *above)
{
	const struct frame_tasks *tasks = frame->tasks;
	uint64_t sum = 0;

	for (size_t i = 0; i < tasks->n; i++)
		if (machine->core[tasks->task[i].core].type == type &&
		    tasks->task[i].kind == TASK_THREAD &&
		    strncmp(tasks->task[i].cgroup->path, above->path, strlen(above->path)) == 0)
			sum += tasks->value[i * tasks->n_slots + column];
	return sum;
}

/* Each row of the tree is what is in the cgroup and below; one without tasks of its own is there, too. */
static void a_tree_adds_up_at_every_level(void **state)
{
	static const char *const wanted[] = { "/", "/a", "/a/b", "/a/b/c", "/a/d", "/b" };
	static const size_t above[] = { 0, 0, 1, 2, 1, 0 };
	struct rig rig;
	const struct frame *frame = begin(&rig);
	const struct machine *machine = &rig.backend->machine;
	struct task_rows *rows = task_rows_tree(frame, machine, NULL);

	(void)state;
	assert_int_equal(rows->n, ARRAY_SIZE(wanted) + N_TASK_KINDS - 1);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		const struct task_row *row = &rows->row[i];

		assert_string_equal(core_task_name(row->task, BY_CGROUP), wanted[i]);
		assert_int_equal(row->above, above[i]);
		for (unsigned type = 0; type < machine->n_types; type++)
			for (unsigned column = 0; column < frame->n_slots; column++)
				if (tasks_have_column(frame->set, column))
					assert_int_equal(
						task_row_count(rows, row, type, column).value,
						sum_below(frame, machine, type, column,
							  row->task->cgroup));
	}
	for (size_t i = ARRAY_SIZE(wanted); i < rows->n; i++)
		assert_int_equal(rows->row[i].task->kind, TASK_IDLE + i - ARRAY_SIZE(wanted));
	free(rows);
	rows = task_rows_new(frame, machine, BY_CGROUP, NULL, false, cgroup_get("/a"));
	assert_int_equal(rows->n,
			 5); /* and [unattributed] and [others], which may have some of it */
	assert_int_equal(rows->row[3].task->kind, TASK_UNATTRIBUTED);
	for (size_t i = 0; i < rows->n; i++)
		assert_int_equal(task_row_count(rows, &rows->row[i], 0, 0).quality,
				 rows->row[i].task->kind == TASK_UNATTRIBUTED ? QUALITY_OK
									      : QUALITY_PARTIAL);
	free(rows);
	end(&rig, frame);
}

static void a_tid_that_is_used_again_is_another_thread(void **state)
{
	struct rig rig;
	const struct frame *frame = begin(&rig);
	struct task_rows *rows;

	(void)state;
	frame->tasks->task[0].first_ns = 99;
	rows = task_rows_new(frame, &rig.backend->machine, BY_THREAD, NULL, false, NULL);
	assert_int_equal(rows->n, 13 + N_TASK_KINDS - 1);
	free(rows);
	end(&rig, frame);
}

/* A thread that ran half of the window on one core and a quarter on another has three quarters of a
 * core, and its rate is that of the time that it ran. */
static void a_rate_is_that_of_its_own_time(void **state)
{
	struct rig rig;
	const struct frame *frame = begin(&rig);
	struct frame_tasks *tasks = (struct frame_tasks *)frame->tasks;
	struct task_rows *rows;

	(void)state;
	for (unsigned core = 0; core < 2; core++) {
		size_t i = (size_t)core * N_TASKS;

		tasks->task[i] = (struct core_task){ .core = (uint16_t)core, .pid = 1, .tid = 1 };
		tasks->time_ns[i] = frame->core[core].window_ns / (core ? 4 : 2);
		tasks->value[i * tasks->n_slots] = core ? 3000 : 5000;
	}
	rows = task_rows_new(frame, &rig.backend->machine, BY_THREAD, NULL, false, NULL);
	for (size_t i = 0; i < rows->n; i++) {
		const struct task_row *row = &rows->row[i];
		struct count count;

		if (row->task->tid != 1)
			continue;
		count = task_row_count(rows, row, 0, 0);
		assert_int_equal(row->types, 1);
		assert_int_equal(count.value, 8000);
		assert_int_equal(count.quality, QUALITY_PARTIAL);
		assert_close(count_rate(&count).value, 8000 / ((double)row->time_ns / 1e9));
		assert_close(task_row_load(rows, row, 0), 0.75);
		assert_int_equal(task_row_count(rows, row, 1, 0).quality, QUALITY_NONE);
		assert_true(task_row_load(rows, row, 1) == 0);
	}
	free(rows);
	end(&rig, frame);
}

/* A core that was late has a longer window: rates of rows add up to those of the cores, and the history has the same. */
static void rates_beside_a_late_core_add_up_to_the_cores(void **state)
{
	struct rig rig;
	const struct frame *frame = begin(&rig);
	const struct machine *machine = &rig.backend->machine;
	double of_rows = 0, of_cores = 0;
	struct history *history;
	struct task_rows *rows;
	unsigned n_known = 0;

	(void)state;
	((struct frame *)frame)->core[1].window_ns *= 2;
	assert_int_equal(history_new(machine, &rig.metrics, 1 << 20, &history), 0);
	history_add(history, frame);
	rows = task_rows_new(frame, machine, BY_THREAD, NULL, false, NULL);
	for (unsigned core = 0; core < frame->n_cores; core++)
		if (machine->core[core].type == 0)
			of_cores += (double)frame_counts(frame, core)[0].value * 1e9 /
				    (double)frame->core[core].window_ns;
	for (size_t i = 0; i < rows->n; i++) {
		const struct history_query query = {
			.by = BY_TYPE,
			.metric = -1,
			.event = frame->set->type[0].event[0],
			.task = { true, BY_THREAD, *rows->row[i].task },
		};
		struct history_value past = history_value(history, 0, &query);
		struct count count = task_row_count(rows, &rows->row[i], 0, 0);
		double rate = count.rates;

		count_widen(&count, count_task_window_ns(&count, 1));
		assert_true(rate <= 0 || fabs(count_rate(&count).value / rate - 1) < 1e-6);
		of_rows += rate;
		if (rows->row[i].task->kind != TASK_THREAD || !quality_has_value(past.quality))
			continue;
		assert_close(past.mean, rate);
		n_known++;
	}
	assert_close(of_rows, of_cores);
	assert_true(n_known > 0);
	free(rows);
	history_free(history);
	end(&rig, frame);
}

/* The user's own threads are read whether or not a core is late: over their own window, and whole. */
static void own_rows_do_not_depend_on_late_cores(void **state)
{
	struct rig rig;
	struct frame *frame = (struct frame *)begin(&rig);
	const struct machine *machine = &rig.backend->machine;
	struct frame_tasks *tasks = (struct frame_tasks *)frame->tasks;
	struct task_rows *in_time, *late;

	(void)state;
	tasks->own_window_ns = 100 * NS_PER_MS;
	column_set_add(&tasks->own_columns, 0);
	in_time = task_rows_new(frame, machine, BY_THREAD, NULL, false, NULL);
	frame->core[1] = (struct frame_core){ .state = CORE_LATE };
	frame->core[2].window_ns *= 2;
	late = task_rows_new(frame, machine, BY_THREAD, NULL, false, NULL);
	assert_int_equal(late->n, in_time->n);
	for (size_t i = 0; i < late->n; i++)
		for (unsigned type = 0; type < machine->n_types; type++) {
			struct count was = task_row_count(in_time, &in_time->row[i], type, 0),
				     is = task_row_count(late, &late->row[i], type, 0);

			assert_int_equal(is.value, was.value);
			assert_int_equal(is.quality, was.quality);
			assert_close(is.rates, (double)is.value * 10);
			assert_close(task_row_load(late, &late->row[i], type),
				     task_row_load(in_time, &in_time->row[i], type));
		}
	free(in_time);
	free(late);
	end(&rig, frame);
}

static void rows_of_one_core_have_its_counts(void **state)
{
	struct rig rig;
	const struct frame *frame = begin(&rig);
	const struct machine *machine = &rig.backend->machine;
	struct cpus one = { { 0 } };
	struct task_rows *rows;
	uint64_t value = 0;

	(void)state;
	cpus_add(&one, machine->core[5].cpu);
	rows = task_rows_new(frame, machine, BY_PROCESS, &one, false, NULL);
	for (size_t i = 0; i < rows->n; i++) {
		assert_int_equal(rows->row[i].types, 1u << machine->core[5].type);
		value += task_row_count(rows, &rows->row[i], machine->core[5].type, 0).value;
	}
	assert_int_equal(value, frame_counts(frame, 5)[0].value);
	free(rows);
	end(&rig, frame);
}

static void metrics_are_of_one_type_s_counts(void **state)
{
	struct rig rig;
	const struct frame *frame = begin(&rig);
	struct task_rows *rows =
		task_rows_new(frame, &rig.backend->machine, BY_PROCESS, NULL, false, NULL);

	(void)state;
	for (unsigned type = 0; type < 2; type++) {
		struct reading metric[METRICS_BOUND_MAX];
		struct count count[COLUMNS_MAX];

		task_row_counts(rows, &rows->row[0], type, count);
		metrics_eval(&rig.metrics, frame->bound, type, count, metric);
		assert_close(metric[metrics_column(frame->bound, 0)].value,
			     (double)count[1].value / (double)count[0].value);
	}
	free(rows);
	end(&rig, frame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_add_up_to_the_cores),
		cmocka_unit_test(a_tree_adds_up_at_every_level),
		cmocka_unit_test(there_is_a_row_a_thread_process_command),
		cmocka_unit_test(a_tid_that_is_used_again_is_another_thread),
		cmocka_unit_test(a_rate_is_that_of_its_own_time),
		cmocka_unit_test(rates_beside_a_late_core_add_up_to_the_cores),
		cmocka_unit_test(own_rows_do_not_depend_on_late_cores),
		cmocka_unit_test(rows_of_one_core_have_its_counts),
		cmocka_unit_test(metrics_are_of_one_type_s_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
