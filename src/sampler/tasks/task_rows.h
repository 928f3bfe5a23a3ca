/* task_rows.h: a frame's tasks summed by thread, process or command: screen, stat, report and serve */
#ifndef SAMPLER_TASKS_TASK_ROWS_H
#define SAMPLER_TASKS_TASK_ROWS_H

#include "machine/machine.h"
#include "sampler/frame.h"

/** What one of them did. Its figures on cores of different types are never added. */
struct task_row {
	/* What it is called after: the thread; of a process its main thread if that ran, of a process
	 * or command else the thread that ran longest; idle, [unattributed] and [others] are rows, too */
	const struct core_task *task;
	const struct core_task *const *part; /* what it is the sum of, in the order of the cores */
	size_t n_parts;
	uint64_t time_ns; /* on all cores */
	uint32_t types;   /* core types that it ran on, as bits */
};

/** Valid as long as the frame that it is of. Rows of tasks come first, those that ran longest in front. */
struct task_rows {
	const struct frame *frame;
	const struct machine *machine;
	size_t n;
	struct task_row *row;
};

/**
 * For each core type and column the sum of all rows is the sum of the type's cores, to the unit.
 *
 * @frame  with tasks  @machine  whose cores it is of; both outlive the rows
 * @on     only what ran on these CPUs; NULL: on any
 * @of_root  only what the set's `root` and its descendants did
 * @return to be freed with free(); NULL without memory
 */
struct task_rows *task_rows_new(const struct frame *frame, const struct machine *machine,
				enum task_by by, const struct cpus *on, bool of_root);

/** One column of a row on the cores of one type, as core_task_count; NONE if it did not run on any. */
struct count task_row_count(const struct task_rows *rows, const struct task_row *row, unsigned type,
			    unsigned column);

/** All columns of it. @ret  a count for each slot of the frame */
void task_row_counts(const struct task_rows *rows, const struct task_row *row, unsigned type,
		     struct count *ret);

/** How much of a core it had, on the cores of one type together: 1 is all of one core's window. */
double task_row_load(const struct task_rows *rows, const struct task_row *row, unsigned type);

#endif
