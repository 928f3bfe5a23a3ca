/* perf_line.h: what perf stat would say of one count or metric; shared by its CSV and its JSON form */
#ifndef SESSION_FORMAT_PERF_LINE_H
#define SESSION_FORMAT_PERF_LINE_H

#include "session/format/format.h"

/** What stands behind a count: a metric of -M, else what perf calls the shadow metric. */
struct perf_metric {
	const struct metric *chosen; /* of -M; NULL: the shadow metric */
	struct reading reading;
	enum metric_alarm alarm;
	unsigned decimals; /* that perf's CSV form prints */
	char unit[128];    /* "insn per cycle", "K/sec", "%  branch_miss_ratio"; "": no metric */
};

/** A count with its metric, or a metric alone: the second and further ones that begin there. */
struct perf_line {
	const struct frame_row *row;
	unsigned slot;
	const struct event
		*event; /* NULL: a metric alone; then no count, bad, value, running_pct */
	const struct count *count;
	const char *bad; /* "<not counted>", "<not supported>"; NULL: there is a value */
	double value;    /* in the event's unit, scaled to the whole window */
	double running_pct;
	struct perf_metric metric;
};

typedef void perf_line_fn(const struct format_context *context, const struct frame *frame,
			  const struct perf_line *line, struct text *out);

/**
 * Call `print` for every count of the frame in perf's order: by core event after event, else row
 * after row. Cores that are off or late have no lines, as with perf. A metric of -M stands behind
 * the first of its events; one that needs no event comes last.
 */
void perf_lines(const struct format_context *context, const struct frame *frame,
		perf_line_fn *print, struct text *out);

typedef void perf_row_fn(const struct format_context *context, const struct frame *frame,
			 const struct frame_row *row, struct text *out);

/** Call `print` for every row of the frame, for perf stat --metric-only. */
void perf_rows(const struct format_context *context, const struct frame *frame, perf_row_fn *print,
	       struct text *out);

/** The metric of -M number i of one row; NONE where the row does not have it. */
void perf_chosen(const struct format_context *context, const struct frame_row *row, size_t i,
		 struct perf_metric *ret);

/** "%  branch_miss_ratio", "IPC": what perf calls a metric of -M. @return buf */
const char *perf_metric_name(const struct metric *metric, char *buf, size_t size);

/** The name of a row as perf would have it: "CPU4", "CLS1", "P", "" for the whole system; a
 * device's own. @return buf */
const char *perf_row_name(const struct machine *machine, const struct frame_row *row, char *buf,
			  size_t size);

/**
 * The shadow metric of a line that has its event and count: instructions per cycle, the share of
 * branches that were missed, GHz, CPUs utilized, else the rate, with k, M or G.
 *
 * @line  its metric is written; without a value it has no unit either
 */
void perf_shadow(const struct format_context *context, const struct frame *frame,
		 struct perf_line *line);

#endif
