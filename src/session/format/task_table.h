/* task_table.h: what tasks did, a line for each of them and core type: for stat --by task */
#ifndef SESSION_FORMAT_TASK_TABLE_H
#define SESSION_FORMAT_TASK_TABLE_H

#include "sampler/tasks/task_index.h"
#include "sampler/tasks/task_rows.h"

/** One of them on one core type; figures of two types are never added. */
struct task_table_line {
	const struct core_task *task; /* as it was called last */
	unsigned type;
	struct count *count;    /* by slot */
	struct reading *metric; /* by column of the set's metrics */
};

/** `{ .tasks.by = BY_COMMAND, .top = 10 }` is empty. */
struct task_table {
	struct task_index tasks;
	bool of_root; /* only what the set's `root` and its descendants did */
	unsigned top; /* so many lines of each type, the rest in [others]; 0: all */
	/* below: as it is after task_table_end, in its order */
	size_t n;
	struct task_table_line *line;
	struct count *count; /* [(task × types + type) × slots], NONE where it did not run */
	size_t cap_counts;
	struct reading *metric;
	const struct machine *machine;
	struct frame_set *of; /* what was counted; NULL: nothing was added yet */
	uint64_t t_ns, window_ns;
};

/**
 * Add what the tasks of a frame did, as count_add_window does. A frame without tasks, or of another set, adds
 * nothing.
 *
 * @return 0 or -ENOMEM
 */
int task_table_add(struct task_table *table, const struct frame *frame,
		   const struct machine *machine);

/**
 * By type, those with most of a column first, behind them [others], idle and [unattributed]. The last two are
 * always there unless it is of a root: so the lines of a type make what its cores counted. Their metrics.
 *
 * @column  0 … n_slots-1
 * @return  0 or -ENOMEM
 */
int task_table_end(struct task_table *table, const struct metrics *metrics, unsigned column);

/** A line as a row. @i  0 … n-1 @ret  valid until the table changes */
void task_table_row(const struct task_table *table, size_t i, struct frame_row *ret);

/** Empty it. */
void task_table_clear(struct task_table *table);

#endif
