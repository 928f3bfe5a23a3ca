#include "session/serve/totals.h"

#include <errno.h>
#include <string.h>

enum { COLUMN_IGNORED = 0xff };

void totals_init(struct totals *totals, const struct machine *machine, unsigned n_tasks)
{
	*totals = (struct totals){ .machine = machine,
				   .sum = { .by = BY_CORE },
				   .tasks = { .n_max = n_tasks } };
}

void totals_fini(struct totals *totals)
{
	if (!totals)
		return;
	frame_unref(totals->newest);
	frame_unref(totals->last);
	frame_sum_fini(&totals->sum);
	task_totals_fini(&totals->tasks);
	*totals = (struct totals){ 0 };
}

static bool are_same(const struct event *a, const struct event *b)
{
	return a && b && a->pmu == b->pmu && strcmp(a->name, b->name) == 0;
}

/* An event that several mux groups count (cycles, for its metrics) is one series. Twice in one
 * group it would be counted double. */
static uint8_t column_of(const struct set *set, unsigned type, unsigned column)
{
	const struct event *const *event = set->type[type].event;

	for (unsigned i = 0; i < column; i++) {
		if (!are_same(event[i], event[column]))
			continue;
		for (unsigned j = i; j < column; j++) {
			if (are_same(event[j], event[column]) &&
			    set_mux_of(set, j) == set_mux_of(set, column))
				return COLUMN_IGNORED;
		}
		return (uint8_t)i;
	}
	return (uint8_t)column;
}

static int begin(struct totals *totals, const struct frame *frame)
{
	struct frame *last = frame_new(frame->n_cores, frame->of);

	if (!last)
		return -ENOMEM;
	for (unsigned core = 0; core < last->n_cores; core++)
		last->core[core].state = CORE_LATE;
	for (unsigned type = 0; type < totals->machine->n_types; type++)
		for (unsigned i = 0; i < frame->n_slots; i++)
			totals->column_of[type][i] = column_of(frame->set, type, i);
	totals->last = last;
	return 0;
}

static void keep_core(struct frame *last, const struct frame *frame, unsigned core)
{
	size_t counts = (size_t)core * frame->n_slots, metrics = (size_t)core * frame->n_metrics;

	if (frame->core[core].state == CORE_LATE)
		return; /* its next window is longer */
	last->core[core] = frame->core[core];
	memcpy(last->count + counts, frame->count + counts, frame->n_slots * sizeof(*last->count));
	memcpy(last->metric + metrics, frame->metric + metrics,
	       frame->n_metrics * sizeof(*last->metric));
}

int totals_add(struct totals *totals, const struct frame *frame, uint64_t lost)
{
	int rc = totals->last ? 0 : begin(totals, frame);

	if (!rc)
		rc = frame_sum_add(&totals->sum, frame, totals->machine, NULL);
	if (!rc && frame->set == totals->last->set)
		rc = task_totals_add(&totals->tasks, totals->machine, frame);
	if (rc)
		return rc;
	totals->n_frames++;
	totals->n_lost += lost;
	totals->n_missed += frame->n_missed;
	frame_unref(totals->newest);
	totals->newest = frame_ref(frame);
	for (unsigned core = 0; core < frame->n_cores && frame->set == totals->last->set; core++)
		keep_core(totals->last, frame, core);
	return 0;
}

struct total totals_of(const struct totals *totals, unsigned core, unsigned column)
{
	const uint8_t *of = totals->column_of[totals->machine->core[core].type];
	const struct count *sum = frame_counts(totals->sum.frame, core);
	const struct count *newest = frame_counts(totals->last, core);
	struct total ret = { .is_counted_twice = of[column] != column };

	for (unsigned i = column; !ret.is_counted_twice && i < totals->last->n_slots; i++) {
		if (of[i] != column)
			continue;
		count_add_mux(&ret.sum, &sum[i]);
		count_add_mux(&ret.newest, &newest[i]);
	}
	return ret;
}
