/* event_row.h: one event as a line of a list, and the line of headings above */
#ifndef TUI_EVENT_ROW_H
#define TUI_EVENT_ROW_H

#include "tui/event_columns.h"
#include "tui/event_list.h"

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
