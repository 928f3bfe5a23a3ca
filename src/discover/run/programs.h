/* programs.h: run a program by the shell, and count it as a task */
#ifndef DISCOVER_RUN_PROGRAMS_H
#define DISCOVER_RUN_PROGRAMS_H

#include <stdatomic.h>

#include "discover/run/runner.h"

/** Commands for sh -c. Each "{n}" stands for the number of triggers, and so does $M1TOP_N. */
struct programs {
	const char *trigger, *control;
};

/**
 * Run a command to its end: on the CPUs that the calling thread may use, with nothing to read and
 * its output thrown away. It dies with the thread, and what it leaves in its process group is killed
 * when it ends.
 *
 * @backend  counts `set` in it and in all that it starts, from its exec to its end; NULL: nobody does
 * @type     what it does on the cores of this type
 * @stop     set by another thread: it is killed, with what it started in its process group; NULL:
 *           nobody does
 * @ret      what tasks_read says then; NULL without backend
 * @return   0; -ENOTSUP this backend cannot count tasks; -ECHILD it failed, with what it wrote about
 *           that; -ECANCELED stopped; as backend_ops.tasks_open
 */
int program_run(const char *command, uint64_t n, struct backend *backend, unsigned type,
		const struct set *set, const atomic_bool *stop, struct sample *ret,
		struct err *err);

/** Counts of a program, which may be put off its counters: what is left is scaled, what was never
 * counted is lost. @ret  counts and states of the slots  @return false where any is lost */
bool program_counts(const struct sample *sample, struct run *ret);

#endif
