/* grid.h: a table of metrics by cores: the columns that fit a width, and what is dropped first; pure */
#ifndef TUI_WIDGET_GRID_H
#define TUI_WIDGET_GRID_H

#include <stdbool.h>

#include "tui/term/label.h"
#include "tui/term/mouse.h"
#include "tui/widget/cursor.h"

enum { GRID_COLUMNS_MAX = 128 };

/** Return a text of a column. */
typedef struct label grid_text(const void *data, unsigned column);

/** Requested contents. Widths are in terminal columns. */
struct grid_want {
	int width;                 /* width of the terminal */
	int name_full, name_short; /* width of row names */
	int unit;                  /* width of units; 0: there are none */
	int cell;                  /* width of a figure and of the longest heading */
	unsigned n_fixed;          /* columns that do not scroll: subtotals */
	unsigned n_columns;        /* including these */
	struct cursor
		*cursor;  /* selected column, and the first of those that scroll; kept in range */
	const void *data; /* argument of the functions */
	grid_text *text;  /* heading, which widens the cells; NULL: they are wide enough */
};

/** A layout. A free column before every cell and after the last is for marks. */
struct grid {
	int name_x, name_width;
	int unit_x, unit_width; /* 0: dropped */
	int cell;
	unsigned n; /* visible columns, left to right */
	struct {
		unsigned column;
		int x;
	} at[GRID_COLUMNS_MAX];
	bool more_left, more_right;
};

/**
 * Compute the layout. Dropped in this order: full names, if they cost a column or take more than a third
 * of the width; units, likewise; columns, the last ones first and subtotals last. A column is never
 * narrower than its cell. If all fit, spare width goes to units and full names, then between the
 * columns.
 */
void grid_make(const struct grid_want *want, struct grid *ret);

/** The lines of headings above a grid. */
struct grid_headings {
	int y, height;     /* line; lines of a column in which a click selects it */
	unsigned selected; /* selected column */
	const void *data;  /* argument of the functions */
	grid_text *text;   /* required */
	grid_text *unit;   /* line below; NULL: there is none */
	mouse_act *click;  /* required */
};

/** Draw the headings. */
void grid_headings_draw(const struct grid *grid, const struct grid_headings *headings);

#endif
