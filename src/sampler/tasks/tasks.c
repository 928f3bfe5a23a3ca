#include "sampler/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ref.h"
#include "sampler/frame.h"

const char *task_kind_name[N_TASK_KINDS] = {
	[TASK_THREAD] = "",
	[TASK_IDLE] = "[idle]",
	[TASK_UNATTRIBUTED] = "[unattributed]",
	[TASK_OTHERS] = "[others]",
};

const char *const task_by_name[N_TASK_BY] = {
	[BY_PROCESS] = "process",
	[BY_THREAD] = "task",
	[BY_COMMAND] = "command",
	[BY_CGROUP] = "cgroup",
};

struct core_task task_of_kind(enum task_kind kind)
{
	struct core_task ret = { .kind = (uint8_t)kind };

	snprintf(ret.comm, sizeof(ret.comm), "%s", task_kind_name[kind]);
	return ret;
}

struct frame_tasks *frame_tasks_new(size_t n, unsigned n_slots, unsigned n_mux)
{
	size_t tasks = n * sizeof(struct core_task), values = n * n_slots * sizeof(uint64_t);
	char *memory = calloc(1, sizeof(struct frame_tasks) + tasks + values +
					 n * n_mux * sizeof(uint64_t));
	struct frame_tasks *ret = (struct frame_tasks *)memory;

	if (!memory)
		return NULL;
	ret->n = n;
	ret->n_slots = n_slots;
	ret->n_mux = n_mux;
	memory += sizeof(*ret);
	ret->task = (struct core_task *)memory;
	ret->value = (uint64_t *)(memory + tasks);
	ret->time_ns = (uint64_t *)(memory + tasks + values);
	atomic_init(&ret->refs, 1);
	return ret;
}

const struct frame_tasks *frame_tasks_ref(const struct frame_tasks *tasks)
{
	if (tasks)
		ref_take(&tasks->refs);
	return tasks;
}

void frame_tasks_unref(const struct frame_tasks *tasks)
{
	if (tasks && ref_drop(&tasks->refs))
		free((struct frame_tasks *)tasks);
}

void frame_tasks_of_process(const struct frame *frame, uint32_t pid, unsigned column,
			    uint64_t *ret_by_core)
{
	const struct frame_tasks *tasks = frame->tasks;

	memset(ret_by_core, 0, frame->n_cores * sizeof(*ret_by_core));
	for (size_t i = 0; i < tasks->n; i++)
		if (tasks->task[i].kind == TASK_THREAD && tasks->task[i].pid == pid)
			ret_by_core[tasks->task[i].core] +=
				tasks->value[i * tasks->n_slots + column];
}

void frame_task_columns(const struct frame_tasks *tasks, size_t i, struct column_set *columns)
{
	for (unsigned column = 0; column < tasks->n_slots; column++)
		if (tasks->value[i * tasks->n_slots + column])
			column_set_add(columns, column);
}

uint64_t core_task_time_ns(const struct frame_tasks *tasks, size_t i)
{
	uint64_t ns = 0;

	for (unsigned mux = 0; mux < tasks->n_mux; mux++)
		ns += tasks->time_ns[i * tasks->n_mux + mux];
	return ns;
}

bool tasks_have_column(const struct set *set, unsigned column)
{
	const struct event *event = set_event(set, column);

	return event && event->pmu && event->pmu->kind != PMU_UNCORE &&
	       (event->pmu->kind != PMU_ACTIVITY || event_is_schedstat(event));
}

int task_compare(const struct core_task *a, const struct core_task *b, enum task_by by)
{
	if (a->kind != b->kind || a->kind != TASK_THREAD)
		return task_order(a->kind, b->kind);
	if (by == BY_PROCESS)
		return task_order(a->pid, b->pid);
	if (by == BY_COMMAND)
		return strcmp(a->comm, b->comm);
	if (by == BY_CGROUP)
		return cgroup_compare(core_task_cgroup(a), core_task_cgroup(b));
	if (by == BY_ID || a->tid != b->tid)
		return task_order(a->tid, b->tid);
	if (by == BY_ALL && a->first_ns == b->first_ns)
		return cgroup_compare(core_task_cgroup(a), core_task_cgroup(b));
	return task_order(a->first_ns, b->first_ns);
}

const char *core_task_name(const struct core_task *task, enum task_by by)
{
	bool is_cgroup = by == BY_CGROUP && task->kind == TASK_THREAD;

	return is_cgroup ? core_task_cgroup(task)->path : task->comm;
}

bool task_id_is(const struct task_id *a, const struct task_id *b)
{
	if (!a->is_task || !b->is_task)
		return a->is_task == b->is_task;
	return a->by == b->by && task_compare(&a->like, &b->like, a->by) == 0;
}

bool task_id_has(const struct task_id *id, const struct core_task *task)
{
	if (id->by == BY_CGROUP && id->like.kind == TASK_THREAD && task->kind == TASK_THREAD)
		return cgroup_is_in(core_task_cgroup(task), core_task_cgroup(&id->like));
	return task_compare(&id->like, task, id->by) == 0;
}

void task_count(const struct frame_tasks *tasks, const struct set *set, size_t i, unsigned column,
		enum quality quality, struct count *ret)
{
	unsigned mux = set_mux_of(set, column);

	if (column_set_has(&tasks->own_columns, column))
		quality = QUALITY_OK;
	*ret = (struct count){ .enabled_ns = core_task_time_ns(tasks, i),
			       .quality = quality,
			       .n_summed = 1 };
	if (!quality_has_value(quality))
		return;
	if (!tasks_have_column(set, column)) {
		ret->quality = QUALITY_NOT_SUPPORTED;
		return;
	}
	ret->value = tasks->value[i * tasks->n_slots + column];
	if (event_is_schedstat(set_event(set, column))) {
		if (tasks->task[i].unread >> (set_event(set, column)->config[0] - ACTIVITY_RUN) & 1)
			ret->quality = ret->value ? QUALITY_PARTIAL : QUALITY_NOT_COUNTED;
		else
			ret->quality = QUALITY_OK;
		ret->running_ns = ret->quality == QUALITY_NOT_COUNTED ? 0 : ret->enabled_ns;
		return;
	}
	ret->running_ns = tasks->time_ns[i * tasks->n_mux + mux];
	if (ret->running_ns ==
	    ret->enabled_ns) /* also if both are shorter than the clock's resolution */
		ret->quality = quality == QUALITY_SCALED && set_n_mux(set) == 1 ? QUALITY_PARTIAL
										: QUALITY_OK;
	else
		ret->quality = ret->running_ns || ret->value ? QUALITY_SCALED : QUALITY_NOT_COUNTED;
}

void core_task_count(const struct frame *frame, size_t i, unsigned column, struct count *ret)
{
	const struct frame_tasks *tasks = frame->tasks;
	const struct count *core = &frame_counts(frame, tasks->task[i].core)[column];

	task_count(tasks, frame->set, i, column, core->quality, ret);
}
