/* event_row.h: one event as a line of a list, and the line of headings above */
#ifndef TUI_SCREEN_EVENT_ROW_H
#define TUI_SCREEN_EVENT_ROW_H

#include "tui/model/event_list.h"

/** From left to right. */
enum event_column {
	EVENT_NAME,
	EVENT_ID,    /* "0x8d" */
	EVENT_DOTS,  /* counters that it may be counted on, one a column */
	EVENT_WHERE, /* the counter that counts it: "●5" */
	EVENT_RATE,
	EVENT_BRIEF, /* its description */
	EVENT_TOPIC,
	N_EVENT_COLUMNS,
};

/** What to show, in terminal columns. */
struct event_want {
	int width;
	int name;                /* the longest name */
	int n_dots, rate, topic; /* 0: not wanted */
};

/** Width 0: it has given way. */
struct event_columns {
	struct {
		int x, width;
	} at[N_EVENT_COLUMNS];
};

/**
 * Work it out. What gives way first: the topic, the description, the ends of long names, the rate,
 * where it is counted, the number, the dots.
 *
 * @x  the first column of them all
 */
void event_columns_make(const struct event_want *want, int x, struct event_columns *ret);

/** What the lines of one list have in common. */
struct event_rows {
	const struct model *model;
	struct event_columns columns;
	unsigned slot;      /* the counter that is chosen for */
	const char *search; /* its letters are marked */
	const char *rate;   /* heading of the rates: whose they are */
};

enum { EVENT_RATE_WIDTH = 12 }; /* "~20.1kmsec/s" */

/** How many dots there are. */
int event_n_dots(const struct machine *machine);

/** The headings. */
void event_head_draw(const struct event_rows *rows, int y);

/** An event. */
void event_row_draw(const struct event_rows *rows, const struct choice *choice, bool is_chosen,
		    int y);

#endif
