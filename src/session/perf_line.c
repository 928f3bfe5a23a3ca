#include "session/perf_line.h"

#include <stdio.h>
#include <string.h>

/* The counts and metrics of a core, or of several summed. */
struct source {
	enum frame_by by;
	unsigned index, type, n_cpus;
	const struct pmu *device;
	const struct count *count;
	const struct reading *metric;
};

/* What perf prints behind a count: IPC for instructions, else the rate; none for one with a unit. */
static void shadow(const struct format_context *context, const struct frame *frame,
		   const struct source *source, struct perf_line *line)
{
	const struct metrics *metrics = context->metrics;
	int ipc = metrics ? metrics_column(frame->bound, metrics_find(metrics, "IPC")) : -1;
	struct reading rate = count_rate(line->count);
	struct perf_metric *shadow = &line->metric;

	*shadow = (struct perf_metric){ .reading.quality = QUALITY_NONE };
	if (ipc >= 0 && event_is(line->event, "instructions") &&
	    quality_has_value(source->metric[ipc].quality))
		*shadow = (struct perf_metric){ .reading = source->metric[ipc],
						.decimals = 2,
						.unit = "insn per cycle" };
	else if (!*line->event->unit && quality_has_value(rate.quality))
		*shadow = (struct perf_metric){
			.reading = rate, .decimals = 3, .has_prefix = true, .unit = "/sec"
		};
}

/* perf prints "unit  name" with one decimal where there is a ScaleUnit, else two and the name. */
static void chosen(const struct format_context *context, const struct frame *frame,
		   const struct source *source, unsigned number, struct perf_metric *ret)
{
	const struct metric *metric = &context->metrics->metric[number];
	bool is_scaled = *metric->unit || metric->scale < 1 || metric->scale > 1;

	*ret = (struct perf_metric){
		.chosen = metric,
		.reading = source->metric[metrics_column(frame->bound, (int)number)],
		.alarm = metrics_judge(context->metrics, frame->bound, (int)number, source->type,
				       source->count),
		.decimals = is_scaled ? 1 : 2,
	};
	snprintf(ret->unit, sizeof(ret->unit), "%s%s%s", metric->unit, *metric->unit ? "  " : "",
		 metric->name);
}

/* Does a metric begin at this slot: is it the first of its events that are here? */
static bool begins_at(const struct frame *frame, const struct source *source, unsigned number,
		      unsigned slot)
{
	int column = metrics_column(frame->bound, (int)number);
	const struct metric_binding *binding =
		column < 0 ? NULL : frame->bound->binding[source->type][column];
	uint64_t slots = binding ? binding->slots : 0;

	while (slots && source->count[__builtin_ctzll(slots)].quality == QUALITY_NONE)
		slots &= slots - 1;
	if (slots)
		return (unsigned)__builtin_ctzll(slots) == slot;
	return binding && !binding->slots && frame->n_slots == slot;
}

static void judge(struct perf_line *line)
{
	const struct count *count = line->count;

	line->running_pct = 100;
	if (count->enabled_ns)
		line->running_pct = 100 * (double)count->running_ns / (double)count->enabled_ns;
	if (quality_has_value(count->quality))
		line->value = count_total(count).value * line->event->scale;
	else
		line->bad = count->quality == QUALITY_NOT_SUPPORTED ? "<not supported>"
								    : "<not counted>";
}

/* The slot's count with the first metric that begins there; each further one in a line of its own.
 * One slot beyond the last are the metrics that no event leads. */
static void lines_of_slot(const struct format_context *context, const struct frame *frame,
			  const struct source *source, unsigned slot, perf_line_fn *print,
			  struct text *out)
{
	struct perf_line line = {
		.machine = context->machine,
		.by = source->by,
		.index = source->index,
		.device = source->device,
		.type = source->type,
		.slot = slot,
		.n_cpus = source->n_cpus,
	};
	bool printed = slot == frame->n_slots;

	if (!printed) {
		line.event = frame->set->type[source->type].event[slot];
		line.count = &source->count[slot];
		if (!line.event || line.count->quality == QUALITY_NONE)
			return;
		judge(&line);
		shadow(context, frame, source, &line);
	}
	for (size_t i = 0; i < context->n_shown; i++) {
		if (!begins_at(frame, source, context->shown[i], slot))
			continue;
		chosen(context, frame, source, context->shown[i], &line.metric);
		print(context, frame, &line, out);
		line.event = NULL;
		printed = true;
	}
	if (!printed)
		print(context, frame, &line, out);
}

static void lines_by_core(const struct format_context *context, const struct frame *frame,
			  perf_line_fn *print, struct text *out)
{
	for (unsigned slot = 0; slot <= frame->n_slots; slot++) {
		for (unsigned core = 0; core < frame->n_cores; core++) {
			struct source source = {
				.by = BY_CORE,
				.index = core,
				.type = context->machine->core[core].type,
				.n_cpus = 1,
				.count = frame_counts(frame, core),
				.metric = frame_metrics(frame, core),
			};

			if (frame->core[core].state == CORE_ON)
				lines_of_slot(context, frame, &source, slot, print, out);
		}
	}
}

static void lines_of_row(const struct format_context *context, const struct frame *frame,
			 const struct frame_row *row, perf_line_fn *print, struct text *out)
{
	struct source source = {
		.by = row->by,
		.index = row->index,
		.device = row->device,
		.type = row->type,
		.n_cpus = row->n_on,
		.count = row->count,
		.metric = row->metric,
	};

	for (unsigned slot = 0; slot <= frame->n_slots; slot++)
		lines_of_slot(context, frame, &source, slot, print, out);
}

void perf_lines(const struct format_context *context, const struct frame *frame,
		perf_line_fn *print, struct text *out)
{
	if (context->by == BY_CORE) {
		lines_by_core(context, frame, print, out);
		return;
	}
	for (unsigned i = 0; i < frame_n_rows(context->machine, frame->set, context->by); i++) {
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
	else if (line->by == BY_DEVICE)
		snprintf(buf, size, "%s", line->device->name);
	else if (line->by == BY_SYSTEM && line->machine->n_types == 1)
		snprintf(buf, size, "%s", "");
	else
		snprintf(buf, size, "%s", line->machine->type[line->index].name);
	return buf;
}
