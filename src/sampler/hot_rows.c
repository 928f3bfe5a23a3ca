/* hot_rows.c: how an exact count divides into functions or places, from the samples of frames */
#include "sampler/hot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sampler/frame.h"
#include "symbols/symbols.h"

/* Of the normal distribution: 95 of 100 values are within so many standard deviations. */
#define Z95 1.959964

/* Samples of one spot that take part. */
struct hot_item {
	const struct function *function;
	const struct place *place;
	const struct core_task *task; /* NULL: unknown */
	uint32_t n;
	double weight, weight2;
};

/* Division in progress. */
struct hot_division {
	const struct machine *machine;
	unsigned type;
	const struct hot_select *select;
	const struct event *event;
	struct hot_rows rows; /* without row */
	double weight;        /* of all samples of the selection, of other functions, too */
	double events;        /* sum of the periods of the samples that take part */
	struct hot_item *item;
	size_t n, cap;
};

/* ---- what takes part ---- */

static const struct event *hot_event(const struct frame *frame, unsigned type)
{
	return frame->hot ? frame->set->type[type].event[frame->hot->column] : NULL;
}

static bool has_core(const struct hot_division *division, unsigned core)
{
	const struct core *of = &division->machine->core[core];
	const struct cpus *on = division->select->on;

	return of->type == division->type && (!on || cpus_has(on, of->cpu));
}

static bool selects_tasks(const struct hot_select *select)
{
	return select->task || select->of_root;
}

static bool has_task(const struct hot_select *select, const struct core_task *task)
{
	return (!select->task || task_id_has(select->task, task)) &&
	       (!select->of_root || task->is_of_root);
}

/* Whether a task's counts may be those of selected tasks. */
static bool is_lost(const struct hot_select *select, const struct core_task *task)
{
	return (task->kind == TASK_UNATTRIBUTED || task->kind == TASK_OTHERS) &&
	       (!select->task || select->task->like.kind == TASK_THREAD) &&
	       (!select->of_root || task->is_of_root);
}

/* Add what the selected tasks counted, and what they may lack, extended to the window of the frame. */
static void add_tasks(struct hot_division *division, const struct frame *frame, uint64_t window_ns,
		      struct count *sum)
{
	const struct frame_tasks *tasks = frame->tasks;
	struct count lost = { .quality = QUALITY_NONE }, one;

	for (size_t i = 0; tasks && i < tasks->n; i++) {
		bool may_be = is_lost(division->select, &tasks->task[i]);

		if (!has_core(division, tasks->task[i].core) ||
		    !(may_be || has_task(division->select, &tasks->task[i])))
			continue;
		core_task_count(frame, i, frame->hot->column, &one);
		count_add_window(may_be ? &lost : sum, &one);
	}
	count_widen(sum, window_ns);
	count_widen(&lost, window_ns);
	count_add_window(&division->rows.lost, &lost);
	if (lost.value && sum->quality == QUALITY_OK)
		sum->quality = QUALITY_PARTIAL;
}

/* Add the exact count of the selection in a frame. */
static void add_count(struct hot_division *division, const struct frame *frame)
{
	struct count sum = { .quality = QUALITY_NONE };
	uint64_t window_ns = 0;

	for (unsigned core = 0; core < frame->n_cores; core++) {
		if (!has_core(division, core))
			continue;
		if (frame->core[core].window_ns > window_ns)
			window_ns = frame->core[core].window_ns;
		if (!selects_tasks(division->select))
			count_add_core(&sum, &frame_counts(frame, core)[frame->hot->column]);
	}
	if (selects_tasks(division->select))
		add_tasks(division, frame, window_ns, &sum);
	count_add_window(&division->rows.count, &sum);
}

/* Compute by how much the weights of a core are stretched. @i, @end  its spots */
static double stretch_of(const struct frame *frame, size_t i, size_t end)
{
	const struct hot_spot *spot = frame->hot->spot;
	const struct count *count = &frame_counts(frame, spot[i].core)[frame->hot->column];
	double weight = 0, weight2 = 0;

	for (; i < end; i++) {
		weight += spot[i].weight;
		weight2 += spot[i].weight2;
	}
	/* weight2 / weight is the mean period */
	if (!quality_has_value(count->quality) || weight <= 0 ||
	    (double)count->value - weight <= 2 * weight2 / weight)
		return 1;
	return (double)count->value / weight;
}

static int add_spot(struct hot_division *division, const struct frame *frame,
		    const struct hot_spot *spot, double stretch)
{
	const struct hot_select *select = division->select;
	bool is_known = frame->tasks && spot->task < frame->tasks->n;
	struct hot_item item = { .place = spot->place,
				 .task = is_known ? &frame->tasks->task[spot->task] : NULL,
				 .n = spot->n,
				 .weight = spot->weight * stretch,
				 .weight2 = spot->weight2 * stretch * stretch };

	if (selects_tasks(select) && (!item.task || !has_task(select, item.task)))
		return 0;
	division->weight += item.weight;
	item.function = place_function_of(spot->place, spot->n);
	if (select->is_shown)
		item.function = function_shown(item.function);
	if (select->function && item.function != select->function)
		return 0;
	division->events += spot->weight;
	return array_append((void **)&division->item, &division->cap, &division->n, &item,
			    sizeof(item));
}

/* Add the samples of a frame. @return 0 or -ENOMEM */
static int add_samples(struct hot_division *division, const struct frame *frame)
{
	const struct frame_hot *hot = frame->hot;
	int rc = 0;

	for (size_t i = 0, end; !rc && i < hot->n; i = end) {
		double stretch;

		for (end = i + 1; end < hot->n && hot->spot[end].core == hot->spot[i].core;)
			end++;
		if (!has_core(division, hot->spot[i].core))
			continue;
		stretch = stretch_of(frame, i, end);
		for (size_t at = i; !rc && at < end; at++)
			rc = add_spot(division, frame, &hot->spot[at], stretch);
	}
	division->rows.n_lost += (uint32_t)hot->n_lost;
	division->rows.n_throttled += (uint32_t)hot->n_throttled;
	return rc;
}

/* ---- rows ---- */

static int compare_tasks(const struct hot_item *left, const struct hot_item *right)
{
	if (!left->task || !right->task)
		return task_order(left->task != NULL, right->task != NULL);
	return task_compare(left->task, right->task, BY_PROCESS);
}

/* Order items by row, then by process. @by_place  whether a row is a place */
static int compare_items(const void *a, const void *b, void *by_place)
{
	const struct hot_item *left = a, *right = b;
	int by = *(const bool *)by_place
			 ? task_order((uintptr_t)left->place, (uintptr_t)right->place)
			 : task_order((uintptr_t)left->function, (uintptr_t)right->function);

	return by ? by : compare_tasks(left, right);
}

/* Order rows by share; equal ones by name and address, which are the same in every run. */
static int compare_rows(const void *a, const void *b)
{
	const struct hot_row *left = a, *right = b;
	int by = left->share == right->share ? 0 : left->share < right->share ? 1 : -1;

	if (!by)
		by = strcmp(left->function->name, right->function->name);
	if (!by)
		by = strcmp(left->function->object->name, right->function->object->name);
	return by ? by : task_order(place_address(left->place), place_address(right->place));
}

/* Add an item to the part of its function's code. */
static void add_part(const struct hot_item *item, double *part)
{
	const struct function *function = item->function;
	uint64_t at = place_address(item->place) - function->start;

	if (function->size && at < function->size)
		part[(size_t)((double)at / (double)function->size * HOT_PARTS)] += item->weight;
}

/* Sum the items of one row into `row`, its share still a weight. @return the end of its items */
static size_t sum_row(const struct hot_division *division, size_t first, struct hot_row *row)
{
	const struct hot_item *item = division->item;
	double largest = 0, of_task = 0;
	size_t i = first;

	*row = (struct hot_row){ .function = item[i].function, .place = item[i].place };
	for (; i < division->n && item[i].function == row->function &&
	       (!division->select->function || item[i].place == row->place);
	     i++) {
		row->n += item[i].n;
		row->share += item[i].weight;
		add_part(&item[i], row->part);
		of_task = i > first && !compare_tasks(&item[i - 1], &item[i])
				  ? of_task + item[i].weight
				  : item[i].weight;
		if (of_task > largest) {
			largest = of_task;
			row->task = item[i].task;
		}
	}
	if (2 * largest <= row->share)
		row->task = NULL;
	return i;
}

double hot_rows_error(const struct hot_rows *rows, double share)
{
	double n = rows->n_effective + Z95 * Z95;
	double middle = (rows->n_effective * share + Z95 * Z95 / 2) / n;

	return Z95 * sqrt(fmax(0, middle * (1 - middle)) / n) + fabs(middle - share);
}

bool hot_rows_differ(const struct hot_rows *rows, double a, double b)
{
	/* variance of the difference of two shares of the same samples */
	double variance = (a + b - (a - b) * (a - b)) / fmax(1, rows->n_effective);

	return fabs(a - b) > Z95 * sqrt(fmax(0, variance));
}

/* Get a share of a count. @value  its events */
static struct count count_share(const struct count *whole, double share, uint64_t value)
{
	struct count count = *whole;

	count.value = value;
	count.rates *= share;
	count.extra *= share;
	count.error *= share;
	return count;
}

/* Fill in the errors, and divide the count: each row's value is a difference of the rounded running sum. */
static void divide(struct hot_rows *rows)
{
	const struct count *whole = &rows->count;
	uint64_t before = 0;
	double sum = 0;

	for (size_t i = 0; i < rows->n; i++) {
		struct hot_row *row = &rows->row[i];
		uint64_t until;

		sum += row->share;
		until = i + 1 == rows->n ? whole->value
					 : (uint64_t)(fmin(sum, 1) * (double)whole->value + 0.5);
		row->error = hot_rows_error(rows, row->share);
		row->count = count_share(whole, row->share, until - before);
		row->count.error =
			hypot(row->count.error, row->error * ((double)whole->value + whole->extra));
		before = until;
	}
}

static struct hot_rows *rows_of(struct hot_division *division)
{
	struct hot_rows *rows = malloc(sizeof(*rows) + division->n * sizeof(struct hot_row));
	bool by_place = division->select->function;
	double weight = 0, weight2 = 0;

	if (!rows)
		return NULL;
	*rows = division->rows;
	rows->row = (struct hot_row *)(rows + 1);
	for (size_t i = 0; i < division->n; i++) {
		rows->n_samples += division->item[i].n;
		weight += division->item[i].weight;
		weight2 += division->item[i].weight2;
	}
	if (division->n)
		qsort_r(division->item, division->n, sizeof(*division->item), compare_items,
			&by_place);
	for (size_t i = 0; i < division->n;)
		i = sum_row(division, i, &rows->row[rows->n++]);
	for (size_t i = 0; i < rows->n; i++)
		rows->row[i].share /= weight;
	rows->n_effective = weight2 > 0 ? weight * weight / weight2 : 0;
	rows->period = rows->n_samples ? division->events / rows->n_samples : 0;
	if (by_place && weight < division->weight)
		rows->count = count_share(
			&rows->count, weight / division->weight,
			(uint64_t)(weight / division->weight * (double)rows->count.value + 0.5));
	qsort(rows->row, rows->n, sizeof(*rows->row), compare_rows);
	divide(rows);
	return rows;
}

struct hot_rows *hot_rows_sum(const struct frame *const *frame, size_t n,
			      const struct machine *machine, unsigned type,
			      const struct hot_select *select)
{
	struct hot_division division = { .machine = machine,
					 .type = type,
					 .select = select,
					 .event = n ? hot_event(frame[n - 1], type) : NULL,
					 .rows = { .type = type } };
	struct hot_rows *rows = NULL;
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		const struct event *event = hot_event(frame[i], type);

		if (!event || !division.event || !event_counts_as(event, division.event))
			continue;
		add_count(&division, frame[i]);
		rc = add_samples(&division, frame[i]);
	}
	if (!rc)
		rows = rows_of(&division);
	free(division.item);
	return rows;
}

struct hot_rows *hot_rows_new(const struct frame *frame, const struct machine *machine,
			      unsigned type, const struct hot_select *select)
{
	return hot_rows_sum(&frame, 1, machine, type, select);
}
