#include "session/serve/task_totals.h"

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

/* Its counts begin. @return 0 or -ENOMEM */
static int give_name(const struct task_totals *totals, struct task_total *total)
{
	size_t n_types = totals->machine->n_types;
	size_t counts = n_types * totals->n_slots * sizeof(*total->count);
	char *memory = calloc(1, counts + n_types * sizeof(*total->time_ns));

	total->count = (struct count *)memory;
	total->time_ns = memory ? (uint64_t *)(memory + counts) : NULL;
	return memory ? 0 : -ENOMEM;
}

static void take_name(struct task_total *total)
{
	free(total->count);
	total->count = NULL;
	total->time_ns = NULL;
}

static int begin(struct task_totals *totals, const struct machine *machine,
		 const struct frame *frame)
{
	int rc = 0;

	totals->machine = machine;
	totals->n_slots = frame->n_slots;
	for (unsigned kind = TASK_IDLE; !rc && kind < N_TASK_KINDS; kind++) {
		memcpy(totals->other[kind].comm, task_of_kind(kind).comm, TASK_COMM_SIZE);
		rc = give_name(totals, &totals->other[kind]);
	}
	return rc;
}

/* ---- who is large ---- */

/* @return NULL: it is not watched */
static struct task_total *find(const struct task_totals *totals, const struct core_task *task)
{
	if (task->kind != TASK_THREAD)
		return (struct task_total *)&totals->other[task->kind];
	for (size_t i = 0; i < totals->n; i++)
		if (strcmp(totals->command[i].comm, task->comm) == 0)
			return &totals->command[i];
	return NULL;
}

/* Time passes; those that have not run for long are forgotten. */
static void age(struct task_totals *totals, uint64_t now_ns)
{
	double left = exp(-(double)(now_ns - totals->last_ns) / (double)RECENT_NS);
	size_t n = 0;

	totals->last_ns = now_ns;
	for (size_t i = 0; i < totals->n; i++) {
		struct task_total *command = &totals->command[i];

		command->recent_ns *= left;
		if (now_ns - command->last_ns > FORGET_NS)
			take_name(command);
		else
			totals->command[n++] = *command;
	}
	totals->n = n;
}

static int watch(struct task_totals *totals, const struct task_row *row, uint64_t now_ns)
{
	struct task_total *total = find(totals, row->task), fresh = { .last_ns = now_ns };

	if (!total && totals->n == TASK_TOTALS_WATCHED_MAX)
		return 0;
	if (!total) {
		memcpy(fresh.comm, row->task->comm, sizeof(fresh.comm));
		if (array_append((void **)&totals->command, &totals->cap, &totals->n, &fresh,
				 sizeof(fresh)))
			return -ENOMEM;
		total = &totals->command[totals->n - 1];
	}
	total->recent_ns += (double)row->time_ns;
	total->last_ns = now_ns;
	return 0;
}

/* Of those that are named the least, of the others the largest. */
static void find_extremes(const struct task_totals *totals, struct task_total **ret_least,
			  struct task_total **ret_largest, size_t *ret_named)
{
	*ret_least = *ret_largest = NULL;
	*ret_named = 0;
	for (size_t i = 0; i < totals->n; i++) {
		struct task_total *command = &totals->command[i];
		struct task_total **best = command->count ? ret_least : ret_largest;

		*ret_named += command->count != NULL;
		if (!*best || (command->count ? command->recent_ns < (*best)->recent_ns
					      : command->recent_ns > (*best)->recent_ns))
			*best = command;
	}
}

/* Who has most, has a name. @return 0 or -ENOMEM */
static int give_names(struct task_totals *totals)
{
	struct task_total *least, *largest;
	size_t n_named;

	for (;;) {
		find_extremes(totals, &least, &largest, &n_named);
		if (n_named < totals->n_max)
			least = NULL; /* nobody has to go */
		if (!largest || (least && largest->recent_ns <= 2 * least->recent_ns))
			return 0;
		if (least)
			take_name(least);
		if (give_name(totals, largest))
			return -ENOMEM;
	}
}

/* ---- what they count ---- */

static void add_row(const struct task_totals *totals, const struct task_rows *rows,
		    const struct task_row *row)
{
	const struct task_total *total = find(totals, row->task);
	struct count count[COLUMNS_MAX];

	if (!total || !total->count)
		total = &totals->other[TASK_OTHERS];
	for (unsigned type = 0; type < totals->machine->n_types; type++) {
		if (!(row->types >> type & 1))
			continue;
		task_row_counts(rows, row, type, count);
		for (unsigned i = 0; i < totals->n_slots; i++)
			count_add_window(&total->count[type * totals->n_slots + i], &count[i]);
	}
	for (size_t i = 0; i < row->n_parts; i++)
		total->time_ns[totals->machine->core[row->part[i]->core].type] += core_task_time_ns(
			rows->frame->tasks, (size_t)(row->part[i] - rows->frame->tasks->task));
}

int task_totals_add(struct task_totals *totals, const struct machine *machine,
		    const struct frame *frame)
{
	AUTO_FREE struct task_rows *rows = NULL;
	int rc = 0;

	if (!totals->n_max || !frame->tasks)
		return 0;
	if (!totals->machine)
		rc = begin(totals, machine, frame);
	rows = task_rows_new(frame, machine, BY_COMMAND, NULL, false);
	if (rc || !rows)
		return -ENOMEM;
	age(totals, frame->t_ns);
	for (size_t i = 0; !rc && i < rows->n; i++)
		rc = watch(totals, &rows->row[i], frame->t_ns);
	if (!rc)
		rc = give_names(totals);
	for (size_t i = 0; !rc && i < rows->n; i++)
		add_row(totals, rows, &rows->row[i]);
	totals->n_switches += frame->tasks->n_switches;
	totals->n_lost += frame->tasks->n_lost;
	totals->cost_share = frame->tasks->cost_share;
	return rc;
}

const struct task_total *task_totals_named(const struct task_totals *totals, size_t i)
{
	size_t n_other = totals->machine ? N_TASK_KINDS - TASK_IDLE : 0;

	for (size_t k = 0; k < totals->n; k++)
		if (totals->command[k].count && !i--)
			return &totals->command[k];
	return i < n_other ? &totals->other[TASK_IDLE + i] : NULL;
}

void task_totals_fini(struct task_totals *totals)
{
	if (!totals)
		return;
	for (size_t i = 0; i < totals->n; i++)
		take_name(&totals->command[i]);
	for (unsigned kind = 0; kind < N_TASK_KINDS; kind++)
		take_name(&totals->other[kind]);
	free(totals->command);
	*totals = (struct task_totals){ .n_max = totals->n_max };
}
