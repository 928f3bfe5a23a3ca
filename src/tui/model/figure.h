/* figure.h: counts to the text of a cell: rate, count or events per 1000 instructions; pure */
#ifndef TUI_MODEL_FIGURE_H
#define TUI_MODEL_FIGURE_H

#include "tui/term/label.h"
#include "sampler/frame.h"

enum show { SHOW_RATE, SHOW_COUNT, SHOW_PER_KI, N_SHOW };

/** Names for the status line: "rates per second", … */
extern const char *const show_name[N_SHOW];

/**
 * Get the reading of one slot of a row, in the event's own unit.
 *
 * @set     what the row counts: PER_KI divides by instructions of the slot's own mux group
 * @return  PER_KI without such a count is UNDEFINED
 */
struct reading figure_of(const struct frame_row *row, const struct set *set, unsigned slot,
			 enum show show);

/** Format the unit for the row of units: "msec/s", "/s", "count", "/ki". */
struct label figure_unit(const struct event *event, enum show show);

/**
 * Format a reading: its quality mark, or the number, with "~" before an estimate. Numbers are never
 * truncated.
 */
struct label figure_text(struct reading reading, unsigned width);

/**
 * Prefixes of a column's figures within 5% of a border between two prefixes. All of them get the
 * same prefix (0.99G and 1.02G, or 990M and 1020M), and keep it from frame to frame as long as any
 * figure is near the border. One bit per border; bit 1: 1000, bit 2: 10⁶ …
 */
struct figure_borders {
	uint8_t is_up; /* the larger prefix is used; all set: no figure has four digits */
	uint8_t near,
		above; /* in the current frame: a figure is near or beyond the border; well beyond it */
};

/** Take a figure of the current frame into account. */
void figure_follow(struct reading reading, struct figure_borders *borders);

/** End the frame: its figures now decide. */
void figure_borders_end(struct figure_borders *borders);

/** Format like figure_text, with the column's prefix. @is_up  of its borders */
struct label figure_steady(struct reading reading, unsigned width, uint8_t is_up);

/** Format a figure with its unit: "2.00G/s"; "2000 msec/s", without a prefix if the unit is a word.
 * @width  of the figure */
struct label figure_with_unit(struct reading reading, const char *unit, unsigned width);

/** Format a ratio with two decimals, like IPC; otherwise like figure_text. */
struct label figure_ratio(struct reading reading, unsigned width);

/** Explain a quality mark, as a sentence without a full stop. Never NULL. */
const char *figure_meaning(enum quality quality);

/** Get the decimals for a row of metrics with this largest value, so that decimal points align. */
unsigned figure_decimals(double largest);

/** Get the decimals likewise, but within 5% of a change keep `before`. */
unsigned figure_decimals_steady(double largest, unsigned before);

/** Format a metric with these decimals, or fewer if the width requires it. */
struct label figure_metric(struct reading reading, unsigned decimals, unsigned width);

#endif
