/* view.h: a full-screen view, and the names that views go by */
#ifndef TUI_SCREEN_VIEW_H
#define TUI_SCREEN_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/model/series.h"
#include "tui/widget/hints.h"

struct cursor;
struct tui;
struct key;

/** In the order of the tabs; the first is shown first. */
enum view_id {
	VIEW_CORES,
	VIEW_TASKS,
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
	const char *what;   /* one line of help */
	bool has_detail;    /* the lines about the selected counter and row belong below it */
	bool has_counter;   /* it shows the selected counter: keys that change it stay here */
	bool has_changes;   /* its cells show changes while there is a baseline */
	bool is_hidden_tab; /* a key of its own leads there: it has a tab only while it is shown */
	struct hint hint[11]; /* the first ones are the last to give way; NULL ends */
	/* Optional. This machine has nothing for it: next, previous view pass it by, its tab is dim. */
	bool (*is_empty)(const struct tui *tui);
	/* Optional. Main thread. It becomes the picture: take over what was selected elsewhere. */
	void (*enter)(struct tui *tui);
	/* Optional. What its rows are, for the header; in place of what is said of cores. @return buf */
	const char *(*said)(const struct tui *tui, bool is_brief, char *buf, size_t size);
	/* Required. Main thread. Draws between header and status line, from tui->layout. */
	void (*draw)(struct tui *tui);
	/* Optional. Keys of its own, before those of key_table: tables that end with a NULL name. */
	const struct key *keys[3];
	/* Optional. Main thread. What no table says of keys, before all of them. @return false: not mine */
	bool (*key)(struct tui *tui, int key);
	/* Optional. The list that arrows move in: a click selects in it, / searches it. */
	struct cursor *(*list)(struct tui *tui, unsigned *ret_n);
	bool has_folds; /* the list is model->line: a search finds what is folded away and unfolds it */
	/* Required with timeline_keys. What they change. @return NULL: there is nothing */
	struct quantity *(*quantity)(struct tui *tui);
	/* Optional. The figures that are selected in it, for Graph and Heat. @return how many: 0 … 2 */
	unsigned (*selected)(const struct tui *tui, struct series ret[2]);
	/* Required with `selected`. Select it there, too. @return false: it does not have it */
	bool (*select)(struct tui *tui, const struct quantity *quantity);
	/* Required with a list. What a search looks at in one of its items. @return buf */
	const char *(*item)(const struct tui *tui, unsigned i, char *buf, size_t size);
};

#endif
