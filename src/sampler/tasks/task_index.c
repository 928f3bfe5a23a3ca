#include "sampler/tasks/task_index.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

enum { PLACES_MIN = 256 };

/* FNV-1a of what it is compared by */
static uint32_t hash_of(const struct core_task *task, enum task_by by)
{
	uint32_t hash = UINT32_C(2166136261) ^ task->kind;

	if (task->kind == TASK_THREAD && by != BY_COMMAND)
		hash ^= by == BY_PROCESS ? task->pid : task->tid;
	for (const char *c = by == BY_COMMAND ? task->comm : ""; *c; c++)
		hash = (hash ^ (unsigned char)*c) * UINT32_C(16777619);
	return hash * UINT32_C(2654435761);
}

/* Where it is, or would be. */
static uint32_t *place_of(const struct task_index *index, const struct core_task *task)
{
	size_t i = hash_of(task, index->by) & (index->n_places - 1);

	while (index->place[i] &&
	       task_compare(&index->task[index->place[i] - 1], task, index->by) != 0)
		i = (i + 1) & (index->n_places - 1);
	return &index->place[i];
}

static int grow(struct task_index *index)
{
	size_t n = index->n_places ? 2 * index->n_places : PLACES_MIN;
	uint32_t *place = calloc(n, sizeof(*place));

	if (!place)
		return -ENOMEM;
	free(index->place);
	index->place = place;
	index->n_places = n;
	for (size_t i = 0; i < index->n; i++)
		*place_of(index, &index->task[i]) = (uint32_t)i + 1;
	return 0;
}

ptrdiff_t task_index_find(const struct task_index *index, const struct core_task *task)
{
	return index->n_places ? (ptrdiff_t)*place_of(index, task) - 1 : -1;
}

ptrdiff_t task_index_take(struct task_index *index, const struct core_task *task)
{
	ptrdiff_t number = task_index_find(index, task);

	if (number >= 0)
		return number;
	if ((index->n_places <= 2 * index->n && grow(index)) ||
	    array_append((void **)&index->task, &index->cap, &index->n, task, sizeof(*task)))
		return -ENOMEM;
	*place_of(index, task) = (uint32_t)index->n;
	return (ptrdiff_t)index->n - 1;
}

void task_index_clear(struct task_index *index)
{
	free(index->task);
	free(index->place);
	*index = (struct task_index){ .by = index->by };
}
