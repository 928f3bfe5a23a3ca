/* task_index.h: tasks by number, each once: of many frames, by thread, process or command */
#ifndef SAMPLER_TASKS_TASK_INDEX_H
#define SAMPLER_TASKS_TASK_INDEX_H

#include "sampler/tasks/tasks.h"

/** `{ .by = … }` is empty. */
struct task_index {
	enum task_by by;
	struct core_task *task; /* as it came first, but for its name, which the user may change */
	size_t n, cap;
	uint32_t *place; /* a hash of them: number + 1, 0: empty */
	size_t n_places;
};

/** The number of a task that is the same by task_compare. @return -1: there is none */
ptrdiff_t task_index_find(const struct task_index *index, const struct core_task *task);

/** Likewise; where there is none it gets the next number, n. @return -ENOMEM */
ptrdiff_t task_index_take(struct task_index *index, const struct core_task *task);

/** Release; empty again. */
void task_index_clear(struct task_index *index);

#endif
