/* topdown.h: where the cycles of a row go: the parts as a stacked bar, and their explanation */
#ifndef TUI_VIEW_TOPDOWN_H
#define TUI_VIEW_TOPDOWN_H

#include "tui/model/model.h"

struct tui;

/** Draw the heading over `width` columns. @arrow  direction of sorting; NULL: rows are not sorted by it */
void topdown_heading(int y, int x, int width, bool is_selected, const char *arrow);

/** Draw a row's bar, with "~" before an estimate; nothing if one of its parts is unknown. */
void topdown_draw(const struct tui *tui, const struct frame_row *row, int y, int x, int width);

/** Draw the detail line: largest loss of the selected row, mark and share of each part. */
void topdown_detail(const struct tui *tui, int y);

/**
 * Draw where the cycles of each cluster went over time, as stacks, on a large screen.
 *
 * @return false: nothing was drawn, as the screen is small, a part is not counted, or the user has composed a graph
 */
bool topdown_draw_bands(struct tui *tui, int y, int height);

/** Key: count the preset that explains the selected row's largest loss. */
void act_explain(struct tui *tui, int key);

/**
 * Compute the columns of each part: ends are rounded, so that all bars have one scale. Pure.
 *
 * @share  by part, 0 … 1; if their sum is above 1 they are scaled down
 * @n      THEME_PARTS at most
 */
void topdown_fit(const double *share, unsigned n, int width, int *ret);

#endif
