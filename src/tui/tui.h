/* tui.h: the live screen and its configuration: sampler, session log, appearance */
#ifndef TUI_TUI_H
#define TUI_TUI_H

#include "metrics/planner.h"
#include "sampler/messages.h"
#include "sampler/notices.h"
#include "sampler/sampler.h"
#include "session/writer.h"

struct keymap;
struct player;
struct settings;
struct theme;
struct tui;

/** Control of the session log by the keys l and m; one log at a time. */
struct log_control {
	struct sampler *sampler;
	const struct metrics *metrics;
	struct session_request request; /* see log_start */
	const char *path;               /* path of the first log; later ones get generated names */
	enum sink_mode mode;
	struct sink_limits limits;
	struct log *log;       /* NULL: none */
	uint64_t began_ns;     /* of this log */
	uint64_t bytes_before; /* in the file that it was appended to */
	bool is_ending;        /* queued frames are still being written */
	struct err warning;    /* warning about the log's file; "": none */
	struct err wrote;      /* "wrote FILE, 39 kB, 1.2 MB/min; m1top replay FILE"; "": none */
	struct err failure;    /* error of the first incomplete log; "": none */
};

/** Start a log. @return as log_start */
int log_control_start(struct log_control *control, struct err *err);

/** Begin to end the log; log_control_text reports when it has ended.
 * @return 0; -EBUSY: already ending */
int log_control_end(struct log_control *control, struct err *err);

/** Write a marker with a one-line note. @return 0; -ENOENT: no log is running; -EBUSY: it is ending */
int log_control_mark(struct log_control *control, const char *note, struct err *err);

/**
 * Get "FILE 1.2 MB", or "" if no log is running.
 *
 * @return  0; -errno once if the log ended incomplete
 */
int log_control_text(struct log_control *control, char *buf, size_t size, struct err *err);

/** Report ended logs as messages. */
void log_control_tell(struct log_control *control, struct messages *messages);

/** End the log now, if there is one. @return as log_stop */
int log_control_finish(struct log_control *control, struct err *err);

/**
 * Counts summed over a period, by core and by event and device name. They can be compared with any
 * set that counts these events, and with another session. Other events have no baseline. Main
 * thread.
 */
struct baseline;

/**
 * Create an empty baseline.
 *
 * @machine, @metrics  of the figures to compare; they outlive the baseline
 * @from               machine of the counts to add; cores match by CPU number and core type;
 *                     outlives the last baseline_add
 * @return             0 or -ENOMEM
 */
int baseline_new(const struct machine *machine, const struct metrics *metrics,
		 const struct machine *from, struct baseline **ret);

/** Release the baseline. NULL is accepted. */
void baseline_free(struct baseline *baseline);

/** Set and get the name: "run.csv", "12:30:41". */
void baseline_call(struct baseline *baseline, const char *name);
const char *baseline_name(const struct baseline *baseline);

/**
 * Add one window of a core.
 *
 * @set     the counted set; outlives the last baseline_add
 * @core    of `from`
 * @count   [set->n_slots]
 * @return  0 or -ENOMEM
 */
int baseline_add(struct baseline *baseline, const struct set *set, unsigned core,
		 const struct count *count);

/** Count the matching cores, and the events of a set that have a baseline. */
unsigned baseline_n_cores(const struct baseline *baseline);
unsigned baseline_n_events(const struct baseline *baseline, const struct set *set);

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
	const char *reason;    /* reason why it ends early; "": complete */
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
	struct excursions *excursions; /* thresholds, and conditions of --on */
	struct log_control *log;       /* NULL: a recording is played */
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

/** Open the terminal in advance for tty_buffer_open: after rights are dropped it may belong to another
 * user, as under sudo. */
void tty_buffer_claim(void);

#endif
