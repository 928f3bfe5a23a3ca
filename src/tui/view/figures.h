/* figures.h: the columns of figures in the Cores and Tasks views: layout, headings, texts */
#ifndef TUI_VIEW_FIGURES_H
#define TUI_VIEW_FIGURES_H

#include "tui/model/model.h"
#include "tui/widget/layout.h"
#include "tui/widget/table.h"

struct tui;

enum { FIGURES_ORDERS_MAX = COLUMNS_MAX + LAYOUT_LEADING_MAX + 2 };

/** Calculate tui->layout for the terminal size, and keep the scroll position in range. */
void figures_fit(struct tui *tui);

/**
 * Calculate the layout of the Tasks view, with only the figures that tasks can have.
 *
 * @leading  width before the figures
 * @share    width of the share after the selected column
 */
void figures_fit_tasks(const struct tui *tui, int leading, int share, struct layout *ret);

/** Count the available chosen columns, which can be scrolled through. */
unsigned figures_n(const struct tui *tui);

/** Get the place of a figure's heading, to be completed and drawn. */
struct table_heading figures_heading(const struct layout *layout, const struct column *column);

/** Draw the heading of a counter's column. @arrow  see struct table_heading
 * @click  on the column */
void figures_slot_heading(const struct tui *tui, const struct layout *layout,
			  const struct column *column, const char *arrow, mouse_act *click);

/** Format the figure of a cell. */
struct label figures_text(const struct tui *tui, const struct column *column,
			  struct reading reading);

/** List the columns of Cores from left to right, as orders of its rows. @ret  FIGURES_ORDERS_MAX at most
 * @return their number */
unsigned figures_orders(const struct tui *tui, struct order *ret);

enum { CURVE_MAX = 256 /* values of a curve */ };

/** Draw values as a curve, one character each in the colour of its level. @value  NaN: none */
void figures_curve(int y, int x, const float *value, unsigned n, double max);

#endif
