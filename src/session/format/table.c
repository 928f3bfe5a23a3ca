/* The table for people: a line per row and tick, rates per second, at most 80 columns for five events, headings
 * repeated every twenty lines as in vmstat. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "pmu/sensors.h"
#include "pmu/set.h"
#include "session/format.h"
#include "session/format/functions.h"
#include "session/format/row_name.h"

enum {
	NAME_WIDTH = 11,
	TASK_NAME_WIDTH = 24,
	CGROUP_NAME_WIDTH = 44, /* longer paths lose their beginning */
	METRIC_WIDTH = 8,
	CELL_WIDTH = 9,
	LINES_A_HEADING = 20,
	LIST_FROM = 24, /* events from which on each has a line of its own */
	ERROR_WIDTH = 11,
	EVENT_WIDTH = 34
};

/* Write right-aligned, and red on a color terminal. */
static void flagged(struct text *out, const char *s, int width, bool in_color)
{
	if (in_color)
		text_printf(out, "%c\033[31m%c", PRINTABLE_OWN, PRINTABLE_OWN);
	text_right(out, s, width);
	if (in_color)
		text_printf(out, "%c\033[m%c", PRINTABLE_OWN, PRINTABLE_OWN);
}

static const char *table_mark(const struct format_context *context, enum quality quality)
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
		text_right(out, table_mark(context, reading.quality), width);
		return;
	}
	num_si(reading.value * scale, 3, CELL_WIDTH - 2, number, sizeof(number));
	snprintf(marked, sizeof(marked), "%s%s", quality_mark(reading.quality), number);
	text_right(out, marked, width);
}

/* Format a metric. Ratios keep two decimals, so that 2.00 is aligned with 2.01, if they fit and suffice for the
 * value. */
static void metric_number(double value, unsigned room, char *buf, size_t size)
{
	if (value <= -100 || value >= 1000 || num_decimals(value, 2) > 2 ||
	    snprintf(buf, size, "%.2f", value) > (int)room)
		num_si(value, 3, room, buf, size);
}

/* Column of a metric: its heading and the width of that. */
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

/* Write a metric; one beyond its threshold has a mark before it, and is red on a terminal. */
static void metric_cell(const struct format_context *context, struct reading reading, bool beyond,
			int width, struct text *out)
{
	const char *mark = quality_mark(reading.quality);
	char number[16], marked[24];

	if (!quality_has_value(reading.quality)) {
		text_right(out, table_mark(context, reading.quality), width);
		return;
	}
	metric_number(reading.value, METRIC_WIDTH - 1U - beyond - (*mark != 0), number,
		      sizeof(number));
	snprintf(marked, sizeof(marked), "%s%s%s", beyond ? context->ascii ? "!" : "▲" : "", mark,
		 number);
	flagged(out, marked, width, beyond && context->color);
}

/* Whether the metric has a column: the set counts its inputs on some type. */
static bool table_is_counted(const struct frame *frame, unsigned metric)
{
	return metrics_column(frame->bound, (int)metric) >= 0;
}

/* Events with columns: those of cores, then those of devices, which have rows of their own. */
struct table {
	unsigned n, n_of_cores;
	const struct event *event[COLUMNS_MAX];
	uint16_t slot[COLUMNS_MAX]; /* of the events of cores */
	struct set_devices devices;
	int name_width;
	bool is_list; /* events of cores have lines instead of columns */
};

/* Whether no earlier column has the event: it gets one column, whatever number of mux groups counts it. */
static bool is_first(const struct set *set, unsigned slot)
{
	for (unsigned type = 0; type < TYPES_MAX; type++)
		if (set->type[type].event[slot] && set_first_column(set, type, slot) == slot)
			return true;
	return false;
}

static void table_add_cores(const struct set *set, struct table *ret)
{
	for (unsigned slot = 0; slot < set->n_slots; slot++) {
		const struct event *event = set_event(set, slot);

		if (!event || event_is_of_device(event) || !is_first(set, slot))
			continue;
		ret->event[ret->n] = event;
		ret->slot[ret->n++] = (uint16_t)slot;
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
	ret->name_width = !context->tasks                              ? NAME_WIDTH
			  : context->tasks->sums.tasks.by == BY_CGROUP ? CGROUP_NAME_WIDTH
								       : TASK_NAME_WIDTH;
	set_devices(frame->set, &ret->devices);
	widen(ret, row_kind(context));
	for (unsigned i = 0; i < ret->devices.n; i++)
		widen(ret, ret->devices.pmu[i]->name);
	if (context->by != BY_DEVICE && !context->metric_only)
		table_add_cores(frame->set, ret);
	ret->is_list = ret->n > LIST_FROM && !context->tasks && !context->spread;
	if (ret->is_list)
		ret->n = 0;
	ret->n_of_cores = ret->n;
	for (unsigned i = 0; i < ret->devices.n_events && !context->metric_only; i++)
		ret->event[ret->n++] = ret->devices.event[i];
}

/* Get a row's slot in the set. @return COLUMN_NONE: the row does not count it */
static unsigned table_slot_of(const struct table *table, const struct frame_row *row, unsigned i)
{
	if (i < table->n_of_cores)
		return row->device ? COLUMN_NONE : table->slot[i];
	return row->device ? set_devices_column(&table->devices, row->index, i - table->n_of_cores)
			   : COLUMN_NONE;
}

/* Get the width of an event's column, at least that of its heading. */
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

		if (table_is_counted(frame, context->shown[i]))
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

/* Write the headings before the first row, after a change of events, and every twenty lines; with several rows per
 * tick, a blank line before each tick. */
static void format_table_heading(struct format_context *context, const struct frame *frame,
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
	char plain[256], full[288];

	if (row->task && context->tasks->sums.tasks.by == BY_CGROUP &&
	    row->task->kind == TASK_THREAD)
		cgroup_names_fit(core_task_cgroup(row->task), CGROUP_NAME_WIDTH - 3, plain,
				 sizeof(plain));
	else if (row->task)
		row_task_name(context, row->task, "", plain, sizeof(plain));
	else
		frame_row_name(machine, row, plain, sizeof(plain));
	snprintf(full, sizeof(full), "%s%s%s", typed ? machine->type[row->type].name : "",
		 typed ? " " : "", plain);
	text_string(out, " ");
	text_left(out, full, width);
}

/* Mark the value of a row whose cores are all off. */
static struct reading shown(const struct frame_row *row, struct reading reading)
{
	if (row->state == CORE_OFF)
		reading.quality = QUALITY_OFF;
	return reading;
}

/* Whether several CPUs read the device, such as one of each socket: rows of cores show their part of it. */
static bool has_parts(const struct event *event)
{
	return event && event_is_of_device(event) && cpus_count(&event->pmu->cpus) > 1;
}

/* Get the count of a cell. NONE: it was not requested for this row. */
static struct count cell_count(const struct frame *frame, const struct table *table,
			       const struct frame_row *row, unsigned i)
{
	unsigned slot = table_slot_of(table, row, i);
	struct count sum = { .quality = QUALITY_NONE };

	if (slot != COLUMN_NONE)
		return frame_row_event(row, frame->set, slot);
	for (unsigned k = 0; i >= table->n_of_cores && !row->device && k < table->devices.n; k++) {
		slot = set_devices_column(&table->devices, k, i - table->n_of_cores);
		if (slot == COLUMN_NONE || !has_parts(set_event(frame->set, slot)))
			continue;

		struct count one = frame_row_event(row, frame->set, slot);

		count_add_core(&sum, &one);
	}
	return sum;
}

/* Whether rows of cores have their part of a metric of devices. */
static bool metric_has_parts(const struct frame *frame, unsigned type, unsigned column)
{
	const struct metric_binding *binding = frame->bound->binding[type][column];
	bool has = binding;

	column_set_each(binding ? &binding->slots : &(struct column_set){ { 0 } }, slot)
		has &= has_parts(frame->set->type[type].event[slot]);
	return has;
}

/* Get a metric; those of devices that one CPU reads appear only in rows of devices. */
static struct reading metric_reading(const struct frame *frame, const struct frame_row *row,
				     unsigned number)
{
	int column = metrics_column(frame->bound, (int)number);

	if (!row->device && metrics_is_of_devices(frame->bound, (unsigned)column) &&
	    !metric_has_parts(frame, row->type, (unsigned)column))
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

		if (table_is_counted(frame, number))
			metric_cell(context, metric_reading(frame, row, number),
				    alarm == ALARM_BEYOND,
				    metric_column(context, frame, number).width, out);
	}
}

static void event_cells(const struct format_context *context, const struct frame *frame,
			const struct table *table, const struct frame_row *row, struct text *out)
{
	for (unsigned i = 0; i < table->n; i++) {
		const struct count count = cell_count(frame, table, row, i);
		int width = event_width(table->event[i]);

		if (table_slot_of(table, row, i) == COLUMN_NONE && count.quality == QUALITY_NONE)
			text_right(out, "-", width);
		else
			number_cell(context,
				    shown(row, context->is_total ? count_total(&count)
								 : row_rate(context, row, &count)),
				    table->event[i]->scale, width, out);
	}
}

static void table_gap(struct format_context *context, uint64_t t_ns, uint64_t n_frames,
		      const char *why, struct text *out)
{
	(void)context;
	text_printf(out, "%8.3f (%" PRIu64 " ticks missing: %s)\n", (double)t_ns / 1e9, n_frames,
		    why);
}

/* Write a line below a row: the standard error of each mean, %. */
static void spread_line(const struct format_context *context, const struct frame *frame,
			const struct table *table, const struct frame_row *row, unsigned n_rows,
			struct text *out)
{
	const double *spread = context->spread + (size_t)row->index * frame->n_slots;
	char buf[32];

	snprintf(buf, sizeof(buf), "%.2f%%", context->spread[(size_t)n_rows * frame->n_slots]);
	text_right(out, buf, 8);
	text_string(out, " ");
	text_left(out, context->ascii ? "+-" : "±", table->name_width);
	for (unsigned i = 0; i < context->n_shown; i++)
		if (table_is_counted(frame, context->shown[i]))
			text_right(out, "", metric_column(context, frame, context->shown[i]).width);
	for (unsigned i = 0; i < table->n; i++) {
		unsigned slot = table_slot_of(table, row, i);

		snprintf(buf, sizeof(buf), "%.2f%%", slot == COLUMN_NONE ? 0 : spread[slot]);
		text_right(out,
			   slot == COLUMN_NONE || !quality_has_value(row->count[slot].quality)
				   ? "-"
				   : buf,
			   event_width(table->event[i]));
	}
	text_printf(out, "\n");
}

/* Write the start of a line: the time, or "mean". */
static void stamp(const struct format_context *context, const struct frame *frame, struct text *out)
{
	if (context->is_summary && !context->is_total)
		text_printf(out, "%8s", "mean");
	else
		text_printf(out, "%8.3f", (double)frame->t_ns / 1e9);
}

static void lines_by(const struct format_context *context, const struct frame *frame,
		     const struct table *table, enum frame_by by, struct text *out)
{
	for (unsigned i = 0; i < row_n(context, frame, by); i++) {
		struct frame_row row;

		row_get(context, frame, by, i, &row);
		stamp(context, frame, out);
		name(context, &row, table->name_width, out);
		metric_cells(context, frame, &row, out);
		event_cells(context, frame, table, &row, out);
		text_printf(out, "\n");
		if (context->spread && by == context->by)
			spread_line(context, frame, table, &row, row_n(context, frame, by), out);
	}
}

/* Write a row's event with its rate, events per 1000 instructions, error and the share of time that it was counted. */
static void event_line(const struct format_context *context, const struct frame *frame,
		       const struct table *table, const struct frame_row *row, unsigned slot,
		       struct text *out)
{
	const struct event *event = frame->set->type[row->type].event[slot];
	const struct count count = frame_row_event(row, frame->set, slot);
	const struct reading number =
		context->is_total ? count_total(&count) : row_rate(context, row, &count);
	char error[32] = "", share[16] = "", title[EVENT_TITLE_MAX];

	if (count.quality == QUALITY_NONE || event_is_of_device(event))
		return;
	if (count_error_below(&count) < count_error(&count))
		num_error(number.value * event->scale, count_error_below(&count),
			  count_error(&count), context->ascii, error, sizeof(error));
	else if (count_error(&count) > 0)
		snprintf(error, sizeof(error), "%s%.*f%%", context->ascii ? "+-" : "±",
			 count_error(&count) < 0.0995, 100 * count_error(&count));
	if (count.enabled_ns)
		snprintf(share, sizeof(share), "%.1f%%",
			 100 * (double)count.running_ns / (double)count.enabled_ns);
	stamp(context, frame, out);
	name(context, row, table->name_width, out);
	text_string(out, " ");
	text_left(out, event_title(event, title), EVENT_WIDTH);
	number_cell(context, shown(row, number), event->scale, CELL_WIDTH, out);
	number_cell(context, shown(row, frame_row_per_ki(row, frame->set, slot)), event->scale,
		    CELL_WIDTH, out);
	text_right(out, error, ERROR_WIDTH);
	text_right(out, share, CELL_WIDTH);
	text_printf(out, "\n");
}

static void event_lines(const struct format_context *context, const struct frame *frame,
			const struct table *table, struct text *out)
{
	text_printf(out, "%8s %-*s %-*s%*s%*s%*s%*s\n", "time", table->name_width,
		    row_kind(context), EVENT_WIDTH, "event", CELL_WIDTH,
		    context->is_total ? "count" : "/s", CELL_WIDTH, "/Kinst", ERROR_WIDTH, "error",
		    CELL_WIDTH, "counted");
	for (unsigned i = 0; i < row_n(context, frame, context->by); i++) {
		struct frame_row row;

		row_get(context, frame, context->by, i, &row);
		for (unsigned slot = 0; slot < frame->n_slots; slot++)
			event_line(context, frame, table, &row, slot, out);
	}
}

/* Whether the frame has events or metrics of devices. */
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
	if (table->is_list)
		event_lines(context, frame, table, out);
	if (context->by != BY_DEVICE && has_devices(context, frame, table))
		lines_by(context, frame, table, BY_DEVICE, out);
}

/* Write a line per reading, below the rows. */
static void sensor_lines(const struct format_context *context, const struct frame *frame,
			 int name_width, struct text *out)
{
	const struct sensors *sensors = context->machine->sensors;

	for (unsigned i = 0; frame->sensed && i < sensors->n; i++) {
		const struct sensor_form *form = &sensor_forms[sensors->sensor[i].kind];
		double value = frame->sensed->value[i];
		char number[16] = "-";

		if (!isnan(value))
			num_si(value, 3, 7, number, sizeof(number));
		text_printf(out, "%8.3f %-*s%8s %s  %s\n", (double)frame->t_ns / 1e9, name_width,
			    form->name, number, form->unit, sensors->sensor[i].name);
	}
}

static void table_frame(struct format_context *context, const struct frame *frame, struct text *out)
{
	unsigned n_rows = row_n(context, frame, context->by);
	struct table table;

	table_make(context, frame, &table);
	n_rows += context->by == BY_DEVICE ? 0 : table.devices.n;
	if (frame->gap != GAP_NONE)
		table_gap(context, frame->t_ns, frame->n_missed, gap_name[frame->gap], out);
	/* the rest of an interval, after the end of a command or a change */
	if (context->last_t_ns && frame->t_ns - context->last_t_ns < frame->interval_ns / 10) {
		text_printf(out, "%8.3f (%.1f ms more: too short for a rate)\n",
			    (double)frame->t_ns / 1e9,
			    (double)(frame->t_ns - context->last_t_ns) / 1e6);
		return;
	}
	context->last_t_ns = frame->t_ns;
	if (context->functions) {
		functions_as_table(context, frame, out);
		return;
	}
	format_table_heading(context, frame, &table, n_rows, out);
	lines(context, frame, &table, out);
	sensor_lines(context, frame, table.name_width, out);
}

static void summary(struct format_context *context, const struct frame *sum, struct text *out)
{
	struct table table;

	if (context->functions) {
		functions_as_table(context, sum, out);
		return;
	}
	table_make(context, sum, &table);
	text_printf(out, context->is_total ? "" : "\n");
	headings(context, sum, &table, out);
	lines(context, sum, &table, out);
}

const struct format format_text_table = {
	.name = "table",
	.metrics = "IPC",
	.frame = table_frame,
	.summary = summary,
	.gap = table_gap,
};
