#include "session/totals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN_IGNORED = 0xff };

void totals_init(struct totals *totals, const struct machine *machine)
{
	*totals = (struct totals){ .machine = machine };
}

void totals_fini(struct totals *totals)
{
	if (!totals)
		return;
	frame_unref(totals->newest);
	free(totals->core);
	free(totals->total);
	free(totals->metric);
	*totals = (struct totals){ 0 };
}

static bool are_same(const struct event *a, const struct event *b)
{
	return a && b && a->pmu == b->pmu && strcmp(a->name, b->name) == 0;
}

/* An event that several turns count (cycles, for its metrics) is one series. Twice in one turn it
 * would be counted double. */
static uint8_t column_of(const struct set *set, unsigned type, unsigned column)
{
	const struct event *const *event = set->type[type].event;

	for (unsigned i = 0; i < column; i++) {
		if (!are_same(event[i], event[column]))
			continue;
		for (unsigned j = i; j < column; j++) {
			if (are_same(event[j], event[column]) &&
			    set_turn_of(set, j) == set_turn_of(set, column))
				return COLUMN_IGNORED;
		}
		return (uint8_t)i;
	}
	return (uint8_t)column;
}

static void map_columns(struct totals *totals)
{
	for (unsigned type = 0; type < totals->machine->n_types; type++) {
		for (unsigned i = 0; i < totals->n_columns; i++)
			totals->column_of[type][i] = column_of(totals->set, type, i);
	}
	for (unsigned core = 0; core < totals->machine->n_cores; core++) {
		const uint8_t *of = totals->column_of[totals->machine->core[core].type];

		for (unsigned i = 0; i < totals->n_columns; i++)
			totals->total[core * totals->n_columns + i].is_counted_twice = of[i] != i;
	}
}

static int begin(struct totals *totals, const struct frame *frame)
{
	struct totals_core *core = calloc(frame->n_cores, sizeof(*core));
	struct total *total = calloc((size_t)frame->n_cores * frame->n_slots + 1, sizeof(*total));
	struct reading *metric =
		calloc((size_t)frame->n_cores * frame->n_metrics + 1, sizeof(*metric));

	if (!core || !total || !metric) {
		free(core);
		free(total);
		free(metric);
		return -ENOMEM;
	}
	totals->core = core;
	totals->total = total;
	totals->metric = metric;
	totals->set = frame->set;
	totals->bound = frame->bound;
	totals->n_columns = frame->n_slots;
	totals->n_metrics = frame->n_metrics;
	map_columns(totals);
	return 0;
}

/* The standing of the first column holds unless another turn counted it and this one did not. */
static void add_count(struct total *total, const struct count *count, bool is_first)
{
	bool has_value = quality_has_value(count->quality);

	if (is_first) {
		total->quality = count->quality;
		total->running_ratio = 0;
	} else if (has_value) {
		total->quality = QUALITY_SCALED;
	}
	if (is_first && (has_value || count->quality == QUALITY_NOT_COUNTED))
		total->enabled_ns += count->enabled_ns;
	if (!has_value)
		return;
	total->value += count->value;
	total->running_ns += count->running_ns;
	if (count->enabled_ns)
		total->running_ratio += (float)count->running_ns / (float)count->enabled_ns;
}

static void add_core(struct totals *totals, const struct frame *frame, unsigned core)
{
	const uint8_t *of = totals->column_of[totals->machine->core[core].type];
	const struct count *count = frame_counts(frame, core);
	struct total *total = totals->total + (size_t)core * totals->n_columns;

	if (frame->core[core].state == CORE_LATE)
		return; /* its next window is longer */
	totals->core[core] = (struct totals_core){ frame->core[core].state, true };
	for (unsigned i = 0; i < totals->n_columns; i++) {
		if (of[i] != COLUMN_IGNORED)
			add_count(&total[of[i]], &count[i], of[i] == i);
	}
	memcpy(totals->metric + (size_t)core * totals->n_metrics, frame_metrics(frame, core),
	       totals->n_metrics * sizeof(*totals->metric));
}

int totals_add(struct totals *totals, const struct frame *frame, uint64_t lost)
{
	int rc = totals->set ? 0 : begin(totals, frame);

	if (rc)
		return rc;
	totals->n_frames++;
	totals->n_lost += lost;
	totals->n_missed += frame->n_missed;
	frame_unref(totals->newest);
	totals->newest = frame_ref(frame);
	for (unsigned core = 0; core < frame->n_cores && frame->set == totals->set; core++)
		add_core(totals, frame, core);
	return 0;
}

const struct total *totals_of(const struct totals *totals, unsigned core, unsigned column)
{
	return &totals->total[(size_t)core * totals->n_columns + column];
}

struct reading totals_metric(const struct totals *totals, unsigned core, unsigned column)
{
	return totals->metric[(size_t)core * totals->n_metrics + column];
}
