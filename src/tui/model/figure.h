/* figure.h: from counts to what a cell says: rate, count or share of instructions; pure */
#ifndef TUI_MODEL_FIGURE_H
#define TUI_MODEL_FIGURE_H

#include "sampler/frame.h"

enum show { SHOW_RATE, SHOW_COUNT, SHOW_PER_KI, N_SHOW };

/** "rate per second" and so on, for the status line. */
extern const char *const show_name[N_SHOW];

/**
 * One slot of a row, in the event's own unit.
 *
 * @placement  of the row's type: where its instructions are counted
 * @return     PER_KI without counted instructions is UNDEFINED
 */
struct reading figure_of(const struct frame_row *row, const struct placement *placement,
			 unsigned slot, enum show show);

/** The unit's text for the row of units: "msec/s", "/s", "count", "/ki". @return buf */
const char *figure_unit(const struct event *event, enum show show, char *buf, size_t size);

/**
 * What a cell says: the mark of its quality, or the number, "~" before an estimate. Never a number
 * that was cut.
 *
 * @return buf
 */
const char *figure_text(struct reading reading, unsigned width, char *buf, size_t size);

/**
 * Which of two prefixes the figures of a column have that are within a twentieth of the border
 * between them: all of them the same, 0.99G and 1.02G or 990M and 1020M. They keep it from frame to
 * frame as long as any is near. By border as bits, 1: 1000, 2: 10⁶ …
 */
struct figure_borders {
	uint8_t is_up; /* the larger prefix; all set, and no figure has four digits */
	uint8_t near,
		above; /* of a frame in the making: a figure is there or beyond, or well beyond */
};

/** Take in a figure of a frame. */
void figure_follow(struct reading reading, struct figure_borders *borders);

/** The frame is complete: from now on its figures decide. */
void figure_borders_end(struct figure_borders *borders);

/** figure_text with the prefix of the column. @is_up  of its borders */
const char *figure_steady(struct reading reading, unsigned width, uint8_t is_up, char *buf,
			  size_t size);

/** "2.00G/s"; "2000 msec/s": a unit that is a word has no prefix before it. @width  of the figure
 * @return buf */
const char *figure_with_unit(struct reading reading, const char *unit, unsigned width, char *buf,
			     size_t size);

/** A ratio with two decimals, as IPC is shown; otherwise like figure_text. @return buf */
const char *figure_ratio(struct reading reading, unsigned width, char *buf, size_t size);

/** What a mark in place of a figure means, as a sentence without its point. Never NULL. */
const char *figure_meaning(enum quality quality);

/** How many decimals suit a row of metrics whose largest value this is, so that its figures stand
 * point below point. */
unsigned figure_decimals(double largest);

/** The same, but close to where it changes, within a twentieth, as many as `before`. */
unsigned figure_decimals_steady(double largest, unsigned before);

/** A metric with so many decimals, or fewer where the width asks for it. @return buf */
const char *figure_metric(struct reading reading, unsigned decimals, unsigned width, char *buf,
			  size_t size);

#endif
