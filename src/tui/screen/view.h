/* view.h: a full-screen view, and the const table of them */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/hints.h"

struct cursor;
struct tui;
struct key;
struct quantity;

struct view {
	const char *name;
	const char *what; /* one line of help */
	bool has_detail;  /* the lines about the selected counter and row belong below it */
	bool has_counter; /* it shows the selected counter: keys that change it stay here */
	bool is_aside;    /* a key of its own leads there: it has a tab only while it is shown */
	struct hint hint[10]; /* the first ones are the last to give way; NULL ends */
	/* Optional. Main thread. It becomes the picture: take over what was selected elsewhere. */
	void (*enter)(struct tui *tui);
	/* Required. Main thread. Draws between header and status line, from tui->layout. */
	void (*draw)(struct tui *tui);
	/* Optional. Keys of its own, before those of key_table: tables that end with a NULL name. */
	const struct key *keys[3];
	/* Optional. Main thread. What no table says of keys, before all of them. @return DID_… */
	unsigned (*key)(struct tui *tui, int key);
	/* Optional. The list that arrows move in: a click selects in it, / searches it. */
	struct cursor *(*list)(struct tui *tui, unsigned *ret_n);
	/* Required with timeline_keys. What they change. @return NULL: there is nothing */
	struct quantity *(*quantity)(struct tui *tui);
	/* Required with a list. What a search looks at in one of its items. @return buf */
	const char *(*item)(const struct tui *tui, unsigned i, char *buf, size_t size);
};

extern const struct view view_cores, view_metrics, view_events, view_graph, view_heat, view_uncore,
	view_messages, view_help;

/** Every view, the first one shown first; NULL-terminated. */
extern const struct view *const view_table[];

#endif
