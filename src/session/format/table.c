/* The table that people read: a line a row and tick, rates per second, at most 80 columns for five
 * events, headings again every twenty lines as in vmstat. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/shown.h"
#include "event/set_devices.h"
#include "session/format/format.h"
#include "session/format/row_name.h"

enum { NAME_WIDTH = 11, METRIC_WIDTH = 8, CELL_WIDTH = 9, LINES_A_HEADING = 20 };

/* `s` in a colour of the terminal: "" is its own */
static void painted(struct text *out, const char *s, int width, const char *color)
{
	text_printf(out, " %*s", width - 1 > text_columns(s) ? width - 1 - text_columns(s) : 0, "");
	if (*color)
		text_printf(out, "%c%s%c%s%c\033[m%c", SHOWN_OWN, color, SHOWN_OWN, s, SHOWN_OWN,
			    SHOWN_OWN);
	else
		text_printf(out, "%s", s);
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

static void number_cell(const struct format_context *context, struct reading reading, double scale,
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

/* Ratios keep their decimals, so that 2.00 stands under 2.01, as far as there is room for them and
 * they show what there is. */
static void metric_number(double value, unsigned room, char *buf, size_t size)
{
	if (value <= -100 || value >= 1000 || num_decimals(value, 2) > 2 ||
	    snprintf(buf, size, "%.2f", value) > (int)room)
		num_si(value, 3, room, buf, size);
}

/* Wide enough for its heading. */
static int metric_width(const struct metric *metric)
{
	int name = text_columns(metric->short_name), unit = text_columns(metric->unit);
	int widest = name > unit ? name : unit;

	return widest < METRIC_WIDTH ? METRIC_WIDTH : widest + 1;
}

/* What is beyond its threshold has a mark before it, and on a terminal is red. */
static void metric_cell(const struct format_context *context, struct reading reading, bool beyond,
			int width, struct text *out)
{
	bool scaled = reading.quality == QUALITY_SCALED;
	char number[16], marked[24];

	if (!quality_has_value(reading.quality)) {
		right(out, mark(context, reading.quality), width);
		return;
	}
	metric_number(reading.value, METRIC_WIDTH - 1U - beyond - scaled, number, sizeof(number));
	snprintf(marked, sizeof(marked), "%s%s%s", beyond ? context->ascii ? "!" : "▲" : "",
		 scaled ? "~" : "", number);
	painted(out, marked, width, beyond && context->color ? "\033[31m" : "");
}

/* A metric whose inputs this set counts on no type has no column. */
static bool is_counted(const struct frame *frame, unsigned metric)
{
	return metrics_column(frame->bound, (int)metric) >= 0;
}

/* The events that have columns: the set's, or by device those of any device. */
struct table {
	unsigned n;
	const struct event *event[COLUMNS_MAX];
	uint8_t slot[COLUMNS_MAX]; /* but by device, where each has its own */
	struct set_devices devices;
	int name_width;
};

static void table_by_device(const struct frame *frame, struct table *ret)
{
	set_devices(frame->set, &ret->devices);
	ret->n = ret->devices.n_events;
	memcpy(ret->event, ret->devices.event, sizeof(ret->event));
	for (unsigned i = 0; i < ret->devices.n; i++) {
		int width = (int)strlen(ret->devices.pmu[i]->name);

		ret->name_width = width > ret->name_width ? width : ret->name_width;
	}
}

static void table_make(const struct format_context *context, const struct frame *frame,
		       struct table *ret)
{
	ret->n = 0;
	ret->name_width = NAME_WIDTH;
	if (context->by == BY_DEVICE) {
		table_by_device(frame, ret);
		ret->n = context->metric_only ? 0 : ret->n;
		return;
	}
	for (unsigned slot = 0; slot < frame->n_slots && !context->metric_only; slot++) {
		ret->event[ret->n] = set_event(frame->set, slot);
		ret->slot[ret->n] = (uint8_t)slot;
		ret->n += ret->event[ret->n] != NULL;
	}
}

static bool is_twice(const struct table *table, const struct event *event)
{
	for (unsigned i = 0; i < table->n; i++)
		if (event_is_of_device(table->event[i]) && table->event[i]->pmu != event->pmu &&
		    strcmp(table->event[i]->short_name, event->short_name) == 0)
			return true;
	return false;
}

/* Where two devices count the same, "TRANS.0" and "TRANS.1", by the order of the set's devices. */
static const char *event_heading(const struct table *table, const struct set_devices *devices,
				 const struct event *event, char *buf, size_t size)
{
	char suffix[16];
	unsigned device = 0;

	if (!event_is_of_device(event) || !is_twice(table, event))
		return event->short_name;
	while (device < devices->n && devices->pmu[device] != event->pmu)
		device++;
	snprintf(suffix, sizeof(suffix), ".%u", device);
	snprintf(buf, size, "%.*s%s", CELL_WIDTH - 1 - (int)strlen(suffix), event->short_name,
		 suffix);
	return buf;
}

static void heading_line(const struct format_context *context, const struct frame *frame,
			 const struct table *table, bool is_units, struct text *out)
{
	struct set_devices devices;

	set_devices(frame->set, &devices);
	text_printf(out, "%8s %-*s", is_units ? "s" : "time", table->name_width,
		    is_units ? "" : frame_by_name[context->by]);
	for (unsigned i = 0; i < context->n_shown; i++) {
		const struct metric *metric = &context->metrics->metric[context->shown[i]];

		if (is_counted(frame, context->shown[i]))
			right(out, is_units ? metric->unit : metric->short_name,
			      metric_width(metric));
	}
	for (unsigned i = 0; i < table->n; i++) {
		const struct event *event = table->event[i];
		char buf[32];

		if (context->is_total)
			snprintf(buf, sizeof(buf), "%s", *event->unit ? event->unit : "count");
		else
			snprintf(buf, sizeof(buf), "%s/s", event->unit);
		right(out, is_units ? buf : event_heading(table, &devices, event, buf, sizeof(buf)),
		      CELL_WIDTH);
	}
	text_printf(out, "\n");
}

static void headings(const struct format_context *context, const struct frame *frame,
		     const struct table *table, struct text *out)
{
	heading_line(context, frame, table, false, out);
	heading_line(context, frame, table, true, out);
}

/* Headings before the first row, after a change of events, and every twenty lines; a blank line
 * keeps ticks of several rows apart. */
static void heading(struct format_context *context, const struct frame *frame,
		    const struct table *table, unsigned n_rows, struct text *out)
{
	unsigned every = n_rows && n_rows < LINES_A_HEADING ? LINES_A_HEADING / n_rows : 1;
	bool due = frame->set->number != context->last_set || (frame->number - 1) % every == 0;

	if (context->last_set && (due || n_rows > 1))
		text_printf(out, "\n");
	if (!due)
		return;
	headings(context, frame, table, out);
	context->last_set = frame->set->number;
}

static void name(const struct format_context *context, const struct frame_row *row, int width,
		 struct text *out)
{
	const struct machine *machine = context->machine;
	bool typed = machine->n_types > 1 && (row->by == BY_CORE || row->by == BY_CLUSTER);
	char plain[64], full[96];

	row_name(machine, row, plain, sizeof(plain));
	snprintf(full, sizeof(full), "%s%s%s", typed ? machine->type[row->type].name : "",
		 typed ? " " : "", plain);
	text_printf(out, " %-*s", width, full);
}

/* Rows without a core that is on have nothing worked out: say what they are. */
static struct reading shown(const struct frame_row *row, struct reading reading)
{
	if (row->state == CORE_OFF)
		reading.quality = QUALITY_OFF;
	return reading;
}

static void event_cell(const struct format_context *context, const struct frame *frame,
		       const struct frame_row *row, unsigned slot, struct text *out)
{
	const struct event *event = frame->set->type[row->type].event[slot];
	const struct count *count = &row->count[slot];
	struct reading reading = context->is_total ? count_total(count) : count_rate(count);

	number_cell(context, shown(row, reading), event ? event->scale : 1, out);
}

static void cells(const struct format_context *context, const struct frame *frame,
		  const struct table *table, const struct frame_row *row, struct text *out)
{
	for (unsigned i = 0; i < context->n_shown; i++) {
		unsigned number = context->shown[i];
		struct reading metric = shown(row, frame_row_metric(row, (int)number));
		enum metric_alarm alarm = metrics_judge(context->metrics, frame->bound, (int)number,
							row->type, row->count);

		if (is_counted(frame, number))
			metric_cell(context, metric, alarm == ALARM_BEYOND,
				    metric_width(&context->metrics->metric[number]), out);
	}
	for (unsigned i = 0; i < table->n; i++) {
		unsigned slot = row->device ? table->devices.column[row->index][i] : table->slot[i];

		if (slot != COLUMN_NONE)
			event_cell(context, frame, row, slot, out);
		else
			right(out, "-", CELL_WIDTH); /* not asked for on this device */
	}
}

static void gap(struct format_context *context, uint64_t t_ns, uint64_t n_frames, const char *why,
		struct text *out)
{
	(void)context;
	text_printf(out, "%8.3f (%" PRIu64 " ticks missing: %s)\n", (double)t_ns / 1e9, n_frames,
		    why);
}

static void lines(const struct format_context *context, const struct frame *frame,
		  const struct table *table, struct text *out)
{
	for (unsigned i = 0; i < frame_n_rows(context->machine, frame->set, context->by); i++) {
		struct frame_row row;

		frame_row(frame, context->machine, context->metrics, context->by, i, &row);
		if (context->is_summary && !context->is_total)
			text_printf(out, "%8s", "mean");
		else
			text_printf(out, "%8.3f", (double)frame->t_ns / 1e9);
		name(context, &row, table->name_width, out);
		cells(context, frame, table, &row, out);
		text_printf(out, "\n");
	}
}

/* The rest of an interval after the one before it: where a command ended or a change came, and too
 * short for its rates to say anything. */
static bool is_rest(const struct format_context *context, const struct frame *frame)
{
	return context->last_t_ns && frame->t_ns - context->last_t_ns < frame->interval_ns / 10;
}

static void rest(const struct format_context *context, const struct frame *frame, struct text *out)
{
	text_printf(out, "%8.3f (%.1f ms more: too short for a rate)\n", (double)frame->t_ns / 1e9,
		    (double)(frame->t_ns - context->last_t_ns) / 1e6);
}

static void frame(struct format_context *context, const struct frame *frame, struct text *out)
{
	unsigned n_rows = frame_n_rows(context->machine, frame->set, context->by);
	struct table table;

	table_make(context, frame, &table);
	if (frame->gap != GAP_NONE)
		gap(context, frame->t_ns, frame->n_missed, gap_name(frame->gap), out);
	if (is_rest(context, frame)) {
		rest(context, frame, out);
		return;
	}
	context->last_t_ns = frame->t_ns;
	heading(context, frame, &table, n_rows, out);
	lines(context, frame, &table, out);
}

static void summary(struct format_context *context, const struct frame *sum, struct text *out)
{
	struct table table;

	table_make(context, sum, &table);
	text_printf(out, context->is_total ? "" : "\n");
	headings(context, sum, &table, out);
	lines(context, sum, &table, out);
}

const struct format format_text_table = {
	.name = "table",
	.metrics = "IPC",
	.frame = frame,
	.summary = summary,
	.gap = gap,
};
