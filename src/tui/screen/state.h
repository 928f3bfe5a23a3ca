/* state.h: what the parts of the screen share */
#ifndef TUI_STATE_H
#define TUI_STATE_H

#include "tui/chooser.h"
#include "tui/events_view.h"
#include "tui/graph.h"
#include "tui/heat.h"
#include "tui/layout.h"
#include "tui/list.h"
#include "tui/metric_chooser.h"
#include "tui/metrics_view.h"
#include "tui/model.h"
#include "tui/picker.h"
#include "tui/playing.h"
#include "tui/presets.h"
#include "tui/preview.h"
#include "tui/prompt.h"
#include "tui/recents.h"
#include "tui/rotation.h"
#include "tui/theme.h"
#include "tui/tui.h"
#include "tui/view.h"
#include "tui/writing.h"

/** Something in front of the view that takes all keys. */
struct overlay {
	void (*draw)(struct tui *tui);
	unsigned (*key)(struct tui *tui, int key); /* @return DID_… */
};

/** What is selected in the Uncore view. */
struct uncore_view {
	struct cursor device;
	unsigned column, first; /* the selected column, the scrolling of the columns */
};

struct tui {
	const struct tui_config *config;
	struct queue *queue;
	struct model model;
	struct layout layout; /* of the picture that is being drawn */
	const struct view *view;
	const struct overlay *overlay; /* NULL: none */
	struct metrics_view metrics;
	struct events_view events;
	struct uncore_view uncore;
	struct timeline timeline;
	struct graph graph;
	struct graph beneath; /* what other views show, see graph_draw_beneath */
	struct heat heat;
	const struct view *acted; /* where a figure was selected last: Cores or Metrics */
	struct chooser chooser;
	struct picker picker;
	struct preview preview;
	struct recents recents;
	struct metric_chooser metric_chooser;
	struct presets presets;
	struct rotation rotation;
	struct prompt prompt;
	struct playing playing;
	struct writing writing;
	struct list_search search;
	unsigned n_seen;   /* items of the view's list in the picture; 0: it has none */
	unsigned scroll;   /* first line of a view of text */
	char status[1200]; /* what just happened */
	enum role status_role;
	char log[160]; /* "" or the log's name and size */
	uint64_t messages_seen;
	uint64_t frames_seen;
	bool banner_seen;
	bool is_behind; /* frames that have come wait for the next turn */
	bool halted;    /* the simulated machine has come to its end */
	bool leave;
};

/** Say what just happened. */
void tui_say(struct tui *tui, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** What a key is called, for a sentence. */
struct key_text {
	char name[16];
};

/** The first key in effect for a code of the table: `tui_key(tui, 'l').name`. */
struct key_text tui_key(const struct tui *tui, int code);

/** Make a view the picture. */
void tui_show(struct tui *tui, const struct view *view);

/** Take the frames that have come, for some milliseconds, but one at least. @return was there any? */
bool tui_drain(struct tui *tui);

/** Ask the log how it stands, for the header; a log that died is a message. */
void tui_refresh_log(struct tui *tui);

#endif
