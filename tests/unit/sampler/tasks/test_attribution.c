/* Whose counts they are: conservation, and the simulation's truth, to the unit. */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "base/array.h"
#include "rig/mux_rig.h"
#include "rig/tasks_truth.h"

static void start_by_task(struct rig *rig, const char *options, uint64_t interval_ns)
{
	rig_make(rig, options, interval_ns);
	rig->first.by_task = true;
	rig_start(rig);
}

static uint64_t n_faults(const struct rig *rig)
{
	assert_non_null(rig->sampler->collector.tasks);
	return rig->sampler->collector.n_task_faults;
}

static void step(struct rig *rig, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(sampler_step(rig->sampler), 0);
}

/* Every frame that there is. @return tasks compared */
static size_t check_frames(struct rig *rig)
{
	const struct frame *frame;
	size_t n = 0;

	while ((frame = queue_pop(rig->queue, NULL))) {
		check_conservation(frame);
		assert_int_equal(frame->tasks->n_lost, 0);
		n += check_truth(rig->sampler, frame);
		frame_unref(frame);
	}
	return n;
}

/* Without a schedule a task is the work of a phase. */
static void phases(void **state)
{
	struct rig rig;

	(void)state;
	start_by_task(&rig, "clock=virtual,seed=7", 100 * NS_PER_MS);
	step(&rig, 100);
	assert_true(check_frames(&rig) >= 100 * 8);
	assert_int_equal(n_faults(&rig), 0);
	rig_down(&rig);
}

static void schedule(void **state)
{
	static const char *const options[] = {
		"clock=virtual,seed=1,tasks=8",
		"clock=virtual,seed=2,tasks=100,short=5000,cgroups=40",
		"clock=virtual,seed=3,cores=2,tasks=3000",
		"clock=virtual,seed=4,cores=32,tasks=200,wrap=near",
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(options); i++) {
		struct rig rig;

		start_by_task(&rig, options[i], 100 * NS_PER_MS);
		step(&rig, 30);
		assert_true(check_frames(&rig) > 30 * 2);
		assert_int_equal(n_faults(&rig), 0);
		rig_down(&rig);
	}
}

/* A task has what it did while each mux group counted. */
static void mux_groups(void **state)
{
	(void)state;
	for (unsigned n = 2; n <= 4; n++) {
		struct rig rig;

		rig_make(&rig, "clock=virtual,seed=5,tasks=30,short=500", 100 * NS_PER_MS);
		rig.first = make_mux(&rig, n);
		rig.first.by_task = true;
		rig_start(&rig);
		step(&rig, 20);
		assert_true(check_frames(&rig) > 20 * 8);
		assert_int_equal(n_faults(&rig), 0);
		rig_down(&rig);
	}
}

/* All its threads on the core. */
static void check_process(const struct frame *frame, const struct core_task *of)
{
	const struct frame_tasks *tasks = frame->tasks;
	uint64_t by_core[CORES_MAX], sum = 0;

	frame_tasks_of_process(frame, of->pid, 0, by_core);
	for (size_t i = 0; i < tasks->n; i++)
		if (tasks->task[i].core == of->core && tasks->task[i].pid == of->pid)
			sum += tasks->value[i * tasks->n_slots];
	assert_int_equal(by_core[of->core], sum);
	assert_true(sum > 0);
}

/* What is only seen to end is told once, a name that changed is the one at the end of the window. */
static void names_and_lives(void **state)
{
	struct rig rig;
	const struct frame *frame;
	unsigned n_ended = 0, n_again = 0, n_moved = 0, n_threads = 0;
	uint64_t first_ns[64] = { 0 };

	(void)state;
	start_by_task(&rig, "clock=virtual,seed=6,tasks=40", 100 * NS_PER_MS);
	step(&rig, 100);
	while ((frame = queue_pop(rig.queue, NULL))) {
		const struct frame_tasks *tasks = frame->tasks;

		for (size_t i = 0; i < tasks->n; i++) {
			const struct core_task *task = &tasks->task[i];

			if (task->kind != TASK_THREAD)
				continue;
			assert_true(task->comm[0] && task->comm[0] != '[');
			assert_true(task->first_ns <= frame->t_ns);
			assert_true(task->ended_ns <= frame->t_ns);
			n_ended += task->ended_ns > 0;
			if (task->pid != task->tid)
				check_process(frame, task);
			n_threads += task->pid != task->tid;
			if (task->tid < 1000 || task->tid >= 1040)
				continue;
			if (task->tid == 1000)
				n_moved |= 1U << task->core;
			n_again += first_ns[task->tid - 1000] &&
				   first_ns[task->tid - 1000] < task->first_ns;
			first_ns[task->tid - 1000] = task->first_ns;
		}
		frame_unref(frame);
	}
	assert_true(n_ended > 10 && n_again > 5 && n_threads > 100);
	assert_int_equal(n_moved, 1 << 0 | 1 << 4);
	rig_down(&rig);
}

/* 100 000 in a second, each of which is named. */
static void short_lived(void **state)
{
	struct rig rig;
	const struct frame *frame;
	size_t n = 0;

	(void)state;
	start_by_task(&rig, "clock=virtual,seed=6,tasks=8,short=100000,records=65536", NS_PER_S);
	step(&rig, 2);
	while ((frame = queue_pop(rig.queue, NULL))) {
		check_conservation(frame);
		assert_int_equal(frame->tasks->n_lost, 0);
		for (size_t i = 0; i < frame->tasks->n; i++)
			n += strcmp(frame->tasks->task[i].comm, "true") == 0;
		frame_unref(frame);
	}
	assert_in_range(n, 200000, 202000);
	rig_down(&rig);
}

static void too_many_for_a_frame(void **state)
{
	struct rig rig;
	const struct frame *frame;

	(void)state;
	start_by_task(&rig, "clock=virtual,seed=6,cores=2,tasks=8,short=60000,records=131072",
		      NS_PER_S);
	step(&rig, 1);
	frame = queue_pop(rig.queue, NULL);
	check_conservation(frame);
	assert_int_equal(frame->tasks->n_lost, 0);
	assert_true(tasks_of_kind(frame, TASK_OTHERS, 0) > 0);
	assert_int_equal(tasks_of_kind(frame, TASK_UNATTRIBUTED, 0), 0);
	assert_true(frame->tasks->n <= 2 << 14);
	frame_unref(frame);
	rig_down(&rig);
}

/* With threads, while sets and intervals change and a core goes and comes. */
static void in_real_time(void **state)
{
	struct rig rig;
	unsigned n = 0;

	(void)state;
	start_by_task(&rig, "seed=8,tasks=40,short=1000", 10 * NS_PER_MS);
	for (unsigned i = 0; n < 100; i++) {
		const struct frame *frame = wait_for_frame(&rig);

		if (frame->tasks) {
			check_conservation(frame);
			n++;
		}
		frame_unref(frame);
		if (i % 10 == 3) {
			struct set next = make_mux(&rig, 1 + i / 10 % 2);
			struct err err = { "" };

			next.by_task = i % 30 != 13;
			must(sampler_load(rig.sampler, &next, &err), &err);
		}
		if (i % 10 == 8)
			assert_int_equal(sim_core_offline(rig.backend, 3, i / 10 % 2), 0);
	}
	sampler_stop(rig.sampler);
	assert_int_equal(n_faults(&rig), 0);
	rig_down(&rig);
}

/* The backend that does not learn of context switches says so. */
static void not_everywhere(void **state)
{
	struct rig rig;
	struct err err = { "" };
	struct backend_ops ops;

	(void)state;
	rig_up(&rig, "clock=virtual", NS_PER_S);
	ops = *rig.backend->ops;
	ops.switches_drain = NULL;
	rig.backend->ops = &ops;
	rig.first.by_task = true;
	assert_int_equal(sampler_load(rig.sampler, &rig.first, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.text, "context switches"));
	step(&rig, 1);

	const struct frame *frame = queue_pop(rig.queue, NULL);

	assert_null(frame->tasks);
	frame_unref(frame);
	rig_down(&rig);
}

static long n_sleeps(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_nvcsw;
}

/* Between two reads there is nothing to take: nobody wakes. */
static void records_of_reads_need_no_other_wakeups(void **state)
{
	enum { FRAMES = 5 };
	struct rig rig;
	long before = 0;

	(void)state;
	start_by_task(&rig, "seed=6,cores=2", 400 * NS_PER_MS);
	for (unsigned i = 0; i <= FRAMES; i++) {
		const struct frame *frame = wait_for_frame(&rig);

		before = i ? before : n_sleeps();
		frame_unref(frame);
	}
	/* two core threads, the collector and this test; a late core adds a look or two */
	assert_in_range(n_sleeps() - before, 1, FRAMES * 12);
	sampler_stop(rig.sampler);
	rig_down(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_of_reads_need_no_other_wakeups),
		cmocka_unit_test(phases),
		cmocka_unit_test(schedule),
		cmocka_unit_test(mux_groups),
		cmocka_unit_test(names_and_lives),
		cmocka_unit_test(short_lived),
		cmocka_unit_test(too_many_for_a_frame),
		cmocka_unit_test(not_everywhere),
		cmocka_unit_test(in_real_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
