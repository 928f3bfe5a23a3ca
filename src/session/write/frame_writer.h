/* frame_writer.h: frames in a format to a sink, in a new file where the present one is full: what the
 * log, stat and the key w write */
#ifndef SESSION_WRITE_FRAME_WRITER_H
#define SESSION_WRITE_FRAME_WRITER_H

#include "session/format/format.h"
#include "session/write/sink.h"

/** Its owner fills in the first two. Of one thread. When its text is flushed is the owner's too. */
struct frame_writer {
	const struct format *format;
	struct format_context context;
	struct sink *sink; /* NULL: closed */
	struct text text;
	uint64_t n_frames, n_missing; /* so many were written, so many did gaps tell of */
	const struct frame *last;     /* that was written; NULL: none yet */
	const struct frame *before;   /* what is buffered in the sink; NULL: likewise */
	struct err said;              /* "": nothing has become of the file that must be told */
};

/**
 * Write what stands before the first frame.
 *
 * @sink    taken over; discarded on failure
 * @limits  when it goes on in a new file, complete by itself; NULL: never
 * @return  0 or as sink_limit and sink_write
 */
int frame_writer_begin(struct frame_writer *writer, struct sink *sink,
		       const struct sink_limits *limits, struct err *err);

/** Write a frame, in a new file where the present one would grow beyond its limit.
 * @return 0 or as sink_write */
int frame_writer_frame(struct frame_writer *writer, const struct frame *frame, struct err *err);

/** Frames before t_ns are missing; none of them: nothing is written. @return 0 or as sink_write */
int frame_writer_gap(struct frame_writer *writer, uint64_t t_ns, uint64_t n_frames, const char *why,
		     struct err *err);

/** Write a marker. @return 0 or as sink_write */
int frame_writer_mark(struct frame_writer *writer, uint64_t t_ns, const char *note,
		      struct err *err);

/** Write frames that were added up. @return 0 or as sink_write */
int frame_writer_summary(struct frame_writer *writer, const struct frame *sum, struct err *err);

/** What has become of the file, once. @return whether there is something to tell */
bool frame_writer_take_said(struct frame_writer *writer, struct err *ret);

/** Flush, close and release; it may be closed already. @return 0 or as sink_close */
int frame_writer_close(struct frame_writer *writer, struct err *err);

#endif
