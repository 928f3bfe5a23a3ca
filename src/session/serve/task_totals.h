/* task_totals.h: what commands have counted, the largest by name, in memory that does not grow */
#ifndef SESSION_SERVE_TASK_TOTALS_H
#define SESSION_SERVE_TASK_TOTALS_H

#include "sampler/tasks/task_rows.h"

/* So many may be named, and so many are watched: while all of these are heard of, one more is not. */
enum { TASK_TOTALS_NAMED_MAX = 1000, TASK_TOTALS_WATCHED_MAX = 4096 };

/** A command; or idle, [unattributed] and [others], which are named from the beginning. */
struct task_total {
	char comm[TASK_COMM_SIZE];
	double recent_ns; /* CPU time, which counts less and less in the course of some minutes */
	uint64_t last_ns; /* when it ran last */
	struct count *count; /* since it is named: [type × n_slots + column]; NULL: it is not */
	uint64_t *time_ns;   /* likewise, on the cores of each type */
};

/** `{ .n_max = … }` has nothing yet. */
struct task_totals {
	unsigned n_max; /* commands that are named at a time; 0: nobody wants them */
	const struct machine *machine;
	unsigned n_slots;
	struct task_total other[N_TASK_KINDS]; /* idle …; [TASK_THREAD] is not used */
	struct task_total *command;
	size_t n, cap;
	uint64_t last_ns, n_switches, n_lost;
	float cost_share; /* of the newest frame */
};

/**
 * Add a frame's tasks. Named are those commands that have most recent CPU time: another one takes the
 * place of the least of them when it has twice as much, or when that one has not run for five
 * minutes. A command begins with 0 when it is named, and what it counts while it is not is in [others]: so
 * counts only grow as long as they are there.
 *
 * @frame  of one and the same set; without tasks nothing changes
 * @return 0 or -ENOMEM, then not all of it is added
 */
int task_totals_add(struct task_totals *totals, const struct machine *machine,
		    const struct frame *frame);

/** The i-th that is named: commands, then idle, [unattributed] and [others]. @return NULL beyond the last */
const struct task_total *task_totals_named(const struct task_totals *totals, size_t i);

/** Release. NULL is accepted. */
void task_totals_fini(struct task_totals *totals);

#endif
