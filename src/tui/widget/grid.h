/* grid.h: a table of metrics by cores: which columns fit some width, and what gives way; pure */
#ifndef TUI_WIDGET_GRID_H
#define TUI_WIDGET_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/term/mouse.h"

enum { GRID_COLUMNS_MAX = 128 };

/** What to show. Widths are terminal columns. */
struct grid_want {
	int width;                 /* of the terminal */
	int name_full, name_short; /* what row names take */
	int unit;                  /* what units take; 0: there are none */
	int cell;                  /* width of a figure and of the longest heading */
	unsigned n_fixed;          /* columns that stay while the others scroll: subtotals */
	unsigned n_columns;        /* with these */
	unsigned selected, first;  /* columns; `first` of those that scroll */
};

/** Before every cell and behind the last there is a free column, for marks. */
struct grid {
	int name_x, name_width;
	int unit_x, unit_width; /* 0: given way */
	int cell;
	unsigned n; /* columns that are seen, left to right */
	struct {
		unsigned column;
		int x;
	} at[GRID_COLUMNS_MAX];
	unsigned first; /* the scrolling that was possible, with the selected column in sight */
	bool more_left, more_right;
};

/**
 * Work it out. Gives way, in this order: full names, where a column would go for them or they take
 * more than a third of the width; units, likewise; columns, the last ones first and subtotals last.
 * A column is never narrower than its cell. Where all fit, what is left goes to units and full
 * names, then between the columns.
 */
void grid_make(const struct grid_want *want, struct grid *ret);

/** The line of headings above a grid. */
struct grid_headings {
	int y, height;     /* a click selects a column so many lines down */
	unsigned selected; /* column */
	const void *data;  /* for `text` */
	/* Required. @return buf or a constant */
	const char *(*text)(const void *data, unsigned column, char *buf, size_t size);
	mouse_act *click; /* required */
};

/** Draw it. */
void grid_headings_draw(const struct grid *grid, const struct grid_headings *headings);

#endif
