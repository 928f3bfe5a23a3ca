#include "sampler/tasks/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const enum task_kind fixed_kind[N_FIXED_ROWS] = {
	[ROW_UNATTRIBUTED] = TASK_UNATTRIBUTED,
	[ROW_OTHERS] = TASK_OTHERS,
	[ROW_IDLE] = TASK_IDLE,
};

enum { ROWS_MIN = 32 };

static int tally_resize(struct tally *tally, size_t cap)
{
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
	if (!task || !cgroup || !value)
		return -ENOMEM;
	tally->cap = cap;
	return 0;
}

void tally_fini(struct tally *tally)
{
	free(tally->task);
	free(tally->cgroup);
	free(tally->value);
	hash_fini(&tally->rows);
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
	hash_clear(&tally->rows);
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
	uint64_t hash = hash_mix((uintptr_t)task, (uintptr_t)cgroup);
	void *item;
	size_t row;

	hash_each(&tally->rows, hash, item) {
		row = hash_number(item);
		if (tally->task[row] == task && tally->cgroup[row] == cgroup)
			return row;
	}
	if (tally->n == tally->max ||
	    (tally->n == tally->cap && tally_resize(tally, 2 * tally->cap)) ||
	    hash_add(&tally->rows, hash, hash_item(tally->n)))
		return ROW_OTHERS;
	row = tally->n++;
	tally->task[row] = task;
	tally->cgroup[row] = cgroup;
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
