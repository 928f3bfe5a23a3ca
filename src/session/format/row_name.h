/* row_name.h: how every format names rows, moments and gaps */
#ifndef SESSION_FORMAT_ROW_NAME_H
#define SESSION_FORMAT_ROW_NAME_H

#include "session/format/format.h"

/**
 * What a row is called: "cpu4", "cpu4,12", "cluster 1", "socket 0", "P", "all", "smmuv3_pmcg_2b442".
 * By system on a machine of several types a row is a type, and called so.
 *
 * @return buf
 */
const char *row_name(const struct machine *machine, const struct frame_row *row, char *buf,
		     size_t size);

/** The kernel's number of the socket that a row is in. @row  by core … socket */
unsigned row_package(const struct machine *machine, const struct frame_row *row);

/** What one row is of, over the rows: "core", "task", "command", … */
const char *row_kind(const struct format_context *context);

/** How many rows a frame has in this context, and one of them. @by  context->by, or BY_DEVICE */
unsigned row_n(const struct format_context *context, const struct frame *frame, enum frame_by by);
void row_get(const struct format_context *context, const struct frame *frame, enum frame_by by,
	     unsigned i, struct frame_row *ret);

/** "bash-4711" as perf has it, "bash" by command; nothing in it is `sep`. @return buf */
const char *row_task_name(const struct format_context *context, const struct core_task *task,
			  const char *sep, char *buf, size_t size);

/** Are rates those of each second that passed? So it is of tasks, which do not run all the time. */
bool row_is_of_tasks(const struct format_context *context);

/** Why ticks are missing: "missed", "suspended"; "" for GAP_NONE. */
const char *gap_name(enum gap gap);

/** Why nothing is counted from a gap on: what is counted afterwards is described again. */
#define GAP_YIELDED "counters yielded"

/** Append "# gap T N frames (why)": the `gap` of every format whose comments begin with #. */
void gap_line(struct format_context *context, uint64_t t_ns, uint64_t n_frames, const char *why,
	      struct text *out);

/** Append a time as seconds with nine decimals. */
void text_seconds(struct text *out, uint64_t ns);

#endif
