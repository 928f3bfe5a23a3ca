/* tui.h: the live screen */
#ifndef TUI_TUI_H
#define TUI_TUI_H

#include "base/messages.h"
#include "metrics/planner.h"
#include "sampler/past.h"
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
	/* "" when no log runs, else "FILE 1.2 MB". Once, when a log has ended: 1 when it was told
	 * to and is complete, else -errno and why in err. */
	int (*status)(void *data, char *buf, size_t size, struct err *err);
};

/** Keeping what the screen is, for the next run; likewise. */
struct tui_keeper {
	void *data;
	/* Write it all. What the screen knows is to be taken with settings_take. Says where to. */
	int (*write)(void *data, const struct tui *tui, char *ret_where, size_t size,
		     struct err *err);
};

/** Writing the past to a session file; likewise. One file at a time. */
struct tui_writer {
	void *data;
	/* A name to offer. @return buf */
	const char *(*name)(void *data, char *buf, size_t size);
	/* Begin with the cells that there are now; they stay until `end`. 0 or -errno */
	int (*begin)(void *data, const char *path, const struct past *past, struct err *err);
	/* Write for some milliseconds. 1: there is more; 0: that was all; -errno */
	int (*go_on)(void *data, struct err *err);
	/* Close the file, whatever go_on said. @said  the file, its size and frames */
	int (*end)(void *data, char *said, size_t size, struct err *err);
};

struct tui_mark {
	uint64_t t_ns;
	const char *note;
};

/** Where a recorded session is played; the sampler's recording gives the frames. Likewise. */
struct tui_player {
	void *data;
	/* When the next frame ends; UINT64_MAX: there is none. NULL: this is no recording. */
	uint64_t (*next_ns)(void *data);
	/* The next frame shall be the first one that ends at t_ns or later. 0 or -errno */
	int (*seek)(void *data, uint64_t t_ns, struct err *err);
	const char *name;      /* of the file */
	const char *said;      /* why it ends where it ends; "": it is whole */
	uint64_t end_ns;       /* of the last frame */
	struct tui_mark *mark; /* in order */
	size_t n_marks;
	double speed; /* 1: as it was */
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
	struct tui_log log; /* of a recording all NULL */
	struct tui_writer writer;
	struct tui_player player;
	struct tui_keeper keeper;
	const struct settings *settings; /* what the screen begins with; NULL: nothing said */
	enum event_levels levels;
	enum frame_by by;
	size_t history_bytes; /* memory for the past that can be walked through; 0: 32 MiB */
	uint64_t count;       /* -n: leave after so many frames; 0: never */
	bool ascii, mouse;
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
