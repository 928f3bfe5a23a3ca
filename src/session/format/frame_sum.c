#include "session/format.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int frame_sum_begin(struct frame_sum *sum, const struct frame *of,
			   const struct machine *machine)
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

static void frame_sum_add_core(struct frame *sum, const struct frame *frame, unsigned core)
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
	int rc = sum->frame ? 0 : frame_sum_begin(sum, frame, machine);

	if (rc || frame->set != sum->frame->set)
		return rc;
	sum->frame->number++;
	sum->frame->t_ns = frame->t_ns;
	for (unsigned core = 0; core < frame->n_cores; core++)
		frame_sum_add_core(sum->frame, frame, core);
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

/* ---- runs ---- */

static unsigned n_counts(const struct frame_sum *sum)
{
	return (sum->row ? sum->n_rows : sum->frame->n_cores) * sum->frame->n_slots;
}

static struct count *counts_of(const struct frame_sum *sum)
{
	return sum->row ? sum->row : sum->frame->count;
}

static uint64_t longest_window_ns(const struct frame *frame)
{
	uint64_t longest_ns = 0;

	for (unsigned core = 0; core < frame->n_cores; core++)
		if (frame->core[core].window_ns > longest_ns)
			longest_ns = frame->core[core].window_ns;
	return longest_ns;
}

/* Source: Linux update_stats() in tools/perf/util/stat.c */
static void frame_sum_note(struct frame_runs *runs, unsigned i, double value)
{
	double delta = value - runs->mean[i];

	runs->mean[i] += delta / runs->n;
	runs->spread[i] += delta * (value - runs->mean[i]);
}

static void add_run(struct frame_sum *sum, const struct frame_sum *run)
{
	for (unsigned core = 0; core < run->frame->n_cores; core++)
		frame_sum_add_core(sum->frame, run->frame, core);
	if (sum->row)
		add_counts(sum->row, run->row, n_counts(run));
}

static int end_run(struct frame_runs *runs)
{
	struct frame_sum *run = &runs->run;
	unsigned n = n_counts(run);

	if (!runs->n++) {
		runs->mean = calloc(n + 1, sizeof(*runs->mean));
		runs->spread = calloc(n + 1, sizeof(*runs->spread));
		if (!runs->mean || !runs->spread)
			return -ENOMEM;
	}
	for (unsigned i = 0; i < n; i++)
		frame_sum_note(runs, i, count_total(&counts_of(run)[i]).value);
	frame_sum_note(runs, n, (double)longest_window_ns(run->frame));
	if (runs->n == 1) {
		runs->sum = *run;
	} else {
		add_run(&runs->sum, run);
		frame_sum_fini(run);
	}
	*run = (struct frame_sum){ .by = run->by };
	return 0;
}

int frame_runs_add(struct frame_runs *runs, const struct frame *frame,
		   const struct machine *machine, const struct metrics *metrics)
{
	const struct frame *before = runs->run.frame;
	int rc = before && before->set != frame->set ? end_run(runs) : 0;

	return rc ? rc : frame_sum_add(&runs->run, frame, machine, metrics);
}

static void divide(struct count *count, unsigned n)
{
	count->value = (count->value + n / 2) / n;
	count->enabled_ns /= n;
	count->running_ns /= n;
	count->error /= n;
}

int frame_runs_mean(struct frame_runs *runs, struct frame_sum *ret)
{
	struct frame *frame;

	if (runs->run.frame && end_run(runs))
		return -ENOMEM;
	*ret = runs->sum;
	runs->sum = (struct frame_sum){ .by = ret->by };
	frame = ret->frame;
	if (!frame)
		return 0;
	for (unsigned i = 0; i < n_counts(ret); i++)
		divide(&counts_of(ret)[i], runs->n);
	for (unsigned i = 0; ret->row && i < frame->n_cores * frame->n_slots; i++)
		divide(&frame->count[i], runs->n);
	for (unsigned core = 0; core < frame->n_cores; core++)
		frame->core[core].window_ns /= runs->n;
	frame->t_ns = longest_window_ns(frame);
	for (unsigned i = 0; i <= n_counts(ret); i++)
		runs->spread[i] = runs->n < 2 || !(runs->mean[i] > 0)
					  ? 0
					  : 100 / runs->mean[i] *
						    sqrt(runs->spread[i] / (runs->n - 1) / runs->n);
	return 0;
}

void frame_runs_fini(struct frame_runs *runs)
{
	if (!runs)
		return;
	frame_sum_fini(&runs->run);
	frame_sum_fini(&runs->sum);
	free(runs->mean);
	free(runs->spread);
}
