/* writer.h: write frames to a sink: stat's output, the thread of the session log, the history as a file */
#ifndef SESSION_WRITER_H
#define SESSION_WRITER_H

#include "sampler/history.h"
#include "sampler/sampler.h"
#include "session/format.h"
#include "session/sink.h"

/* ---- frames in a format to a sink, with rotation: for the log, stat and the key w */

/** Writer of frames. The owner fills in the first two members and decides when to flush. For one thread. */
struct frame_writer {
	const struct format *format;
	struct format_context context;
	struct sink *sink; /* NULL: closed */
	struct text text;
	uint64_t n_frames, n_missing; /* frames written; frames that gaps reported */
	const struct frame *last;     /* newest frame that was written; NULL: none */
	const struct frame *before;   /* frame before the bytes buffered in the sink; NULL: none */
	struct err warning;           /* message about a lost file or a removed one; "": none */
	bool has_removed;             /* rotation has removed an older file */
};

/**
 * Write the beginning of the file, before the first frame.
 *
 * @sink    taken over; discarded on failure
 * @limits  for rotation, each file being complete by itself; NULL: none
 * @return  0 or as sink_limit and sink_write
 */
int frame_writer_begin(struct frame_writer *writer, struct sink *sink,
		       const struct sink_limits *limits, struct err *err);

/**
 * Write a frame, in a new file if the present one would exceed its limit.
 * @return 0 or as sink_write
 */
int frame_writer_frame(struct frame_writer *writer, const struct frame *frame, struct err *err);

/** Write a gap: frames before t_ns are missing. With 0 frames, write nothing. @return 0 or as sink_write */
int frame_writer_gap(struct frame_writer *writer, uint64_t t_ns, uint64_t n_frames, const char *why,
		     struct err *err);

/** Write a mark. @return 0 or as sink_write */
int frame_writer_mark(struct frame_writer *writer, uint64_t t_ns, const char *note,
		      struct err *err);

/** Write the summed frames. @return 0 or as sink_write */
int frame_writer_summary(struct frame_writer *writer, const struct frame *sum, struct err *err);

/** Get the message about a lost or removed file, once. @return whether there is one */
bool frame_writer_take_warning(struct frame_writer *writer, struct err *ret);

/** Flush, close unless already closed, and release. @return 0 or as sink_close */
int frame_writer_close(struct frame_writer *writer, struct err *err);

/* ---- the session log: a thread that takes frames from its own queue and writes them as CSV */

struct log;

struct log_status {
	bool running; /* false: the file is closed, by log_end or by an error */
	uint64_t bytes, frames, lost_frames;
	struct err error; /* reason for incomplete output (disk full …); "": complete */
};

/**
 * Start logging. Call from the main thread; the new thread writes, and flushes each second.
 *
 * @request options recorded in the head, and whether metrics are written. Outlives the log; NULL: none
 * @path    NULL: log_default_path
 * @limits  for rotation, each file being a session by itself
 * @return  0 or as sink_open
 */
int log_start(struct sampler *sampler, const struct metrics *metrics,
	      const struct session_request *request, const char *path, enum sink_mode mode,
	      const struct sink_limits *limits, struct log **ret, struct err *err);

/** Get the default name of a log: ./m1top-HOST-TIME.csv.zst, without zstd .csv. @return buf */
const char *log_default_path(char *buf, size_t size);

/** Write a mark with a note at the present time. */
void log_mark(struct log *log, const char *note);

/** Get the state of the log. */
void log_status(const struct log *log, struct log_status *ret);

/**
 * Stop taking frames. The thread writes the remaining ones and closes the file, which may take a while: log_status
 * reports when it has. log_stop must still be called.
 *
 * @patience_ns  longest wait for it
 */
void log_end(struct log *log, uint64_t patience_ns);

/** Get the file's path, which changes if the file is lost. @return buf */
const char *log_path(const struct log *log, char *buf, size_t size);

/** Get the message about a lost or removed file, once. @return whether there is one */
bool log_take_warning(struct log *log, struct err *ret);

/**
 * Write the queued frames, close the file, and free. NULL is accepted.
 *
 * @ret_warning  as of log_take_warning, if not yet taken; else untouched
 * @return       as sink_close
 */
int log_stop(struct log *log, struct err *ret_warning, struct err *err);

/* ---- the history of a session written to a session file in steps */

struct history_file;

/**
 * Create a file with the present cells of the history: each becomes a frame; a cell merged from several frames has
 * their sum and the length of their windows.
 *
 * @history  held (history_hold) until the file is closed
 * @context  of the session; copied
 * @from_ns  omit the cells before this time
 * @path     as in sink_open
 * @return   0; -ENODATA without a cell; as sink_open
 */
int history_file_open(const struct history *history, const struct format_context *context,
		      uint64_t from_ns, const char *path, struct history_file **ret,
		      struct err *err);

/** Write for about budget_ns. @return 1: there is more; 0: complete; -errno */
int history_file_write(struct history_file *file, uint64_t budget_ns, struct err *err);

/**
 * Close the file. NULL is accepted.
 *
 * @ret_message  "wrote FILE, 600 frames, 1.2 MB; m1top replay FILE"; may be NULL
 * @return       as sink_close
 */
int history_file_close(struct history_file *file, struct err *ret_message, struct err *err);

#endif
