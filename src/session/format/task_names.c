#include "session/format/task_names.h"

#include <errno.h>
#include <string.h>

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

const struct core_task *task_names_find(const struct task_index *names, int64_t number)
{
	enum task_kind kind = task_kind_of(number);
	const struct core_task like = { .kind = (uint8_t)kind,
					.tid = kind == TASK_THREAD ? (uint32_t)number : 0 };
	ptrdiff_t at = task_index_find(names, &like);

	return at < 0 ? NULL : &names->task[at];
}

int task_names_set(struct task_index *names, const struct core_task *task)
{
	ptrdiff_t at = task_index_take(names, task);

	if (at < 0)
		return -ENOMEM;
	names->task[at] = *task;
	names->task[at].core = 0;
	names->task[at].ended_ns = 0;
	return 0;
}

bool task_names_same(const struct core_task *a, const struct core_task *b)
{
	return a->kind == b->kind && a->tid == b->tid && a->pid == b->pid &&
	       a->first_ns == b->first_ns && a->cgroup == b->cgroup &&
	       strcmp(a->comm, b->comm) == 0;
}
