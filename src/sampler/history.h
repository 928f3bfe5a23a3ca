/* past.h: the frames of a session within a budget of bytes; the older ones put together */
#ifndef SAMPLER_PAST_H
#define SAMPLER_PAST_H

#include "sampler/frame.h"

enum { PAST_LEVELS = 9 }; /* the oldest cells are made of 2^8 frames */

/**
 * A row of cells, oldest first. The newest are one frame each, exact; half of the budget is theirs.
 * Older ones are two of a kind put together, again and again: counts and times are summed, of rates
 * and metrics the smallest and the largest are kept. What is oldest of all goes. One thread.
 */
struct past;

/** One stretch of time. */
struct past_cell {
	uint64_t number;         /* of its first frame */
	uint64_t n_frames;       /* that were put together */
	uint64_t begin_ns, t_ns; /* since the session began; t_ns: the last frame's tick */
	uint64_t interval_ns;
	enum gap gap; /* before its first frame, or between two of its frames */
	uint64_t n_missed;
	const struct set *set;
};

/** What is to be seen of a cell. */
struct past_query {
	enum frame_by by;          /* BY_SYSTEM: as BY_TYPE */
	unsigned index;            /* core, cluster or type */
	int metric;                /* number of a metric; -1: a rate */
	const struct event *event; /* of the row's type; NULL with a metric */
};

/** A figure over a cell: of one frame all three are the same. In unscaled events/s, or the
 * metric's unit. */
struct past_value {
	double min, mean, max; /* without meaning unless the quality has a value */
	enum quality quality;
};

/**
 * @machine, @metrics  outlive it
 * @budget_bytes       memory it may take
 * @return             0 or -ENOMEM
 */
int past_new(const struct machine *machine, const struct metrics *metrics, size_t budget_bytes,
	     struct past **ret);

/**
 * One that keeps a whole session, all of it alike: whenever there are more cells or bytes than this,
 * neighbours are put together from one end to the other. Where changes of events or interval let
 * none be put together, half of the cells are left out.
 *
 * @max_cells  8 or more
 */
int past_new_even(const struct machine *machine, const struct metrics *metrics, size_t max_cells,
		  size_t budget_bytes, struct past **ret);

/** Put neighbours together once more. @past  of past_new_even */
void past_thin(struct past *past);

/** NULL is accepted. */
void past_free(struct past *past);

/** Take in the next frame; the frame stays the caller's. Sets and bounds that frames point to must
 * outlive the past. Without memory it is left out. */
void past_add(struct past *past, const struct frame *frame);

/** While it is held no cell is put together with another, nor goes, whatever the budget: cells keep
 * their numbers. */
void past_hold(struct past *past, bool is_held);

/** How many cells there are now. */
size_t past_n(const struct past *past);

/** A cell, valid until the next past_add. @i  0 the oldest … past_n - 1 */
const struct past_cell *past_cell(const struct past *past, size_t i);

/** The cell that a moment lies in, or the next one after it. @return past_n when there is none */
size_t past_find(const struct past *past, uint64_t t_ns);

/** A figure of one cell. NONE where the event or metric was not counted. */
struct past_value past_value(const struct past *past, size_t i, const struct past_query *query);

/**
 * The same over cells i … i + n - 1 as one: worked out from what was counted in all of them, never
 * averaged. Where what is counted changes among them, of those behind the last change.
 *
 * @n  1 or more
 */
struct past_value past_value_over(const struct past *past, size_t i, size_t n,
				  const struct past_query *query);

/**
 * A cell as a frame: what was counted in it, metrics worked out again. Own cost and lateness are
 * not kept.
 *
 * @return a new frame with one reference; NULL without memory
 */
const struct frame *past_frame(const struct past *past, size_t i);

/** Memory it takes now. */
size_t past_bytes(const struct past *past);

#endif
