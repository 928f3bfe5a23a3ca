/* task_rows.h: tasks of frames: numbered across frames, summed by thread, process, command or cgroup */
#ifndef SAMPLER_TASK_ROWS_H
#define SAMPLER_TASK_ROWS_H

#include "base/hash.h"
#include "pmu/machine.h"
#include "sampler/frame.h"
#include "sampler/tasks.h"

/* ---- numbers of tasks across frames ---- */

/** Index of tasks; `{ .by = … }` is empty. */
struct task_index {
	enum task_by by;
	struct core_task *task; /* as first seen, except for the name, which the user may change */
	size_t n, cap;
	struct hash numbers;
};

/** Get the number of the task that equals this one by task_compare. @return -1: none */
ptrdiff_t task_index_find(const struct task_index *index, const struct core_task *task);

/** Get the number as above; a new task gets number n. @return -ENOMEM */
ptrdiff_t task_index_take(struct task_index *index, const struct core_task *task);

/** Free the contents; the index is empty again. */
void task_index_clear(struct task_index *index);

/* ---- sums of a frame's tasks, for screen, stat, report and serve ---- */

/** One thread, process, command or cgroup. Figures on cores of different types are never added. */
struct task_row {
	/* Task that gives the row its name: a thread itself; for a process its main thread if that
	 * ran, for a process or command else the thread that ran longest; idle, [unattributed] and
	 * [others] are rows, too */
	const struct core_task *task;
	const struct core_task *const
		*part; /* summands, in the order of the cores; not in a tree */
	size_t n_parts;
	uint64_t time_ns; /* sum over all cores */
	uint32_t types;   /* core types that it ran on, as bits */
	size_t above;     /* of a tree: row above it; itself at the top */
};

/** Rows of a frame, valid as long as the frame. Task rows come first, longest time first. */
struct task_rows {
	const struct frame *frame;
	const struct machine *machine;
	/* columns of which [unattributed] has counts, [others] has: other rows may lack those */
	struct column_set lost[TYPES_MAX], merged[TYPES_MAX];
	struct column_set
		missing[TYPES_MAX]; /* columns of cores without counts, whose tasks are not known */
	uint32_t late_types; /* types with a late core, whose part all rows may lack, as bits */
	size_t n;
	struct task_row *row;
};

/**
 * Sum a frame's tasks. For each core type and column the sum of all rows equals the sum of the
 * type's cores exactly.
 *
 * @frame  with tasks  @machine  machine of the frame; both must outlive the rows
 * @on     only tasks' time on these CPUs; NULL: on all
 * @of_root  only the set's `root` and its descendants, and what was lost of them
 * @in     only this cgroup and what is below it, and [unattributed] and [others], which may have part of it; NULL: all
 * @return to be freed with free(); NULL without memory
 */
struct task_rows *task_rows_new(const struct frame *frame, const struct machine *machine,
				enum task_by by, const struct cpus *on, bool of_root,
				const struct cgroup *in);

/**
 * Sum a frame's tasks by cgroup, each with what is below it; those above a cgroup with tasks have rows, too. The tasks that
 * name rows have no ids. Each row is followed by those below it; the other kinds of tasks come last.
 *
 * @return as task_rows_new
 */
struct task_rows *task_rows_tree(const struct frame *frame, const struct machine *machine,
				 const struct cpus *on);

/** Get one column of a row on the cores of one type, as core_task_count; PARTIAL if other rows, or a late core, may have part
 * of it; NONE if it did not run on any. */
struct count task_row_count(const struct task_rows *rows, const struct task_row *row, unsigned type,
			    unsigned column);

/** Get all columns of a row. @ret  a count for each slot of the frame */
void task_row_counts(const struct task_rows *rows, const struct task_row *row, unsigned type,
		     struct count *ret);

/** Add the row's windows: its tasks' times on each core of one type. @return 0 or -ENOMEM */
int task_row_add_windows(const struct task_rows *rows, const struct task_row *row, unsigned type,
			 struct count_windows *windows);

/** Evaluate a metric of a row from its windows. */
struct reading task_row_metric(const struct task_rows *rows, const struct task_row *row,
			       unsigned type, const struct metric_program *program,
			       const struct metric_binding *binding);

/** Get the row's time on the cores of one type, in cores: 1 is the whole window of one core. */
double task_row_load(const struct task_rows *rows, const struct task_row *row, unsigned type);

/* ---- sums over frames, for stat, report and serve ---- */

/** Columns of a sum. Slots of one column are mux groups that count one event: they form one window. */
struct task_columns {
	/* by core type and slot: column, COLUMN_NONE: none; first slot of the same column */
	uint16_t at[TYPES_MAX][COLUMNS_MAX], first[TYPES_MAX][COLUMNS_MAX];
};

/** Make each slot of each type a column: type × n_slots + slot. @return their number */
size_t task_columns_of_slots(struct task_columns *columns, unsigned n_types, unsigned n_slots);

/** Sum of one thread, process, command or cgroup. */
struct task_sum {
	/* of a process its main thread, if that ran; of a command or cgroup without pid */
	struct core_task task;
	struct count *count; /* by column, NONE if it did not run; n_counts of them */
	size_t n_counts, cap_counts;
	struct count_windows windows[TYPES_MAX]; /* for metrics */
};

/** Make room for the counts. @return 0 or -ENOMEM */
int task_sum_reserve(struct task_sum *sum, size_t n_columns);

/** Add a row of a frame, as count_add_window does. @sum  with room for all columns */
void task_sum_add(struct task_sum *sum, const struct task_columns *columns,
		  const struct task_rows *rows, const struct task_row *row);

/** Maximum of tasks with a sum of their own in a report; later ones are in [others]. */
enum { TASK_SUMS_MAX = 1 << 16 };

/** An event on the cores of one type, summed over all sets and mux groups. */
struct task_figure {
	unsigned type;
	const struct event *event;
	double total;    /* of all tasks, set by task_sums_end */
	bool is_late;    /* its last frame lacked a core */
	bool is_missing; /* a frame had a core without counts, whose tasks are not known */
};

/** Sums of all tasks. `{ .tasks.by = BY_COMMAND, .machine = … }` is empty. */
struct task_sums {
	struct task_index tasks; /* same indices as `sum` */
	const struct machine *machine;
	bool of_root;            /* only the set's `root` and its descendants */
	const struct cgroup *in; /* only this cgroup and what is below it; NULL: all */
	size_t max;              /* number of tasks; 0: no limit */
	bool by_slot; /* columns are the slots of one set, by core type; names are those of the last frame; windows are added */
	struct task_sum *sum;
	size_t cap;
	struct task_columns columns; /* of the last frame's set */
	size_t n_columns;
	struct task_figure *figure; /* the columns; by_slot: `event` may be NULL */
	size_t n_figures, cap_figures;
	/* time that windows of frames with tasks cover, and its end, by type */
	uint64_t watched_ns[TYPES_MAX], watched_to_ns[TYPES_MAX];
	const struct set *set; /* set of the last frame */
	size_t n_frames;
};

/** Find or add the sum of a task, with room for all columns. @return NULL without memory */
struct task_sum *task_sums_take(struct task_sums *sums, const struct core_task *task);

/** Add the counts of a frame's tasks, as count_add_window does. @frame  with tasks  @return 0 or -ENOMEM */
int task_sums_add(struct task_sums *sums, const struct frame *frame);

/**
 * Mark what tasks may lack in all as PARTIAL, after all frames: one may have no row in the frame in which its records
 * were lost, or its core was late in the last one.
 */
void task_sums_mark(struct task_sums *sums);

/** Do the same, and calculate the totals of the figures. */
void task_sums_end(struct task_sums *sums);

/** Get a task's total of an event; an estimate if SCALED. NONE if it never ran on that type. */
struct reading task_sums_total(const struct task_sums *sums, const struct task_sum *sum,
			       size_t figure);

/** Get a task's share of an event's total, 0 to 1. */
double task_sums_share(const struct task_sums *sums, const struct task_sum *sum, size_t figure);

/** Return the time over which a task's count has its rate: the windows of its cores in one frame, else the time observed. */
uint64_t task_sums_window_ns(const struct task_sums *sums, unsigned type,
			     const struct count *count);

/** Get a task's rate, events per second of that time. */
double task_sums_rate(const struct task_sums *sums, const struct task_sum *sum, size_t figure);

/**
 * List the tasks with the highest counts of an event, in descending order, without those that have none.
 *
 * @ret     room for n
 * @return  number of tasks
 */
size_t task_sums_top(const struct task_sums *sums, size_t figure, size_t n,
		     const struct task_sum **ret);

/** Get the number of tasks that have counts of an event. */
size_t task_sums_n(const struct task_sums *sums, size_t figure);

/** Find the sum of the same task as in another session. @return NULL: there is none */
const struct task_sum *task_sums_find(const struct task_sums *sums, const struct task_sum *like);

/** Release. NULL is accepted. */
void task_sums_fini(struct task_sums *sums);

#endif
