/* task_sums.h: who had most of a session's counts: tasks added up by command or process */
#ifndef SESSION_REPORT_TASK_SUMS_H
#define SESSION_REPORT_TASK_SUMS_H

#include "sampler/tasks/task_index.h"
#include "sampler/tasks/task_rows.h"

/* So many have a sum of their own; those that come later are in [others]. */
enum { TASK_SUMS_MAX = 1 << 16 };

/** An event on the cores of one type, over all sets and mux groups. */
struct task_figure {
	unsigned type;
	const struct event *event;
	double total; /* of all tasks, worked out at the end */
};

/** One command or process. */
struct task_sum {
	struct core_task
		task; /* of a process its main thread, where that ran; of a command without pid */
	struct count *count; /* by figure; those behind n_counts are nothing */
	size_t n_counts, cap_counts;
};

/** `{ .tasks.by = BY_COMMAND, .machine = … }` or BY_PROCESS is empty. */
struct task_sums {
	struct task_index tasks; /* whose sums they are */
	const struct machine *machine;
	struct task_figure *figure;
	size_t n_figures, cap_figures;
	struct task_sum *sum;
	size_t n, cap;
	uint64_t watched_ns[TYPES_MAX];     /* windows of frames with tasks, by type */
	const struct set *set;              /* of the last of them */
	int16_t of[TYPES_MAX][COLUMNS_MAX]; /* which figure its columns are; -1: none */
};

/** Add what a frame's tasks did, as count_add_window does. @frame  with tasks  @return 0 or -ENOMEM */
int task_sums_add(struct task_sums *sums, const struct frame *frame);

/** All frames are added. */
void task_sums_end(struct task_sums *sums);

/** How many events in all; an estimate when it is SCALED. NONE if it never ran on that type. */
struct reading task_sums_total(const struct task_sums *sums, const struct task_sum *sum,
			       size_t figure);

/** Of an event of all tasks, 0 to 1. */
double task_sums_share(const struct task_sums *sums, const struct task_sum *sum, size_t figure);

/** Events in each second of the time watched. */
double task_sums_rate(const struct task_sums *sums, const struct task_sum *sum, size_t figure);

/**
 * Those that had most of an event, most first; those that had nothing are not among them.
 *
 * @ret     room for n
 * @return  how many
 */
size_t task_sums_top(const struct task_sums *sums, size_t figure, size_t n,
		     const struct task_sum **ret);

/** How many had something of an event. */
size_t task_sums_n(const struct task_sums *sums, size_t figure);

/** The sum of another session's command or process of this name. @return NULL: there is none */
const struct task_sum *task_sums_find(const struct task_sums *sums, const struct task_sum *like);

/** Release. NULL is accepted. */
void task_sums_fini(struct task_sums *sums);

#endif
