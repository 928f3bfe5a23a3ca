/* timeline.h: the part of the session that Graph and Heat show, divided into bins */
#ifndef TUI_HISTORY_TIMELINE_H
#define TUI_HISTORY_TIMELINE_H

#include "tui/term/key.h"
#include "tui/model/model.h"
#include "tui/model/series.h"

struct tui;

struct timeline {
	uint64_t span_ns; /* 0: suits the interval; UINT64_MAX: the whole session */
	uint64_t end_ns;  /* end of the time axis that was drawn last */
	struct bins bins; /* bins of that axis, for clicks */
};

/** Divide the visible part into n bins. While frozen it stays, unless the shown time would be out of
 * sight. */
void timeline_bins(struct timeline *timeline, const struct model *model, unsigned n,
		   struct bins *ret);

/** Return the bin of the shown time. @return -1: not visible */
int timeline_cursor(const struct bins *bins, const struct model *model);

/** Keys of the views with a timeline: zoom and quantity; ends with a NULL name. */
extern const struct key timeline_keys[];

/** Make these cells, which show the bins from left to right, show their time when clicked. */
void timeline_area(struct tui *tui, const struct bins *bins, int y, int x, int height, int width);

/** Lines of the time axis: ticks and labels. */
enum { TIMELINE_AXIS_LINES = 2 };

/**
 * Draw ticks with labels below, changes of the counted events and the shown time.
 *
 * @n_lines  1: labels only
 * @width    cells: each has bins->n / width bins
 */
void timeline_draw_axis(const struct tui *tui, const struct bins *bins, int y, int n_lines, int x,
			int width);

/** Draw a hint instead of a graph if nothing is counted. */
void timeline_draw_nothing(const struct tui *tui);

/** Format the visible span, and the shown time if there is room: "1 min   at 12:30:17, window
 * 1.0 s". */
struct label timeline_text(const struct tui *tui);

#endif
