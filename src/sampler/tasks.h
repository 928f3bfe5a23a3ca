/* tasks.h: cgroups, and counts of each task on each core in the window of a frame */
#ifndef SAMPLER_TASKS_H
#define SAMPLER_TASKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/count.h"
#include "pmu/sample.h"
#include "pmu/set.h"

struct frame;

/* ---- control groups by path: one object each, until the program ends ---- */

/** A cgroup; two that have one path one after the other are the same. Constant. */
struct cgroup {
	const struct cgroup *parent; /* NULL: the root */
	unsigned depth;              /* number of those above it */
	const char *path; /* "/a.slice/b.scope"; printable UTF-8; "[ID]" without a known path */
	const char *name; /* last part as users know it: "b", the name of a container */
};

/** Cgroup of a task whose cgroup is not known. */
extern const struct cgroup cgroup_unknown;

/**
 * Get the cgroup of a path. Beyond 64 MiB of paths a new one is the nearest known one above it.
 * Any thread.
 *
 * @path  untrusted; shown as utf8_copy does
 */
const struct cgroup *cgroup_get(const char *path);

/** Get the cgroup whose path is shown so. Any thread. */
const struct cgroup *cgroup_of_shown(const char *path);

/** Whether it is `above`, or below that. */
bool cgroup_is_in(const struct cgroup *cgroup, const struct cgroup *above);

/** Compare by path, so that what is below a cgroup follows it. @return as strcmp */
int cgroup_compare(const struct cgroup *a, const struct cgroup *b);

/** Write the path as users know it, "/a/b", cut to fit. @return buf */
const char *cgroup_names(const struct cgroup *cgroup, char *buf, size_t size);

/** Write it in so many columns: "…" for its beginning if it is longer. @return buf */
const char *cgroup_names_fit(const struct cgroup *cgroup, int width, char *buf, size_t size);

/** Read the names of the containers that docker and podman have, as far as this user may: later m1top
 * has fewer rights. Main thread, before the first cgroup_get of a running machine. */
void cgroup_read_containers(void);

/** Get the name of the container that the cgroup is, or is in. Any thread. @return NULL: none, or not known */
const char *cgroup_container(const struct cgroup *cgroup);

/** Name the container whose id is in a path, unless it has a name. Any thread, before the first cgroup_get of the
 * path. @name  as cgroup_container returned it; untrusted */
void cgroup_name_container(const char *path, const char *name);

/* ---- tasks ---- */

enum task_kind {
	TASK_THREAD,       /* pid, tid and comm are valid */
	TASK_IDLE,         /* nothing ran: the kernel's task 0 */
	TASK_UNATTRIBUTED, /* records of switches were lost, so the task is unknown */
	TASK_OTHERS,       /* sum of the small tasks beyond the limit of a frame */
	N_TASK_KINDS,
};

/** Name of a kind; "" for TASK_THREAD. */
extern const char *task_kind_name[N_TASK_KINDS];

/** One task on one core. Interrupts count for the task that they interrupt. */
struct core_task {
	uint16_t core;
	uint8_t kind;    /* enum task_kind */
	bool is_of_root; /* is the set's `root` or a descendant; unknown in a session file */
	uint8_t unread; /* bits from ACTIVITY_RUN on: times that it lacks, as it ended, or its cgroup has no such file */
	uint32_t pid, tid; /* 0 unless TASK_THREAD */
	uint64_t first_ns; /* time first seen, since the session's start; reused tid: new task */
	uint64_t ended_ns; /* end time, if it ended in this window; else 0 */
	/* its counts in several cgroups are several tasks; NULL: not known */
	const struct cgroup *cgroup;
	/* name at the end of the window; printable UTF-8. Only other kinds have a task_kind_name */
	char comm[TASK_COMM_SIZE];
};

/** Make a task of a kind other than TASK_THREAD. */
struct core_task task_of_kind(enum task_kind kind);

/**
 * A frame's tasks. On each core that has any, and for each column that the core counts,
 *
 *  sum of the values of all its tasks == frame_counts(frame, core)[column].value
 *
 * exactly: counts that cannot be attributed belong to a separate task. Constant once published.
 */
struct frame_tasks {
	uint64_t n_switches, n_lost; /* in the window, sum over all cores */
	float cost_share; /* cost of the attribution, kernel and m1top, as a share of one core */
	unsigned n_slots, n_mux; /* of the frame's set */
	/* not 0: the user's own threads alone, each on the core where it ran last, and counted over this time */
	uint64_t own_window_ns;
	struct column_set own_columns; /* that only these have, no core */
	size_t n;
	struct core_task *task; /* by core, then by time, longest first */
	uint64_t *value;        /* [task × n_slots + column]; 0 where the core has no count */
	uint64_t *time_ns; /* [task × n_mux + mux group]: on the core while that group counted */
	atomic_uint refs;
};

/** Allocate n tasks, all zero, with one reference. @n_mux  1 or more  @return NULL without memory */
struct frame_tasks *frame_tasks_new(size_t n, unsigned n_slots, unsigned n_mux);

/** Take another reference. NULL is accepted. @return tasks */
const struct frame_tasks *frame_tasks_ref(const struct frame_tasks *tasks);

/** Drop a reference; the last one frees the tasks. NULL is accepted. Any thread. */
void frame_tasks_unref(const struct frame_tasks *tasks);

/** Whether tasks can have counts of a column. Not for devices, nor for times that the kernel knows
 * only per core (PMU "activity", except for schedstat). */
bool tasks_have_column(const struct set *set, unsigned column);

/**
 * Get the counts of a process on each core for one column; with m1top's own id this is its share of
 * the counter.
 *
 * @frame  with tasks  @ret_by_core  n_cores sums
 */
void frame_tasks_of_process(const struct frame *frame, uint32_t pid, unsigned column,
			    uint64_t *ret_by_core);

/** Add the columns of which a task has a count. @i  0 … n-1 */
void frame_task_columns(const struct frame_tasks *tasks, size_t i, struct column_set *columns);

/** Get the time on the core, over all mux groups. @i  0 … n-1 */
uint64_t core_task_time_ns(const struct frame_tasks *tasks, size_t i);

/** Grouping of tasks: threads of one process, single threads, tasks with one name, tasks in one cgroup; all threads
 * that had an id; all that is of one life of a thread in one cgroup. */
enum task_by { BY_PROCESS, BY_THREAD, BY_COMMAND, BY_CGROUP, N_TASK_BY, BY_ID = N_TASK_BY, BY_ALL };

/** "process", "task", "command", "cgroup": values of --by. */
extern const char *const task_by_name[N_TASK_BY];

/** Compare two numbers. @return as strcmp */
static inline int task_order(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/** Compare tasks. All idle tasks are equal, and so are [unattributed]
 * and [others].
 * @return 0 if equal; else an order */
int task_compare(const struct core_task *a, const struct core_task *b, enum task_by by);

/** Get a task's cgroup. @return never NULL */
static inline const struct cgroup *core_task_cgroup(const struct core_task *task)
{
	return task->cgroup ? task->cgroup : &cgroup_unknown;
}

/** Get the name of a row: the path of a cgroup, else the task's. */
const char *core_task_name(const struct core_task *task, enum task_by by);

/** A thread, process, command or cgroup of any frame. */
struct task_id {
	bool is_task; /* false: none */
	enum task_by by;
	struct core_task like; /* the task, or a thread of it */
};

/** Whether both are the same task, or both none. */
bool task_id_is(const struct task_id *a, const struct task_id *b);

/** Whether a task is part of it; of a cgroup also what is below it. */
bool task_id_has(const struct task_id *id, const struct core_task *task);

/** Get a count as core_task_count, without a frame. @set  of the tasks  @quality  of the core's count */
void task_count(const struct frame_tasks *tasks, const struct set *set, size_t i, unsigned column,
		enum quality quality, struct count *ret);

/**
 * Get one column of one task as a count: enabled_ns is the task's time on the core, running_ns the
 * part of it in which the column's mux group counted. So its rate is events per second of the
 * task's run time; divide by the frame's window for events per second of the machine. Its quality
 * is that of the core's count, but SCALED if the group did not count all of the task's time, and PARTIAL if it did
 * where the core lost its counter for a while; a value with a time too short to measure is kept. NOT_SUPPORTED if
 * tasks do not have the column.
 * Times of schedstat need no counter: they are OK, but NOT_COUNTED, or PARTIAL with a value, if `unread`.
 *
 * @frame  with tasks
 */
void core_task_count(const struct frame *frame, size_t i, unsigned column, struct count *ret);

#endif
