/* Times of threads of this process, in windows of a clock of the test's own: they add up to the window. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pmu/activity.h"
#include "pmu/backend.h"
#include "pmu/event.h"
#include "rig/fake_root.h"
#include "rig/harness.h"
#include "sampler/frame.h"
#include "sampler/tasks/attribution.h"

enum { RUN, WAIT, SLEEP, THROTTLED, LIMIT, N_COLUMNS, N_CORES = 2 };

/* Start of the session, and the present. */
static const uint64_t start_ns = 5 * NS_PER_S;
static uint64_t now_ns;

static const struct pmu pmu = { .kind = PMU_ACTIVITY };
static struct event event[N_COLUMNS];
static struct set set;
static struct schedstat *schedstat;
static struct frame_core core[N_CORES];
static struct count count[N_CORES * N_COLUMNS];
static struct frame frame = {
	.n_cores = N_CORES, .n_slots = N_COLUMNS, .core = core, .count = count, .set = &set
};
static struct frame_tasks *tasks;
static atomic_bool ends;

static void at(uint64_t t_ns)
{
	now_ns = start_ns + t_ns;
}

static int begin(void **state)
{
	(void)state;
	set.n_slots = N_COLUMNS;
	set.by_task = true;
	for (unsigned i = 0; i < N_COLUMNS; i++) {
		event[i] = (struct event){ .pmu = &pmu, .config = { ACTIVITY_RUN + i } };
		set.type[0].event[i] = &event[i];
	}
	for (unsigned i = 0; i < N_CORES; i++)
		core[i] = (struct frame_core){ .state = CORE_ON, .window_ns = NS_PER_S };
	at(0);
	schedstat_start(&schedstat, NULL, &set, start_ns, now_ns);
	assert_non_null(schedstat);
	return 0;
}

static int end(void **state)
{
	(void)state;
	schedstat_free(schedstat);
	schedstat = NULL;
	frame_tasks_unref(tasks);
	tasks = NULL;
	return 0;
}

static void needs_schedstat(void)
{
	if (access("/proc/self/schedstat", R_OK))
		skip();
}

/* Close a frame of one thread, on each of n cores for a time. */
static void close_frame(uint64_t t_ns, uint32_t tid, uint64_t first_ns, const uint64_t *time_ns,
			unsigned n)
{
	frame_tasks_unref(tasks);
	tasks = frame_tasks_new(n, N_COLUMNS, 1);
	assert_non_null(tasks);
	frame.tasks = tasks;
	for (unsigned i = 0; i < n; i++) {
		tasks->task[i] = (struct core_task){ .core = (uint16_t)i,
						     .pid = (uint32_t)getpid(),
						     .tid = tid,
						     .first_ns = first_ns };
		tasks->time_ns[i] = time_ns[i];
	}
	at(t_ns);
	schedstat_close(schedstat, &frame, now_ns);
}

static uint64_t all_of(size_t task)
{
	const uint64_t *value = &tasks->value[task * N_COLUMNS];

	return value[RUN] + value[WAIT] + value[SLEEP];
}

static void spin(uint64_t ns)
{
	uint64_t end_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		;
}

static void times_add_up_to_the_window(void **state)
{
	static const uint64_t time_ns[] = { 10, 20 };
	/* a wait on a busy machine is shorter than this window */
	const uint64_t window_ns = 3600 * NS_PER_S;

	(void)state;
	needs_schedstat();
	spin(100 * NS_PER_MS);
	close_frame(window_ns, (uint32_t)getpid(), 0, time_ns, 2);
	assert_int_equal(all_of(0), 0); /* it ran longest on the other core */
	assert_int_equal(all_of(1), window_ns);
	/* the kernel adds a running thread's time at ticks */
	assert_in_range(tasks->value[N_COLUMNS + RUN], 80 * NS_PER_MS, window_ns / 2);
	for (unsigned i = 0; i < N_COLUMNS; i++) {
		assert_int_equal(count[i].quality, QUALITY_OK);
		assert_int_equal(count[N_COLUMNS + i].value, tasks->value[N_COLUMNS + i]);
	}
	close_frame(window_ns + 1000 * NS_PER_S, (uint32_t)getpid(), 0, time_ns, 1);
	assert_int_equal(all_of(0), 1000 * NS_PER_S);
}

static void a_thread_that_has_ended_is_not_counted(void **state)
{
	static const uint64_t time_ns[] = { 10 };
	struct count one;

	(void)state;
	close_frame(NS_PER_S, UINT32_MAX, 0, time_ns, 1);
	assert_true(tasks->task[0].unread);
	core_task_count(&frame, 0, WAIT, &one);
	assert_int_equal(one.quality, QUALITY_NOT_COUNTED);
	assert_int_equal(count[WAIT].quality, QUALITY_PARTIAL);
	assert_int_equal(count[WAIT].value, 0);
}

/* ---- cgroups ---- */

static char root[64];
static struct backend_ops ops;
static struct backend backend = { .ops = &ops };

static void throttle(uint64_t us)
{
	char text[64];

	snprintf(text, sizeof(text), "throttled_usec %" PRIu64 "\n", us);
	fake_put(root, "v2/c/cpu.stat", text);
}

static void list_cgroups(struct backend *unused, const struct switch_sink *sink)
{
	(void)unused;
	sink->take_note(sink->data, &(const struct task_note){ .kind = NOTE_CGROUP, .path = "/c" });
}

static int begin_cgroups(void **state)
{
	fake_root(root, sizeof(root), (const struct fake_file[]){ { NULL, NULL } });
	fake_put(root, "proc/self/mountinfo", "1 0 0:1 / /v2 rw - cgroup2 cgroup2 rw\n");
	fake_put(root, "v2/c/cpu.max", "50000 100000\n");
	throttle(1000);
	ops.cgroups = list_cgroups;
	snprintf(backend.machine.pmus.root, sizeof(backend.machine.pmus.root), "%s", root);
	(void)begin(state);
	schedstat_start(&schedstat, &backend, &set, start_ns, now_ns);
	return 0;
}

static int end_cgroups(void **state)
{
	fake_root_remove(root);
	return end(state);
}

/* Close a frame of threads of the cgroup, one on each core: one of them can be read. */
static void close_cgroup(uint64_t t_ns, uint32_t first, uint32_t second)
{
	const uint32_t tid[] = { first, second };

	frame_tasks_unref(tasks);
	tasks = frame_tasks_new(2, N_COLUMNS, 1);
	assert_non_null(tasks);
	frame.tasks = tasks;
	for (unsigned i = 0; i < 2; i++)
		tasks->task[i] = (struct core_task){ .core = (uint16_t)i,
						     .pid = (uint32_t)getpid(),
						     .tid = tid[i],
						     .cgroup = cgroup_get("/c") };
	at(t_ns);
	schedstat_close(schedstat, &frame, now_ns);
}

static void times_of_a_cgroup_are_with_what_ran(void **state)
{
	const uint32_t me = (uint32_t)getpid();
	const uint64_t *value;

	(void)state;
	needs_schedstat();
	spin(20 * NS_PER_MS);
	throttle(1500);
	/* the first one has ended */
	close_cgroup(NS_PER_S, UINT32_MAX, me);
	value = tasks->value;
	assert_int_equal(value[THROTTLED], 0);
	assert_int_equal(value[LIMIT], 0);
	assert_int_equal(value[N_COLUMNS + THROTTLED], 500 * NS_PER_US);
	assert_int_equal(value[N_COLUMNS + LIMIT], 500 * NS_PER_MS);
	assert_int_equal(count[N_COLUMNS + LIMIT].quality, QUALITY_OK);
	/* none is known to have run: it is not lost */
	throttle(1700);
	close_cgroup(2 * NS_PER_S, UINT32_MAX, UINT32_MAX - 1);
	value = tasks->value;
	assert_int_equal(value[THROTTLED] + value[N_COLUMNS + THROTTLED], 200 * NS_PER_US);
	assert_int_equal(value[LIMIT] + value[N_COLUMNS + LIMIT], 500 * NS_PER_MS);
}

static void a_limit_allows_no_more_after_a_pause(void **state)
{
	static const uint64_t none[1];
	const uint32_t me = (uint32_t)getpid();

	(void)state;
	needs_schedstat();
	for (uint64_t ms = 10; ms < 1000; ms += 10) /* windows without a task of the cgroup */
		close_frame(ms * NS_PER_MS, me, 0, none, 1);
	throttle(9000);
	close_cgroup(1000 * NS_PER_MS, me, UINT32_MAX);
	assert_int_equal(tasks->value[LIMIT], 50 * NS_PER_MS); /* of a period */
	assert_int_equal(tasks->value[THROTTLED], 8 * NS_PER_MS);
	close_cgroup(1010 * NS_PER_MS, UINT32_MAX, UINT32_MAX);
	assert_int_equal(tasks->value[LIMIT], 5 * NS_PER_MS); /* of the window */
}

static void without_a_file_it_is_not_counted(void **state)
{
	struct count one;

	(void)state;
	needs_schedstat();
	fake_put(root, "v2/c/cpu.max", "max 100000\n");
	close_cgroup(NS_PER_S, (uint32_t)getpid(), UINT32_MAX);
	core_task_count(&frame, 0, LIMIT, &one);
	assert_int_equal(one.quality, QUALITY_NOT_COUNTED);
	core_task_count(&frame, 0, THROTTLED, &one);
	assert_int_equal(one.quality, QUALITY_OK);
}

static void *idle(void *data)
{
	*(_Atomic uint32_t *)data = (uint32_t)gettid();
	while (!atomic_load(&ends))
		usleep(1000);
	return NULL;
}

static void a_thread_counts_from_its_birth(void **state)
{
	static const uint64_t time_ns[] = { 10 };
	static _Atomic uint32_t tid;
	pthread_t thread;
	struct count one;

	(void)state;
	needs_schedstat();
	atomic_store(&ends, false);
	assert_int_equal(pthread_create(&thread, NULL, idle, (void *)&tid), 0);
	while (!atomic_load(&tid))
		usleep(100);
	close_frame(4000 * NS_PER_S, tid, 1000 * NS_PER_S, time_ns, 1);
	assert_int_equal(all_of(0), 3000 * NS_PER_S);
	core_task_count(&frame, 0, SLEEP, &one);
	assert_int_equal(one.quality, QUALITY_OK);
	assert_in_range(one.value, 2900 * NS_PER_S, 3000 * NS_PER_S);
	atomic_store(&ends, true);
	pthread_join(thread, NULL);
}

static void sets_without_these_times_read_nothing(void **state)
{
	(void)state;
	set.n_slots = 0;
	schedstat_start(&schedstat, NULL, &set, start_ns, now_ns);
	assert_null(schedstat);
	schedstat_start(&schedstat, NULL, NULL, start_ns, now_ns);
	assert_null(schedstat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(times_add_up_to_the_window, begin, end),
		cmocka_unit_test_setup_teardown(a_thread_that_has_ended_is_not_counted, begin, end),
		cmocka_unit_test_setup_teardown(a_thread_counts_from_its_birth, begin, end),
		cmocka_unit_test_setup_teardown(times_of_a_cgroup_are_with_what_ran, begin_cgroups,
						end_cgroups),
		cmocka_unit_test_setup_teardown(a_limit_allows_no_more_after_a_pause, begin_cgroups,
						end_cgroups),
		cmocka_unit_test_setup_teardown(without_a_file_it_is_not_counted, begin_cgroups,
						end_cgroups),
		cmocka_unit_test_setup_teardown(sets_without_these_times_read_nothing, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
