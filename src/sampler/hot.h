/* hot.h: samples of one event, by core, task and place in the code: of a frame, summed, and how they divide a count */
#ifndef SAMPLER_HOT_H
#define SAMPLER_HOT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpus.h"
#include "sampler/task_rows.h"

struct function;
struct place;

enum {
	HOT_SAMPLES_LISTED = 4 /* from so many samples on a row is listed, fewer are in [others] */
};

/** Callers of a place, the nearest first. Interned: one object each, until the program ends. */
struct hot_chain {
	unsigned n;
	const struct place *caller[];
};

/** Chain of samples whose callers found no room. */
extern const struct hot_chain hot_chain_lost;

/** Samples of one task at one place on one core. In a sum, what is not a key is that of any of its samples. */
struct hot_spot {
	uint16_t core;
	uint32_t task; /* index in the tasks of the frame or sum; UINT32_MAX: not among them */
	const struct place *place;
	const struct hot_chain *chain;   /* NULL without set.chains */
	const struct function *function; /* set by hot_resolve; NULL in a frame */
	uint64_t n;                      /* samples */
	double weight, weight2;          /* sum of their periods, of the squares */
};

/** Keys of spots. */
enum hot_key { HOT_END, HOT_BY_CORE, HOT_BY_TASK, HOT_BY_PLACE, HOT_BY_CHAIN, HOT_BY_FUNCTION };

/**
 * Sort spots, and sum those that are equal in all keys.
 *
 * @by      the keys, the first one first, then HOT_END; HOT_BY_FUNCTION needs hot_resolve
 * @return  number of spots that are left
 */
size_t hot_merge(struct hot_spot *spot, size_t n, const enum hot_key *by);

/** Set the present functions of spots, which may get names later. */
void hot_resolve(struct hot_spot *spot, size_t n);

/**
 * Samples of the event in column `column` of the frame's set. Constant once published. They tell how an exact count
 * divides, never the count itself: the sum of the weights differs from it by up to a period a task.
 */
struct frame_hot {
	unsigned column;
	uint64_t n_samples; /* sum over all spots */
	uint64_t n_lost;    /* in the window: no room in the kernel's buffer, or here */
	uint64_t
		n_throttled; /* times that the kernel stopped sampling, see perf_event_max_sample_rate */
	size_t n;
	struct hot_spot *spot; /* by core, task, place */
	atomic_uint refs;
};

/** Allocate n spots, all zero, with one reference. @return NULL without memory */
struct frame_hot *frame_hot_new(size_t n);

/** Drop a reference; the last one frees the samples. NULL is accepted. Any thread. */
void frame_hot_unref(const struct frame_hot *hot);

/** Ask for the functions of all samples. */
void frame_hot_ask(const struct frame_hot *hot);

/* ---- sum of frames ---- */

/** How functions are divided by the stacks of their samples; both need HOT_BY_CHAIN and set.chains. */
enum hot_tree {
	HOT_FLAT,
	HOT_CALLERS, /* a function into its callers, these into theirs */
	HOT_CALLEES, /* the function that a stack begins with into those it called, down to those with the samples */
};

/** Part of the frames' counts that is divided; `{ 0 }`: all cores of the type. */
struct hot_select {
	const struct cpus *on;      /* only samples on these CPUs; NULL: on all */
	const struct task_id *task; /* only this task's; NULL: of all */
	bool of_root;               /* only the set's `root` and its descendants */
	/* only this function's, a row for each place; NULL: a row for each function */
	const struct function *function;
	enum hot_tree tree; /* of hot_rows_sum */
};

/**
 * Samples of one event on the cores of one type, as figures of two types are never added, and the exact count that they
 * divide. `{ .machine, .type, .by, .tasks.by }` is empty. Of more than HOT_SPOTS_MAX spots small ones are those of [others].
 *
 * A sample weighs its period. Where the weights of a core miss more than two periods of what it counted in a frame
 * (samples were lost or throttled), they are stretched to that count; so each frame and core weighs what it counted.
 */
struct hot_sum {
	const struct machine *machine;
	unsigned type;
	const enum hot_key *by; /* keys of its spots, tasks by tasks.by; then HOT_END */
	enum hot_tree tree;
	const struct event *event; /* others are left out; NULL: that of the first frame */
	struct frame_set *of;      /* set of the first frame; NULL: no frame yet */
	struct task_index tasks;
	struct count count; /* exact count of the selection */
	/* of selected tasks: what is [unattributed] or in [others], of which some may be theirs; not divided */
	struct count lost;
	uint64_t n_throttled, n_lost; /* samples, on all cores */
	double events;                /* sum of the periods, not stretched */
	size_t n, cap, n_merged;
	struct hot_spot *spot;
};

enum { HOT_SPOTS_MAX = 1 << 18 };

/** Add a frame, and ask for the functions of its samples. @select  the same for all  @return 0 or -ENOMEM */
int hot_sum_add(struct hot_sum *sum, const struct frame *frame, const struct hot_select *select);

/** Add frames that count the event of the last one, by HOT_BY_PLACE or, for a tree, also by HOT_BY_CHAIN. @sum  with
 * machine and type; `select` says the rest  @return 0 or -ENOMEM */
int hot_sum_add_all(struct hot_sum *sum, const struct frame *const *frame, size_t n,
		    const struct hot_select *select);

/** Free the contents; the sum is empty, of the same kind. */
void hot_sum_clear(struct hot_sum *sum);

/* ---- rows: how an exact count divides into functions, or into the places of one ---- */

enum { HOT_PARTS = 8 };

struct hot_row {
	const struct function *function; /* as function_shown; NULL: the rest, or of the caller */
	const struct place *place;       /* one of the function's; by place: that place */
	unsigned n_functions;            /* of the rest */
	const struct core_task *task;    /* process with more than half of it; NULL: none has */
	uint64_t n;                      /* samples */
	/* of the count, 0 … 1; 95 of 100 true shares are within share ± error */
	double share, error;
	struct count count; /* share of rows.count */
	/* weights in eighths of the function's code, from its first address on; 0: its size is unknown */
	double part[HOT_PARTS];
	/* of a tree: its callers or callees, which add up to it, the largest first and [others] last; without task and part */
	size_t n_below;
	struct hot_row *below;
};

/** Rows, the largest first. Values add up to that of `count` exactly. */
struct hot_rows {
	/* as in hot_sum; by place: the function's count, which is estimated */
	struct count count, lost;
	uint64_t n_samples, n_throttled, n_lost;
	double period;      /* mean number of events between two samples */
	double n_effective; /* independent samples of equal weight that say as much */
	size_t n;
	struct hot_row *row; /* room for HOT_ROWS_MORE at the end */
};

enum { HOT_ROWS_MORE = 2 };

/**
 * Divide the count of a sum by its samples. Values are the differences of the rounded running sum of shares: each is
 * less than 1 from its share of the count.
 *
 * share ± error is the smallest interval around the share that contains the Agresti-Coull interval at 95 % of
 * n_effective samples.
 *
 * Trees: direct recursion is one row. A chain ends at the function that a program or thread begins with, or in the kernel;
 * else the row [no frame pointers] stands for further callers. Rows with fewer than HOT_SAMPLES_LISTED samples or 0.5 %
 * of their function are those of [others].
 *
 * @function  a row for each of its places; NULL: a row for each function
 * @top       rows, the rest is one more; 0: all
 * @return    to be freed with hot_rows_free(); without rows if there are no samples; NULL without memory
 */
struct hot_rows *hot_sum_rows(const struct hot_sum *sum, const struct function *function,
			      unsigned top);

/** Divide the count of frames. Those that do not count the last one's event are left out. @return as hot_sum_rows */
struct hot_rows *hot_rows_sum(const struct frame *const *frame, size_t n,
			      const struct machine *machine, unsigned type,
			      const struct hot_select *select);

/** Get the name of a row: its function, "[others], 9 functions", [unattributed] of rows.lost, or [no samples]. @return buf, or a
 * text that remains */
const char *hot_row_name(const struct hot_row *row, char *buf, size_t size);

/** Release. NULL is accepted. */
void hot_rows_free(struct hot_rows *rows);

/** Compute the error of a share, for example of several rows. */
double hot_rows_error(const struct hot_rows *rows, double share);

/** Whether a share differs from another one of the same rows beyond their common error. */
bool hot_rows_differ(const struct hot_rows *rows, double a, double b);

#endif
