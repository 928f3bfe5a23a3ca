/* totals.h: what was counted since the session began, core by core and event by event */
#ifndef SESSION_SERVE_TOTALS_H
#define SESSION_SERVE_TOTALS_H

#include "session/format/frame_sum.h"
#include "session/serve/task_totals.h"

/** One event on one core, over all mux groups that count it. */
struct total {
	struct count sum;      /* of all windows */
	struct count newest;   /* of the last that the core was not late in */
	bool is_counted_twice; /* another column has it: nothing here */
};

/** Adds up frames of one set. One thread at a time. */
struct totals {
	const struct machine *machine;
	const struct frame *newest; /* NULL before the first frame; a reference */
	struct frame_sum sum;
	/* Each core's newest window: a core that is late is as it was before, and LATE only before its
	 * first window. NULL before the first frame. */
	struct frame *last;
	struct task_totals tasks;
	uint64_t n_frames, n_lost, n_missed;
	/* Where a column's counts go: to the first with the same event. */
	uint8_t column_of[TYPES_MAX][COLUMNS_MAX];
};

/** Nothing counted yet. @machine  outlives the totals  @n_tasks  0 … TASK_TOTALS_NAMED_MAX commands by name */
void totals_init(struct totals *totals, const struct machine *machine, unsigned n_tasks);

/** Release. NULL is accepted. */
void totals_fini(struct totals *totals);

/**
 * Add one frame. What another set counted is left out.
 *
 * @lost   frames that got lost before this one
 * @return 0 or -ENOMEM, then nothing has changed
 */
int totals_add(struct totals *totals, const struct frame *frame, uint64_t lost);

/** One core's event. @column  of totals->last */
struct total totals_of(const struct totals *totals, unsigned core, unsigned column);

#endif
