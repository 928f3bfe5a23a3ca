/* running_stats.h: totals, extremes and means of every row and slot since they were zeroed */
#ifndef TUI_MODEL_RUNNING_STATS_H
#define TUI_MODEL_RUNNING_STATS_H

#include <stdint.h>

#include "sampler/frame.h"

/** One slot of one row; `{ 0 }` is empty. In events, not in the event's unit. */
struct running_stats {
	uint64_t n;              /* windows with a value */
	uint64_t window_ns;      /* of these, together */
	struct count sum;        /* over all windows, as count_add_window does */
	double area;             /* rates times windows, for the mean */
	struct reading min, max; /* rates per second */
};

/** Take in the window that a row shows. @return its rate */
struct reading running_stats_add(struct running_stats *running_stats, const struct frame_row *row,
				 unsigned slot);

/** Events per second over all windows. @return 0 when nothing was counted */
double running_stats_mean(const struct running_stats *running_stats);

#endif
