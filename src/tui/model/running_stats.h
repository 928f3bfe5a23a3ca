/* tally.h: totals, extremes and means of every row and slot since they were zeroed */
#ifndef TUI_TALLY_H
#define TUI_TALLY_H

#include <stdint.h>

#include "sampler/frame.h"

/** One slot of one row; `{ 0 }` is empty. In events, not in the event's unit. */
struct tally {
	uint64_t n;         /* windows with a value */
	uint64_t window_ns; /* of these, together */
	double total;
	double area;             /* rates times windows, for the mean */
	struct reading min, max; /* rates per second */
	bool estimated;          /* a window was only counted in part */
};

/** Take in the window that a row shows; nothing where it has no value. */
void tally_add(struct tally *tally, const struct frame_row *row, unsigned slot);

/** Events per second over all windows. @return 0 when nothing was counted */
double tally_mean(const struct tally *tally);

#endif
