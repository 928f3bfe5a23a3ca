/* log_control.h: control of the session log by the keys l and m; one log at a time */
#ifndef TUI_SCREEN_LOG_CONTROL_H
#define TUI_SCREEN_LOG_CONTROL_H

#include "sampler/messages.h"
#include "session/writer.h"

struct log_control {
	struct sampler *sampler;
	const struct metrics *metrics;
	struct session_asked asked; /* see log_start */
	const char *path;           /* path of the first log; later ones get generated names */
	enum sink_mode mode;
	const struct sink_limits *limits;
	struct log *log;    /* NULL: none */
	bool is_ending;     /* queued frames are still being written */
	struct err said;    /* warning about the log's file; "": none */
	struct err wrote;   /* "wrote FILE, 39 kB; m1top replay FILE"; "": none */
	struct err failure; /* error of the first incomplete log; "": none */
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

#endif
