#include "session/perf_line.h"

#include <stdio.h>
#include <string.h>

/* What perf prints behind a count: IPC for instructions, else the rate; none for one with a unit. */
static void shadow(const struct metrics *metrics, const struct frame *frame,
		   const struct reading *metric, struct perf_line *line)
{
	int ipc = metrics ? metrics_column(frame->bound, metrics_find(metrics, "IPC")) : -1;

	line->metric = (struct reading){ .quality = QUALITY_NONE };
	line->is_ipc = ipc >= 0 && event_is(line->event, "instructions") &&
		       quality_has_value(metric[ipc].quality);
	if (line->is_ipc)
		line->metric = metric[ipc];
	else if (!*line->event->unit)
		line->metric = count_rate(line->count);
}

static void judge(struct perf_line *line)
{
	const struct count *count = line->count;

	line->bad = NULL;
	line->value = 0;
	line->running_pct = 100;
	if (count->enabled_ns)
		line->running_pct = 100 * (double)count->running_ns / (double)count->enabled_ns;
	if (quality_has_value(count->quality))
		line->value = count_total(count).value * line->event->scale;
	else
		line->bad = count->quality == QUALITY_NOT_SUPPORTED ? "<not supported>"
								    : "<not counted>";
}

static void one_line(const struct format_context *context, const struct frame *frame,
		     const struct reading *metric, struct perf_line *line, perf_line_fn *print,
		     struct text *out)
{
	line->event = frame->set->type[line->type].event[line->slot];
	if (!line->event || line->count->quality == QUALITY_NONE)
		return;
	judge(line);
	shadow(context->metrics, frame, metric, line);
	print(context, frame, line, out);
}

static void lines_by_core(const struct format_context *context, const struct frame *frame,
			  perf_line_fn *print, struct text *out)
{
	for (unsigned slot = 0; slot < frame->n_slots; slot++) {
		for (unsigned core = 0; core < frame->n_cores; core++) {
			struct perf_line line = {
				.machine = context->machine,
				.by = BY_CORE,
				.index = core,
				.type = context->machine->core[core].type,
				.slot = slot,
				.n_cpus = 1,
				.count = &frame_counts(frame, core)[slot],
			};

			if (frame->core[core].state == CORE_ON)
				one_line(context, frame, frame_metrics(frame, core), &line, print,
					 out);
		}
	}
}

static void lines_of_row(const struct format_context *context, const struct frame *frame,
			 const struct frame_row *row, perf_line_fn *print, struct text *out)
{
	for (unsigned slot = 0; slot < frame->n_slots; slot++) {
		struct perf_line line = {
			.machine = context->machine,
			.by = context->by,
			.index = row->index,
			.type = row->type,
			.slot = slot,
			.n_cpus = row->n_on,
			.count = &row->count[slot],
		};

		one_line(context, frame, row->metric, &line, print, out);
	}
}

void perf_lines(const struct format_context *context, const struct frame *frame,
		perf_line_fn *print, struct text *out)
{
	if (context->by == BY_CORE) {
		lines_by_core(context, frame, print, out);
		return;
	}
	for (unsigned i = 0; i < frame_n_rows(context->machine, context->by); i++) {
		struct frame_row row;

		frame_row(frame, context->machine, context->metrics, context->by, i, &row);
		if (row.state == CORE_ON)
			lines_of_row(context, frame, &row, print, out);
	}
}

const char *perf_line_name(const struct perf_line *line, char *buf, size_t size)
{
	if (line->by == BY_CORE)
		snprintf(buf, size, "CPU%u", line->machine->core[line->index].cpu);
	else if (line->by == BY_CLUSTER)
		snprintf(buf, size, "CLS%u", line->index);
	else if (line->by == BY_SYSTEM && line->machine->n_types == 1)
		snprintf(buf, size, "%s", "");
	else
		snprintf(buf, size, "%s", line->machine->type[line->index].name);
	return buf;
}
