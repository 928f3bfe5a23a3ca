/* records.h: what stat and replay --to-stat write: frames in a format to a file or a stream, and at
 * the end their sum */
#ifndef CMD_RECORDS_H
#define CMD_RECORDS_H

#include "cmd/setup.h"
#include "session/format.h"

struct records {
	const struct options *options;
	const struct format *format;
	enum frame_by by; /* rows */
	struct format_context context;
	struct sink *sink;
	struct text text;
	struct frame *sum; /* --summary; NULL: nothing yet */
	uint64_t n_frames; /* written */
};

/** The format, and whether it can do what the options ask for. @return 0 or -EINVAL */
int records_choose_format(struct records *records, const struct options *options, struct err *err);

/** What is or was counted, and what was asked for. */
struct counted {
	const struct machine *machine;
	struct metrics *metrics;
	const struct set *first; /* NULL: a file that ends before it */
	struct session_asked asked;
	struct metrics_selection *chosen; /* asked.metrics, already selected */
};

/**
 * The rows and metrics that stat shows: those of --by and -M, else what was asked for suggests.
 * They are the same for a session that is counted and for one that was.
 *
 * @return 0 or -EINVAL
 */
int records_choose_rows(struct records *records, const struct counted *counted, struct err *err);

/** Are they for a terminal, that is for people? */
bool records_go_to_terminal(const struct options *options);

/**
 * Open where they go, and write what stands before the first.
 *
 * @session  copied; what the options ask of every format is added
 * @shown    the metrics to write; outlives the records
 * @return   0 or as sink_open
 */
int records_open(struct records *records, const struct format_context *session,
		 const struct metrics_selection *shown, struct err *err);

/** Write a frame, in a new file where the present one would grow beyond its limit. @return 0 or as sink_write */
int records_frame(struct records *records, const struct frame *frame, struct err *err);

/** Frames before t_ns are missing; none of them: nothing is written. @return 0 or as sink_write */
int records_gap(struct records *records, uint64_t t_ns, uint64_t n_frames, const char *why,
		struct err *err);

/** Write a marker. @return 0 or as sink_write */
int records_mark(struct records *records, uint64_t t_ns, const char *note, struct err *err);

/** Has -n been reached? */
bool records_have_all(const struct records *records);

/** The sum, where it is asked for; then close. @return 0 or as sink_close */
int records_close(struct records *records, struct err *err);

/** Release; what was not closed is lost. NULL is accepted. */
void records_fini(struct records *records);

#endif
