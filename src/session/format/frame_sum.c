#include "session/format/frame_sum.h"

#include <errno.h>
#include <stdlib.h>

static int begin(struct frame_sum *sum, const struct frame *of, const struct machine *machine)
{
	struct frame *frame = frame_new(of->n_cores, of->of);

	if (!frame)
		return -ENOMEM;
	frame->interval_ns = of->interval_ns;
	for (unsigned i = 0; i < frame->n_cores; i++)
		frame->core[i].state = CORE_OFF;
	sum->by = frame_by_same(machine, sum->by);
	if (sum->by != BY_CORE) {
		sum->n_rows = frame_n_rows(machine, of->set, sum->by);
		sum->row = calloc((size_t)sum->n_rows * of->n_slots + 1, sizeof(*sum->row));
	}
	if (sum->by != BY_CORE && !sum->row) {
		frame_unref(frame);
		return -ENOMEM;
	}
	sum->frame = frame;
	return 0;
}

static void add_counts(struct count *sum, const struct count *one, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		count_add_window(&sum[i], &one[i]);
}

static void add_core(struct frame *sum, const struct frame *frame, unsigned core)
{
	const struct frame_core *from = &frame->core[core];
	struct frame_core *to = &sum->core[core];

	if (from->state < to->state)
		to->state = from->state;
	if (from->t_ns > to->t_ns)
		to->t_ns = from->t_ns;
	if (from->state == CORE_ON)
		to->window_ns += from->window_ns;
	add_counts(sum->count + (size_t)core * sum->n_slots, frame_counts(frame, core),
		   sum->n_slots);
}

int frame_sum_add(struct frame_sum *sum, const struct frame *frame, const struct machine *machine,
		  const struct metrics *metrics)
{
	int rc = sum->frame ? 0 : begin(sum, frame, machine);

	if (rc || frame->set != sum->frame->set)
		return rc;
	sum->frame->number++;
	sum->frame->t_ns = frame->t_ns;
	for (unsigned core = 0; core < frame->n_cores; core++)
		add_core(sum->frame, frame, core);
	for (unsigned i = 0; i < sum->n_rows; i++) {
		struct frame_row row;

		frame_row(frame, machine, metrics, sum->by, i, &row);
		add_counts(sum->row + (size_t)i * frame->n_slots, row.count, frame->n_slots);
	}
	return 0;
}

int frame_sum_end(struct frame_sum *sum, const struct machine *machine,
		  const struct metrics *metrics)
{
	struct frame *frame = sum->frame;

	for (unsigned core = 0; core < frame->n_cores; core++)
		metrics_eval(metrics, frame->bound, machine->core[core].type,
			     frame_counts(frame, core),
			     frame->metric + (size_t)core * frame->n_metrics);
	return sum->row ? frame_set_rows(frame, machine, metrics, sum->by, sum->row) : 0;
}

void frame_sum_fini(struct frame_sum *sum)
{
	if (!sum)
		return;
	frame_unref(sum->frame);
	free(sum->row);
}
