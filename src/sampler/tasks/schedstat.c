/* schedstat.c: times of threads on CPUs, ready without one, and asleep: /proc/PID/task/TID/schedstat, read with each frame;
 * of cgroups in which they ran, throttled time and limit, divided among their tasks as these ran.
 *
 * 1. All threads are read once at the start, and after that only those that ran in the window: others have not changed.
 * 2. A difference is since the frame in which the thread ran last, so no time is lost between frames.
 * 3. A thread that could not be read, as it has ended, is `unread`.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/num.h"
#include "pmu/activity.h"
#include "pmu/backend.h"
#include "pmu/event.h"
#include "pmu/machine.h"
#include "pmu/sensors.h"
#include "sampler/frame.h"
#include "sampler/tasks/attribution.h"

/* Times, from ACTIVITY_RUN on. */
enum { RUN, WAIT, SLEEP, N_TIMES, THROTTLED = N_TIMES, LIMIT, N_COLUMNS };

/* Bits of core_task.unread. */
#define UNREAD_THREAD ((1 << N_TIMES) - 1)
#define UNREAD_CGROUP (1 << THROTTLED | 1 << LIMIT)

/* Maximum of threads, and of cgroups, of which some have ended. Of more, all are read again, and miss what they had since the
 * last frame. */
enum { THREADS_MAX = 1 << 16 };

/* The kernel's period of limits, which allow no more after a pause. */
#define LIMIT_PERIOD_NS (100 * NS_PER_MS)

struct thread {
	uint64_t id;
	uint8_t unread;            /* in this frame */
	bool has_ended;            /* its id may be another one's from now on */
	struct thread_times total; /* when it was read last */
	uint64_t time[N_TIMES];    /* in this frame */
	uint64_t frame;            /* number of the last frame with this thread */
	size_t task;               /* where it ran longest there */
};

struct cgroup_times {
	uint64_t id;              /* its address */
	uint64_t frame;           /* number of the last frame with a task of it */
	size_t task;              /* the first one there */
	uint8_t unread;           /* in this frame */
	uint64_t t_ns, total_ns;  /* when it was read last: time, throttled */
	uint64_t time[N_COLUMNS]; /* in this frame; RUN: of its tasks */
	uint64_t given_ns;        /* of RUN: tasks that have their part of the other times */
};

struct schedstat {
	uint64_t start_ns; /* of the session */
	struct column_set columns[N_COLUMNS];
	struct backend *backend; /* lists cgroups; NULL: the set has no column of theirs */
	struct cgroup_folders folders;
	bool has_all; /* a thread that is not listed was born since t_ns */
	uint64_t t_ns, frame;
	struct thread *thread;
	size_t n, cap;
	struct hash by_id; /* numbers in thread */
	struct cgroup_times *cgroup;
	size_t n_cgroups, cap_cgroups;
	struct hash by_cgroup; /* numbers in cgroup */
};

/* ---- threads ---- */

/* Find a thread, or add it. @return valid until the next call; NULL without memory */
static struct thread *thread_of(struct schedstat *schedstat, uint64_t id)
{
	return hash_array_item(&schedstat->by_id, (void **)&schedstat->thread, &schedstat->cap,
			       &schedstat->n, sizeof(*schedstat->thread), id);
}

/* Read the threads of all processes. @pid  one of them; 0: all */
static void read_all(struct schedstat *schedstat, uint32_t pid)
{
	char path[32] = "/proc";
	const struct dirent *entry;
	struct thread *thread;
	uint64_t id;

	if (pid)
		snprintf(path, sizeof(path), "/proc/%u/task", pid);

	AUTO_DIR DIR *dir = opendir(path);

	while (dir && schedstat->n < THREADS_MAX && (entry = readdir(dir))) {
		if (num_parse_u64(entry->d_name, &id))
			continue;
		if (!pid)
			read_all(schedstat, (uint32_t)id);
		else if ((thread = thread_of(schedstat, id)))
			thread_times_read(pid, (uint32_t)id, &thread->total);
	}
}

/* Find a cgroup, or add it. @return as thread_of */
static struct cgroup_times *times_of(struct schedstat *schedstat, const struct cgroup *cgroup)
{
	return hash_array_item(&schedstat->by_cgroup, (void **)&schedstat->cgroup,
			       &schedstat->cap_cgroups, &schedstat->n_cgroups,
			       sizeof(*schedstat->cgroup), (uintptr_t)cgroup);
}

static void take_cgroup_note(void *data, const struct task_note *note)
{
	struct schedstat *schedstat = data;
	const struct cgroup *cgroup = cgroup_get(note->path);
	struct cgroup_times *times = times_of(schedstat, cgroup);

	if (!times)
		return;
	times->t_ns = schedstat->t_ns;
	(void)cgroup_read(&schedstat->folders, cgroup->path, CGROUP_THROTTLED, &times->total_ns);
}

/* Forget all threads, and read those that there are. */
static void read_again(struct schedstat *schedstat)
{
	hash_clear(&schedstat->by_id);
	hash_clear(&schedstat->by_cgroup);
	schedstat->n = schedstat->n_cgroups = 0;
	if (schedstat->backend && schedstat->backend->ops->cgroups)
		schedstat->backend->ops->cgroups(
			schedstat->backend,
			&(const struct switch_sink){ .data = schedstat,
						     .take_note = take_cgroup_note });
	read_all(schedstat, 0);
	schedstat->has_all = schedstat->n < THREADS_MAX;
}

/* Get the time in which a thread existed since the last frame. @is_new  it has been born since */
static uint64_t existed_ns(const struct schedstat *schedstat, const struct core_task *task,
			   bool is_new, uint64_t now_ns)
{
	uint64_t start_ns = schedstat->start_ns;
	uint64_t from_ns = is_new ? start_ns + task->first_ns : schedstat->t_ns;
	uint64_t to_ns = task->ended_ns ? start_ns + task->ended_ns : now_ns;

	if (from_ns < schedstat->t_ns)
		from_ns = schedstat->t_ns;
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* Read a thread that ran. @is_new  it is not known what it had before */
static void thread_read(const struct schedstat *schedstat, struct thread *thread, bool is_new,
			const struct core_task *task, uint64_t now_ns)
{
	struct thread_times total;
	uint64_t all_ns;
	uint64_t *time = thread->time;

	thread->unread = UNREAD_THREAD;
	if (!thread_times_read(task->pid, task->tid, &total))
		return;
	thread->unread = is_new && !schedstat->has_all ? UNREAD_THREAD : 0;
	if (thread->has_ended || total.run_ns < thread->total.run_ns ||
	    total.wait_ns < thread->total.wait_ns) { /* another one had its id */
		thread->total = (struct thread_times){ 0 };
		is_new = true;
	}
	all_ns = existed_ns(schedstat, task, is_new, now_ns);
	time[RUN] = total.run_ns - thread->total.run_ns;
	time[WAIT] = total.wait_ns - thread->total.wait_ns;
	thread->total = total;
	time[SLEEP] = all_ns > time[RUN] + time[WAIT] ? all_ns - time[RUN] - time[WAIT] : 0;
}

/* Find the thread of a task, read once a frame. @i  index of the task */
static void take_task(struct schedstat *schedstat, const struct frame_tasks *tasks, size_t i,
		      uint64_t now_ns)
{
	size_t n = schedstat->n;
	struct thread *thread = thread_of(schedstat, tasks->task[i].tid);

	if (!thread)
		return;
	if (thread->frame == schedstat->frame) {
		if (core_task_time_ns(tasks, i) > core_task_time_ns(tasks, thread->task))
			thread->task = i;
		return;
	}
	thread->frame = schedstat->frame;
	thread->task = i;
	thread_read(schedstat, thread, schedstat->n > n, &tasks->task[i], now_ns);
	thread->has_ended = tasks->task[i].ended_ns;
}

/* Read a cgroup of which a task ran. */
static void cgroup_take(const struct schedstat *schedstat, struct cgroup_times *times,
			const char *path, uint64_t now_ns)
{
	uint64_t most_ns = now_ns - schedstat->t_ns, elapsed_ns, total_ns, limit_ns;

	times->unread = UNREAD_CGROUP;
	times->time[RUN] = times->given_ns = 0;
	if (cgroup_read(&schedstat->folders, path, CGROUP_THROTTLED, &total_ns)) {
		/* one that has less than before is another one with the same path */
		times->time[THROTTLED] =
			total_ns - (total_ns < times->total_ns ? 0 : times->total_ns);
		times->total_ns = total_ns;
		times->unread &= (uint8_t) ~(1 << THROTTLED);
	}
	if (cgroup_read(&schedstat->folders, path, CGROUP_LIMIT, &limit_ns)) {
		elapsed_ns = now_ns - (times->t_ns ? times->t_ns : schedstat->t_ns);
		if (most_ns < LIMIT_PERIOD_NS)
			most_ns = LIMIT_PERIOD_NS;
		if (elapsed_ns > most_ns)
			elapsed_ns = most_ns;
		times->time[LIMIT] = (uint64_t)((double)limit_ns / NS_PER_S * (double)elapsed_ns);
		times->unread &= (uint8_t) ~(1 << LIMIT);
	}
	times->t_ns = now_ns;
}

/* Return for how long a task's thread ran, if that is in this task and known. @i  its index */
static uint64_t ran_ns(struct schedstat *schedstat, const struct frame_tasks *tasks, size_t i)
{
	const struct thread *thread = thread_of(schedstat, tasks->task[i].tid);

	return thread && thread->task == i && !thread->unread ? thread->time[RUN] : 0;
}

/* Find the cgroup of a task, read once a frame. @i  index of the task */
static void take_cgroup(struct schedstat *schedstat, const struct frame_tasks *tasks, size_t i,
			uint64_t now_ns)
{
	const struct cgroup *cgroup = core_task_cgroup(&tasks->task[i]);
	struct cgroup_times *times = times_of(schedstat, cgroup);

	if (!times)
		return;
	if (times->frame != schedstat->frame) {
		times->frame = schedstat->frame;
		times->task = i;
		cgroup_take(schedstat, times, cgroup->path, now_ns);
	}
	times->time[RUN] += ran_ns(schedstat, tasks, i);
}

/* ---- frames ---- */

static void set_columns(const struct schedstat *schedstat, struct frame_tasks *tasks, size_t i,
			unsigned time, uint64_t ns)
{
	column_set_each(&schedstat->columns[time], column)
		tasks->value[i * tasks->n_slots + (unsigned)column] = ns;
}

/* Set the times of a task's thread. */
static void set_thread(struct schedstat *schedstat, struct frame_tasks *tasks, size_t i)
{
	const struct thread *thread = thread_of(schedstat, tasks->task[i].tid);

	tasks->task[i].unread |= thread ? thread->unread : UNREAD_THREAD;
	for (unsigned time = RUN; thread && thread->task == i && !thread->unread && time < N_TIMES;
	     time++)
		set_columns(schedstat, tasks, i, time, thread->time[time]);
}

/* Return what tasks have of a time that is divided as they ran: the first ones, which ran so long together. */
static uint64_t part_of(const struct cgroup_times *times, unsigned time, uint64_t ran_ns)
{
	return (uint64_t)((double)times->time[time] * ((double)ran_ns / (double)times->time[RUN]));
}

/* Set a task's part of the times of its cgroup: each core type's is as large as what ran there. */
static void set_cgroup(struct schedstat *schedstat, struct frame_tasks *tasks, size_t i)
{
	struct cgroup_times *times = times_of(schedstat, core_task_cgroup(&tasks->task[i]));
	uint64_t before_ns, ns;

	tasks->task[i].unread |= times ? times->unread : UNREAD_CGROUP;
	if (!times)
		return;
	before_ns = times->given_ns;
	times->given_ns += ran_ns(schedstat, tasks, i);
	for (unsigned time = N_TIMES; time < N_COLUMNS; time++) {
		if (times->unread >> time & 1)
			continue;
		ns = times->time[RUN] ? part_of(times, time, times->given_ns) -
						part_of(times, time, before_ns)
		     : times->task == i ? times->time[time]
					: 0;
		set_columns(schedstat, tasks, i, time, ns);
	}
}

/* Set a core's times to the sums of its tasks. @at  the first one; moved behind its last */
static void set_core(const struct schedstat *schedstat, struct frame *frame, unsigned core,
		     size_t *at)
{
	const struct frame_tasks *tasks = frame->tasks;
	uint64_t window_ns = frame->core[core].window_ns;
	size_t first = *at;

	while (*at < tasks->n && tasks->task[*at].core <= core)
		++*at;
	for (unsigned time = 0; frame->core[core].state == CORE_ON && time < N_COLUMNS; time++)
		column_set_each(&schedstat->columns[time], column) {
			struct count sum = { .enabled_ns = window_ns,
					     .running_ns = window_ns,
					     .quality = QUALITY_OK,
					     .n_summed = 1 };

			for (size_t i = first; i < *at; i++) {
				sum.value += tasks->value[i * tasks->n_slots + (unsigned)column];
				if (tasks->task[i].unread >> time & 1)
					sum.quality = QUALITY_PARTIAL;
			}
			frame->count[(size_t)core * frame->n_slots + (unsigned)column] = sum;
		}
}

void schedstat_close(struct schedstat *schedstat, struct frame *frame, uint64_t now_ns)
{
	struct frame_tasks *tasks = (struct frame_tasks *)frame->tasks; /* not published yet */
	size_t at = 0;

	if (!tasks)
		return;
	if (schedstat->n > THREADS_MAX || schedstat->n_cgroups > THREADS_MAX)
		read_again(schedstat);
	schedstat->frame++;
	for (size_t i = 0; i < tasks->n; i++)
		if (tasks->task[i].kind == TASK_THREAD)
			take_task(schedstat, tasks, i, now_ns);
	for (size_t i = 0; schedstat->backend && i < tasks->n; i++)
		if (tasks->task[i].kind == TASK_THREAD)
			take_cgroup(schedstat, tasks, i, now_ns);
	for (size_t i = 0; i < tasks->n; i++) {
		struct core_task *task = &tasks->task[i];

		task->unread = task->kind == TASK_THREAD ? 0 : UNREAD_CGROUP;
		if (task->kind == TASK_OTHERS)
			task->unread |= UNREAD_THREAD;
		if (task->kind == TASK_THREAD)
			set_thread(schedstat, tasks, i);
		if (task->kind == TASK_THREAD && schedstat->backend)
			set_cgroup(schedstat, tasks, i);
	}
	for (unsigned core = 0; core < frame->n_cores; core++)
		set_core(schedstat, frame, core, &at);
	schedstat->t_ns = now_ns;
}

void schedstat_start(struct schedstat **schedstat, struct backend *backend, const struct set *set,
		     uint64_t start_ns, uint64_t now_ns)
{
	struct schedstat made = { .start_ns = start_ns, .t_ns = now_ns };
	bool is_wanted = false;

	for (unsigned i = 0; set && i < set->n_slots; i++) {
		const struct event *event = set_event(set, i);

		if (!event || !event_is_schedstat(event) || *event->refused)
			continue;
		column_set_add(&made.columns[event->config[0] - ACTIVITY_RUN], i);
		is_wanted = true;
		if (event->config[0] > ACTIVITY_SLEEP)
			made.backend = backend;
	}
	if (made.backend)
		cgroup_folders_find(&made.folders, backend->machine.pmus.root);
	schedstat_free(*schedstat);
	*schedstat = is_wanted ? malloc(sizeof(made)) : NULL;
	if (!*schedstat)
		return;
	**schedstat = made;
	read_again(*schedstat);
}

void schedstat_free(struct schedstat *schedstat)
{
	if (!schedstat)
		return;
	free(schedstat->thread);
	free(schedstat->cgroup);
	hash_fini(&schedstat->by_id);
	hash_fini(&schedstat->by_cgroup);
	free(schedstat);
}
