/* tui.h: the live screen */
#ifndef TUI_TUI_H
#define TUI_TUI_H

#include "base/messages.h"
#include "metrics/planner.h"
#include "sampler/sampler.h"
#include "sampler/watch.h"

struct keymap;
struct settings;
struct theme;

struct tui;

/** The session log as the screen needs it; the verb provides it, so tui does not know session/. */
struct tui_log {
	void *data;
	/* 0, or an error for the status line. The note of `mark` is one line. */
	int (*start)(void *data, struct err *err);
	int (*stop)(void *data, struct err *err);
	int (*mark)(void *data, const char *note, struct err *err);
	/* "" when no log runs, else "FILE 1.2 MB". A log that died says why, once, through err and
	 * returns -errno. */
	int (*status)(void *data, char *buf, size_t size, struct err *err);
};

/** Keeping what the screen is, for the next run; likewise. */
struct tui_keeper {
	void *data;
	/* Write it all. What the screen knows is to be taken with settings_take. Says where to. */
	int (*write)(void *data, const struct tui *tui, char *ret_where, size_t size,
		     struct err *err);
};

struct tui_config {
	struct sampler *sampler; /* not yet started */
	const struct set *first;
	struct event_table *events;
	const struct metrics *metrics;
	const struct metrics_selection *chosen; /* -M: metrics that `first` was made for */
	const struct planner_request *plain;    /* how M plans a set: all but its wishes */
	struct messages *messages;
	struct watch *watch;
	struct tui_log log;
	struct tui_keeper keeper;
	const struct settings *settings; /* what the screen begins with; NULL: nothing said */
	enum event_levels levels;
	enum frame_by by;
	size_t history_bytes; /* memory for the past that can be walked through; 0: 32 MiB */
	uint64_t count;       /* -n: leave after so many frames; 0: never */
	bool ascii;
	const struct theme *theme;
	const struct keymap *keymap; /* NULL: the keys of the table */
	const char
		*banner; /* said in the header until a key is pressed: why this is a demo; NULL */
};

/**
 * Start the sampler, show it until the user leaves, stop it, restore the terminal.
 * Signals: SIGINT, SIGTERM, SIGHUP leave cleanly; SIGTSTP and SIGCONT stop and redraw; a fatal
 * signal restores the terminal and dies of it.
 *
 * @return 0; -ENOTTY without a usable terminal, naming `m1top stat`; what sampler_start said
 */
int tui_run(const struct tui_config *config, struct err *err);

#endif
