/* writer.h: what stat and replay --to-stat write: frames in a format to a file or a stream, and at
 * the end their sum */
#ifndef CMD_STAT_WRITER_H
#define CMD_STAT_WRITER_H

#include "session/format/frame_sum.h"
#include "session/format/task_table.h"
#include "session/write/frame_writer.h"

struct stat_writer {
	const struct options *options;
	enum frame_by by; /* rows */
	struct frame_writer out;
	bool is_total;        /* the sum is all that is written */
	struct frame_sum sum; /* of --summary, or the total */
	bool has_tasks;       /* rows by task: of a frame, and of the sum */
	struct task_table tasks, task_sum;
	uint64_t n_switches, n_lost; /* recorded or not */
};

/** The format, and whether it can do what the options ask for. @return 0 or -EINVAL */
int stat_writer_choose_format(struct stat_writer *writer, const struct options *options,
			      struct err *err);

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
int stat_writer_choose_rows(struct stat_writer *writer, const struct counted *counted,
			    struct err *err);

/** Are they for a terminal, that is for people? */
bool stat_writer_is_to_terminal(const struct options *options);

/**
 * Open where they go, and write what stands before the first.
 *
 * @session  copied; what the options ask of every format is added
 * @shown    the metrics to write; outlives the writer
 * @return   0 or as sink_open
 */
int stat_writer_open(struct stat_writer *writer, const struct format_context *session,
		     const struct metrics_selection *shown, struct err *err);

/** Write a frame, and add it to the sum. @return 0 or as frame_writer_frame */
int stat_writer_frame(struct stat_writer *writer, const struct frame *frame, struct err *err);

/** Print what has become of the output's file, once. */
void stat_writer_tell(struct stat_writer *writer);

/** Has anything been written or added up? */
bool stat_writer_has_any(const struct stat_writer *writer);

/** Has -n been reached? */
bool stat_writer_has_all(const struct stat_writer *writer);

/** The sum, where it is asked for; then close. @return 0 or as sink_close */
int stat_writer_close(struct stat_writer *writer, struct err *err);

/** Release; what was not closed is lost. NULL is accepted. */
void stat_writer_fini(struct stat_writer *writer);

#endif
