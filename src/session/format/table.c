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

enum {
	NAME_WIDTH = 11,
	TASK_NAME_WIDTH = 24,
	METRIC_WIDTH = 8,
	CELL_WIDTH = 9,
	LINES_A_HEADING = 20
};

/* In red, where the terminal has colours. */
static void flagged(struct text *out, const char *s, int width, bool in_color)
{
	if (in_color)
		text_printf(out, "%c\033[31m%c", SHOWN_OWN, SHOWN_OWN);
	text_right(out, s, width);
	if (in_color)
		text_printf(out, "%c\033[m%c", SHOWN_OWN, SHOWN_OWN);
}

static const char *mark(const struct format_context *context, enum quality quality)
{
	const char *mark = quality_mark(quality);

	if (context->ascii && strcmp(mark, "…") == 0)
		return "...";
	return *mark ? mark : "-";
}

static void number_cell(const struct format_context *context, struct reading reading, double scale,
			int width, struct text *out)
{
	char number[16], marked[24];

	if (!quality_has_value(reading.quality)) {
		text_right(out, mark(context, reading.quality), width);
		return;
	}
	num_si(reading.value * scale, 3, CELL_WIDTH - 2, number, sizeof(number));
	snprintf(marked, sizeof(marked), "%s%s", reading.quality == QUALITY_SCALED ? "~" : "",
		 number);
	text_right(out, marked, width);
}

/* Ratios keep their decimals, so that 2.00 stands under 2.01, as far as there is room for them and
 * they show what there is. */
static void metric_number(double value, unsigned room, char *buf, size_t size)
{
	if (value <= -100 || value >= 1000 || num_decimals(value, 2) > 2 ||
	    snprintf(buf, size, "%.2f", value) > (int)room)
		num_si(value, 3, room, buf, size);
}

/* A metric as a column: its heading, and as wide as that needs. */
struct metric_column {
	char label[96], unit[96];
	int width;
};

static struct metric_column metric_column(const struct format_context *context,
					  const struct frame *frame, unsigned number)
{
	const struct metric *metric = &context->metrics->metric[number];
	struct metric_column ret;
	int label, unit;

	snprintf(ret.label, sizeof(ret.label), "%s%s", metric_label(metric),
		 privilege_suffix[metrics_level(frame->bound, (int)number)]);
	snprintf(ret.unit, sizeof(ret.unit), "%s", metric->unit);
	label = text_columns(ret.label);
	unit = text_columns(ret.unit);
	ret.width = 1 + (label > unit ? label : unit);
	if (ret.width < METRIC_WIDTH)
		ret.width = METRIC_WIDTH;
	return ret;
}

/* What is beyond its threshold has a mark before it, and on a terminal is red. */
static void metric_cell(const struct format_context *context, struct reading reading, bool beyond,
			int width, struct text *out)
{
	bool scaled = reading.quality == QUALITY_SCALED;
	char number[16], marked[24];

	if (!quality_has_value(reading.quality)) {
		text_right(out, mark(context, reading.quality), width);
		return;
	}
	metric_number(reading.value, METRIC_WIDTH - 1U - beyond - scaled, number, sizeof(number));
	snprintf(marked, sizeof(marked), "%s%s%s", beyond ? context->ascii ? "!" : "▲" : "",
		 scaled ? "~" : "", number);
	flagged(out, marked, width, beyond && context->color);
}

/* A metric whose inputs this set counts on no type has no column. */
static bool is_counted(const struct frame *frame, unsigned metric)
{
	return metrics_column(frame->bound, (int)metric) >= 0;
}

/* The events that have columns: those of cores, then those of devices, which have rows of their own. */
struct table {
	unsigned n, n_of_cores;
	const struct event *event[COLUMNS_MAX];
	uint8_t slot[COLUMNS_MAX]; /* of those of cores */
	struct set_devices devices;
	int name_width;
};

static void add_cores(const struct set *set, struct table *ret)
{
	for (unsigned slot = 0; slot < set->n_slots; slot++) {
		const struct event *event = set_event(set, slot);

		if (!event || event_is_of_device(event))
			continue;
		ret->event[ret->n] = event;
		ret->slot[ret->n++] = (uint8_t)slot;
	}
}

static void widen(struct table *table, const char *name)
{
	int width = text_columns(name);

	table->name_width = width > table->name_width ? width : table->name_width;
}

static void table_make(const struct format_context *context, const struct frame *frame,
		       struct table *ret)
{
	ret->n = 0;
	ret->name_width = context->tasks ? TASK_NAME_WIDTH : NAME_WIDTH;
	set_devices(frame->set, &ret->devices);
	widen(ret, row_kind(context));
	for (unsigned i = 0; i < ret->devices.n; i++)
		widen(ret, ret->devices.pmu[i]->name);
	if (context->by != BY_DEVICE && !context->metric_only)
		add_cores(frame->set, ret);
	ret->n_of_cores = ret->n;
	for (unsigned i = 0; i < ret->devices.n_events && !context->metric_only; i++)
		ret->event[ret->n++] = ret->devices.event[i];
}

/* A row's column of the set. @return COLUMN_NONE: it does not count it */
static unsigned slot_of(const struct table *table, const struct frame_row *row, unsigned i)
{
	if (i < table->n_of_cores)
		return row->device ? COLUMN_NONE : table->slot[i];
	return row->device ? table->devices.column[row->index][i - table->n_of_cores] : COLUMN_NONE;
}

/* Wide enough for its heading. */
static int event_width(const struct event *event)
{
	int width = text_columns(event_label(event).text) + 1;

	return width < CELL_WIDTH ? CELL_WIDTH : width;
}

static void heading_line(const struct format_context *context, const struct frame *frame,
			 const struct table *table, bool is_units, struct text *out)
{
	text_printf(out, "%8s %-*s", is_units ? "s" : "time", table->name_width,
		    is_units ? "" : row_kind(context));
	for (unsigned i = 0; i < context->n_shown; i++) {
		struct metric_column column = metric_column(context, frame, context->shown[i]);

		if (is_counted(frame, context->shown[i]))
			text_right(out, is_units ? column.unit : column.label, column.width);
	}
	for (unsigned i = 0; i < table->n; i++) {
		const struct event *event = table->event[i];
		char buf[32];

		if (context->is_total)
			snprintf(buf, sizeof(buf), "%s", *event->unit ? event->unit : "count");
		else
			snprintf(buf, sizeof(buf), "%s/s", event->unit);
		text_right(out, is_units ? buf : event_label(event).text, event_width(event));
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
	bool typed = machine->n_types > 1 && (row->task || row->by < BY_TYPE);
	char plain[64], full[96];

	if (row->task)
		row_task_name(context, row->task, "", plain, sizeof(plain));
	else
		row_name(machine, row, plain, sizeof(plain));
	snprintf(full, sizeof(full), "%s%s%s", typed ? machine->type[row->type].name : "",
		 typed ? " " : "", plain);
	text_string(out, " ");
	text_left(out, full, width);
}

/* Rows without a core that is on have nothing worked out: say what they are. */
static struct reading shown(const struct frame_row *row, struct reading reading)
{
	if (row->state == CORE_OFF)
		reading.quality = QUALITY_OFF;
	return reading;
}

/* What is counted only while tasks run is so much in each second of all. */
static struct reading rate(const struct format_context *context, const struct frame_row *row,
			   const struct count *count)
{
	struct reading ret = count_total(count);

	if (!row_is_of_tasks(context))
		return count_rate(count);
	if (!row->window_ns)
		return (struct reading){ .quality = QUALITY_UNDEFINED };
	ret.value *= 1e9 / (double)row->window_ns;
	return ret;
}

static void event_cell(const struct format_context *context, const struct frame *frame,
		       const struct frame_row *row, unsigned slot, int width, struct text *out)
{
	const struct event *event = frame->set->type[row->type].event[slot];
	const struct count *count = &row->count[slot];
	struct reading reading = context->is_total ? count_total(count) : rate(context, row, count);

	number_cell(context, shown(row, reading), event ? event->scale : 1, width, out);
}

/* A metric of devices is in their rows alone. */
static struct reading metric_reading(const struct frame *frame, const struct frame_row *row,
				     unsigned number)
{
	int column = metrics_column(frame->bound, (int)number);

	if (!row->device && metrics_is_of_devices(frame->bound, (unsigned)column))
		return (struct reading){ .quality = QUALITY_NONE };
	return shown(row, frame_row_metric(row, (int)number));
}

static void metric_cells(const struct format_context *context, const struct frame *frame,
			 const struct frame_row *row, struct text *out)
{
	for (unsigned i = 0; i < context->n_shown; i++) {
		unsigned number = context->shown[i];
		enum metric_alarm alarm = metrics_judge(context->metrics, frame->bound, (int)number,
							row->type, row->count);

		if (is_counted(frame, number))
			metric_cell(context, metric_reading(frame, row, number),
				    alarm == ALARM_BEYOND,
				    metric_column(context, frame, number).width, out);
	}
}

static void event_cells(const struct format_context *context, const struct frame *frame,
			const struct table *table, const struct frame_row *row, struct text *out)
{
	for (unsigned i = 0; i < table->n; i++) {
		unsigned slot = slot_of(table, row, i);
		int width = event_width(table->event[i]);

		if (slot != COLUMN_NONE)
			event_cell(context, frame, row, slot, width, out);
		else
			text_right(out, "-", width); /* it is not asked for here */
	}
}

static void gap(struct format_context *context, uint64_t t_ns, uint64_t n_frames, const char *why,
		struct text *out)
{
	(void)context;
	text_printf(out, "%8.3f (%" PRIu64 " ticks missing: %s)\n", (double)t_ns / 1e9, n_frames,
		    why);
}

static void lines_by(const struct format_context *context, const struct frame *frame,
		     const struct table *table, enum frame_by by, struct text *out)
{
	for (unsigned i = 0; i < row_n(context, frame, by); i++) {
		struct frame_row row;

		row_get(context, frame, by, i, &row);
		if (context->is_summary && !context->is_total)
			text_printf(out, "%8s", "mean");
		else
			text_printf(out, "%8.3f", (double)frame->t_ns / 1e9);
		name(context, &row, table->name_width, out);
		metric_cells(context, frame, &row, out);
		event_cells(context, frame, table, &row, out);
		text_printf(out, "\n");
	}
}

/* Is there anything to say of devices? */
static bool has_devices(const struct format_context *context, const struct frame *frame,
			const struct table *table)
{
	bool has = table->n > table->n_of_cores;

	for (unsigned i = 0; i < context->n_shown; i++) {
		int column = metrics_column(frame->bound, context->shown[i]);

		has |= column >= 0 && metrics_is_of_devices(frame->bound, (unsigned)column);
	}
	return has;
}

static void lines(const struct format_context *context, const struct frame *frame,
		  const struct table *table, struct text *out)
{
	lines_by(context, frame, table, context->by, out);
	if (context->by != BY_DEVICE && has_devices(context, frame, table))
		lines_by(context, frame, table, BY_DEVICE, out);
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
	unsigned n_rows = row_n(context, frame, context->by);
	struct table table;

	table_make(context, frame, &table);
	n_rows += context->by == BY_DEVICE ? 0 : table.devices.n;
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
