/* hot.h: samples of one event in the window of a frame, by core, task and place in the code; rows by function */
#ifndef SAMPLER_HOT_H
#define SAMPLER_HOT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpus.h"
#include "pmu/count.h"

struct core_task;
struct frame;
struct function;
struct machine;
struct place;
struct task_id;

/** Callers of a place, the nearest first. Interned: one object each, until the program ends. */
struct hot_chain {
	unsigned n;
	const struct place *caller[];
};

/** Samples of one task at one place on one core. */
struct hot_spot {
	uint16_t core;
	uint32_t task; /* index in frame->tasks->task; UINT32_MAX: not among them */
	const struct place *place;
	const struct hot_chain *chain; /* NULL without set.chains */
	uint32_t n;                    /* samples */
	double weight, weight2;        /* sum of their periods, of the squares */
};

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

/** Take another reference. NULL is accepted. @return hot */
const struct frame_hot *frame_hot_ref(const struct frame_hot *hot);

/** Drop a reference; the last one frees the samples. NULL is accepted. Any thread. */
void frame_hot_unref(const struct frame_hot *hot);

/* ---- rows: how an exact count divides into functions, or into the places of one ---- */

/** Part of the frames' counts that is divided; `{ 0 }`: all cores of the type. */
struct hot_select {
	const struct cpus *on;      /* only samples on these CPUs; NULL: on all */
	const struct task_id *task; /* only this task's; NULL: of all */
	bool of_root;               /* only the set's `root` and its descendants */
	/* only this function's, a row for each place; NULL: a row for each function */
	const struct function *function;
	bool is_shown; /* rows are not summed further: those by function_shown */
};

enum { HOT_PARTS = 8 };

struct hot_row {
	const struct function *function;
	const struct place *place; /* one of the function's; by place: that place */
	/* process with more than half of it; NULL: none has. Memory of a frame */
	const struct core_task *task;
	uint32_t n; /* samples */
	/* of the count, 0 … 1; 95 of 100 true shares are within share ± error */
	double share, error;
	struct count count; /* share of rows.count */
	/* weights in eighths of the function's code, from its first address on; 0: its size is unknown */
	double part[HOT_PARTS];
};

/** Rows, the largest first, valid as long as the frames. Values add up to that of `count` exactly. */
struct hot_rows {
	unsigned type; /* core type */
	/* exact count of the selection; by place: the function's, which is estimated */
	struct count count;
	/* of selected tasks: what is [unattributed] or in [others], of which some may be theirs; not divided */
	struct count lost;
	uint32_t n_samples, n_throttled, n_lost; /* throttled and lost ones on all cores */
	double period;                           /* mean number of events between two samples */
	double n_effective; /* independent samples of equal weight that say as much */
	size_t n;
	struct hot_row *row;
};

/**
 * Divide the exact count of the sampled event in a selection by its samples. A sample weighs its period. Where the
 * weights of a core miss more than two periods of what it counted in a frame (samples were lost or throttled), they
 * are stretched to that count; so each frame and core weighs what it counted. Values are the differences of the
 * rounded running sum of shares: each is less than 1 from its share of the count.
 *
 * share ± error is the smallest interval around the share that contains the Agresti-Coull interval at 95 % of
 * n_effective samples.
 *
 * @frame   in order of time; those without samples of the last one's event do not take part
 * @type    core type, as figures of two types are never added
 * @return  to be freed with free(); without rows if there are no samples; NULL without memory
 */
struct hot_rows *hot_rows_sum(const struct frame *const *frame, size_t n,
			      const struct machine *machine, unsigned type,
			      const struct hot_select *select);

/** Divide the count of one frame, as hot_rows_sum. */
struct hot_rows *hot_rows_new(const struct frame *frame, const struct machine *machine,
			      unsigned type, const struct hot_select *select);

/** Ask for the functions of all samples. */
void frame_hot_ask(const struct frame_hot *hot);

/** Compute the error of a share, for example of several rows. */
double hot_rows_error(const struct hot_rows *rows, double share);

/** Whether a share differs from another one of the same rows beyond their common error. */
bool hot_rows_differ(const struct hot_rows *rows, double a, double b);

#endif
