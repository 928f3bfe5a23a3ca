/* table.h: a table on the screen: column widths, headings, rows that scroll */
#ifndef TUI_WIDGET_TABLE_H
#define TUI_WIDGET_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/term/mouse.h"
#include "tui/theme.h"
#include "tui/widget/cursor.h"

static inline unsigned lesser(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/**
 * Widen a column by what is left; call for the most important column first. Pure.
 *
 * @left   terminal columns not yet assigned
 * @gap    cost of a new column beside its width
 * @width  width of the column; 0: not there yet
 * @least  minimum width of a new column
 * @most   maximum width; 0: no column is wanted
 * @return false: no room for the column
 */
bool table_widen(int *left, int gap, int *width, int least, int most);

enum { TABLE_GAP = 2 /* terminal columns between two columns */ };

/** The heading of a column of figures, which shows whether it is selected and sorts the rows. */
struct table_heading {
	int y, x, width;
	const char *text;
	bool is_selected;    /* drawn between marks */
	const char *arrow;   /* direction of sorting; NULL: rows are not sorted by it */
	const char *above;   /* number or level in a line of its own; NULL: none */
	const char *unit;    /* likewise; NULL: none */
	int above_y, unit_y; /* -1: no such line */
};

/** Draw the heading right-aligned, with a free column before and after it. */
void table_heading_draw(const struct table_heading *heading);

/** Draw a text at one side of its column. */
void table_text_draw(int y, int x, int width, bool is_right, enum role role, const char *text);

/** Draw a figure right-aligned. @is_beyond  exceeds its threshold: "▲" before it */
void table_figure_draw(int y, int x, int width, enum role role, bool is_beyond, const char *text);

/** Mark each end at which more columns can be scrolled to; a click on a mark does it, as keys ( and ). */
void table_more_draw(int y, int left_x, bool more_left, bool more_right);

/** Whether table_more_draw has drawn a mark since the last call. */
bool table_take_cut(void);

/** Functions that draw the rows of a table. */
struct table_ops {
	/* Required. Draw a row without its mark. */
	void (*draw)(const void *data, unsigned row, int y);
	/* Optional. Whether an empty line is above it. */
	bool (*is_apart)(const void *data, unsigned row);
	/* Optional. Return the lines that it takes; NULL: one. */
	int (*height)(const void *data, unsigned row);
	/* Optional. Whether it is a heading, which cannot be selected. */
	bool (*is_heading)(const void *data, unsigned row);
	enum role mark;      /* role of the selected row's mark */
	bool is_highlighted; /* the selected row is highlighted as a whole */
};

/** The rows of a table, some of them visible. */
struct table_rows {
	const struct table_ops *ops;
	const void *data; /* argument of the functions */
	struct cursor *cursor;
	unsigned n;
	int y, n_seen; /* first line; rows that fit */
	int x, width;  /* columns in which a click selects a row; its mark is at x */
	bool has_arrows; /* column 0, or that after the mark, shows if there are more rows above and below */
	mouse_act *click; /* on a row */
	int opens;        /* key of a double click on a row; 0: none */
};

/** Draw the visible rows, which include the selected one. @return the line after the last one */
int table_rows_draw(const struct table_rows *rows);

/* Counter masks: the counters that can count an event, one column per counter, a dot for each that can. */

/** Draw the digits above a mask: counter 12 is 2. @chosen  selected counter; UINT_MAX: none */
void counter_mask_head_draw(int y, int x, int width, unsigned first, unsigned chosen);

/** Draw a mask from counter `first` on. @counters  bit n: counter n */
void counter_mask_draw(int y, int x, int width, unsigned first, uint64_t counters);

#endif
