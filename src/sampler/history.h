/* history.h: the frames of a session within a budget of bytes; the older ones put together */
#ifndef SAMPLER_HISTORY_H
#define SAMPLER_HISTORY_H

#include "sampler/frame.h"

enum { HISTORY_LEVELS = 9 }; /* of the highest level buckets are made of 2^8 frames or more */

/**
 * A row of buckets, oldest first. The newest are one frame each, exact; half of the budget is theirs.
 * Older ones are two of a kind put together, again and again: counts and times are summed, of rates
 * and metrics the smallest and the largest are kept, of tasks the largest on each core, the rest of them
 * in [others]. The oldest goes only where no two count the same
 * events at the same interval, or where the budget is less than a few frames. One thread.
 */
struct history;

/** One stretch of time. */
struct bucket {
	uint64_t number;         /* of its first frame */
	uint64_t n_frames;       /* that were put together */
	uint64_t begin_ns, t_ns; /* since the session began; t_ns: the last frame's tick */
	uint64_t interval_ns;
	enum gap gap; /* before its first frame, or between two of its frames */
	uint64_t n_missed;
	const struct set *set;
	const struct metrics_bound *bound;
};

/** What to show of a bucket. */
struct history_query {
	enum frame_by by;          /* not BY_DEVICE */
	unsigned index;            /* as frame_row */
	int metric;                /* number of a metric; -1: a rate */
	const struct event *event; /* of the row's type; NULL with a metric */
	/* What a task did on the cores of a type; events per second of the whole window. Without a value
	 * where it may be among [others]. */
	struct task_id task;
};

/** A figure over a bucket: of one frame all three are the same. In unscaled events/s, or the
 * metric's unit. */
struct history_value {
	double min, mean, max; /* without meaning unless the quality has a value */
	enum quality quality;
};

/**
 * @machine, @metrics  outlive it
 * @budget_bytes       memory it may take
 * @return             0 or -ENOMEM
 */
int history_new(const struct machine *machine, const struct metrics *metrics, size_t budget_bytes,
		struct history **ret);

/**
 * One that keeps a whole session, all of it alike: whenever there are more buckets or bytes than this,
 * neighbours are put together from one end to the other. Where changes of events or interval let
 * none be put together, half of the buckets are left out.
 *
 * @max_buckets  8 or more
 */
int history_new_even(const struct machine *machine, const struct metrics *metrics,
		     size_t max_buckets, size_t budget_bytes, struct history **ret);

/** Put neighbours together once more. @history  of history_new_even */
void history_thin(struct history *history);

/** NULL is accepted. */
void history_free(struct history *history);

/** Take in the next frame; the frame stays the caller's. Without memory it is left out. */
void history_add(struct history *history, const struct frame *frame);

/** While it is held no bucket is put together with another, nor goes, whatever the budget: buckets keep
 * their numbers. */
void history_hold(struct history *history, bool is_held);

/** How many buckets there are now. */
size_t history_n(const struct history *history);

/** A bucket, valid until the next history_add. @i  0 the oldest … history_n - 1 */
const struct bucket *history_bucket(const struct history *history, size_t i);

/** The bucket that a moment lies in, or the next one after it. @return history_n when there is none */
size_t history_find(const struct history *history, uint64_t t_ns);

/** A figure of one bucket. NONE where the event or metric was not counted. */
struct history_value history_value(const struct history *history, size_t i,
				   const struct history_query *query);

/**
 * The same over buckets i … i + n - 1 as one: worked out from what was counted in all of them, never
 * averaged. Where what is counted changes among them, of those behind the last change.
 *
 * @n  1 or more
 */
struct history_value history_value_over(const struct history *history, size_t i, size_t n,
					const struct history_query *query);

/**
 * A bucket as a frame: what was counted in it, metrics worked out again. Own cost and lateness are
 * not kept.
 *
 * @return a new frame with one reference; NULL without memory
 */
const struct frame *history_frame(const struct history *history, size_t i);

/** What a core counted in a bucket. @ret  a count for each slot of the bucket's set */
void history_counts(const struct history *history, size_t i, unsigned core, struct count *ret);

/** Memory it takes now. */
size_t history_bytes(const struct history *history);

#endif
