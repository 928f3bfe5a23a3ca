/* row_name.h: names of rows, times and gaps in all formats, and their numbers */
#ifndef SESSION_FORMAT_ROW_NAME_H
#define SESSION_FORMAT_ROW_NAME_H

#include "session/format.h"

/** Name the kind of rows: "core", "task", "command", … */
const char *row_kind(const struct format_context *context);

/** Get the number of rows of a frame in this context, and one of them. @by  context->by, or BY_DEVICE */
unsigned row_n(const struct format_context *context, const struct frame *frame, enum frame_by by);
void row_get(const struct format_context *context, const struct frame *frame, enum frame_by by,
	     unsigned i, struct frame_row *ret);

/** Size of a buffer for any row's name: that of a cgroup is a path. */
enum { ROW_NAME_SIZE = 8192 };

/** Name a task as perf does: "bash-4711", by command "bash", by cgroup "/a/b"; characters of `sep` are replaced. @return buf */
const char *row_task_name(const struct format_context *context, const struct core_task *task,
			  const char *sep, char *buf, size_t size);

/** Calculate the rate of a count. That of tasks, which do not run all the time, is per elapsed second. */
struct reading row_rate(const struct format_context *context, const struct frame_row *row,
			const struct count *count);

/** Name the reason for missing ticks: "missed", "suspended"; "" for GAP_NONE. */
extern const char *const gap_name[];

/** Reason of a gap from which on nothing is counted; the next set is described again. */
#define GAP_YIELDED "counters yielded"

/** Append "# gap T N frames (why)", the `gap` of all formats with # comments. */
void gap_line(struct format_context *context, uint64_t t_ns, uint64_t n_frames, const char *why,
	      struct text *out);

/** Names of the fields of a session's rows. */
extern const char csv_heading[82];

/**
 * Append a metric's value for CSV: 6 significant digits, all digits before the point, no trailing zeros. 50 times as
 * fast as printf. @figure  finite
 */
void csv_figure(struct text *out, double figure);

/** Append a value of a # line, which ends at a blank: quoted if it contains one. */
void csv_value(struct text *out, const char *s);

/** Append in quotes, with quotes doubled. @on_one_line  a blank replaces a line's end */
void csv_quote(struct text *out, const char *s, bool on_one_line);

/** Get the expression of a metric on a core type: that of the user's own metric is the same on all. */
const char *metric_expr_on(const struct metric *metric, const struct core_type *type);

/** Append a time as seconds with nine decimals. */
void text_seconds(struct text *out, uint64_t ns);

#endif
