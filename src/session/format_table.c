/* The table that people read: a line a row and tick, rates per second, at most 80 columns for five
 * events, headings again every twenty lines as in vmstat. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/num.h"
#include "session/format.h"
#include "session/rows.h"

enum { NAME_WIDTH = 11, METRIC_WIDTH = 8, CELL_WIDTH = 9, LINES_A_HEADING = 20 };

/* `s` in a colour of the terminal: "" is its own */
static void painted(struct text *out, const char *s, int width, const char *color)
{
	text_printf(out, " %*s%s%s%s",
		    width - 1 > text_columns(s) ? width - 1 - text_columns(s) : 0, "", color, s,
		    *color ? "\033[m" : "");
}

static void right(struct text *out, const char *s, int width)
{
	painted(out, s, width, "");
}

static const char *mark(const struct format_context *context, enum quality quality)
{
	const char *mark = quality_mark(quality);

	if (context->ascii && strcmp(mark, "…") == 0)
		return "...";
	return *mark ? mark : "-";
}

static void rate_cell(const struct format_context *context, struct reading reading, double scale,
		      struct text *out)
{
	char number[16], marked[24];

	if (!quality_has_value(reading.quality)) {
		right(out, mark(context, reading.quality), CELL_WIDTH);
		return;
	}
	num_si(reading.value * scale, 3, CELL_WIDTH - 2, number, sizeof(number));
	snprintf(marked, sizeof(marked), "%s%s", reading.quality == QUALITY_SCALED ? "~" : "",
		 number);
	right(out, marked, CELL_WIDTH);
}

/* Ratios keep their decimals, so that 2.00 stands under 2.01, as far as there is room for them. */
static void metric_number(double value, unsigned room, char *buf, size_t size)
{
	if (value <= -100 || value >= 1000 || snprintf(buf, size, "%.2f", value) > (int)room)
		num_si(value, 3, room, buf, size);
}

/* What is beyond its threshold has a mark before it, and on a terminal is red. */
static void metric_cell(const struct format_context *context, struct reading reading, bool beyond,
			struct text *out)
{
	bool scaled = reading.quality == QUALITY_SCALED;
	char number[16], marked[24];

	if (!quality_has_value(reading.quality)) {
		right(out, mark(context, reading.quality), METRIC_WIDTH);
		return;
	}
	metric_number(reading.value, METRIC_WIDTH - 1U - beyond - scaled, number, sizeof(number));
	snprintf(marked, sizeof(marked), "%s%s%s", beyond ? context->ascii ? "!" : "▲" : "",
		 scaled ? "~" : "", number);
	painted(out, marked, METRIC_WIDTH, beyond && context->color ? "\033[31m" : "");
}

/* A metric whose inputs this set counts on no type has no column. */
static bool is_counted(const struct frame *frame, unsigned metric)
{
	return metrics_column(frame->bound, (int)metric) >= 0;
}

static void heading_names(const struct format_context *context, const struct frame *frame,
			  struct text *out)
{
	text_printf(out, "%8s %-*s", "time", NAME_WIDTH, frame_by_name[context->by]);
	for (unsigned i = 0; i < context->n_shown; i++) {
		if (is_counted(frame, context->shown[i]))
			right(out, context->metrics->metric[context->shown[i]].short_name,
			      METRIC_WIDTH);
	}
	for (unsigned slot = 0; slot < frame->n_slots; slot++) {
		const struct event *event = set_event(frame->set, slot);

		if (event)
			right(out, event->short_name, CELL_WIDTH);
	}
	text_printf(out, "\n");
}

static void heading_units(const struct format_context *context, const struct frame *frame,
			  struct text *out)
{
	text_printf(out, "%8s %-*s", "s", NAME_WIDTH, "");
	for (unsigned i = 0; i < context->n_shown; i++) {
		if (is_counted(frame, context->shown[i]))
			right(out, context->metrics->metric[context->shown[i]].unit, METRIC_WIDTH);
	}
	for (unsigned slot = 0; slot < frame->n_slots; slot++) {
		const struct event *event = set_event(frame->set, slot);
		char unit[32];

		if (!event)
			continue;
		snprintf(unit, sizeof(unit), "%s/s", event->unit);
		right(out, unit, CELL_WIDTH);
	}
	text_printf(out, "\n");
}

/* Headings before the first row, after a change of events, and every twenty lines; a blank line
 * keeps ticks of several rows apart. */
static void heading(struct format_context *context, const struct frame *frame, unsigned n_rows,
		    struct text *out)
{
	unsigned every = n_rows < LINES_A_HEADING ? LINES_A_HEADING / n_rows : 1;
	bool due = frame->set->number != context->last_set || (frame->number - 1) % every == 0;

	if (context->last_set && (due || n_rows > 1))
		text_printf(out, "\n");
	if (!due)
		return;
	heading_names(context, frame, out);
	heading_units(context, frame, out);
	context->last_set = frame->set->number;
}

static void name(const struct format_context *context, const struct frame_row *row,
		 struct text *out)
{
	const struct machine *machine = context->machine;
	bool typed = machine->n_types > 1 && (row->by == BY_CORE || row->by == BY_CLUSTER);
	char plain[32], full[64];

	row_name(machine, row->by, row->index, plain, sizeof(plain));
	snprintf(full, sizeof(full), "%s%s%s", typed ? machine->type[row->type].name : "",
		 typed ? " " : "", plain);
	text_printf(out, " %-*s", NAME_WIDTH, full);
}

/* Rows without a core that is on have nothing worked out: say what they are. */
static struct reading shown(const struct frame_row *row, struct reading reading)
{
	if (row->state == CORE_OFF)
		reading.quality = QUALITY_OFF;
	return reading;
}

static void cells(const struct format_context *context, const struct frame *frame,
		  const struct frame_row *row, struct text *out)
{
	for (unsigned i = 0; i < context->n_shown; i++) {
		struct reading metric = shown(row, frame_row_metric(row, context->shown[i]));
		enum metric_alarm alarm = metrics_judge(context->metrics, frame->bound,
							context->shown[i], row->type, row->count);

		if (is_counted(frame, context->shown[i]))
			metric_cell(context, metric, alarm == ALARM_BEYOND, out);
	}
	for (unsigned slot = 0; slot < frame->n_slots; slot++) {
		const struct event *event = frame->set->type[row->type].event[slot];
		struct reading rate = shown(row, count_rate(&row->count[slot]));

		if (set_event(frame->set, slot))
			rate_cell(context, rate, event ? event->scale : 1, out);
	}
}

static void gap(struct format_context *context, uint64_t t_ns, uint64_t n_frames, const char *why,
		struct text *out)
{
	(void)context;
	text_printf(out, "%8.3f (%" PRIu64 " ticks missing: %s)\n", (double)t_ns / 1e9, n_frames,
		    why);
}

static void frame(struct format_context *context, const struct frame *frame, struct text *out)
{
	unsigned n_rows = frame_n_rows(context->machine, context->by);

	if (frame->gap != GAP_NONE)
		gap(context, frame->t_ns, frame->n_missed, gap_name(frame->gap), out);
	heading(context, frame, n_rows, out);
	for (unsigned i = 0; i < n_rows; i++) {
		struct frame_row row;

		frame_row(frame, context->machine, context->metrics, context->by, i, &row);
		text_printf(out, "%8.3f", (double)frame->t_ns / 1e9);
		name(context, &row, out);
		cells(context, frame, &row, out);
		text_printf(out, "\n");
	}
}

const struct format format_text_table = {
	.name = "table",
	.what = "a table to read: rates per second",
	.metrics = "IPC",
	.frame = frame,
	.gap = gap,
};
