/* perf.c: perf's own forms, CSV and JSON. tests/e2e/perf_stat.py compares them with the installed perf;
 * docs/perf-stat.md lists the differences. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/num.h"
#include "pmu/sensors.h"
#include "session/format.h"
#include "session/format/functions.h"
#include "session/format/row_name.h"

/* Metric after a count: one of -M, else perf's shadow metric. */
struct perf_metric {
	const struct metric *chosen; /* of -M; NULL: the shadow metric */
	struct reading reading;
	enum metric_alarm alarm;
	unsigned decimals; /* for perf's CSV form */
	char unit[128];    /* "insn per cycle", "K/sec", "%  branch_miss_ratio"; "": no metric */
};

/* A count with its metric, or a metric alone: the second and further ones that begin at a slot. */
struct perf_line {
	const struct frame_row *row;
	unsigned slot;
	const struct event
		*event;     /* NULL: a metric alone, without count, bad, value and running_pct */
	struct count count; /* of all mux groups; at BY_SYSTEM of all devices of a kind */
	const char *bad;    /* "<not counted>", "<not supported>"; NULL: has a value */
	double value;       /* in the event's unit, scaled to the whole window */
	double running_pct;
	double spread_pct; /* standard error of the mean of several runs, % */
	struct perf_metric metric;
};

typedef void perf_line_fn(const struct format_context *context, const struct frame *frame,
			  const struct perf_line *line, struct text *out);

typedef void perf_row_fn(const struct format_context *context, const struct frame *frame,
			 const struct frame_row *row, struct text *out);

/* Metric that perf 6.1 prints after a count, by event: tools/perf/util/stat-shadow.c. Other events without a unit get
 * their rate. */
static const struct shadow {
	const char *event;
	const char *per; /* divisor, an event counted at the same time; NULL: seconds */
	bool is_sum;     /* sum over CPUs, not their mean */
	double factor;
	unsigned decimals;
	const char *unit;
} shadow_table[] = {
	{ "cpu-clock", NULL, true, 1e-9, 3, "CPUs utilized" },
	{ "task-clock", NULL, true, 1e-9, 3, "CPUs utilized" },
	{ "instructions", "cycles", false, 1, 2, "insn per cycle" },
	{ "cycles", NULL, false, 1e-9, 3, "GHz" },
	{ "stalled-cycles-frontend", "cycles", false, 100, 2, "frontend cycles idle" },
	{ "stalled-cycles-backend", "cycles", false, 100, 2, "backend cycles idle" },
	{ "branch-misses", "branches", false, 100, 2, "of all branches" },
	{ "cache-misses", "cache-references", false, 100, 3, "of all cache refs" },
	{ "L1-dcache-load-misses", "L1-dcache-loads", false, 100, 2, "of all L1-dcache accesses" },
	{ "L1-icache-load-misses", "L1-icache-loads", false, 100, 2, "of all L1-icache accesses" },
	{ "dTLB-load-misses", "dTLB-loads", false, 100, 2, "of all dTLB cache accesses" },
	{ "iTLB-load-misses", "iTLB-loads", false, 100, 2, "of all iTLB cache accesses" },
	{ "LLC-load-misses", "LLC-loads", false, 100, 2, "of all LL-cache accesses" },
	{ 0 },
};

static const struct shadow *find_shadow(const struct event *event)
{
	bool is_of_device = event_is_of_device(event);

	/* a device's cycles are not those of a core */
	for (const struct shadow *row = shadow_table; row->event && !is_of_device; row++)
		if (event_is(event, row->event))
			return row;
	return NULL;
}

/* Find the count of an event in the mux group of a slot. @return NULL: none with a value */
static const struct count *same_group_count(const struct frame *frame, const struct frame_row *row,
					    unsigned slot, const char *name)
{
	const struct event *const *event = frame->set->type[row->type].event;

	for (unsigned i = 0; i < frame->n_slots; i++)
		if (event[i] && set_mux_of(frame->set, i) == set_mux_of(frame->set, slot) &&
		    event_is(event[i], name) && quality_has_value(row->count[i].quality))
			return &row->count[i];
	return NULL;
}

/* Calculate the line's event per another one, in the mux groups that count both. @return NONE: there are none */
static struct reading ratio(const struct frame *frame, const struct perf_line *line,
			    const char *name)
{
	const struct frame_row *row = line->row;
	const struct event *const *event = frame->set->type[row->type].event;
	struct count of = { 0 }, per = { 0 };
	struct reading ret, by;

	for (unsigned i = line->slot; i < frame->n_slots; i++) {
		bool is_counted = quality_has_value(row->count[i].quality) &&
				  event_is_same(event[i], line->event);
		const struct count *one = is_counted ? same_group_count(frame, row, i, name) : NULL;

		if (one) {
			count_add_mux(&of, &row->count[i]);
			count_add_mux(&per, one);
		}
	}
	ret = count_total(&of);
	by = count_total(&per);
	ret.quality = quality_worst(ret.quality, by.quality);
	if (quality_has_value(ret.quality) && !(by.value > 0))
		ret.quality = QUALITY_UNDEFINED;
	ret.value /= by.value > 0 ? by.value : 1;
	return ret;
}

/* Calculate the rate per second, for several CPUs their mean, as in perf. */
static struct reading rate(const struct count *count)
{
	struct reading ret = count_rate(count);

	if (count->n_summed > 1)
		ret.value /= count->n_summed;
	return ret;
}

/* Format a rate as in perf: 1.500,K/sec. */
static void plain_rate(const struct count *count, struct perf_metric *ret)
{
	static const char prefix[] = " KMG";
	unsigned step = 0;

	*ret = (struct perf_metric){ .reading = rate(count), .decimals = 3 };
	while (ret->reading.value >= 1000 && step + 1 < strlen(prefix)) {
		ret->reading.value /= 1000;
		step++;
	}
	snprintf(ret->unit, sizeof(ret->unit), "%.*s/sec", step ? 1 : 0, &prefix[step]);
}

/*
 * Calculate the shadow metric of a line that has its event and count: instructions per cycle, the ratio of missed
 * branches, GHz, CPUs utilized, else the rate, with K, M or G.
 *
 * @line  its metric is written; without a value it has no unit either
 */
static void perf_shadow(const struct format_context *context, const struct frame *frame,
			struct perf_line *line)
{
	const struct shadow *known = find_shadow(line->event);
	struct reading reading = { .quality = QUALITY_NONE };

	line->metric = (struct perf_metric){ .reading = reading };
	if (!quality_has_value(line->count.quality))
		return;
	if (known)
		reading = known->per      ? ratio(frame, line, known->per)
			  : known->is_sum ? row_rate(context, line->row, &line->count)
					  : rate(&line->count);
	if (reading.quality != QUALITY_NONE) {
		line->metric.reading = reading;
		line->metric.reading.value *= known->factor;
		line->metric.decimals = known->decimals;
		snprintf(line->metric.unit, sizeof(line->metric.unit), "%s", known->unit);
	} else if (!*line->event->unit) {
		plain_rate(&line->count, &line->metric);
	}
	if (!quality_has_value(line->metric.reading.quality)) /* both or neither, as in perf */
		line->metric.unit[0] = '\0';
}

/* Get perf's name of a metric of -M: "%  branch_miss_ratio", "IPC". @return buf */
static const char *perf_metric_name(const struct metric *metric, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s", metric->unit, *metric->unit ? "  " : "", metric->name);
	return buf;
}

/* Get metric i of -M for a row, NONE if the row does not have it, with one decimal if there is a ScaleUnit, else two, as in perf; more only if these would be 0. */
static void perf_chosen(const struct format_context *context, const struct frame_row *row, size_t i,
			struct perf_metric *ret)
{
	int number = context->shown[i];
	const struct metric *metric = &context->metrics->metric[number];
	bool is_scaled = *metric->unit || metric->scale < 1 || metric->scale > 1;
	struct reading reading = frame_row_metric(row, number);

	*ret = (struct perf_metric){
		.chosen = metric,
		.reading = reading,
		.alarm = metrics_judge(context->metrics, row->bound, number, row->type, row->count),
		.decimals = num_decimals(reading.value, is_scaled ? 1 : 2),
	};
	perf_metric_name(metric, ret->unit, sizeof(ret->unit));
}

/* @return NULL: the row does not have the metric */
static const struct metric_binding *binding_of(const struct frame_row *row, unsigned number)
{
	int column = metrics_column(row->bound, (int)number);

	return column < 0 ? NULL : row->bound->binding[row->type][column];
}

/* Whether a metric begins at this slot: the first line of an event that it needs and the row counts. */
static bool begins_at(const struct frame *frame, const struct frame_row *row, unsigned number,
		      unsigned slot)
{
	const struct metric_binding *binding = binding_of(row, number);
	const struct event *const *event = frame->set->type[row->type].event;
	bool begins = false;

	if (!binding || slot == frame->n_slots)
		return binding && column_set_is_empty(&binding->slots);
	column_set_each(&binding->slots, i)
		begins |= row->count[i].quality != QUALITY_NONE &&
			  event_is_same(event[i], event[slot]);
	column_set_each(&binding->slots, i)
		if (begins && row->count[i].quality != QUALITY_NONE &&
		    set_first_column(frame->set, row->type, (unsigned)i) < slot)
			return false;
	return begins;
}

/* Whether the event was counted only because it cost nothing, and no shown metric uses it. */
static bool is_extra(const struct format_context *context, const struct frame *frame,
		     const struct frame_row *row, unsigned slot)
{
	const struct event *const *event = frame->set->type[row->type].event;

	if (!text_has_item(context->head.request.extra, event[slot]->name))
		return false;
	for (size_t i = 0; i < context->n_shown; i++) {
		const struct metric_binding *binding = binding_of(row, context->shown[i]);

		for (unsigned k = slot; binding && k < frame->n_slots; k++)
			if (column_set_has(&binding->slots, k) &&
			    event_is_same(event[k], event[slot]))
				return false;
	}
	return true;
}

/* Get the share of a task's events that it has for certain: what is [unattributed] may be its own, too. 0: not known */
static double certain_pct(const struct task_table *table, const struct perf_line *line)
{
	const struct task_figure *figure =
		&table->sums.figure[table->sums.columns.at[line->row->type][line->slot]];
	const struct core_task unattributed = task_of_kind(TASK_UNATTRIBUTED);
	ptrdiff_t at = task_index_find(&table->sums.tasks, &unattributed);
	double value = (double)line->count.value, missed;

	if (figure->is_late || figure->is_missing || at < 0)
		return 0;
	missed = (double)table->sums.sum[at]
			 .count[line->row->type * table->of->set.n_slots + line->slot]
			 .value;
	return missed > 0 ? 100 * value / (value + missed) : 0;
}

static void perf_line_judge(const struct format_context *context, const struct frame *frame,
			    struct perf_line *line)
{
	const struct count *count = &line->count;

	line->running_pct = 100;
	if (count->quality == QUALITY_NOT_SUPPORTED)
		; /* as perf prints it */
	else if (count->quality == QUALITY_PARTIAL && context->tasks)
		line->running_pct = certain_pct(context->tasks, line);
	else if (count->quality == QUALITY_PARTIAL) /* without the last window of a late core */
		line->running_pct = 100 * (double)count->running_ns /
				    ((double)frame_window_ns(frame) * line->row->n_cores);
	else if (count->enabled_ns)
		line->running_pct = 100 * (double)count->running_ns / (double)count->enabled_ns;
	if (quality_has_value(count->quality))
		line->value = count_total(count).value * line->event->scale;
	else
		line->bad = count->quality == QUALITY_NOT_SUPPORTED ? "<not supported>"
								    : "<not counted>";
}

/*
 * Sum the slot's event over all mux groups, by system also over the devices of a kind, named as in perf: uncore_imc/x/
 * for uncore_imc_0/x/ and uncore_imc_1/x/.
 *
 * @event   storage of the sum's name
 * @return  false: an earlier slot's line includes it, or the row does not count it
 */
static bool add_up(const struct frame *frame, struct perf_line *line, struct event *event)
{
	const struct frame_row *row = line->row;
	const struct event *const *of = frame->set->type[row->type].event;
	unsigned n = 0;

	line->count = frame_row_event(row, frame->set, line->slot);
	for (unsigned i = 0; row->by == BY_SYSTEM && i < frame->n_slots; i++) {
		struct count one = { 0 };

		if (of[i] && event_is_of_sibling(of[i], line->event))
			one = frame_row_event(row, frame->set, i);
		if (one.quality == QUALITY_NONE)
			continue;
		if (i < line->slot)
			return false;
		if (n++)
			count_add_core(&line->count, &one);
	}
	if (n > 1) {
		*event = *line->event;
		event_name_of_kind(line->event, event->name, sizeof(event->name));
		line->event = event;
	}
	return line->count.quality != QUALITY_NONE;
}

/*
 * Fill in the count of the line's slot.
 *
 * @event   storage that the line may point to
 * @return  false: there is nothing to print
 */
static bool fill_count(const struct format_context *context, const struct frame *frame,
		       struct perf_line *line, struct event *event)
{
	const struct frame_row *row = line->row;

	line->event = frame->set->type[row->type].event[line->slot];
	if (!line->event || is_extra(context, frame, row, line->slot) ||
	    !add_up(frame, line, event))
		return false;
	perf_line_judge(context, frame, line);
	if (context->spread)
		line->spread_pct = context->spread[row->index * frame->n_slots + line->slot];
	perf_shadow(context, frame, line);
	return true;
}

/* Print the slot's count with the first metric that begins there; further ones get their own lines. The slot after the
 * last has the metrics without events. */
static void lines_of_slot(const struct format_context *context, const struct frame *frame,
			  const struct frame_row *row, unsigned slot, perf_line_fn *print,
			  struct text *out)
{
	struct perf_line line = { .row = row, .slot = slot };
	bool printed = slot == frame->n_slots;
	struct event event;

	if (!printed && !fill_count(context, frame, &line, &event))
		return;
	for (size_t i = 0; i < context->n_shown; i++) {
		if (!begins_at(frame, row, context->shown[i], slot))
			continue;
		perf_chosen(context, row, i, &line.metric);
		print(context, frame, &line, out);
		line.event = NULL;
		printed = true;
	}
	if (!printed)
		print(context, frame, &line, out);
}

/* Call `print` for every count of the frame in perf's order: by core event after event, else row after row. Cores that
 * are off or late have no lines, as in perf. A metric of -M follows the first of its events; one without events comes
 * last. */
static void perf_lines(const struct format_context *context, const struct frame *frame,
		       perf_line_fn *print, struct text *out)
{
	unsigned n_rows = row_n(context, frame, context->by), n_slots = frame->n_slots + 1;
	bool by_core = context->by == BY_CORE;

	for (unsigned i = 0; i < n_rows * n_slots; i++) {
		unsigned at = by_core ? i % n_rows : i / n_slots;
		unsigned slot = by_core ? i / n_rows : i % n_slots;
		struct frame_row row;

		row_get(context, frame, context->by, at, &row);
		if (row.state == CORE_ON)
			lines_of_slot(context, frame, &row, slot, print, out);
	}
}

/* Call `print` for every row of the frame, for perf stat --metric-only. */
static void perf_rows(const struct format_context *context, const struct frame *frame,
		      perf_row_fn *print, struct text *out)
{
	for (unsigned i = 0; i < row_n(context, frame, context->by); i++) {
		struct frame_row row;

		row_get(context, frame, context->by, i, &row);
		if (row.state == CORE_ON)
			print(context, frame, &row, out);
	}
}

/* Get perf's name of a row: "CPU4", "CLS1", "N0-P", "P", "" for the whole system; for a device its own name. @return buf */
static const char *perf_row_name(const struct machine *machine, const struct frame_row *row,
				 char *buf, size_t size)
{
	char cpus[64];
	unsigned number;

	if (row->by == BY_CORE)
		snprintf(buf, size, "CPU%u", machine->core[row->index].cpu);
	else if (row->by == BY_PHYSICAL)
		snprintf(buf, size, "CPU%s",
			 machine_threads(machine, row->index, cpus, sizeof(cpus)));
	else if (frame_row_number(machine, row->by, row->index, &number)) {
		bool typed = machine_level[row->by].is_of_kernel && machine->n_types > 1;

		snprintf(buf, size, "%s%u%s%s", machine_level[row->by].perf, number,
			 typed ? "-" : "", typed ? machine->type[row->type].name : "");
	} else if (row->by == BY_DEVICE)
		snprintf(buf, size, "%s", row->device->name);
	else if (row->by == BY_SYSTEM && machine->n_types == 1)
		snprintf(buf, size, "%s", "");
	else
		snprintf(buf, size, "%s", machine->type[row->index].name);
	for (char *at = buf; (at = strchr(at, ','));) /* CPU3+35: a comma may separate fields */
		*at = '+';
	return buf;
}

/* ---- CSV: lines of `perf stat -I -A -x,`: time, CPU, value, unit, event, running time, its share, metric ---- */

static const char *separator(const struct format_context *context)
{
	return context->sep ? context->sep : ",";
}

/* Write "# started on" and the date in ctime's format, independent of the locale. */
static void perf_begin(struct format_context *context, struct text *out)
{
	time_t started = (time_t)(context->head.started_wall_ns / NS_PER_S);
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
	char name[ROW_NAME_SIZE];

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

/* Write five fields, empty for a metric alone, so that all lines have the same number. */
static void count_fields(const struct format_context *context, const struct perf_line *line,
			 struct text *out)
{
	const char *sep = separator(context);

	if (!line->event) {
		text_printf(out, "%s%s%s%s%s%s", sep, sep, sep, sep, sep,
			    context->spread ? sep : "");
		return;
	}
	value_field(line, sep, out);
	text_printf(out, "%s%s%s%s", line->event->unit, sep, line->event->name, sep);
	if (context->spread)
		text_printf(out, "%.2f%%%s", line->spread_pct, sep);
	text_printf(out, "%" PRIu64 "%s%.2f%s", line->count.running_ns, sep, line->running_pct,
		    sep);
}

static void metric_value(const struct perf_metric *metric, struct text *out)
{
	if (quality_has_value(metric->reading.quality))
		text_printf(out, "%.*f", (int)metric->decimals, metric->reading.value);
}

static void perf_print(const struct format_context *context, const struct frame *frame,
		       const struct perf_line *line, struct text *out)
{
	const char *sep = separator(context);

	stamp(context, frame, out);
	row_fields(context, line->row, out);
	count_fields(context, line, out);
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

/* Return perf's name of the field with the row. */
static const char *perf_row_key(enum frame_by by)
{
	return by == BY_DEVICE ? "device" : machine_level[by <= BY_TYPE ? by : BY_TYPE].perf_key;
}

/* Write the heading of --metric-only, which begins with a blank as in perf 6.1. */
static void metrics_heading(struct format_context *context, struct text *out)
{
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
		text_printf(out, "%s%scpus%s", perf_row_key(context->by), sep, sep);
	for (size_t i = 0; i < context->n_shown; i++) {
		char name[128];

		perf_metric_name(&context->metrics->metric[context->shown[i]], name, sizeof(name));
		text_printf(out, "%s%s", name, sep);
	}
	text_printf(out, "\n");
}

static void format_perf_rows(struct format_context *context, const struct frame *frame,
			     struct text *out)
{
	if (context->functions)
		functions_as_csv(context, frame, separator(context), out);
	else if (context->metric_only)
		perf_rows(context, frame, print_metrics, out);
	else
		perf_lines(context, frame, perf_print, out);
}

static void perf_frame(struct format_context *context, const struct frame *frame, struct text *out)
{
	if (frame->gap != GAP_NONE)
		gap_line(context, frame->t_ns, frame->n_missed, gap_name[frame->gap], out);
	if (context->metric_only && context->last_set != frame->set->number)
		metrics_heading(context, out);
	context->last_set = frame->set->number;
	format_perf_rows(context, frame, out);
}

static void summary(struct format_context *context, const struct frame *sum, struct text *out)
{
	if (context->metric_only && context->is_total)
		metrics_heading(context, out);
	format_perf_rows(context, sum, out);
}

const struct format format_perf = {
	.name = "perf",
	.begin = perf_begin,
	.frame = perf_frame,
	.summary = summary,
	.gap = gap_line,
};

/* ---- JSON: objects of `perf stat -I -A -j`, one per line, with the additional members type, slot and quality ---- */

static struct json json_writer(struct text *out)
{
	return (struct json){ out, " ", " : " };
}

static void interval_member(const struct json *json, uint64_t t_ns)
{
	json_next(json, "interval");
	text_seconds(json->out, t_ns);
}

/* Write perf's "thread" : "bash-4711" and its parts; the core type is a member of every row. */
static void task_members(const struct format_context *context, const struct core_task *task,
			 const struct json *json)
{
	const char *kind = row_kind(context);
	enum task_by by = context->tasks->sums.tasks.by;
	char name[ROW_NAME_SIZE];

	json_text(json, strcmp(kind, "task") == 0 ? "thread" : kind,
		  row_task_name(context, task, "", name, sizeof(name)));
	if (by != BY_CGROUP)
		json_text(json, "comm", task->comm);
	if (task->kind == TASK_THREAD && (by == BY_PROCESS || by == BY_THREAD))
		json_u64(json, "pid", task->pid);
	if (task->kind == TASK_THREAD && by == BY_THREAD)
		json_u64(json, "tid", task->tid);
}

static void row_members(const struct format_context *context, const struct frame_row *row,
			const struct json *json)
{
	char name[64];

	if (row->task) {
		task_members(context, row->task, json);
	} else if (row->by == BY_CORE) {
		json_printf(json, "cpu", "\"%u\"", context->machine->core[row->index].cpu);
	} else if (*perf_row_name(context->machine, row, name, sizeof(name))) {
		json_text(json, perf_row_key(row->by), name);
		json_u64(json, "aggregate-number", row->n_on);
	}
}

static void begin_row(const struct format_context *context, const struct frame *frame,
		      const struct frame_row *row, const struct json *json)
{
	json_begin(json, NULL, "{");
	if (!context->is_summary)
		interval_member(json, frame->t_ns);
	row_members(context, row, json);
}

static void value_members(const struct format_context *context, const struct perf_line *line,
			  const struct json *json)
{
	if (line->bad)
		json_text(json, "counter-value", line->bad);
	else
		json_printf(json, "counter-value", "\"%f\"", line->value);
	json_text(json, "unit", line->event->unit);
	json_text(json, "event", line->event->name);
	if (context->spread)
		json_printf(json, "variance", "%.2f", line->spread_pct);
	json_u64(json, "event-runtime", line->count.running_ns);
	json_printf(json, "pcnt-running", "%.2f", line->running_pct);
}

/* Write name, quality and, if known, threshold state of a metric of -M. */
static void chosen_members(const struct perf_metric *metric, const struct json *json)
{
	json_text(json, "metric-name", metric->chosen->name);
	json_text(json, "metric-quality", quality_name(metric->reading.quality));
	if (metric->alarm != ALARM_UNKNOWN)
		json_text(json, "metric-threshold", metric->alarm == ALARM_WITHIN ? "good" : "bad");
}

static void metric_members(const struct perf_metric *metric, const struct json *json)
{
	double value = metric->reading.value;

	if (metric->chosen && !quality_has_value(metric->reading.quality))
		json_text(json, "metric-value", NULL);
	else
		json_printf(json, "metric-value", "%.*f",
			    metric->chosen ? (int)num_decimals(value, 6) : 6, value);
	json_text(json, "metric-unit", metric->unit);
	if (metric->chosen)
		chosen_members(metric, json);
}

static void type_member(const struct format_context *context, const struct frame_row *row,
			const struct json *json)
{
	json_text(json, "type", context->machine->type[row->type].name);
}

static void standing_members(const struct perf_line *line, const struct json *json)
{
	double error = count_error(&line->count);

	json_u64(json, "slot", line->slot);
	json_text(json, "quality", quality_name(line->count.quality));
	if (error > 0)
		json_printf(json, "error-pct", "%.2f", 100 * error);
	if (count_error_below(&line->count) < error)
		json_printf(json, "error-below-pct", "%.2f", 100 * count_error_below(&line->count));
}

static void json_print(const struct format_context *context, const struct frame *frame,
		       const struct perf_line *line, struct text *out)
{
	const struct json json = json_writer(out);

	begin_row(context, frame, line->row, &json);
	if (line->event)
		value_members(context, line, &json);
	metric_members(&line->metric, &json);
	type_member(context, line->row, &json);
	if (line->event)
		standing_members(line, &json);
	json_end(&json, "}\n");
}

/* Write a member per metric, named and with its value quoted as in perf. */
static void json_metrics(const struct format_context *context, const struct frame *frame,
			 const struct frame_row *row, struct text *out)
{
	const struct json json = json_writer(out);

	begin_row(context, frame, row, &json);
	for (size_t i = 0; i < context->n_shown; i++) {
		struct perf_metric metric;

		perf_chosen(context, row, i, &metric);
		if (quality_has_value(metric.reading.quality))
			json_printf(&json, metric.unit, "\"%.*f\"", (int)metric.decimals,
				    metric.reading.value);
		else
			json_text(&json, metric.unit, NULL);
	}
	type_member(context, row, &json);
	json_end(&json, "}\n");
}

static void json_gap(struct format_context *context, uint64_t t_ns, uint64_t n_frames,
		     const char *why, struct text *out)
{
	const struct json json = json_writer(out);

	(void)context;
	json_begin(&json, NULL, "{");
	interval_member(&json, t_ns);
	json_u64(&json, "gap-frames", n_frames);
	json_text(&json, "why", why);
	json_end(&json, "}\n");
}

static void json_rows(struct format_context *context, const struct frame *frame, struct text *out)
{
	if (context->functions)
		functions_as_json(context, frame, out);
	else if (context->metric_only)
		perf_rows(context, frame, json_metrics, out);
	else
		perf_lines(context, frame, json_print, out);
}

static void json_sensors(const struct format_context *context, const struct frame *frame,
			 struct text *out)
{
	const struct sensors *sensors = context->machine->sensors;
	const struct json json = json_writer(out);

	for (unsigned i = 0; frame->sensed && i < sensors->n; i++) {
		const struct sensor *sensor = &sensors->sensor[i];

		json_begin(&json, NULL, "{");
		interval_member(&json, frame->t_ns);
		json_text(&json, "sensor", sensor->name);
		json_number(&json, "value", 12, frame->sensed->value[i]); /* null: not read */
		json_text(&json, "unit", sensor_forms[sensor->kind].unit);
		json_end(&json, "}\n");
	}
}

static void json_frame(struct format_context *context, const struct frame *frame, struct text *out)
{
	if (frame->gap != GAP_NONE)
		json_gap(context, frame->t_ns, frame->n_missed, gap_name[frame->gap], out);
	json_rows(context, frame, out);
	json_sensors(context, frame, out);
}

const struct format format_json = {
	.name = "json",
	.frame = json_frame,
	.summary = json_rows,
	.gap = json_gap,
};
