/* view.h: a full-screen view, and the numbers of all views */
#ifndef TUI_SCREEN_VIEW_H
#define TUI_SCREEN_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/model/series.h"
#include "tui/widget/hints.h"

struct cursor;
struct tui;
struct key;
struct sheet_column;

/** Views in the order of their tabs; the first one is shown at the start. */
enum view_id {
	VIEW_CORES,
	VIEW_TASKS,
	VIEW_TASK, /* one of them: a tab only while displayed */
	VIEW_HOT,  /* functions: a tab only while displayed */
	VIEW_METRICS,
	VIEW_GRAPH,
	VIEW_HEAT,
	VIEW_EVENTS,
	VIEW_UNCORE,
	VIEW_MESSAGES,
	VIEW_HELP,
	N_VIEWS,
};

struct view {
	const char *name;
	const char *what; /* one line for the help */
	bool has_counter; /* shows the selected counter: keys that change it do not switch views */
	/* Scopes of keys that change something here, of ROWS to TOTALS. CHANGES: while there is a baseline;
	 * TOTALS: in lines about the selected column and row, below the view. */
	unsigned parts;
	bool is_text; /* Help, Messages: a tab only while displayed; keys of the other views do not act */
	struct hint hint[20]; /* the last hints give way first; NULL ends */
	/* Optional. Whether this machine has no data for the view: its tab is dim, and keys for the
	 * next and previous view skip it. */
	bool (*is_empty)(const struct tui *tui);
	/* Optional. Main thread. Called when the view is displayed: take over the selection of other
	 * views. */
	void (*enter)(struct tui *tui);
	/* Optional. Description of the rows for the header, instead of that of cores. Returns buf. */
	const char *(*describe)(const struct tui *tui, bool is_brief, char *buf, size_t size);
	/* Required. Main thread. Draw between header and status line, as in tui->layout. */
	void (*draw)(struct tui *tui);
	/* Optional. Columns, from the left; those with a key can be hidden. Returns NULL: there are no more. */
	const struct sheet_column *(*column)(unsigned i);
	/* Optional. Own keys, which precede those of key_table: tables that end with a NULL name. */
	const struct key *keys[3];
	/* Optional. Main thread. Handle a key that is in no table, before all tables. Returns false:
	 * not handled. */
	bool (*key)(struct tui *tui, int key);
	/* Optional. List that arrow keys move in, clicks select in, and / searches. */
	struct cursor *(*list)(struct tui *tui, unsigned *ret_n);
	enum view_id below; /* view whose list stands below this one; 0: none */
	int opens;          /* key that a double click on an item presses; 0: Enter */
	/* Required with timeline_keys. Quantity that these keys change. Returns NULL: there is none. */
	struct quantity *(*quantity)(struct tui *tui);
	/* Optional. Get the selected series, for Graph and Heat. Returns their number, 0 … 2. */
	unsigned (*selected)(const struct tui *tui, struct series ret[2]);
	/* Optional. Select the quantity in this view too. Returns false: the view does not have
	 * it. */
	bool (*select)(struct tui *tui, const struct quantity *quantity);
	/* Required with a list. Text of an item for the search. Returns buf. */
	const char *(*item)(const struct tui *tui, unsigned i, char *buf, size_t size);
};

#endif
