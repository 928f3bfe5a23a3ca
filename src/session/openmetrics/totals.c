#include "session/openmetrics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"

#define RECENT_NS (60 * NS_PER_S)
#define FORGET_NS (300 * NS_PER_S)

/* ---- names ---- */

/* End the counts of a command. */
static void task_totals_take_name(struct task_total *total)
{
	free(total->sum.count);
	total->sum = (struct task_sum){ .task = total->sum.task };
	memset(total->time_ns, 0, sizeof(total->time_ns));
}

static int task_totals_begin(struct task_totals *totals, const struct machine *machine,
			     const struct frame *frame)
{
	int rc = 0;

	totals->machine = machine;
	totals->n_columns =
		task_columns_of_slots(&totals->columns, machine->n_types, frame->n_slots);
	for (unsigned kind = TASK_IDLE; !rc && kind < N_TASK_KINDS; kind++) {
		totals->other[kind].sum.task = task_of_kind(kind);
		rc = task_sum_reserve(&totals->other[kind].sum, totals->n_columns);
	}
	return rc;
}

/* ---- ranking ---- */

/* @return NULL: not watched */
static struct task_total *task_totals_find(const struct task_totals *totals,
					   const struct core_task *task)
{
	if (task->kind != TASK_THREAD)
		return (struct task_total *)&totals->other[task->kind];
	for (size_t i = 0; i < totals->n; i++) {
		const struct core_task *like = &totals->command[i].sum.task;

		if (totals->by == BY_CGROUP ? like->cgroup == task->cgroup
					    : strcmp(like->comm, task->comm) == 0)
			return &totals->command[i];
	}
	return NULL;
}

/* Decay recent times, and remove commands that have not run for FORGET_NS. */
static void age(struct task_totals *totals, uint64_t now_ns)
{
	double left = exp(-(double)(now_ns - totals->last_ns) / (double)RECENT_NS);
	size_t n = 0;

	totals->last_ns = now_ns;
	for (size_t i = 0; i < totals->n; i++) {
		struct task_total *command = &totals->command[i];

		command->recent_ns *= left;
		if (now_ns - command->last_ns > FORGET_NS)
			task_totals_take_name(command);
		else
			totals->command[n++] = *command;
	}
	totals->n = n;
}

/* Whether a task calls itself "[idle]": two series must not have one name, so it is in [others]. */
static bool has_name_of_kind(const struct task_totals *totals, const struct core_task *task)
{
	for (unsigned kind = TASK_IDLE; kind < N_TASK_KINDS; kind++)
		if (strcmp(core_task_name(task, totals->by), totals->other[kind].sum.task.comm) ==
		    0)
			return true;
	return false;
}

static int task_totals_watch(struct task_totals *totals, const struct task_row *row,
			     uint64_t now_ns)
{
	struct task_total *total = task_totals_find(totals, row->task),
			  fresh = { .sum.task = *row->task, .last_ns = now_ns };

	if (!total && (totals->n == TASK_TOTALS_WATCHED_MAX || has_name_of_kind(totals, row->task)))
		return 0;
	if (!total) {
		if (array_append((void **)&totals->command, &totals->cap, &totals->n, &fresh,
				 sizeof(fresh)))
			return -ENOMEM;
		total = &totals->command[totals->n - 1];
	}
	total->recent_ns += (double)row->time_ns;
	total->last_ns = now_ns;
	return 0;
}

/* Find the least of the named commands and the largest of the others. */
static void find_extremes(const struct task_totals *totals, struct task_total **ret_least,
			  struct task_total **ret_largest, size_t *ret_named)
{
	*ret_least = *ret_largest = NULL;
	*ret_named = 0;
	for (size_t i = 0; i < totals->n; i++) {
		struct task_total *command = &totals->command[i];
		struct task_total **best = command->sum.count ? ret_least : ret_largest;

		*ret_named += command->sum.count != NULL;
		if (!*best || (command->sum.count ? command->recent_ns < (*best)->recent_ns
						  : command->recent_ns > (*best)->recent_ns))
			*best = command;
	}
}

/* Name the commands with most recent time. @return 0 or -ENOMEM */
static int give_names(struct task_totals *totals)
{
	struct task_total *least, *largest;
	size_t n_named;

	for (;;) {
		find_extremes(totals, &least, &largest, &n_named);
		if (n_named < totals->n_max)
			least = NULL; /* a name is free */
		if (!largest || (least && largest->recent_ns <= 2 * least->recent_ns))
			return 0;
		if (least)
			task_totals_take_name(least);
		if (task_sum_reserve(&largest->sum, totals->n_columns))
			return -ENOMEM;
	}
}

/* ---- counts ---- */

static void task_totals_add_row(struct task_totals *totals, const struct task_rows *rows,
				const struct task_row *row)
{
	struct task_total *total = task_totals_find(totals, row->task);

	if (!total || !total->sum.count)
		total = &totals->other[TASK_OTHERS];
	task_sum_add(&total->sum, &totals->columns, rows, row);
	for (size_t i = 0; i < row->n_parts; i++)
		total->time_ns[totals->machine->core[row->part[i]->core].type] += core_task_time_ns(
			rows->frame->tasks, (size_t)(row->part[i] - rows->frame->tasks->task));
}

/*
 * Add a frame's tasks. The commands with most recent CPU time are named: a new one replaces the least of them when it
 * has twice as much, or when that one has not run for five minutes. A command begins at 0 when it is named; its counts
 * before and after are in [others], so counts only grow while they exist.
 *
 * @frame  always of the same set; without tasks it changes nothing
 * @return 0 or -ENOMEM, then the frame is partly added
 */
static int task_totals_add(struct task_totals *totals, const struct machine *machine,
			   const struct frame *frame)
{
	AUTO_FREE struct task_rows *rows = NULL;
	int rc = 0;

	if (!totals->n_max || !frame->tasks)
		return 0;
	if (!totals->machine)
		rc = task_totals_begin(totals, machine, frame);
	rows = task_rows_new(frame, machine, totals->by, NULL, false, NULL);
	if (rc || !rows)
		return -ENOMEM;
	age(totals, frame->t_ns);
	for (size_t i = 0; !rc && i < rows->n; i++)
		rc = task_totals_watch(totals, &rows->row[i], frame->t_ns);
	if (!rc)
		rc = give_names(totals);
	for (size_t i = 0; !rc && i < rows->n; i++)
		task_totals_add_row(totals, rows, &rows->row[i]);
	totals->n_switches += frame->tasks->n_switches;
	totals->n_lost += frame->tasks->n_lost;
	totals->cost_share = frame->tasks->cost_share;
	return rc;
}

const struct task_total *task_totals_named(const struct task_totals *totals, size_t i)
{
	size_t n_other = totals->machine ? N_TASK_KINDS - TASK_IDLE : 0;

	for (size_t k = 0; k < totals->n; k++)
		if (totals->command[k].sum.count && !i--)
			return &totals->command[k];
	return i < n_other ? &totals->other[TASK_IDLE + i] : NULL;
}

static void task_totals_fini(struct task_totals *totals)
{
	for (size_t i = 0; i < totals->n; i++)
		task_totals_take_name(&totals->command[i]);
	for (unsigned kind = 0; kind < N_TASK_KINDS; kind++)
		task_totals_take_name(&totals->other[kind]);
	free(totals->command);
	*totals = (struct task_totals){ .by = totals->by, .n_max = totals->n_max };
}

/* ---- counts since the session began, by core and event ---- */

void totals_init(struct totals *totals, const struct machine *machine, unsigned n_tasks,
		 unsigned n_cgroups)
{
	*totals = (struct totals){ .machine = machine,
				   .sum = { .by = BY_CORE },
				   .tasks = { .by = BY_COMMAND, .n_max = n_tasks },
				   .cgroups = { .by = BY_CGROUP, .n_max = n_cgroups } };
}

void totals_fini(struct totals *totals)
{
	if (!totals)
		return;
	frame_unref(totals->newest);
	frame_unref(totals->last);
	frame_sum_fini(&totals->sum);
	task_totals_fini(&totals->tasks);
	task_totals_fini(&totals->cgroups);
	*totals = (struct totals){ 0 };
}

static int totals_begin(struct totals *totals, const struct frame *frame)
{
	struct frame *last = frame_new(frame->n_cores, frame->of);

	if (!last)
		return -ENOMEM;
	for (unsigned core = 0; core < last->n_cores; core++)
		last->core[core].state = CORE_LATE;
	for (unsigned type = 0; type < totals->machine->n_types; type++)
		set_first_columns(frame->set, type, totals->column_of[type]);
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
	int rc = totals->last ? 0 : totals_begin(totals, frame);

	if (!rc)
		rc = frame_sum_add(&totals->sum, frame, totals->machine, NULL);
	if (!rc && frame->set == totals->last->set)
		rc = task_totals_add(&totals->tasks, totals->machine, frame);
	if (!rc && frame->set == totals->last->set)
		rc = task_totals_add(&totals->cgroups, totals->machine, frame);
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

struct count totals_sum(const struct totals *totals, unsigned type, unsigned column,
			const struct count *count)
{
	struct count sum = { 0 };

	for (unsigned i = column; i < totals->last->n_slots; i++)
		if (totals->column_of[type][i] == column)
			count_add_mux(&sum, &count[i]);
	return sum;
}

struct total totals_of(const struct totals *totals, unsigned core, unsigned column)
{
	unsigned type = totals->machine->core[core].type;

	return (struct total){
		.is_counted_twice = totals->column_of[type][column] != column,
		.sum = totals_sum(totals, type, column, frame_counts(totals->sum.frame, core)),
		.newest = totals_sum(totals, type, column, frame_counts(totals->last, core)),
	};
}
