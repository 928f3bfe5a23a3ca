/* table.h: a table on the screen: what its columns take, its headings, rows that scroll */
#ifndef TUI_WIDGET_TABLE_H
#define TUI_WIDGET_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/term/mouse.h"
#include "tui/term/theme.h"
#include "tui/widget/cursor.h"

static inline unsigned lesser(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/**
 * Widen a column by what is left; ask for what matters most first. Pure.
 *
 * @left   terminal columns that are not given away yet
 * @gap    what a new column costs beside its width
 * @width  of the column; 0: it is not there yet
 * @least  a new column is not worth less
 * @most   not beyond this; 0 asks for none
 * @return false: there was no room for the column
 */
bool table_widen(int *left, int gap, int *width, int least, int most);

/** A column that is as wide as its widest cell, where there is room for that. */
struct table_column {
	const char *heading;
	unsigned gives_way; /* 0: it stays; of the others the one with the largest goes first */
	int least;          /* columns that it may shrink to; 0: it is as wide as its widest cell */
	bool is_right;      /* figures */
	int n_dots;         /* of counters: dots, then the text as a mark; 0: text alone */
	unsigned first_dot; /* the first one's counter */
};

enum {
	TABLE_COLUMNS_MAX = 12,
	TABLE_GAP = 2, /* between two such columns */
};

/**
 * How wide each column is. Pure.
 *
 * @want   by column: its widest cell or heading
 * @width  of the table
 * @ret    by column; 0: it has given way
 */
void table_fit(const struct table_column *column, unsigned n, const int *want, int width, int *ret);

/** A heading of figures, selected or not; whether they sort the rows stands behind it. */
struct table_heading {
	int y, x, width;
	const char *text;
	bool is_selected;  /* it stands between marks */
	const char *arrow; /* the direction in which it sorts; NULL: it does not */
};

/** Draw it, right-aligned; a free column lies before and behind it. */
void table_heading_draw(const struct table_heading *heading);

/** Columns that are scrolled have more of them: a mark at both ends. */
void table_more_draw(int y, int left_x, bool more_left, bool more_right);

/** How the rows of a table are drawn. */
struct table_ops {
	/* Required. Draw one, but for its mark. */
	void (*draw)(const void *data, unsigned row, int y);
	/* Optional. Is there a free line above it? */
	bool (*is_apart)(const void *data, unsigned row);
	/* Optional. Lines that it takes; NULL: one */
	int (*height)(const void *data, unsigned row);
	/* Optional. Is it one that cannot be selected? */
	bool (*is_heading)(const void *data, unsigned row);
	enum role mark; /* of the selected one */
};

/** The rows of a table, of which some are seen. */
struct table_rows {
	const struct table_ops *ops;
	const void *data; /* for its functions */
	struct cursor *cursor;
	unsigned n;
	int y, n_seen;    /* where they go, how many of them there is room for */
	int x, width;     /* what a click takes for the row, with its mark at x */
	bool has_arrows;  /* column 0 says that there are more above and beneath */
	mouse_act *click; /* on a row */
};

/** Draw those that are seen, the selected one among them. @return the line behind the last one */
int table_rows_draw(const struct table_rows *rows);

/* Which counters take an event: one column per counter, a dot where it counts there. */

/** The digits above: counter 12 is 2. @chosen  this one is selected; UINT_MAX: none */
void counter_mask_head_draw(int y, int x, int width, unsigned first, unsigned chosen);

/** From counter `first` on. @counters  bit n: counter n */
void counter_mask_draw(int y, int x, int width, unsigned first, uint64_t counters);

#endif
