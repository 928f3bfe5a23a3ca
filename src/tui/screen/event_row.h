/* event_row.h: a line of a list for one event, and the heading line */
#ifndef TUI_SCREEN_EVENT_ROW_H
#define TUI_SCREEN_EVENT_ROW_H

#include "tui/model/event_list.h"

/** Columns from left to right. */
enum event_column {
	EVENT_NAME,
	EVENT_ID,    /* "0x8d" */
	EVENT_DOTS,  /* legal counters, one terminal column each */
	EVENT_WHERE, /* counter that counts it: "●5" */
	EVENT_RATE,
	EVENT_BRIEF, /* description */
	EVENT_TOPIC,
	N_EVENT_COLUMNS,
};

/** Wanted widths, in terminal columns. */
struct event_want {
	int width;
	int name;                /* width of the longest name */
	int n_dots, rate, topic; /* 0: not wanted */
};

/** Layout of the columns; width 0: left out. */
struct event_columns {
	struct {
		int x, width;
	} at[N_EVENT_COLUMNS];
};

/**
 * Calculate the layout. If there is little room, columns give way in this order: topic,
 * description, ends of long names, rate, current counter, number, dots.
 *
 * @x  first terminal column
 */
void event_columns_make(const struct event_want *want, int x, struct event_columns *ret);

/** Properties shared by all lines of a list. */
struct event_rows {
	const struct model *model;
	struct event_columns columns;
	unsigned slot;      /* target column of the selection */
	const char *search; /* search; its letters are marked */
	const char *rate;   /* heading of the rates, names their row */
};

enum { EVENT_RATE_WIDTH = 12 }; /* "~20.1kmsec/s" */

/** Get the number of dots. */
int event_n_dots(const struct machine *machine);

/** Draw the heading line. */
void event_head_draw(const struct event_rows *rows, int y);

/** Draw the line of an event. */
void event_row_draw(const struct event_rows *rows, const struct choice *choice, bool is_chosen,
		    int y);

#endif
