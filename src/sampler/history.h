/* history.h: frames of a session within a memory budget; older frames are merged */
#ifndef SAMPLER_HISTORY_H
#define SAMPLER_HISTORY_H

#include "sampler/frame.h"

enum { HISTORY_LEVELS = 9 }; /* buckets of the highest level have 2^8 frames or more */

/**
 * A list of buckets, oldest first. The newest hold one frame each, exact; they have half of the
 * budget. Older buckets are merged in pairs, repeatedly: counts and times are summed; for rates and
 * metrics minimum and maximum are kept; for tasks the largest of each core, with the rest in
 * [others]. The oldest is dropped only if no neighbours count the same events at the same interval,
 * or if the budget is smaller than a few frames. One thread.
 */
struct history;

/** One time span. */
struct bucket {
	uint64_t number;         /* number of its first frame */
	uint64_t n_frames;       /* number of merged frames */
	uint64_t begin_ns, t_ns; /* relative to the session's start; t_ns: tick of the last frame */
	uint64_t interval_ns;
	enum gap gap; /* gap before its first frame or between two of its frames */
	uint64_t n_missed;
	const struct set *set;
	const struct metrics_bound *bound;
};

/** Figure to read from a bucket. */
struct history_query {
	enum frame_by by;          /* not BY_DEVICE */
	unsigned index;            /* as in frame_row */
	int metric;                /* number of a metric; -1: rate */
	const struct event *event; /* event of the row's type; NULL with a metric */
	/* Task whose figures on the cores of a type are wanted, in events per second of the whole
	 * window. No value if the task may be part of [others]. */
	struct task_id task;
};

/** Figure over a bucket, in unscaled events/s or the metric's unit. All three are equal if it has
 * one frame. */
struct history_value {
	double min, mean, max; /* undefined unless the quality has a value */
	enum quality quality;
};

/**
 * Create a history with levels.
 *
 * @machine, @metrics  must outlive it
 * @budget_bytes       maximum memory
 * @return             0 or -ENOMEM
 */
int history_new(const struct machine *machine, const struct metrics *metrics, size_t budget_bytes,
		struct history **ret);

/**
 * Create a history that keeps a whole session: when it exceeds max_buckets or budget_bytes,
 * adjacent buckets are merged throughout. If changes of events or interval leave nothing to merge,
 * half of the buckets are dropped.
 *
 * @max_buckets  8 or more
 */
int history_new_even(const struct machine *machine, const struct metrics *metrics,
		     size_t max_buckets, size_t budget_bytes, struct history **ret);

/** Merge adjacent buckets once more. @history  from history_new_even */
void history_thin(struct history *history);

/** Free the history. NULL is accepted. */
void history_free(struct history *history);

/** Add the next frame; it stays the caller's. Without memory it is skipped. */
void history_add(struct history *history, const struct frame *frame);

/** Hold the buckets: none is merged or dropped, whatever the budget, and all keep their numbers. */
void history_hold(struct history *history, bool is_held);

/** Change the maximum memory. @history  from history_new */
void history_set_budget(struct history *history, size_t budget_bytes);

/** Get the number of buckets. */
size_t history_n(const struct history *history);

/** Get a bucket, valid until the next history_add. @i  0 (oldest) … history_n - 1 */
const struct bucket *history_bucket(const struct history *history, size_t i);

/** Find the bucket that contains a time, or else the next one. @return history_n if there is none */
size_t history_find(const struct history *history, uint64_t t_ns);

/** Get a figure of one bucket. NONE if the event or metric was not counted. */
struct history_value history_value(const struct history *history, size_t i,
				   const struct history_query *query);

/**
 * Get a figure over buckets i … i + n - 1, computed from the summed counts, never averaged. If the
 * set changes among them, only the buckets after the last change are used.
 *
 * @n  1 or more
 */
struct history_value history_value_over(const struct history *history, size_t i, size_t n,
					const struct history_query *query);

/**
 * Rebuild a frame from a bucket's counts; metrics are computed again. Own cost and lateness are not
 * kept.
 *
 * @return a new frame with one reference; NULL without memory
 */
const struct frame *history_frame(const struct history *history, size_t i);

/** Get the counts of a core in a bucket. @ret  a count for each slot of the bucket's set */
void history_counts(const struct history *history, size_t i, unsigned core, struct count *ret);

/** Get the memory in use, bytes. */
size_t history_bytes(const struct history *history);

#endif
