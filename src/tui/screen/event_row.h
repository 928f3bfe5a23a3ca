/* event_columns.h: the columns of a list of events, and which give way where it is narrow; pure */
#ifndef TUI_EVENT_COLUMNS_H
#define TUI_EVENT_COLUMNS_H

#include <stdbool.h>

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

/** What is to be shown, in terminal columns. */
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

#endif
