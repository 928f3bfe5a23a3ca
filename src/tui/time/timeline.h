/* timeline.h: the stretch of the session that Graph and Heat show, cut into columns */
#ifndef TUI_TIME_TIMELINE_H
#define TUI_TIME_TIMELINE_H

#include "tui/term/key.h"
#include "tui/model/model.h"
#include "tui/model/track.h"

struct tui;

struct timeline {
	uint64_t
		span_ns; /* 0: what suits the interval, less while there is less; UINT64_MAX: the whole session */
	uint64_t end_ns;  /* of the picture that was drawn last */
	struct bins bins; /* likewise, for clicks */
};

/** How much is in sight. */
uint64_t timeline_span(const struct timeline *timeline, const struct model *model);

/** Cut it into n bins. While the picture is frozen it stands still, but for keeping the picture's
 * moment in sight. */
void timeline_bins(struct timeline *timeline, const struct model *model, unsigned n,
		   struct bins *ret);

/** The bin of the picture's moment. @return -1: not in sight */
int timeline_cursor(const struct bins *bins, const struct model *model);

/** Keys of the views that show it: zoom, and what they are of; ends with a NULL name. */
extern const struct key timeline_keys[];

/** These cells of the picture are the bins, side by side: a click shows the moment that it is on. */
void timeline_area(struct tui *tui, const struct bins *bins, int y, int x, int height, int width);

/** Room for the labels of time: a line of ticks and one of labels. */
enum { TIMELINE_AXIS_LINES = 2 };

/**
 * Ticks with their labels beneath, changes of what was counted and the picture's moment.
 *
 * @n_lines  1: only the labels
 * @width    cells: each has bins->n / width bins
 */
void timeline_draw_axis(const struct tui *tui, const struct bins *bins, int y, int n_lines, int x,
			int width);

/** In place of a picture: nothing is counted that it could be of. */
void timeline_draw_nothing(const struct tui *tui);

/** The picture's moment and how long its window is: "12:30:17, window 1.0 s". @return buf */
const char *timeline_moment(const struct tui *tui, char *buf, size_t size);

#endif
