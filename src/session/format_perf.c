/* The lines of `perf stat -I -A -x,`: time, CPU, value, unit, event, running time, its share, metric.
 * Checked against perf 6.1's output; what it calls its interval's time is the tick. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "session/perf_line.h"
#include "session/rows.h"

static const char *separator(const struct format_context *context)
{
	return context->sep ? context->sep : ",";
}

static void stamp(uint64_t t_ns, struct text *out)
{
	text_printf(out, "%6" PRIu64 ".%09" PRIu64, t_ns / NS_PER_S, t_ns % NS_PER_S);
}

static void row_name_field(const struct perf_line *line, const char *sep, struct text *out)
{
	char name[64];

	if (!*perf_line_name(line, name, sizeof(name)))
		return;
	text_printf(out, "%s%s", name, sep);
	if (line->by != BY_CORE)
		text_printf(out, "%u%s", line->n_cpus, sep);
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

static void metric_fields(const struct perf_metric *metric, const char *sep, struct text *out)
{
	static const char prefix[] = " KMG";
	double value = metric->reading.value;
	unsigned step = 0;

	while (metric->has_prefix && value >= 1000 && step + 1 < strlen(prefix)) {
		value /= 1000;
		step++;
	}
	if (quality_has_value(metric->reading.quality))
		text_printf(out, "%.*f", (int)metric->decimals, value);
	text_printf(out, "%s%.*s%s", sep, step ? 1 : 0, &prefix[step], metric->unit);
}

static void print(const struct format_context *context, const struct frame *frame,
		  const struct perf_line *line, struct text *out)
{
	const char *sep = separator(context);

	stamp(frame->t_ns, out);
	text_printf(out, "%s", sep);
	row_name_field(line, sep, out);
	count_fields(line, sep, out);
	metric_fields(&line->metric, sep, out);
	text_printf(out, "\n");
}

static void frame(struct format_context *context, const struct frame *frame, struct text *out)
{
	if (frame->gap != GAP_NONE)
		gap_line(context, frame->t_ns, frame->n_missed, gap_name(frame->gap), out);
	perf_lines(context, frame, print, out);
}

const struct format format_perf = {
	.name = "perf",
	.what = "the lines of perf stat -I -A -x, for its parsers",
	.frame = frame,
	.gap = gap_line,
};
