/* state.h: what the parts of the screen share */
#ifndef TUI_SCREEN_STATE_H
#define TUI_SCREEN_STATE_H

#include "tui/model/model.h"
#include "tui/model/presets.h"
#include "tui/model/recents.h"
#include "tui/screen/config.h"
#include "tui/screen/list.h"
#include "tui/screen/prompt.h"
#include "tui/screen/screen.h"
#include "tui/screen/view.h"
#include "tui/term/theme.h"
#include "tui/widget/layout.h"

/** Something in front of the view that takes all keys. */
struct overlay {
	void (*draw)(struct tui *tui);         /* NULL: the view shows it */
	void (*key)(struct tui *tui, int key); /* all but Ctrl-C, which quits */
};

/** What is selected in the Uncore view. */
struct uncore_view {
	struct cursor device;
	unsigned column, first; /* the selected column, the scrolling of the columns */
};

struct tui {
	const struct tui_config *config;
	struct queue *queue;
	/* Take the frames that have come, for some milliseconds, but one at least. @return was there
	 * any? */
	bool (*drain)(struct tui *tui);
	struct model model;
	struct layout layout;            /* of the picture that is being drawn */
	const struct key *keys;          /* of all views */
	const struct view *const *views; /* by enum view_id */
	enum view_id view;
	enum view_id acted;            /* where a figure was selected last */
	const struct overlay *overlay; /* NULL: none */

	/* What belongs to parts of the screen; each knows its own. */
	struct metrics_view *metrics;
	struct events_view *events;
	struct tasks_view *tasks;
	struct by_task *by_task;
	struct timeline *timeline;
	struct graph *graph;
	struct graph *mini_graph; /* what other views show */
	struct heat *heat;
	struct chooser *chooser;
	struct picker *picker;
	struct preview *preview;
	struct metric_chooser *metric_chooser;
	struct rotation *rotation;
	struct playing *playing;
	struct writing *writing;
	struct board *board; /* of a screen that is one */

	struct uncore_view uncore;
	struct recents recents;
	struct presets presets;
	struct prompt prompt;
	struct list_search search;
	unsigned n_seen;   /* items of the view's list in the picture; 0: it has none */
	unsigned scroll;   /* first line of a view of text */
	char status[1200]; /* what just happened */
	enum role status_role;
	char log[160]; /* "" or the log's name and size */
	uint64_t messages_seen;
	uint64_t frames_seen;
	bool banner_seen;
	uint64_t
		step_ns; /* virtual clock: when the next tick is due, on CLOCK_MONOTONIC; 0: never */
	uint64_t
		first_ns; /* when the first figures are due, before an interval is over; 0: they came */
	bool is_behind; /* frames that have come wait for the next turn */
	bool halted;    /* the simulated machine has come to its end */
	bool leave;
};

#endif
