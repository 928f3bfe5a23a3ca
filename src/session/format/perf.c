/* The lines of `perf stat -I -A -x,`: time, CPU, value, unit, event, running time, its share, metric.
 * Compared with the installed perf's by tests/e2e/perf_stat.py; docs/perf-stat.md says what differs. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "session/format/perf_line.h"
#include "session/format/row_name.h"

static const char *separator(const struct format_context *context)
{
	return context->sep ? context->sep : ",";
}

/* "#": the date in the words of ctime, whatever the locale */
static void begin(struct format_context *context, struct text *out)
{
	time_t started = (time_t)(context->started_wall_ns / NS_PER_S);
	struct tm tm;
	char date[32];

	if (!context->is_file || !localtime_r(&started, &tm) || !asctime_r(&tm, date))
		return;
	text_printf(out, "# started on %s\n", date);
}

static void stamp(const struct format_context *context, const struct frame *frame, struct text *out)
{
	const char *sep = separator(context);

	if (!context->is_summary)
		text_printf(out, "%6" PRIu64 ".%09" PRIu64 "%s", frame->t_ns / NS_PER_S,
			    frame->t_ns % NS_PER_S, sep);
	else if (!context->plain_summary && !context->is_total)
		text_printf(out, "%16s%s", "summary", sep);
}

static void row_fields(const struct format_context *context, const struct frame_row *row,
		       struct text *out)
{
	const char *sep = separator(context);
	char name[64];

	if (row->task)
		text_printf(out, "%s%s", row_task_name(context, row->task, sep, name, sizeof(name)),
			    sep);
	if (row->task && context->machine->n_types > 1)
		text_printf(out, "%s%s", context->machine->type[row->type].name, sep);
	if (row->task)
		return;
	if (!*perf_row_name(context->machine, row, name, sizeof(name)))
		return;
	text_printf(out, "%s%s", name, sep);
	if (row->by != BY_CORE)
		text_printf(out, "%u%s", row->n_on, sep);
}

static void value_field(const struct perf_line *line, const char *sep, struct text *out)
{
	bool whole = line->event->scale >= floor(line->event->scale) &&
		     line->event->scale <= floor(line->event->scale);

	if (line->bad)
		text_printf(out, "%s%s", line->bad, sep);
	else
		text_printf(out, "%.*f%s", whole ? 0 : 2, line->value, sep);
}

/* Five fields, empty where a metric stands alone: as many in every line. */
static void count_fields(const struct perf_line *line, const char *sep, struct text *out)
{
	if (!line->event) {
		text_printf(out, "%s%s%s%s%s", sep, sep, sep, sep, sep);
		return;
	}
	value_field(line, sep, out);
	text_printf(out, "%s%s%s%s%" PRIu64 "%s%.2f%s", line->event->unit, sep, line->event->name,
		    sep, line->count->running_ns, sep, line->running_pct, sep);
}

static void metric_value(const struct perf_metric *metric, struct text *out)
{
	if (quality_has_value(metric->reading.quality))
		text_printf(out, "%.*f", (int)metric->decimals, metric->reading.value);
}

static void print(const struct format_context *context, const struct frame *frame,
		  const struct perf_line *line, struct text *out)
{
	const char *sep = separator(context);

	stamp(context, frame, out);
	row_fields(context, line->row, out);
	count_fields(line, sep, out);
	metric_value(&line->metric, out);
	text_printf(out, "%s%s\n", sep, line->metric.unit);
}

static void print_metrics(const struct format_context *context, const struct frame *frame,
			  const struct frame_row *row, struct text *out)
{
	stamp(context, frame, out);
	row_fields(context, row, out);
	for (size_t i = 0; i < context->n_shown; i++) {
		struct perf_metric metric;

		perf_chosen(context, row, i, &metric);
		metric_value(&metric, out);
		text_printf(out, "%s", separator(context));
	}
	text_printf(out, "\n");
}

/* Above the first line of --metric-only, with a blank before it as in perf 6.1. */
static void metrics_heading(struct format_context *context, struct text *out)
{
	static const char *const row[N_FRAME_BY] = {
		[BY_CORE] = "cpu",      [BY_PHYSICAL] = "core",  [BY_CLUSTER] = "cluster",
		[BY_SOCKET] = "socket", [BY_TYPE] = "core-type", [BY_SYSTEM] = "core-type",
		[BY_DEVICE] = "device",
	};
	const char *sep = separator(context);

	if (!context->is_total)
		text_printf(out, " time%s", sep);
	if (context->tasks)
		text_printf(out, "%s%s%s%s", row_kind(context), sep,
			    context->machine->n_types > 1 ? "core-type" : "",
			    context->machine->n_types > 1 ? sep : "");
	else if (context->by == BY_CORE)
		text_printf(out, "cpu%s", sep);
	else if (context->by != BY_SYSTEM || context->machine->n_types > 1)
		text_printf(out, "%s%scpus%s", row[context->by], sep, sep);
	for (size_t i = 0; i < context->n_shown; i++) {
		char name[128];

		perf_metric_name(&context->metrics->metric[context->shown[i]], name, sizeof(name));
		text_printf(out, "%s%s", name, sep);
	}
	text_printf(out, "\n");
}

static void rows(struct format_context *context, const struct frame *frame, struct text *out)
{
	if (context->metric_only)
		perf_rows(context, frame, print_metrics, out);
	else
		perf_lines(context, frame, print, out);
}

static void frame(struct format_context *context, const struct frame *frame, struct text *out)
{
	if (frame->gap != GAP_NONE)
		gap_line(context, frame->t_ns, frame->n_missed, gap_name(frame->gap), out);
	if (context->metric_only && context->last_set != frame->set->number)
		metrics_heading(context, out);
	context->last_set = frame->set->number;
	rows(context, frame, out);
}

static void summary(struct format_context *context, const struct frame *sum, struct text *out)
{
	if (context->metric_only && context->is_total)
		metrics_heading(context, out);
	rows(context, sum, out);
}

const struct format format_perf = {
	.name = "perf",
	.begin = begin,
	.frame = frame,
	.summary = summary,
	.gap = gap_line,
};
