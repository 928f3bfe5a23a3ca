#include "session/format/perf_line.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "session/format/row_name.h"

const char *perf_metric_name(const struct metric *metric, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s", metric->unit, *metric->unit ? "  " : "", metric->name);
	return buf;
}

/* One decimal where there is a ScaleUnit, else two, as in perf; more only where these would be 0. */
void perf_chosen(const struct format_context *context, const struct frame_row *row, size_t i,
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

/* Does a metric begin at this slot: is it the first of its events that are here? */
static bool begins_at(const struct frame *frame, const struct frame_row *row, unsigned number,
		      unsigned slot)
{
	const struct metric_binding *binding = binding_of(row, number);
	uint64_t slots = binding ? binding->slots : 0;

	while (slots && row->count[__builtin_ctzll(slots)].quality == QUALITY_NONE)
		slots &= slots - 1;
	if (slots)
		return (unsigned)__builtin_ctzll(slots) == slot;
	return binding && !binding->slots && frame->n_slots == slot;
}

/* Was its event counted only because that cost nothing? Not when a metric that is shown takes it. */
static bool is_beside(const struct format_context *context, const struct frame *frame,
		      const struct frame_row *row, unsigned slot)
{
	if (!text_has_item(context->asked.beside, frame->set->type[row->type].event[slot]->name))
		return false;
	for (size_t i = 0; i < context->n_shown; i++) {
		const struct metric_binding *binding = binding_of(row, context->shown[i]);

		if (binding && binding->slots >> slot & 1)
			return false;
	}
	return true;
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
			  const struct frame_row *row, unsigned slot, perf_line_fn *print,
			  struct text *out)
{
	struct perf_line line = { .row = row, .slot = slot };
	bool printed = slot == frame->n_slots;

	if (!printed) {
		line.event = frame->set->type[row->type].event[slot];
		line.count = &row->count[slot];
		if (!line.event || line.count->quality == QUALITY_NONE ||
		    is_beside(context, frame, row, slot))
			return;
		judge(&line);
		perf_shadow(context, frame, &line);
	}
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

static unsigned count_rows(const struct format_context *context, const struct frame *frame)
{
	return row_n(context, frame, context->by);
}

/* @return false: its cores are all off or late */
static bool read_row(const struct format_context *context, const struct frame *frame, unsigned i,
		     struct frame_row *ret)
{
	row_get(context, frame, context->by, i, ret);
	return ret->state == CORE_ON;
}

void perf_lines(const struct format_context *context, const struct frame *frame,
		perf_line_fn *print, struct text *out)
{
	unsigned n_rows = count_rows(context, frame), n_slots = frame->n_slots + 1;
	bool by_core = context->by == BY_CORE;

	for (unsigned i = 0; i < n_rows * n_slots; i++) {
		unsigned at = by_core ? i % n_rows : i / n_slots;
		unsigned slot = by_core ? i / n_rows : i % n_slots;
		struct frame_row row;

		if (read_row(context, frame, at, &row))
			lines_of_slot(context, frame, &row, slot, print, out);
	}
}

void perf_rows(const struct format_context *context, const struct frame *frame, perf_row_fn *print,
	       struct text *out)
{
	for (unsigned i = 0; i < count_rows(context, frame); i++) {
		struct frame_row row;

		if (read_row(context, frame, i, &row))
			print(context, frame, &row, out);
	}
}

const char *perf_row_name(const struct machine *machine, const struct frame_row *row, char *buf,
			  size_t size)
{
	char cpus[64];

	if (row->by == BY_CORE)
		snprintf(buf, size, "CPU%u", machine->core[row->index].cpu);
	else if (row->by == BY_PHYSICAL)
		snprintf(buf, size, "CPU%s",
			 machine_threads(machine, row->index, cpus, sizeof(cpus)));
	else if (row->by == BY_SOCKET && machine->n_types == 1)
		snprintf(buf, size, "S%u", row_package(machine, row));
	else if (row->by == BY_SOCKET)
		snprintf(buf, size, "S%u-%s", row_package(machine, row),
			 machine->type[row->type].name);
	else if (row->by == BY_CLUSTER)
		snprintf(buf, size, "CLS%u", row->index);
	else if (row->by == BY_DEVICE)
		snprintf(buf, size, "%s", row->device->name);
	else if (row->by == BY_SYSTEM && machine->n_types == 1)
		snprintf(buf, size, "%s", "");
	else
		snprintf(buf, size, "%s", machine->type[row->index].name);
	for (char *at = buf; (at = strchr(at, ','));) /* CPU3+35: fields may end with a comma */
		*at = '+';
	return buf;
}
