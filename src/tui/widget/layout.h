/* layout.h: the columns and lines that fit a terminal's size, and what is dropped first; pure */
#ifndef TUI_WIDGET_LAYOUT_H
#define TUI_WIDGET_LAYOUT_H

#include <stdbool.h>

#include "pmu/machine.h"

enum {
	LAYOUT_MIN_WIDTH = 40,
	LAYOUT_MIN_HEIGHT = 10,
	LAYOUT_LEADING_MAX = 2,
	LAYOUT_CELL_WIDTH = 6,   /* "~3.20G" */
	LAYOUT_COLUMN_WIDTH = 8, /* for a short name; fixed, so that no event moves the others */
};

enum column_kind {
	COLUMN_NAME,
	COLUMN_HEADLINE, /* IPC */
	COLUMN_BAR,
	COLUMN_HISTORY,
	COLUMN_TASK, /* task with most of the core */
	COLUMN_SLOT,
	COLUMN_METRIC,
};

struct column {
	enum column_kind kind;
	unsigned slot; /* slot of COLUMN_SLOT; metric of COLUMN_METRIC and COLUMN_HEADLINE */
	int x, width;
};

/** Requested contents. */
struct layout_want {
	int width, height;      /* size of the terminal */
	int name_min, name_max; /* width of row names, shortened and in full */
	bool has_primary_metric;
	unsigned primary_metric;
	unsigned n_leading; /* metrics before the headline, most important first */
	unsigned leading[LAYOUT_LEADING_MAX];
	bool has_bar, has_sparkline, has_task;
	bool has_parts;            /* the bar is stacked and described in a line of details */
	bool is_bar_selected;      /* it takes precedence over all slots but one */
	bool has_power;            /* a line about the machine: power, clocks, … */
	bool has_units;            /* an event has a unit: the row of units is dropped later */
	const struct column *slot; /* kind and slot of each column that scrolls */
	unsigned n_slots;
	unsigned selected; /* the one that must be visible; n_slots: none */
	unsigned first;    /* first slot, if columns are scrolled */
};

struct layout {
	bool too_small;
	struct column column[5 + LAYOUT_LEADING_MAX + COLUMNS_MAX]; /* left to right */
	unsigned n_columns, n_leading;
	bool has_parts; /* the bar is stacked */
	unsigned first; /* first slot in effect */
	bool more_left, more_right;
	int n_header; /* lines at the top */
	int view_y;   /* first line of a view, below an empty line if there is room */
	int power_y;  /* -1: no such line */
	int number_y; /* above the headings */
	int heading_y;
	int units_y; /* -1: no such line */
	int rows_y, n_rows;
	int detail_y, n_detail;
	int status_y;
};

/**
 * Compute the layout. Kept in this order: name, headline, three slots, bar, the other slots, task, history,
 * full names. Slots are adjacent and include the selected one. Columns never overlap; a free column
 * between two and at both ends is for the marks of the selected column and of scrolling.
 */
void layout_make(const struct layout_want *want, struct layout *ret);

#endif
