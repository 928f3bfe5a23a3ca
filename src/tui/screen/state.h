/* state.h: state shared by the parts of the screen */
#ifndef TUI_SCREEN_STATE_H
#define TUI_SCREEN_STATE_H

#include "tui/model/model.h"
#include "tui/model/presets.h"
#include "tui/model/event_list.h"
#include "tui/tui.h"
#include "tui/screen/list.h"
#include "tui/screen/screen.h"
#include "tui/screen/view.h"
#include "tui/theme.h"
#include "tui/widget/layout.h"

/** An overlay in front of the view, which takes all keys. */
struct overlay {
	void (*draw)(struct tui *tui);         /* NULL: the view draws it */
	void (*key)(struct tui *tui, int key); /* all keys except Ctrl-C, which quits */
};

/** Selection of the Uncore view. */
struct uncore_view {
	struct cursor device, column;
};

struct tui {
	const struct tui_config *config;
	struct queue *queue;
	/* Take queued frames for a few milliseconds, but at least one. Returns whether there were
	 * any. */
	bool (*drain)(struct tui *tui);
	struct model model;
	struct layout layout;          /* layout of the current drawing */
	const struct theme *theme;     /* chosen on the screen; NULL: that of the start */
	uint32_t settings_changed;     /* by index in setting_table: with setting_change */
	bool hides_graph, hides_tasks; /* below the cores */
	bool has_first_view;           /* a setting; else the present one is saved */
	enum view_id first_view;
	const struct key *keys;          /* keys of all views */
	const struct setting *settings;  /* setting_table */
	const struct view *const *views; /* by enum view_id */
	enum view_id view;
	enum view_id acted;            /* view in which a figure was last selected */
	const struct overlay *overlay; /* NULL: none */

	/* State of the parts of the screen; each part knows its own struct. */
	struct metrics_view *metrics;
	struct events_view *events;
	struct tasks_view *tasks;
	struct by_task *by_task;
	struct hot_view *hot;
	struct timeline *timeline;
	struct graph *graph;
	struct graph *mini_graph; /* small graph in other views */
	struct heat *heat;
	struct chooser *chooser;
	struct picker *picker;
	struct preview *preview;
	struct metric_chooser *metric_chooser;
	struct rotation *rotation;
	struct playing *playing;
	struct writing *writing;

	struct uncore_view uncore;
	struct tracks bands; /* below the rows of Cores: of each band, of each part */
	struct recents recents;
	struct presets presets;
	struct prompt prompt;
	struct list_search search;
	bool has_tasks_below; /* Cores has room for tasks below the rows */
	unsigned n_seen;      /* visible items of the view's list; 0: no list */
	unsigned scroll;      /* first line of a text view */
	char find[64];        /* words of the only lines that a text view shows; "": all lines */
	enum view_id back;    /* view that a text view returns to */
	char status[1200];    /* message of the status line */
	enum role status_role;
	char log[160]; /* log name and size; "": none */
	uint64_t messages_seen;
	uint64_t excursions_seen; /* number of excursions when their list was opened last */
	uint64_t frames_seen;
	bool banner_seen;
	uint64_t step_ns;  /* virtual clock: time of the next tick, CLOCK_MONOTONIC; 0: none */
	uint64_t first_ns; /* time of the shortened first interval's end; 0: passed */
	bool is_behind;    /* queued frames are left for the next turn */
	bool halted;       /* the simulated machine has halted */
	bool leave;
};

#endif
