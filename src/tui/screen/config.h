/* config.h: what the screen is given: the sampler, the session log, how it looks */
#ifndef TUI_SCREEN_CONFIG_H
#define TUI_SCREEN_CONFIG_H

#include "base/messages.h"
#include "metrics/planner/planner.h"
#include "sampler/sampler.h"
#include "sampler/watch.h"

struct baseline;
struct keymap;
struct log_control;
struct player;
struct settings;
struct theme;
struct tui;

/** Keeping what the screen is, for the next run; the verb knows the configuration. */
struct config_writer {
	void *data;
	/* Write it all. Take what the screen knows with settings_take_…. Says where to. NULL:
	 * it is not kept. */
	int (*write)(void *data, const struct tui *tui, char *ret_where, size_t size,
		     struct err *err);
};

/** Where a recorded session is played; the sampler's recording gives the frames. */
struct recorded {
	struct player *player; /* NULL: this is none */
	const char *name;      /* of the file */
	const char *said;      /* why it ends where it ends; "": it is whole */
	double speed;          /* 1: as it was */
};

struct tui_config {
	struct sampler *sampler; /* not yet started */
	const struct set *first;
	struct event_table *events;
	struct metrics *metrics;                /* to which expressions may be added */
	const struct metrics_selection *chosen; /* -M: metrics that `first` was made for */
	const struct planner_request *plain;    /* how M plans a set: all but its wishes */
	struct messages *messages;
	struct watch *watch;
	struct log_control *log; /* NULL: of a recording */
	struct recorded recorded;
	struct config_writer config_writer;
	struct baseline *baseline;       /* what figures are compared with from the start; NULL */
	const struct settings *settings; /* what the screen begins with; NULL: nothing said */
	enum privilege privilege;
	enum frame_by by;
	size_t history_bytes; /* memory for the history that can be walked through; 0: 32 MiB */
	uint64_t count;       /* -n: leave after so many frames; 0: never */
	bool ascii, mouse;
	const struct theme *theme;
	const struct keymap *keymap;
	const char
		*banner; /* said in the header until a key is pressed: why this is a demo; NULL */
};

#endif
