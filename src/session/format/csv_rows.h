/* csv_rows.h: the rows of a tick in the session format; what they have in common is written once, and
 * copied */
#ifndef SESSION_FORMAT_CSV_ROWS_H
#define SESSION_FORMAT_CSV_ROWS_H

#include "session/format/format.h"
#include "session/format/task_names.h"

/** Where something was written in `out`. n = 0: nowhere yet. */
struct csv_piece {
	size_t at, n;
};

/** One frame's. The first members are the caller's; all others begin as 0. */
struct csv_rows {
	const struct format_context *context;
	const struct frame *frame;
	const uint16_t *metric; /* numbers of those that are written */
	size_t n_metrics;
	struct task_names *named; /* tasks; those of the frame are added */
	struct text *out;         /* nobody takes anything out of it meanwhile */

	struct csv_piece stamp;  /* of the core: "12,1.200000000,4,P," */
	struct csv_piece ending; /* of the last row: ",99999872,99999872,ok,\n" */
	struct count ends;       /* what that says */
	unsigned type;           /* of core, that these are of: "cpu,0,,cycles," "metric,,,IPC," */
	struct csv_piece event[COLUMNS_MAX], metric_name[METRICS_BOUND_MAX];
	size_t before_pid[COLUMNS_MAX]; /* of an event: so much of it stands before the pid */
	size_t task;                    /* of the frame's, the first that is not yet written */
};

/** Append the rows of a core that is on: its counts, its metrics, then those of its tasks. To be
 * called in the order of the cores. */
void csv_rows_core(struct csv_rows *rows, unsigned core);

/** Append a "# task" note for each task that has rows in a frame. @frame  NULL: none */
void csv_note_tasks(const struct frame *frame, struct text *out);

/** The tasks that these notes and those of the frame have named. @return 0 or -ENOMEM */
int csv_named_tasks(const struct frame *frame, struct task_names *ret);

#endif
