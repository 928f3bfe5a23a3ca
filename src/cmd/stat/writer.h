/* writer.h: writes frames and their sum in a format to a file or a stream, for stat and replay --to-stat */
#ifndef CMD_STAT_WRITER_H
#define CMD_STAT_WRITER_H

#include "session/format.h"
#include "session/writer.h"

struct stat_writer {
	const struct options *options;
	enum frame_by by; /* grouping of rows */
	struct frame_writer out;
	bool is_total;          /* only the sum is written */
	struct frame_sum sum;   /* for --summary, or the total */
	struct frame_runs runs; /* for -r: their mean becomes the total */
	bool has_tasks;         /* rows by task, of frames and of the sum */
	struct task_table tasks, task_sum;
	bool is_folded;          /* stacks of samples instead, at the end */
	bool has_functions;      /* rows by function instead */
	struct symbols *symbols; /* their names come later; NULL: no need to wait */
	struct function_table functions, function_sum;
	uint64_t n_switches, n_lost; /* with or without a record */
};

/** Choose the format and check that it supports the options. @return 0 or -EINVAL */
int stat_writer_choose_format(struct stat_writer *writer, const struct options *options,
			      struct err *err);

/** Description of a session, counted now or recorded, and the request for it. */
struct counted {
	const struct machine *machine;
	struct metrics *metrics;
	const struct set *first; /* NULL: the file ends before it */
	struct session_request request;
	struct metrics_selection *chosen; /* selection of request.metrics */
};

/**
 * Choose the rows and metrics that stat shows: those of --by and -M, else by the request. The
 * result is the same for counting and for a recorded session.
 *
 * @return 0 or -EINVAL
 */
int stat_writer_choose_rows(struct stat_writer *writer, const struct counted *counted,
			    struct err *err);

/** Whether the output is a terminal. */
bool stat_writer_is_to_terminal(const struct options *options);

/**
 * Open the output and write its head.
 *
 * @session  copied; additions that the options require of every format are made
 * @shown    metrics to write; must outlive the writer
 * @return   0 or as sink_open
 */
int stat_writer_open(struct stat_writer *writer, const struct format_context *session,
		     const struct metrics_selection *shown, struct err *err);

/** Write a frame and add it to the sum. @return 0 or as frame_writer_frame */
int stat_writer_frame(struct stat_writer *writer, const struct frame *frame, struct err *err);

/** Print a message about the output file, once. */
void stat_writer_tell(struct stat_writer *writer);

/** Whether the count of -n is reached. */
bool stat_writer_has_all(const struct stat_writer *writer);

/** Write the sum, if requested, and close. @return 0 or as sink_close */
int stat_writer_close(struct stat_writer *writer, struct err *err);

/** Free the writer; unclosed output is lost. NULL is accepted. */
void stat_writer_fini(struct stat_writer *writer);

#endif
