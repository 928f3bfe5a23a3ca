/* tally.h: sums of one core by task and cgroup; for the attribution only */
#ifndef SAMPLER_TASKS_TALLY_H
#define SAMPLER_TASKS_TALLY_H

#include "sampler/tasks/names.h"

/* Rows that always exist. */
enum { ROW_UNATTRIBUTED, ROW_OTHERS, ROW_IDLE, N_FIXED_ROWS };

/** Kinds of these rows. */
extern const enum task_kind fixed_kind[N_FIXED_ROWS];

/* Sums by task: one row of n_values numbers per task, up to a fixed number of rows. { 0 } is empty. */
struct tally {
	unsigned n_values;
	size_t n, cap, max;           /* number of rows */
	struct task_name **task;      /* by row; NULL for a fixed row */
	const struct cgroup **cgroup; /* by row; a task has a row for each; NULL: not known */
	uint64_t *value;              /* [row × n_values] */
	struct hash rows;             /* numbers of the rows that are not fixed */
};

/** Get the values of a row. @row  0 … n-1 */
static inline uint64_t *tally_values(const struct tally *tally, size_t row)
{
	return tally->value + row * tally->n_values;
}

/** Sum n values, each `step` after the last. */
uint64_t sum_of(const uint64_t *value, size_t n, size_t step);

/** Reset to rows of n_values values, at most `max` rows. @return 0 or -ENOMEM */
int tally_init(struct tally *tally, unsigned n_values, size_t max);

/** Free the contents. */
void tally_fini(struct tally *tally);

/** Set all sums to 0. */
void tally_clear(struct tally *tally);

/** Get the row of a task in a cgroup, or that of [others] if there is no room. @return its number */
size_t tally_row(struct tally *tally, struct task_name *task, const struct cgroup *cgroup);

/** Whether all values of a row are 0. */
bool tally_is_empty_row(const struct tally *tally, size_t row);

#endif
