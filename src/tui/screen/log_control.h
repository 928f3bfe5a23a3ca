/* log_control.h: the session log as the keys l and m have it: one after the other */
#ifndef TUI_SCREEN_LOG_CONTROL_H
#define TUI_SCREEN_LOG_CONTROL_H

#include "base/messages.h"
#include "session/write/log.h"

struct log_control {
	struct sampler *sampler;
	const struct metrics *metrics;
	struct session_asked asked; /* as of log_start */
	const char *path;           /* of the first one; those after it get names of their own */
	enum sink_mode mode;
	const struct sink_limits *limits;
	struct log *log;    /* NULL: none */
	bool is_ending;     /* what is queued is still being written */
	struct err said;    /* what has become of its file; "": nothing that must be told */
	struct err wrote;   /* "wrote FILE, 39 kB; m1top replay FILE"; "": likewise */
	struct err failure; /* the first log that was not written whole; "": all were */
};

/** Start one. @return as log_start */
int log_control_start(struct log_control *control, struct err *err);

/** Let it end; log_control_text tells when it has. @return 0; -EBUSY: it is ending */
int log_control_end(struct log_control *control, struct err *err);

/** Put a marker with a note of one line. @return 0; -ENOENT: no log runs */
int log_control_mark(struct log_control *control, const char *note, struct err *err);

/**
 * "" when no log runs, else "FILE 1.2 MB".
 *
 * @return  0; once, when it has ended without being complete: -errno
 */
int log_control_text(struct log_control *control, char *buf, size_t size, struct err *err);

/** What has become of logs and was not yet told, as messages. */
void log_control_tell(struct log_control *control, struct messages *messages);

/** End it now, if there is one. @return as log_stop */
int log_control_finish(struct log_control *control, struct err *err);

#endif
