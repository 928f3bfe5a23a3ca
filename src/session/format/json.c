/* The objects of `perf stat -I -A -j`, one a line, and beside perf's members type, slot, quality. */
#include <inttypes.h>
#include <string.h>

#include "base/num.h"
#include "session/format/perf_line.h"
#include "session/format/row_name.h"
#include "session/format/task_table.h"

static void interval_member(const struct format_context *context, const struct frame *frame,
			    struct text *out)
{
	if (context->is_summary)
		return;
	text_printf(out, "\"interval\" : ");
	text_seconds(out, frame->t_ns);
	text_printf(out, ", ");
}

/* perf's "thread" : "bash-4711", and what it is made of; by type there is a member for every row. */
static void task_members(const struct format_context *context, const struct core_task *task,
			 struct text *out)
{
	const char *kind = row_kind(context);
	char name[64];

	text_printf(out, "\"%s\" : ", strcmp(kind, "task") == 0 ? "thread" : kind);
	text_json(out, row_task_name(context, task, "", name, sizeof(name)));
	text_printf(out, ", \"comm\" : ");
	text_json(out, task->comm);
	text_printf(out, ", ");
	if (task->kind == TASK_THREAD && context->tasks->tasks.by != BY_COMMAND)
		text_printf(out, "\"pid\" : %u, ", task->pid);
	if (task->kind == TASK_THREAD && context->tasks->tasks.by == BY_THREAD)
		text_printf(out, "\"tid\" : %u, ", task->tid);
}

static void row_members(const struct format_context *context, const struct frame_row *row,
			struct text *out)
{
	static const char *const key[N_FRAME_BY] = {
		[BY_PHYSICAL] = "core",  [BY_CLUSTER] = "cluster",  [BY_SOCKET] = "socket",
		[BY_TYPE] = "core-type", [BY_SYSTEM] = "core-type", [BY_DEVICE] = "device",
	};
	char name[64];

	if (row->task) {
		task_members(context, row->task, out);
		return;
	}
	if (row->by == BY_CORE) {
		text_printf(out, "\"cpu\" : \"%u\", ", context->machine->core[row->index].cpu);
		return;
	}
	if (!*perf_row_name(context->machine, row, name, sizeof(name)))
		return;
	text_printf(out, "\"%s\" : ", key[row->by]);
	text_json(out, name);
	text_printf(out, ", \"aggregate-number\" : %u, ", row->n_on);
}

static void value_members(const struct perf_line *line, struct text *out)
{
	if (line->bad)
		text_printf(out, "\"counter-value\" : \"%s\", \"unit\" : ", line->bad);
	else
		text_printf(out, "\"counter-value\" : \"%f\", \"unit\" : ", line->value);
	text_json(out, line->event->unit);
	text_printf(out, ", \"event\" : ");
	text_json(out, line->event->name);
	text_printf(out, ", \"event-runtime\" : %" PRIu64 ", \"pcnt-running\" : %.2f, ",
		    line->count->running_ns, line->running_pct);
}

/* What -M asked for has a name, a standing and perhaps a verdict; without a value it is null. */
static void chosen_members(const struct perf_metric *metric, struct text *out)
{
	static const char *const verdict[] = {
		[ALARM_UNKNOWN] = "",
		[ALARM_WITHIN] = ", \"metric-threshold\" : \"good\"",
		[ALARM_BEYOND] = ", \"metric-threshold\" : \"bad\"",
	};

	text_printf(out, "\"metric-name\" : ");
	text_json(out, metric->chosen->name);
	text_printf(out, ", \"metric-quality\" : \"%s\"%s, ", quality_name(metric->reading.quality),
		    verdict[metric->alarm]);
}

static void metric_members(const struct perf_metric *metric, struct text *out)
{
	double value = metric->reading.value;

	if (metric->chosen && !quality_has_value(metric->reading.quality))
		text_printf(out, "\"metric-value\" : null, \"metric-unit\" : ");
	else
		text_printf(out, "\"metric-value\" : %.*f, \"metric-unit\" : ",
			    metric->chosen ? (int)num_decimals(value, 6) : 6, value);
	text_json(out, metric->unit);
	text_printf(out, ", ");
	if (metric->chosen)
		chosen_members(metric, out);
}

static void type_member(const struct format_context *context, const struct frame_row *row,
			struct text *out)
{
	text_printf(out, "\"type\" : ");
	text_json(out, context->machine->type[row->type].name);
}

static void standing_members(const struct perf_line *line, struct text *out)
{
	double error = count_error(line->count);

	text_printf(out, ", \"slot\" : %u, \"quality\" : \"%s\"", line->slot,
		    quality_name(line->count->quality));
	if (error > 0)
		text_printf(out, ", \"error-pct\" : %.2f", 100 * error);
}

static void print(const struct format_context *context, const struct frame *frame,
		  const struct perf_line *line, struct text *out)
{
	text_printf(out, "{");
	interval_member(context, frame, out);
	row_members(context, line->row, out);
	if (line->event)
		value_members(line, out);
	metric_members(&line->metric, out);
	type_member(context, line->row, out);
	if (line->event)
		standing_members(line, out);
	text_printf(out, "}\n");
}

/* A member for each metric, by the name that perf gives it, its figure in quotes as perf has it. */
static void print_metrics(const struct format_context *context, const struct frame *frame,
			  const struct frame_row *row, struct text *out)
{
	text_printf(out, "{");
	interval_member(context, frame, out);
	row_members(context, row, out);
	for (size_t i = 0; i < context->n_shown; i++) {
		struct perf_metric metric;

		perf_chosen(context, row, i, &metric);
		text_json(out, metric.unit);
		if (quality_has_value(metric.reading.quality))
			text_printf(out, " : \"%.*f\", ", (int)metric.decimals,
				    metric.reading.value);
		else
			text_printf(out, " : null, ");
	}
	type_member(context, row, out);
	text_printf(out, "}\n");
}

static void gap(struct format_context *context, uint64_t t_ns, uint64_t n_frames, const char *why,
		struct text *out)
{
	(void)context;
	text_printf(out, "{\"interval\" : ");
	text_seconds(out, t_ns);
	text_printf(out, ", \"gap-frames\" : %" PRIu64 ", \"why\" : ", n_frames);
	text_json(out, why);
	text_printf(out, "}\n");
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
		gap(context, frame->t_ns, frame->n_missed, gap_name(frame->gap), out);
	rows(context, frame, out);
}

const struct format format_json = {
	.name = "json",
	.frame = frame,
	.summary = rows,
	.gap = gap,
};
