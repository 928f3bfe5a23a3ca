/* layout.h: which columns and lines fit a terminal of some size, and what gives way first; pure */
#ifndef TUI_WIDGET_LAYOUT_H
#define TUI_WIDGET_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/machine.h"

enum {
	LAYOUT_MIN_WIDTH = 40,
	LAYOUT_MIN_HEIGHT = 10,
	LAYOUT_LEADING_MAX = 2,
	LAYOUT_CELL_WIDTH = 6,   /* "~3.20G" */
	LAYOUT_COLUMN_WIDTH = 8, /* a short name; no event makes the others move */
};

enum column_kind {
	COLUMN_NAME,
	COLUMN_HEADLINE, /* IPC */
	COLUMN_BAR,
	COLUMN_HISTORY,
	COLUMN_TASK, /* who had most of the core */
	COLUMN_SLOT,
	COLUMN_METRIC,
};

struct column {
	enum column_kind kind;
	unsigned slot; /* of COLUMN_SLOT; the metric of COLUMN_METRIC */
	int x, width;
};

/** What to show. */
struct layout_want {
	int width, height;      /* of the terminal */
	int name_min, name_max; /* columns that row names take, shortened and in full */
	bool has_primary_metric;
	unsigned n_leading; /* metrics before the headline, those that matter most first */
	unsigned leading[LAYOUT_LEADING_MAX];
	bool has_bar, has_sparkline, has_task;
	bool has_parts; /* the bar is a stacked one, and a line of details is about it */
	bool has_units; /* an event has a unit: the row of units stays to the last */
	unsigned n_slots;
	unsigned selected; /* slot that must be in sight; n_slots: none */
	unsigned first;    /* slot: how far the columns are scrolled */
};

struct layout {
	bool too_small;
	struct column column[5 + LAYOUT_LEADING_MAX + COLUMNS_MAX]; /* left to right */
	unsigned n_columns, n_leading;
	bool has_parts; /* the bar is a stacked one */
	unsigned first; /* the scrolling that was possible */
	bool more_left, more_right;
	int n_header; /* lines at the top */
	int view_y;   /* where a view begins: with lines to spare an empty one is above it */
	int number_y; /* above the headings */
	int heading_y;
	int units_y; /* -1: no such line */
	int rows_y, n_rows;
	int detail_y, n_detail;
	int status_y;
};

/**
 * Work it out. Kept in this order: name, headline, three slots, bar, the other slots, task, history, full
 * names. Slots stand side by side, the selected one among them. Columns never overlap, and one free column lies between two and at
 * both ends, where the marks of the selected column and of scrolling go.
 */
void layout_make(const struct layout_want *want, struct layout *ret);

/** The column of a kind. @return NULL when it has given way */
const struct column *layout_find(const struct layout *layout, enum column_kind kind);

#endif
