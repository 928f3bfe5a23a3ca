#include "sampler/tasks/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const enum task_kind fixed_kind[N_FIXED_ROWS] = {
	[ROW_UNATTRIBUTED] = TASK_UNATTRIBUTED,
	[ROW_OTHERS] = TASK_OTHERS,
	[ROW_IDLE] = TASK_IDLE,
};

enum { ROWS_MIN = 32, ROWS_PER_INDEX = 2 };

static size_t tally_slot_of(const struct tally *tally, const struct task_name *task,
			    const struct cgroup *cgroup)
{
	uint64_t hash = (uint64_t)(uintptr_t)task * UINT64_C(0x9e3779b97f4a7c15) +
			(uint64_t)(uintptr_t)cgroup * UINT64_C(0xc2b2ae3d27d4eb4f);
	size_t i = hash >> 40 & (tally->n_index - 1);

	while (tally->index[i] &&
	       (tally->task[tally->index[i]] != task || tally->cgroup[tally->index[i]] != cgroup))
		i = (i + 1) & (tally->n_index - 1);
	return i;
}

static int tally_resize(struct tally *tally, size_t cap)
{
	size_t n_index = cap * ROWS_PER_INDEX;
	uint32_t *index = calloc(n_index, sizeof(*index));
	struct task_name **task = realloc(tally->task, cap * sizeof(struct task_name *));
	const struct cgroup **cgroup = realloc(tally->cgroup, cap * sizeof(const struct cgroup *));
	uint64_t *value;

	if (task)
		tally->task = task;
	if (cgroup)
		tally->cgroup = cgroup;
	value = realloc(tally->value, cap * tally->n_values * sizeof(*value));
	if (value)
		tally->value = value;
	if (!index || !task || !cgroup || !value) {
		free(index);
		return -ENOMEM;
	}
	free(tally->index);
	tally->index = index;
	tally->n_index = n_index;
	tally->cap = cap;
	for (size_t row = N_FIXED_ROWS; row < tally->n; row++)
		tally->index[tally_slot_of(tally, tally->task[row], tally->cgroup[row])] =
			(uint32_t)row;
	return 0;
}

void tally_fini(struct tally *tally)
{
	free(tally->task);
	free(tally->cgroup);
	free(tally->value);
	free(tally->index);
	*tally = (struct tally){ 0 };
}

void tally_clear(struct tally *tally)
{
	tally->n = N_FIXED_ROWS;
	for (size_t row = 0; row < N_FIXED_ROWS; row++) {
		tally->task[row] = NULL;
		tally->cgroup[row] = NULL;
	}
	memset(tally->value, 0, N_FIXED_ROWS * tally->n_values * sizeof(tally->value[0]));
	memset(tally->index, 0, tally->n_index * sizeof(tally->index[0]));
}

int tally_init(struct tally *tally, unsigned n_values, size_t max)
{
	tally_fini(tally);
	tally->n_values = n_values;
	tally->max = max;
	if (tally_resize(tally, ROWS_MIN))
		return -ENOMEM;
	tally_clear(tally);
	return 0;
}

size_t tally_row(struct tally *tally, struct task_name *task, const struct cgroup *cgroup)
{
	size_t slot = tally_slot_of(tally, task, cgroup), row = tally->index[slot];

	if (row)
		return row;
	if (tally->n == tally->max ||
	    (tally->n == tally->cap && tally_resize(tally, 2 * tally->cap)))
		return ROW_OTHERS;
	row = tally->n++;
	tally->task[row] = task;
	tally->cgroup[row] = cgroup;
	tally->index[tally_slot_of(tally, task, cgroup)] = (uint32_t)row;
	memset(tally_values(tally, row), 0, tally->n_values * sizeof(tally->value[0]));
	return row;
}

uint64_t sum_of(const uint64_t *value, size_t n, size_t step)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += value[i * step];
	return sum;
}

bool tally_is_empty_row(const struct tally *tally, size_t row)
{
	const uint64_t *value = tally_values(tally, row);
	uint64_t bits = 0;

	for (unsigned i = 0; i < tally->n_values; i++)
		bits |= value[i];
	return !bits;
}
