/* totals.h: what was counted since the session began, core by core and event by event */
#ifndef SESSION_TOTALS_H
#define SESSION_TOTALS_H

#include "sampler/sampler.h"

/** One event on one core. Raw: nothing is scaled here. */
struct total {
	uint64_t value;
	uint64_t enabled_ns;   /* how long it was asked to count */
	uint64_t running_ns;   /* how long it did */
	float running_ratio;   /* of the newest window */
	enum quality quality;  /* of the newest window */
	bool is_counted_twice; /* another column has it: nothing here */
};

struct totals_core {
	enum core_state state; /* never LATE: then it is as it was before */
	bool is_known;         /* it was in some frame */
};

/** Adds up frames of one set. One thread at a time. */
struct totals {
	const struct machine *machine;
	const struct set *set;             /* NULL before the first frame */
	const struct metrics_bound *bound; /* likewise */
	const struct frame *newest;        /* likewise; a reference */
	uint64_t n_frames, n_lost, n_missed;
	unsigned n_columns, n_metrics;
	struct totals_core *core; /* [core] */
	struct total *total;      /* [core × n_columns + column] */
	struct reading *metric; /* [core × n_metrics + column of `bound`], of its newest window */
	/* Where a column's counts go: to the first with the same event. */
	uint8_t column_of[TYPES_MAX][COLUMNS_MAX];
};

/** Nothing counted yet. @machine  outlives the totals */
void totals_init(struct totals *totals, const struct machine *machine);

/** Release. NULL is accepted. */
void totals_fini(struct totals *totals);

/**
 * Add one frame. What another set counted is left out.
 *
 * @lost   frames that got lost before this one
 * @return 0 or -ENOMEM, then nothing has changed
 */
int totals_add(struct totals *totals, const struct frame *frame, uint64_t lost);

/** One core's event. @column  below n_columns */
const struct total *totals_of(const struct totals *totals, unsigned core, unsigned column);

/** One core's metric in its newest window. @column  of `bound` */
struct reading totals_metric(const struct totals *totals, unsigned core, unsigned column);

#endif
