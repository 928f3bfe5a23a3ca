/* log.h: the session log: a thread that takes frames from its own queue and writes them as CSV */
#ifndef SESSION_WRITE_LOG_H
#define SESSION_WRITE_LOG_H

#include "sampler/sampler.h"
#include "session/format/format.h"
#include "session/write/sink.h"

struct log;

struct log_status {
	bool running; /* false: the file is closed, because of log_end or of an error */
	uint64_t bytes, frames, lost_frames;
	struct err error; /* why not all is written (disk full …); "" when all is */
};

/**
 * Begin logging. Called from the main thread; the thread it starts writes, and flushes each second.
 *
 * @asked   what the head says was asked for, and whether metrics are written too. Outlives the log;
 *          NULL: nothing
 * @path  NULL: ./m1top-HOST-TIME.csv
 * @limits  when it goes on in a new file, a session by itself
 * @return  0 or as sink_open
 */
int log_start(struct sampler *sampler, const struct metrics *metrics,
	      const struct session_asked *asked, const char *path, enum sink_mode mode,
	      const struct sink_limits *limits, struct log **ret, struct err *err);

/** The name that a file gets without one: ./m1top-HOST-TIME.csv. @return buf */
const char *log_default_path(char *buf, size_t size);

/** Put a marker with a note at the present moment. */
void log_mark(struct log *log, const char *note);

/** How it stands. */
void log_status(const struct log *log, struct log_status *ret);

/**
 * Take no frame any more. The thread writes what it has and closes the file, which may take a while:
 * log_status has when that is done. log_stop is still to be called.
 *
 * @patience_ns  wait so long for it
 */
void log_end(struct log *log, uint64_t patience_ns);

/** The file's path, which changes when the file is lost. @return buf */
const char *log_path(const struct log *log, char *buf, size_t size);

/** What has become of the file, once. @return whether there is something to tell */
bool log_take_said(struct log *log, struct err *ret);

/**
 * Write what is queued, close the file, free. NULL is accepted.
 *
 * @ret_said  as of log_take_said, now or not told before; untouched without
 * @return    as sink_close
 */
int log_stop(struct log *log, struct err *ret_said, struct err *err);

#endif
