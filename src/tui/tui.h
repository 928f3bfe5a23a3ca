/* tui.h: the live screen and its configuration: sampler, session log, appearance */
#ifndef TUI_TUI_H
#define TUI_TUI_H

#include "metrics/planner.h"
#include "sampler/messages.h"
#include "sampler/notices.h"
#include "sampler/sampler.h"
#include "tui/model/baseline.h"
#include "tui/screen/log_control.h"
#include "tui/term/terminal.h"

struct keymap;
struct player;
struct settings;
struct theme;
struct tui;

/** Writer that saves the screen's state for the next run; the command knows the configuration file. */
struct config_writer {
	void *data;
	/* Write all settings, read with settings_take_…. Returns the path in `ret_where`. NULL:
	 * settings are not saved. */
	int (*write)(void *data, const struct tui *tui, char *ret_where, size_t size,
		     struct err *err);
};

/** A recorded session that is played; the sampler's recording supplies the frames. */
struct recorded {
	struct player *player; /* NULL: no recording */
	const char *name;      /* file name */
	const char *said;      /* reason why it ends early; "": complete */
	double speed;          /* 1: recorded speed */
};

struct tui_config {
	struct sampler *sampler; /* not started yet */
	const struct set *first;
	struct event_table *events;
	struct metrics *metrics;                /* expressions may be added */
	const struct metrics_selection *chosen; /* -M: metrics that `first` counts */
	const struct planner_request *plain;    /* for sets planned by key M: all but the metrics */
	struct messages *messages;
	struct watch *watch;
	/* Takes each frame into `excursions`, and acts. Main thread. */
	void (*frame)(void *armed, const struct frame *frame);
	void *armed;
	const struct excursions *excursions; /* thresholds, and conditions of --on */
	struct log_control *log;             /* NULL: a recording is played */
	struct recorded recorded;
	struct config_writer config_writer;
	struct baseline *baseline;       /* baseline at the start; NULL: none */
	const struct settings *settings; /* initial settings; NULL: defaults */
	uint32_t settings_given;         /* by index in setting_table: those of options */
	enum privilege privilege;
	enum frame_by by;
	unsigned pid;         /* Tasks is the first view, with this process only; 0: off */
	size_t history_bytes; /* memory limit of the history; 0: 32 MiB */
	uint64_t count;       /* -n: exit after this many frames; 0: never */
	bool ascii, mouse;
	const struct theme *theme;
	const struct keymap *keymap;
	const char
		*banner; /* header text until the first key, the reason for the demo; NULL: none */
};

/**
 * Start the sampler, show it until the user leaves, stop it, restore the terminal.
 * Signals: SIGINT, SIGTERM, SIGHUP leave cleanly; SIGTSTP and SIGCONT stop and redraw; a fatal
 * signal restores the terminal and then ends the process.
 *
 * @return 0; -ENOTTY without a usable terminal, naming `m1top stat`; the error of sampler_start
 */
int tui_run(const struct tui_config *config, struct err *err);

#endif
