/* row_name.h: how every format names rows, moments and gaps */
#ifndef SESSION_FORMAT_ROW_NAME_H
#define SESSION_FORMAT_ROW_NAME_H

#include "session/format/format.h"

/**
 * What a row is called: "cpu4", "cluster 1", "P", "all", "smmuv3_pmcg_2b442". By system on a machine
 * of several types a row is a type, and called so.
 *
 * @return buf
 */
const char *row_name(const struct machine *machine, const struct frame_row *row, char *buf,
		     size_t size);

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
