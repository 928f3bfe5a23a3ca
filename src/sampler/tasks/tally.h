/* tally.h: what each task did on a core in the window that is open; private to sampler/ */
#ifndef SAMPLER_TASKS_TALLY_H
#define SAMPLER_TASKS_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "sampler/tasks/names.h"

/* The rows that there always are. */
enum { ROW_UNATTRIBUTED, ROW_OTHERS, ROW_IDLE, N_FIXED_ROWS };

/** Sums by task: a row each of n_values numbers. Grows to a fixed number of rows. { 0 } is empty. */
struct tally {
	unsigned n_values;
	size_t n, cap, max;      /* rows */
	struct task_name **task; /* by row; NULL: a fixed one */
	uint64_t *value;         /* [row × n_values] */
	uint32_t *index;         /* by hash of the task: row, 0 is empty */
	size_t n_index;
};

/** Begin anew with rows of so many values, and at most so many rows. @return 0 or -ENOMEM */
int tally_init(struct tally *tally, unsigned n_values, size_t max);

/** Release. */
void tally_fini(struct tally *tally);

/** All sums are 0 again. */
void tally_clear(struct tally *tally);

/** A task's row; that of the others where there is no room. @return n_values sums, until the next call */
uint64_t *tally_row(struct tally *tally, struct task_name *task);

/** @row  0 … n-1 */
static inline uint64_t *tally_values(const struct tally *tally, size_t row)
{
	return tally->value + row * tally->n_values;
}

#endif
