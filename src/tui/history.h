/* history.h: the last figures of every row, a ring of cells that are means over a short time */
#ifndef TUI_HISTORY_H
#define TUI_HISTORY_H

#include <stdint.h>

/** Figures by row and series; main thread. */
struct history;

/**
 * @n_rows, @n_series  what is remembered: one figure a row and series in each cell
 * @depth              cells kept
 * @return             NULL without memory
 */
struct history *history_new(unsigned n_rows, unsigned n_series, unsigned depth);

/** NULL is accepted. */
void history_free(struct history *history);

/** Add a figure to the open cell; NaN adds nothing. */
void history_add(struct history *history, unsigned row, unsigned series, double value);

/** Close the open cell: the mean of what was added is its figure, NaN when nothing was. */
void history_close(struct history *history);

/** Cells closed since the beginning. */
uint64_t history_n(const struct history *history);

/** A figure. @cell 0, 1, … history_n-1  @return NaN when it is gone, not yet there, or was nothing */
float history_at(const struct history *history, unsigned row, unsigned series, uint64_t cell);

/** Forget everything. */
void history_clear(struct history *history);

/** Forget one series of all rows: another event is counted now. */
void history_forget(struct history *history, unsigned series);

#endif
