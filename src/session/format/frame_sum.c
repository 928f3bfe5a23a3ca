/* frame_sum.c: sums of frames, and of their tasks, for the end of stat */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "session/format.h"

static void add_counts(struct count *sum, const struct count *one, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		count_add_window(&sum[i], &one[i]);
}

/* ---- tasks ---- */

/* Order of lines: threads, then all other kinds. */
static const unsigned place_of_kind[N_TASK_KINDS] = {
	[TASK_THREAD] = 0, [TASK_OTHERS] = 1, [TASK_IDLE] = 2, [TASK_UNATTRIBUTED] = 3
};

static unsigned n_slots_of(const struct task_table *table)
{
	return table->of->set.n_slots;
}

int task_table_add(struct task_table *table, const struct frame *frame,
		   const struct machine *machine)
{
	if (!frame->tasks || (table->of && table->of != frame->of))
		return 0;
	if (!table->of)
		table->of = frame_set_ref(frame->of);
	table->sums.machine = machine;
	table->sums.by_slot = true;
	table->t_ns = frame->t_ns;
	return task_sums_add(&table->sums, frame);
}

/* ---- result ---- */

/* Order of a table's lines. */
struct line_order {
	enum task_by by;
	const struct set *set;
	unsigned column;
};

static uint64_t total_at(const struct task_table_line *line, const struct line_order *order)
{
	const struct frame_row row = { .type = line->type, .count = line->count };
	const struct count count = frame_row_event(&row, order->set, order->column);

	return (uint64_t)count_total(&count).value;
}

static int compare_lines(const void *one, const void *two, void *data)
{
	const struct task_table_line *a = one, *b = two;
	const struct line_order *order = data;
	int r = task_order(a->type, b->type);

	if (!r)
		r = task_order(place_of_kind[a->task->kind], place_of_kind[b->task->kind]);
	if (!r)
		r = -task_order(total_at(a, order), total_at(b, order));
	if (!r)
		r = strcmp(core_task_name(a->task, order->by), core_task_name(b->task, order->by));
	return r ? r : task_compare(a->task, b->task, BY_THREAD);
}

/* Whether the task ran on the type. */
static bool task_table_has_counts(const struct task_table *table, const struct count *count)
{
	unsigned slot = 0;

	while (slot < n_slots_of(table) && count[slot].quality == QUALITY_NONE)
		slot++;
	return slot < n_slots_of(table);
}

/* List and sort the lines. @line  has room for all */
static void list_lines(struct task_table *table, unsigned column)
{
	struct line_order order = { table->sums.tasks.by, &table->of->set, column };

	table->n = 0;
	for (size_t i = 0; i < table->sums.tasks.n; i++) {
		struct task_sum *sum = &table->sums.sum[i];

		for (unsigned type = 0; type < table->sums.machine->n_types; type++) {
			struct count *count = sum->count + (size_t)type * n_slots_of(table);

			if (task_table_has_counts(table, count))
				table->line[table->n++] =
					(struct task_table_line){ &sum->task, type, count,
								  &sum->windows[type], NULL };
		}
	}
	qsort_r(table->line, table->n, sizeof(*table->line), compare_lines, &order);
}

/* Set the missing counts of a kind of task to 0, which is a valid count. */
static int task_table_complete(struct task_table *table, enum task_kind kind)
{
	const struct set *set = &table->of->set;
	const struct core_task task = task_of_kind(kind);
	struct task_sum *sum = task_sums_take(&table->sums, &task);

	for (unsigned type = 0; sum && type < table->sums.machine->n_types; type++) {
		struct count *count = sum->count + (size_t)type * set->n_slots;

		for (unsigned i = 0; i < set->n_slots; i++)
			if (count[i].quality == QUALITY_NONE && set->type[type].event[i])
				count[i].quality = tasks_have_column(set, i)
							   ? QUALITY_OK
							   : QUALITY_NOT_SUPPORTED;
	}
	return sum ? 0 : -ENOMEM;
}

/* Add the tasks beyond the first `top` of each type to [others] and clear them. */
static int task_table_fold(struct task_table *table, struct task_sum *others)
{
	unsigned n_of[TYPES_MAX] = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < table->n; i++) {
		const struct task_table_line *line = &table->line[i];

		if (line->task->kind != TASK_THREAD || n_of[line->type]++ < table->top)
			continue;
		add_counts(others->count + (size_t)line->type * n_slots_of(table), line->count,
			   n_slots_of(table));
		memset(line->count, 0, n_slots_of(table) * sizeof(*line->count));
		rc = count_windows_join(&others->windows[line->type], line->windows);
	}
	return rc;
}

int task_table_end(struct task_table *table, const struct metrics *metrics, unsigned column)
{
	const struct core_task others = task_of_kind(TASK_OTHERS);
	struct task_sum *rest = NULL;
	size_t n_lines;

	if (!table->of)
		return 0;
	if (!table->sums.of_root && !table->sums.in &&
	    (task_table_complete(table, TASK_IDLE) ||
	     task_table_complete(table, TASK_UNATTRIBUTED)))
		return -ENOMEM;
	task_sums_mark(&table->sums);
	if (table->top)
		rest = task_sums_take(&table->sums, &others);
	n_lines = table->sums.tasks.n * table->sums.machine->n_types + 1;
	table->line = calloc(n_lines, sizeof(*table->line));
	table->metric = calloc(n_lines * (table->of->bound.n + 1), sizeof(*table->metric));
	if ((table->top && !rest) || !table->line || !table->metric)
		return -ENOMEM;
	list_lines(table, column);
	if (rest) {
		if (task_table_fold(table, rest))
			return -ENOMEM;
		list_lines(table, column);
	}
	for (size_t i = 0; i < table->n; i++) {
		table->line[i].metric = table->metric + i * table->of->bound.n;
		metrics_eval_windows(metrics, &table->of->bound, table->line[i].type,
				     table->line[i].count, table->line[i].windows,
				     table->line[i].metric);
	}
	return 0;
}

void task_table_clear(struct task_table *table)
{
	task_sums_fini(&table->sums);
	free(table->line);
	free(table->metric);
	frame_set_unref(table->of);
	*table = (struct task_table){ .sums = table->sums, .top = table->top };
}

/* ---- frames ---- */

static unsigned n_windows(const struct frame_sum *sum)
{
	return sum->frame->n_cores + sum->n_rows;
}

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
	sum->windows = calloc(frame->n_cores + sum->n_rows, sizeof(*sum->windows));
	if ((sum->by != BY_CORE && !sum->row) || !sum->windows) {
		frame_unref(frame);
		return -ENOMEM;
	}
	sum->frame = frame;
	return 0;
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
	if (from->state != CORE_OFF)
		to->lacks_last = from->state == CORE_LATE || from->lacks_last;
	add_counts(sum->count + (size_t)core * sum->n_slots, frame_counts(frame, core),
		   sum->n_slots);
}

/* Add the counts of a row of several cores. @return 0 or -ENOMEM */
static int frame_sum_add_row(struct frame_sum *sum, const struct frame_row *row, bool has_metrics)
{
	unsigned n_slots = sum->frame->n_slots;
	struct count *to = sum->row + (size_t)row->index * n_slots, window[COLUMNS_MAX];

	for (unsigned i = 0; i < n_slots; i++) {
		window[i] = count_open(&row->count[i]);
		count_add_last(&to[i], &window[i]);
	}
	return has_metrics ? count_windows_add(&sum->windows[sum->frame->n_cores + row->index],
					       window, n_slots)
			   : 0;
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
	for (unsigned core = 0; !rc && metrics && core < frame->n_cores; core++)
		rc = count_windows_add(&sum->windows[core], frame_counts(frame, core),
				       frame->n_slots);
	for (unsigned i = 0; !rc && i < sum->n_rows; i++) {
		struct frame_row row;

		frame_row(frame, machine, metrics, sum->by, i, &row);
		rc = frame_sum_add_row(sum, &row, metrics);
	}
	return rc;
}

static void end_rows(const struct frame_sum *sum)
{
	for (unsigned i = 0; sum->row && i < sum->n_rows * sum->frame->n_slots; i++)
		count_end(&sum->row[i]);
}

int frame_sum_end(struct frame_sum *sum, const struct machine *machine,
		  const struct metrics *metrics)
{
	struct frame *frame = sum->frame;

	end_rows(sum);
	for (unsigned core = 0; core < frame->n_cores; core++)
		metrics_eval_windows(metrics, frame->bound, machine->core[core].type,
				     frame_counts(frame, core), &sum->windows[core],
				     frame->metric + (size_t)core * frame->n_metrics);
	return sum->row ? frame_set_rows(frame, machine, metrics, sum->by, sum->row,
					 sum->windows + frame->n_cores)
			: 0;
}

void frame_sum_fini(struct frame_sum *sum)
{
	if (!sum)
		return;
	for (unsigned i = 0; sum->frame && i < n_windows(sum); i++)
		count_windows_fini(&sum->windows[i]);
	free(sum->windows);
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

/* Source: Linux update_stats() in tools/perf/util/stat.c */
static void frame_sum_note(struct frame_runs *runs, unsigned i, double value)
{
	double delta = value - runs->mean[i];

	runs->mean[i] += delta / runs->n;
	runs->spread[i] += delta * (value - runs->mean[i]);
}

static int runs_add(struct frame_sum *sum, const struct frame_sum *run)
{
	int rc = 0;

	for (unsigned core = 0; core < run->frame->n_cores; core++)
		frame_sum_add_core(sum->frame, run->frame, core);
	if (sum->row)
		add_counts(sum->row, run->row, n_counts(run));
	for (unsigned i = 0; !rc && i < n_windows(run); i++)
		rc = count_windows_join(&sum->windows[i], &run->windows[i]);
	return rc;
}

/* Get the count of a row's event over all mux groups, at its first slot; elsewhere none. @i  of counts_of */
static struct count event_at(const struct frame_sum *sum, const struct machine *machine, unsigned i)
{
	unsigned n_slots = sum->frame->n_slots, row = i / n_slots;
	const struct frame_row of = {
		.type = sum->by == BY_DEVICE
				? 0
				: machine->core[frame_first_core(machine, sum->by, row)].type,
		.count = counts_of(sum) + (size_t)row * n_slots,
	};

	return frame_row_event(&of, sum->frame->set, i % n_slots);
}

static int runs_end(struct frame_runs *runs, const struct machine *machine)
{
	struct frame_sum *run = &runs->run;
	unsigned n = n_counts(run);
	int rc = 0;

	end_rows(run);
	if (!runs->n++) {
		runs->mean = calloc(n + 1, sizeof(*runs->mean));
		runs->spread = calloc(n + 1, sizeof(*runs->spread));
		if (!runs->mean || !runs->spread)
			return -ENOMEM;
	}
	for (unsigned i = 0; i < n; i++) {
		const struct count count = event_at(run, machine, i);

		frame_sum_note(runs, i, count_total(&count).value);
	}
	frame_sum_note(runs, n, (double)frame_window_ns(run->frame));
	if (runs->n == 1) {
		runs->sum = *run;
	} else {
		rc = runs_add(&runs->sum, run);
		frame_sum_fini(run);
	}
	*run = (struct frame_sum){ .by = run->by };
	return rc;
}

int frame_runs_add(struct frame_runs *runs, const struct frame *frame,
		   const struct machine *machine, const struct metrics *metrics)
{
	const struct frame *before = runs->run.frame;
	int rc = before && before->set != frame->set ? runs_end(runs, machine) : 0;

	return rc ? rc : frame_sum_add(&runs->run, frame, machine, metrics);
}

static void runs_divide(struct count *count, unsigned n)
{
	count->value = (count->value + n / 2) / n;
	count->enabled_ns /= n;
	count->running_ns /= n;
	count->extra /= n;
	count->error /= n;
}

int frame_runs_mean(struct frame_runs *runs, const struct machine *machine, struct frame_sum *ret)
{
	struct frame *frame;

	if (runs->run.frame && runs_end(runs, machine))
		return -ENOMEM;
	*ret = runs->sum;
	runs->sum = (struct frame_sum){ .by = ret->by };
	frame = ret->frame;
	if (!frame)
		return 0;
	for (unsigned i = 0; i < n_counts(ret); i++)
		runs_divide(&counts_of(ret)[i], runs->n);
	for (unsigned i = 0; ret->row && i < frame->n_cores * frame->n_slots; i++)
		runs_divide(&frame->count[i], runs->n);
	for (unsigned i = 0; i < n_windows(ret); i++)
		for (unsigned k = 0; k < ret->windows[i].n * ret->windows[i].n_columns; k++)
			runs_divide(&ret->windows[i].count[k], runs->n);
	for (unsigned core = 0; core < frame->n_cores; core++)
		frame->core[core].window_ns /= runs->n;
	frame->t_ns = frame_window_ns(frame);
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
