#include "session/format/task_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CAP_MIN = 64 };

bool frame_has_task_row(const struct frame *frame, unsigned core, unsigned slot)
{
	return quality_has_value(frame_counts(frame, core)[slot].quality) &&
	       tasks_have_column(frame->set, slot);
}

bool frame_has_task_rows(const struct frame *frame, unsigned core)
{
	unsigned slot = 0;

	while (slot < frame->n_slots && !frame_has_task_row(frame, core, slot))
		slot++;
	return slot < frame->n_slots;
}

int64_t task_number(const struct core_task *task)
{
	return task->kind == TASK_THREAD ? (int64_t)task->tid : 1 - (int64_t)task->kind;
}

enum task_kind task_kind_of(int64_t number)
{
	if (number > 0)
		return number <= UINT32_MAX ? TASK_THREAD : N_TASK_KINDS;
	return number > 1 - (int64_t)N_TASK_KINDS ? (enum task_kind)(1 - number) : N_TASK_KINDS;
}

/* Find the entry of a number, or its free place. @names  has a free place */
static struct task_name *task_names_place_of(const struct task_names *names, int64_t number)
{
	/* Knuth's multiplicative hashing: numbers are consecutive */
	size_t i = (uint32_t)number * UINT32_C(2654435761) & (names->cap - 1);

	while (names->at[i].is_there && task_number(&names->at[i].task) != number)
		i = (i + 1) & (names->cap - 1);
	return &names->at[i];
}

const struct core_task *task_names_find(const struct task_names *names, int64_t number)
{
	const struct task_name *name = names->n ? task_names_place_of(names, number) : NULL;

	return name && name->is_there ? &name->task : NULL;
}

/* Double the table; half of it stays empty, so that probing is short. */
static int task_names_grow(struct task_names *names)
{
	struct task_names more = { .cap = names->cap ? 2 * names->cap : CAP_MIN };

	more.at = calloc(more.cap, sizeof(*more.at));
	if (!more.at)
		return -ENOMEM;
	for (size_t i = 0; i < names->cap; i++)
		if (names->at[i].is_there)
			*task_names_place_of(&more, task_number(&names->at[i].task)) = names->at[i];
	more.n = names->n;
	task_names_fini(names);
	*names = more;
	return 0;
}

int task_names_set(struct task_names *names, const struct core_task *task)
{
	int rc = names->cap > 2 * names->n ? 0 : task_names_grow(names);

	if (rc)
		return rc;

	struct task_name *name = task_names_place_of(names, task_number(task));

	names->n += !name->is_there;
	*name = (struct task_name){ .task = *task, .is_there = true };
	name->task.core = 0;
	name->task.ended_ns = 0;
	return 0;
}

bool task_names_same(const struct core_task *a, const struct core_task *b)
{
	return a->kind == b->kind && a->tid == b->tid && a->pid == b->pid &&
	       a->first_ns == b->first_ns && strcmp(a->comm, b->comm) == 0;
}

void task_names_clear(struct task_names *names)
{
	if (names->n)
		memset(names->at, 0, names->cap * sizeof(*names->at));
	names->n = 0;
}

void task_names_fini(struct task_names *names)
{
	free(names->at);
	*names = (struct task_names){ 0 };
}
