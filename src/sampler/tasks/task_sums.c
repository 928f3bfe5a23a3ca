#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "sampler/task_rows.h"

/* ---- columns ---- */

static void set_column(struct task_columns *columns, unsigned type, unsigned slot, size_t column)
{
	unsigned first = 0;

	columns->at[type][slot] = (uint16_t)column;
	while (columns->at[type][first] != column)
		first++;
	columns->first[type][slot] = (uint16_t)first;
}

size_t task_columns_of_slots(struct task_columns *columns, unsigned n_types, unsigned n_slots)
{
	for (unsigned type = 0; type < n_types; type++)
		for (unsigned i = 0; i < n_slots; i++)
			set_column(columns, type, i, (size_t)type * n_slots + i);
	return (size_t)n_types * n_slots;
}

/* Find or add a figure; by slot, each is another one. */
static int find_figure(struct task_sums *sums, unsigned type, const struct event *event)
{
	const struct task_figure figure = { .type = type, .event = event };
	size_t i = sums->by_slot ? sums->n_figures : 0;

	while (i < sums->n_figures &&
	       (sums->figure[i].type != type || !event_is_same(sums->figure[i].event, event)))
		i++;
	if (i == sums->n_figures && array_append((void **)&sums->figure, &sums->cap_figures,
						 &sums->n_figures, &figure, sizeof(figure)))
		return -ENOMEM;
	return (int)i;
}

static int map_set(struct task_sums *sums, const struct set *set)
{
	memset(sums->columns.at, 0xff, sizeof(sums->columns.at));
	for (unsigned type = 0; type < sums->machine->n_types; type++) {
		uint16_t first[COLUMNS_MAX];

		set_first_columns(set, type, first);
		for (unsigned i = 0; i < set->n_slots; i++) {
			const struct event *event = set->type[type].event[i];
			int figure;

			if (!sums->by_slot &&
			    (!event || event_is_of_device(event) || first[i] == COLUMN_NONE))
				continue;
			figure = find_figure(sums, type, event);
			if (figure < 0)
				return figure;
			set_column(&sums->columns, type, i, (size_t)figure);
		}
	}
	sums->n_columns = sums->n_figures;
	sums->set = set;
	return 0;
}

/* ---- one task ---- */

int task_sum_reserve(struct task_sum *sum, size_t n_columns)
{
	if (array_reserve((void **)&sum->count, &sum->cap_counts, n_columns, sizeof(*sum->count)))
		return -ENOMEM;
	sum->n_counts = n_columns;
	return 0;
}

static void add_type(struct task_sum *sum, const struct task_columns *columns,
		     const struct task_rows *rows, const struct task_row *row, unsigned type)
{
	const uint16_t *at = columns->at[type], *first = columns->first[type];
	struct count count[COLUMNS_MAX];

	task_row_counts(rows, row, type, count);
	for (unsigned i = 0; i < rows->frame->n_slots; i++)
		if (at[i] != COLUMN_NONE && first[i] != i)
			count_add_mux(&count[first[i]], &count[i]);
	for (unsigned i = 0; i < rows->frame->n_slots; i++)
		if (at[i] != COLUMN_NONE && first[i] == i)
			count_add_window(&sum->count[at[i]], &count[i]);
}

void task_sum_add(struct task_sum *sum, const struct task_columns *columns,
		  const struct task_rows *rows, const struct task_row *row)
{
	for (unsigned type = 0; type < rows->machine->n_types; type++)
		if (row->types >> type & 1)
			add_type(sum, columns, rows, row, type);
}

/* ---- all tasks ---- */

struct task_sum *task_sums_take(struct task_sums *sums, const struct core_task *task)
{
	struct core_task others = task_of_kind(TASK_OTHERS);
	bool is_new = task_index_find(&sums->tasks, task) < 0;
	ptrdiff_t number;

	if (is_new && task->kind == TASK_THREAD && sums->max && sums->tasks.n >= sums->max)
		return task_sums_take(sums, &others);
	if (array_reserve((void **)&sums->sum, &sums->cap, sums->tasks.n, sizeof(*sums->sum)))
		return NULL;
	number = task_index_take(&sums->tasks, task);
	if (number < 0 || task_sum_reserve(&sums->sum[number], sums->n_columns))
		return NULL;
	if (is_new || task->tid == task->pid) /* the main thread's name is the one set by exec */
		sums->sum[number].task = *task;
	if (sums->tasks.by == BY_COMMAND || sums->tasks.by == BY_CGROUP)
		sums->sum[number].task.pid = 0;
	return &sums->sum[number];
}

/* Add the time that the windows cover: that of a core that was late reaches back into earlier ones. */
static void add_windows(struct task_sums *sums, const struct frame *frame)
{
	uint64_t begin_ns[TYPES_MAX], end_ns[TYPES_MAX] = { 0 };

	memset(begin_ns, 0xff, sizeof(begin_ns));
	for (unsigned i = 0; i < frame->n_cores; i++) {
		const struct frame_core *core = &frame->core[i];
		unsigned type = sums->machine->core[i].type;

		if (core->state != CORE_ON)
			continue;
		if (core->t_ns - core->window_ns < begin_ns[type])
			begin_ns[type] = core->t_ns - core->window_ns;
		if (core->t_ns > end_ns[type])
			end_ns[type] = core->t_ns;
	}
	for (unsigned type = 0; type < sums->machine->n_types; type++) {
		uint64_t *to_ns = &sums->watched_to_ns[type];

		if (!end_ns[type])
			continue;
		if (begin_ns[type] < *to_ns && end_ns[type] > *to_ns)
			begin_ns[type] = *to_ns;
		sums->watched_ns[type] += end_ns[type] - begin_ns[type];
		*to_ns = end_ns[type];
	}
}

/* Note what all tasks may lack. */
static void note_lacks(struct task_sums *sums, const struct task_rows *rows)
{
	for (unsigned type = 0; type < sums->machine->n_types; type++)
		for (unsigned i = 0; i < rows->frame->n_slots; i++) {
			uint16_t at = sums->columns.at[type][i];

			if (at == COLUMN_NONE)
				continue;
			sums->figure[at].is_late = rows->late_types >> type & 1;
			sums->figure[at].is_missing |= column_set_has(&rows->missing[type], i);
		}
}

static int add_row(struct task_sums *sums, const struct task_rows *rows, const struct task_row *row)
{
	struct task_sum *sum = task_sums_take(sums, row->task);
	int rc = sum ? 0 : -ENOMEM;

	if (sum)
		task_sum_add(sum, &sums->columns, rows, row);
	if (!sum || !sums->by_slot)
		return rc;
	memcpy(sum->task.comm, row->task->comm, TASK_COMM_SIZE);
	for (unsigned type = 0; !rc && rows->frame->n_metrics && type < rows->machine->n_types;
	     type++)
		rc = task_row_add_windows(rows, row, type, &sum->windows[type]);
	return rc;
}

int task_sums_add(struct task_sums *sums, const struct frame *frame)
{
	int rc = frame->set == sums->set ? 0 : map_set(sums, frame->set);
	AUTO_FREE struct task_rows *rows =
		task_rows_new(frame, sums->machine, sums->tasks.by, NULL, sums->of_root, sums->in);

	if (!rc && rows) {
		note_lacks(sums, rows);
		rows->late_types = 0; /* the core's next window has its part */
	}
	for (size_t i = 0; !rc && rows && i < rows->n; i++)
		rc = add_row(sums, rows, &rows->row[i]);
	add_windows(sums, frame);
	sums->n_frames++;
	return rows ? rc : -ENOMEM;
}

void task_sums_mark(struct task_sums *sums)
{
	const struct core_task unattributed = task_of_kind(TASK_UNATTRIBUTED);
	ptrdiff_t at = task_index_find(&sums->tasks, &unattributed);
	const struct task_sum *lost = at < 0 ? NULL : &sums->sum[at];

	for (size_t i = 0; i < sums->tasks.n; i++)
		for (size_t k = 0; k < sums->sum[i].n_counts; k++) {
			struct count *count = &sums->sum[i].count[k];
			bool is_lost = lost && lost != &sums->sum[i] && k < lost->n_counts &&
				       lost->count[k].value;

			if ((is_lost || sums->figure[k].is_late || sums->figure[k].is_missing) &&
			    count->quality == QUALITY_OK)
				count->quality = QUALITY_PARTIAL;
		}
}

void task_sums_end(struct task_sums *sums)
{
	task_sums_mark(sums);
	for (size_t i = 0; i < sums->tasks.n; i++)
		for (size_t k = 0; k < sums->sum[i].n_counts; k++)
			sums->figure[k].total += task_sums_total(sums, &sums->sum[i], k).value;
}

/* ---- results ---- */

struct reading task_sums_total(const struct task_sums *sums, const struct task_sum *sum,
			       size_t figure)
{
	struct reading none = { .quality = QUALITY_NONE }, ret;

	if (figure >= sum->n_counts)
		return none;
	ret = count_total(&sum->count[figure]);
	ret.value *= sums->figure[figure].event->scale;
	return ret;
}

double task_sums_share(const struct task_sums *sums, const struct task_sum *sum, size_t figure)
{
	double all = sums->figure[figure].total;

	return all > 0 ? task_sums_total(sums, sum, figure).value / all : 0;
}

uint64_t task_sums_window_ns(const struct task_sums *sums, unsigned type, const struct count *count)
{
	return sums->n_frames == 1 ? count_task_window_ns(count, sums->watched_ns[type])
				   : sums->watched_ns[type];
}

double task_sums_rate(const struct task_sums *sums, const struct task_sum *sum, size_t figure)
{
	uint64_t ns = figure < sum->n_counts ? task_sums_window_ns(sums, sums->figure[figure].type,
								   &sum->count[figure])
					     : 0;

	return ns ? task_sums_total(sums, sum, figure).value * 1e9 / (double)ns : 0;
}

size_t task_sums_n(const struct task_sums *sums, size_t figure)
{
	size_t n = 0;

	for (size_t i = 0; i < sums->tasks.n; i++)
		n += task_sums_total(sums, &sums->sum[i], figure).value > 0;
	return n;
}

size_t task_sums_top(const struct task_sums *sums, size_t figure, size_t n,
		     const struct task_sum **ret)
{
	size_t n_found = 0;

	for (size_t i = 0; i < sums->tasks.n; i++) {
		const struct task_sum *sum = &sums->sum[i];
		double value = task_sums_total(sums, sum, figure).value;
		size_t at = n_found;

		while (at > 0 && task_sums_total(sums, ret[at - 1], figure).value < value)
			at--;
		if (at >= n || value <= 0)
			continue;
		n_found += n_found < n;
		memmove(&ret[at + 1], &ret[at], (n_found - at - 1) * sizeof(const void *));
		ret[at] = sum;
	}
	return n_found;
}

void task_sums_fini(struct task_sums *sums)
{
	if (!sums)
		return;
	for (size_t i = 0; i < sums->tasks.n; i++) {
		for (unsigned type = 0; type < TYPES_MAX; type++)
			count_windows_fini(&sums->sum[i].windows[type]);
		free(sums->sum[i].count);
	}
	free(sums->sum);
	free(sums->figure);
	task_index_clear(&sums->tasks);
	*sums = (struct task_sums){ .tasks = sums->tasks,
				    .by_slot = sums->by_slot,
				    .of_root = sums->of_root,
				    .in = sums->in };
}

const struct task_sum *task_sums_find(const struct task_sums *sums, const struct task_sum *like)
{
	ptrdiff_t number = task_index_find(&sums->tasks, &like->task);

	return number < 0 ? NULL : &sums->sum[number];
}
