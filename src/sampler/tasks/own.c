/* own.c: the user's own threads, read from /proc, if the kernel permits no records of switches */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "base/text.h"
#include "sampler/tasks/attribution.h"
#include "sampler/tasks/names.h"
#include "sampler/threads/internal.h"

/* Number of threads that are read. */
enum { THREADS_MAX = 4096, NO_CORE = (uint16_t)-1 };

/* Software events that /proc counts, too. Source: enum perf_sw_ids of linux/perf_event.h */
enum { CLOCK = 1, FAULTS = 2, SWITCHES = 3, MINOR = 5, MAJOR = 6, N_EVENTS };

/* Thread with its counts by software event: so far, and since the last read. */
struct own_task {
	struct core_task is;
	uint64_t count[N_EVENTS], delta[N_EVENTS];
};

/* Longest step in which a thread's time is updated. */
#define CLOCK_STEP_NS (100 * NS_PER_MS)

struct own_list {
	struct own_task *task;
	size_t n, cap;
};

struct own_tasks {
	struct sampler *sampler;
	uint64_t known;              /* events that this kernel counts, as bits */
	struct own_list now, before; /* the last two reads */
	uint64_t t_ns, window_ns;    /* time of the last read, and since the one before */
};

/* ---- /proc ---- */

/* Read name, core and counts. Source: proc_pid_stat(5)
 *
 * @known   from the read before; NULL: none
 * @return  false: it has ended, a count is missing, or its CPU is left out */
static bool read_thread(struct own_tasks *own, const struct own_task *known, struct own_task *task)
{
	enum { MINOR_AT = 7, MAJOR_AT = 9, USER_AT = 11, KERNEL_AT = 12, CPU_AT = 36 };
	uint64_t minor, major, user, kernel, cpu;
	struct thread_times times = { 0 }; /* some kernels have only 0 */
	uint64_t tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
	char path[64], text[1024], comm[TASK_COMM_SIZE];
	const char *begin, *end;

	thread_times_read(task->is.pid, task->is.tid, &times);
	if (known && known->count[SWITCHES] && !times.n_runs)
		return false;
	if (known && times.run_ns && known->count[CLOCK] == times.run_ns) { /* most threads wait */
		*task = *known;
		return true;
	}
	snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", task->is.pid, task->is.tid);
	if (sysfs_read("", path, text, sizeof(text)) <= 0)
		return false;
	begin = strchr(text, '(');
	end = strrchr(text, ')');
	if (!end || !text_word_u64(end + 1, MINOR_AT, &minor) ||
	    !text_word_u64(end + 1, MAJOR_AT, &major) || !text_word_u64(end + 1, USER_AT, &user) ||
	    !text_word_u64(end + 1, KERNEL_AT, &kernel) || !text_word_u64(end + 1, CPU_AT, &cpu))
		return false;
	/* or NO_CORE */
	task->is.core = (uint16_t)machine_core_of_cpu(own->sampler->machine, (unsigned)cpu);
	snprintf(comm, sizeof(comm), "%.*s", (int)(end - begin - 1), begin + 1);
	names_copy_comm(comm, task->is.comm);
	task->count[MINOR] = minor;
	task->count[MAJOR] = major;
	task->count[FAULTS] = minor + major;
	task->count[CLOCK] = times.run_ns ? times.run_ns : (user + kernel) * tick_ns;
	task->count[SWITCHES] = times.n_runs;
	own->known |= (uint64_t)(times.n_runs > 0) << SWITCHES;
	return task->is.core != NO_CORE;
}

static int by_thread(const void *a, const void *b)
{
	return task_order(((const struct own_task *)a)->is.tid,
			  ((const struct own_task *)b)->is.tid);
}

static bool has_less(const struct own_task *task, const struct own_task *known)
{
	bool has_less = false;

	for (unsigned i = 0; i < N_EVENTS; i++)
		has_less |= task->count[i] < known->count[i];
	return has_less;
}

static void add_thread(struct own_tasks *own, uint32_t pid, uint32_t tid)
{
	static const struct own_task none;
	struct own_task task = { .is = { .pid = pid, .tid = tid } };
	const struct own_task *known = NULL;

	if (own->before.n)
		known = bsearch(&task, own->before.task, own->before.n, sizeof(task), by_thread);
	if (!read_thread(own, known, &task))
		return;
	if (!known || has_less(&task, known)) /* or another one had its id */
		known = own->before.n ? &none : &task;
	if (task.count[CLOCK] - known->count[CLOCK] > own->window_ns + CLOCK_STEP_NS)
		known = &task; /* no thread runs longer than time passes: what was read is no count since then */
	for (unsigned i = 0; i < N_EVENTS; i++)
		task.delta[i] = task.count[i] - known->count[i];
	array_append((void **)&own->now.task, &own->now.cap, &own->now.n, &task, sizeof(task));
}

/* Read the threads of the user's processes. @pid  one of them; 0: all */
static void read_threads(struct own_tasks *own, uint32_t pid)
{
	char path[32] = "/proc";
	const struct dirent *entry;
	struct stat st;
	uint64_t id;

	if (pid)
		snprintf(path, sizeof(path), "/proc/%u/task", pid);

	AUTO_DIR DIR *dir = opendir(path);

	while (dir && own->now.n < THREADS_MAX && (entry = readdir(dir))) {
		if (num_parse_u64(entry->d_name, &id) ||
		    (!pid && fstatat(dirfd(dir), entry->d_name, &st, 0)) ||
		    (!pid && st.st_uid != getuid()))
			continue;
		if (pid)
			add_thread(own, pid, (uint32_t)id);
		else
			read_threads(own, (uint32_t)id);
	}
}

static void read_all(struct own_tasks *own)
{
	struct own_list was = own->before;
	uint64_t t_ns = clock_now_ns();

	own->window_ns = t_ns - own->t_ns;
	own->t_ns = t_ns;
	own->before = own->now;
	own->now = was;
	own->now.n = 0;
	if (own->before.n)
		qsort(own->before.task, own->before.n, sizeof(struct own_task), by_thread);
	read_threads(own, 0);
}

/* ---- frames ---- */

/* Order by core, then by time, longest first; threads that did not run come last. */
static int by_place(const void *a, const void *b)
{
	const struct own_task *left = a, *right = b;
	uint64_t ns = left->delta[CLOCK], other_ns = right->delta[CLOCK];
	int by_run = task_order(!ns, !other_ns),
	    by_core = task_order(left->is.core, right->is.core);

	return by_run ? by_run : by_core ? by_core : task_order(other_ns, ns);
}

/* Get the columns that are known. /proc does not tell user mode from the kernel. */
static struct column_set columns_of(const struct own_tasks *own, const struct set *set)
{
	struct column_set columns = { { 0 } };

	for (unsigned i = 0; i < set->n_slots; i++) {
		const struct event *event = set_event(set, i);

		if (event && event->pmu->kind == PMU_SOFTWARE && event->config[0] < N_EVENTS &&
		    own->known >> event->config[0] & 1 && event->privilege == PRIVILEGE_BOTH)
			column_set_add(&columns, i);
	}
	return columns;
}

static void add_row(const struct own_task *task, const struct frame *frame, size_t i,
		    struct frame_tasks *ret)
{
	uint64_t window_ns = ret->own_window_ns, ns = task->delta[CLOCK];

	ret->task[i] = task->is;
	ret->n_switches += task->delta[SWITCHES];
	ret->time_ns[i * ret->n_mux] = ns < window_ns ? ns : window_ns;
	for (unsigned slot = 0; slot < ret->n_slots; slot++)
		if (column_set_has(&ret->own_columns, slot))
			ret->value[i * ret->n_slots + slot] =
				task->delta[set_event(frame->set, slot)->config[0]];
}

const struct frame_tasks *own_tasks_close(struct own_tasks *own, const struct frame *frame)
{
	uint64_t from_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID), window_ns = frame_window_ns(frame);
	struct frame_tasks *ret;
	size_t n = 0;

	read_all(own);
	if (own->now.n)
		qsort(own->now.task, own->now.n, sizeof(struct own_task), by_place);
	while (n < own->now.n && own->now.task[n].delta[CLOCK])
		n++;
	ret = frame_tasks_new(n, frame->n_slots, set_n_mux(frame->set));
	if (!ret)
		return NULL;
	ret->own_window_ns = own->window_ns; /* whether or not a core is late */
	ret->own_columns = columns_of(own, frame->set);
	for (size_t i = 0; i < n; i++)
		add_row(&own->now.task[i], frame, i, ret);
	if (window_ns)
		ret->cost_share =
			(float)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - from_ns) / (float)window_ns;
	return ret;
}

void own_tasks_start(struct own_tasks **own, struct sampler *sampler, const struct set *set)
{
	own_tasks_free(*own);
	*own = set->by_task ? calloc(1, sizeof(**own)) : NULL;
	if (!*own)
		return;
	(*own)->sampler = sampler;
	(*own)->known = 1 << CLOCK | 1 << FAULTS | 1 << MINOR | 1 << MAJOR;
	read_all(*own);
}

void own_tasks_free(struct own_tasks *own)
{
	if (!own)
		return;
	free(own->now.task);
	free(own->before.task);
	free(own);
}
