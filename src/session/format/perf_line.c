#include "session/perf_line.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "session/perf_shadow.h"

const char *perf_metric_name(const struct metric *metric, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s", metric->unit, *metric->unit ? "  " : "", metric->name);
	return buf;
}

/* One decimal where there is a ScaleUnit, else two, as in perf; more only where these would be 0. */
void perf_chosen(const struct format_context *context, const struct frame *frame,
		 const struct perf_row *row, size_t i, struct perf_metric *ret)
{
	unsigned number = context->shown[i];
	const struct metric *metric = &context->metrics->metric[number];
	bool is_scaled = *metric->unit || metric->scale < 1 || metric->scale > 1;
	int column = metrics_column(frame->bound, (int)number);

	*ret = (struct perf_metric){
		.chosen = metric,
		.reading = { .quality = QUALITY_NONE },
		.decimals = is_scaled ? 1 : 2,
	};
	if (column >= 0) {
		ret->reading = row->metric[column];
		ret->decimals = num_decimals(ret->reading.value, ret->decimals);
		ret->alarm = metrics_judge(context->metrics, frame->bound, (int)number, row->type,
					   row->count);
	}
	perf_metric_name(metric, ret->unit, sizeof(ret->unit));
}

/* Does a metric begin at this slot: is it the first of its events that are here? */
static bool begins_at(const struct frame *frame, const struct perf_row *row, unsigned number,
		      unsigned slot)
{
	int column = metrics_column(frame->bound, (int)number);
	const struct metric_binding *binding =
		column < 0 ? NULL : frame->bound->binding[row->type][column];
	uint64_t slots = binding ? binding->slots : 0;

	while (slots && row->count[__builtin_ctzll(slots)].quality == QUALITY_NONE)
		slots &= slots - 1;
	if (slots)
		return (unsigned)__builtin_ctzll(slots) == slot;
	return binding && !binding->slots && frame->n_slots == slot;
}

static bool is_named(const char *names, const char *name)
{
	size_t n = strlen(name);

	while (*names) {
		if (strncmp(names, name, n) == 0 && (!names[n] || names[n] == ','))
			return true;
		names += strcspn(names, ",");
		names += *names == ',';
	}
	return false;
}

/* Was its event counted only because that cost nothing? Not when a metric that is shown takes it. */
static bool is_beside(const struct format_context *context, const struct frame *frame,
		      const struct perf_row *row, unsigned slot)
{
	const char *names = context->asked.beside;

	if (!names || !is_named(names, frame->set->type[row->type].event[slot]->name))
		return false;
	for (size_t i = 0; i < context->n_shown; i++) {
		int column = metrics_column(frame->bound, context->shown[i]);
		const struct metric_binding *binding =
			column < 0 ? NULL : frame->bound->binding[row->type][column];

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
			  const struct perf_row *row, unsigned slot, perf_line_fn *print,
			  struct text *out)
{
	struct perf_line line = { .row = *row, .slot = slot };
	bool printed = slot == frame->n_slots;

	if (!printed) {
		line.event = frame->set->type[row->type].event[slot];
		line.count = &row->count[slot];
		if (!line.event || line.count->quality == QUALITY_NONE ||
		    is_beside(context, frame, row, slot))
			return;
		judge(&line);
		perf_shadow(frame, &line);
	}
	for (size_t i = 0; i < context->n_shown; i++) {
		if (!begins_at(frame, row, context->shown[i], slot))
			continue;
		perf_chosen(context, frame, row, i, &line.metric);
		print(context, frame, &line, out);
		line.event = NULL;
		printed = true;
	}
	if (!printed)
		print(context, frame, &line, out);
}

static unsigned count_rows(const struct format_context *context, const struct frame *frame)
{
	return frame_n_rows(context->machine, frame->set, context->by);
}

/* @room    what the row points to
 * @return  false: its cores are all off or late */
static bool make_row(const struct format_context *context, const struct frame *frame, unsigned i,
		     struct frame_row *room, struct perf_row *ret)
{
	frame_row(frame, context->machine, context->metrics, context->by, i, room);
	*ret = (struct perf_row){
		.machine = context->machine,
		.by = room->by,
		.index = room->index,
		.device = room->device,
		.type = room->type,
		.n_cpus = room->n_on,
		.count = room->count,
		.metric = room->metric,
	};
	return room->state == CORE_ON;
}

/* By core as there is no need to copy what the frame has. */
static bool make_core(const struct format_context *context, const struct frame *frame, unsigned i,
		      struct perf_row *ret)
{
	*ret = (struct perf_row){
		.machine = context->machine,
		.by = BY_CORE,
		.index = i,
		.type = context->machine->core[i].type,
		.n_cpus = 1,
		.count = frame_counts(frame, i),
		.metric = frame_metrics(frame, i),
	};
	return frame->core[i].state == CORE_ON;
}

static void lines_by_core(const struct format_context *context, const struct frame *frame,
			  perf_line_fn *print, struct text *out)
{
	struct perf_row row;

	for (unsigned slot = 0; slot <= frame->n_slots; slot++) {
		for (unsigned core = 0; core < frame->n_cores; core++) {
			if (make_core(context, frame, core, &row))
				lines_of_slot(context, frame, &row, slot, print, out);
		}
	}
}

void perf_lines(const struct format_context *context, const struct frame *frame,
		perf_line_fn *print, struct text *out)
{
	if (context->by == BY_CORE) {
		lines_by_core(context, frame, print, out);
		return;
	}
	for (unsigned i = 0; i < count_rows(context, frame); i++) {
		struct frame_row room;
		struct perf_row row;

		if (!make_row(context, frame, i, &room, &row))
			continue;
		for (unsigned slot = 0; slot <= frame->n_slots; slot++)
			lines_of_slot(context, frame, &row, slot, print, out);
	}
}

void perf_rows(const struct format_context *context, const struct frame *frame, perf_row_fn *print,
	       struct text *out)
{
	for (unsigned i = 0; i < count_rows(context, frame); i++) {
		struct frame_row room;
		struct perf_row row;

		if (make_row(context, frame, i, &room, &row))
			print(context, frame, &row, out);
	}
}

const char *perf_row_name(const struct perf_row *row, char *buf, size_t size)
{
	if (row->by == BY_CORE)
		snprintf(buf, size, "CPU%u", row->machine->core[row->index].cpu);
	else if (row->by == BY_CLUSTER)
		snprintf(buf, size, "CLS%u", row->index);
	else if (row->by == BY_DEVICE)
		snprintf(buf, size, "%s", row->device->name);
	else if (row->by == BY_SYSTEM && row->machine->n_types == 1)
		snprintf(buf, size, "%s", "");
	else
		snprintf(buf, size, "%s", row->machine->type[row->index].name);
	return buf;
}
