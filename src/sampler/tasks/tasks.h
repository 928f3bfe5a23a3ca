/* tasks.h: what each task did on each core in the window of a frame */
#ifndef SAMPLER_TASKS_TASKS_H
#define SAMPLER_TASKS_TASKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/count.h"
#include "machine/switch.h"

struct frame;
struct set;

enum task_kind {
	TASK_THREAD,       /* pid, tid and comm hold */
	TASK_IDLE,         /* nothing ran: the kernel's task 0 */
	TASK_UNATTRIBUTED, /* records of switches were lost: whose it was is not known */
	TASK_OTHERS,       /* many with little each, more than a frame names */
	N_TASK_KINDS,
};

/** What is no thread is called so; "" for TASK_THREAD. */
extern const char *const task_kind_name[N_TASK_KINDS];

/** What one task did on one core. Interrupts count for the task that they interrupted. */
struct core_task {
	uint16_t core;
	uint8_t kind;      /* enum task_kind */
	bool is_of_root;   /* of the set's `root` or a descendant; not known in a session file */
	uint32_t pid, tid; /* 0 unless TASK_THREAD */
	uint64_t first_ns; /* when it was first seen, since the session began: a tid that is used
			    * again is another task */
	uint64_t ended_ns; /* when it ended, where it did so in this window; else 0 */
	/* at the end of the window; UTF-8 that all is seen. Only what is no thread has task_kind_name */
	char comm[TASK_COMM_SIZE];
};

/** One that is no thread. */
struct core_task task_of_kind(enum task_kind kind);

/**
 * A frame's tasks. On each core that has any, and for each column that the core counts,
 *
 *	sum of the values of all its tasks == frame_counts(frame, core)[column].value
 *
 * to the unit: whatever cannot be attributed is a task of its own. Constant once published.
 */
struct frame_tasks {
	uint64_t n_switches, n_lost; /* in the window, all cores together */
	float cost_share;        /* of one core's time, what attribution costs: kernel and m1top */
	unsigned n_slots, n_mux; /* of the frame's set */
	size_t n;
	struct core_task *task; /* by core, of a core by time, most first */
	uint64_t *value;        /* [task × n_slots + column]; 0 where the core has no count */
	uint64_t *time_ns; /* [task × n_mux + mux group]: on the core while that group counted */
	atomic_uint refs;
};

/** Room for n tasks, all zero, with one reference. @n_mux  1 or more  @return NULL without memory */
struct frame_tasks *frame_tasks_new(size_t n, unsigned n_slots, unsigned n_mux);

/** Another reference. NULL is accepted. @return tasks */
const struct frame_tasks *frame_tasks_ref(const struct frame_tasks *tasks);

/** Give up a reference; the last one frees. NULL is accepted. Any thread. */
void frame_tasks_unref(const struct frame_tasks *tasks);

enum { TASKS_KEPT_MAX = 64 };

/**
 * Two windows of the same set, the second one after the first, as one; of each core the `n_kept` tasks
 * that have most time, and those that have most of each column, the rest of them in [others]: sums
 * stay as they are.
 *
 * @second  NULL: only one
 * @n_kept  1 … TASKS_KEPT_MAX
 * @return  with one reference; `first` itself where nothing has to change. NULL without memory
 */
const struct frame_tasks *frame_tasks_merge(const struct frame_tasks *first,
					    const struct frame_tasks *second, unsigned n_kept);

/** Memory it takes. */
size_t frame_tasks_bytes(const struct frame_tasks *tasks);

/** Can tasks have counts of a column? Not where a device counts it, nor what only the kernel's own
 * times tell of a core (the PMU "activity"). */
bool tasks_have_column(const struct set *set, unsigned column);

/**
 * What a process did on each core, of one column: with its own id m1top's share of the counter.
 *
 * @frame  with tasks  @ret_by_core  n_cores sums
 */
void frame_tasks_of_process(const struct frame *frame, uint32_t pid, unsigned column,
			    uint64_t *ret_by_core);

/** Time on the core, over all mux groups. @i  0 … n-1 */
uint64_t core_task_time_ns(const struct frame_tasks *tasks, size_t i);

/** What makes tasks one: the same thread, threads of one process, tasks of one name. */
enum task_by { BY_PROCESS, BY_THREAD, BY_COMMAND, N_TASK_BY };

/** "process", "task", "command": as --by has it. */
extern const char *const task_by_name[N_TASK_BY];

/** Like strcmp, of numbers. */
static inline int task_order(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/** Is it the same thread, process or command? All idle is one, and so are [unattributed] and [others].
 * @return 0; else an order */
int task_compare(const struct core_task *a, const struct core_task *b, enum task_by by);

/** A thread, process or command of any frame. */
struct task_id {
	bool is_task; /* else it is none */
	enum task_by by;
	struct core_task like; /* it, or a thread of it */
};

/** Are they the same one, or both none? */
bool task_id_is(const struct task_id *a, const struct task_id *b);

/** core_task_count without a frame. @set  of the tasks  @quality  of the core's count */
void task_count(const struct frame_tasks *tasks, const struct set *set, size_t i, unsigned column,
		enum quality quality, struct count *ret);

/**
 * One column of one task as a count: enabled as long as the task was on the core, running as long as
 * it was while the column's mux group counted. So a rate is events per second that the task ran; divide by
 * the frame's window for events per second of the machine. Its quality is that of the core's count, scaled
 * where it was not counted all the time that it ran; a value of a time too short to be measured is one, too.
 * NOT_SUPPORTED where tasks have not that column.
 *
 * @frame  with tasks
 */
void core_task_count(const struct frame *frame, size_t i, unsigned column, struct count *ret);

#endif
