/* programs.h: child processes, and programs run by the shell and counted as tasks */
#ifndef DISCOVER_RUN_PROGRAMS_H
#define DISCOVER_RUN_PROGRAMS_H

#include <stdint.h>
#include <sys/types.h>
#include <stdatomic.h>

#include "discover/run/runner.h"

/** Body of a child, after the fork: it must not allocate. @return its exit status */
typedef int child_fn(void *data);

/**
 * Fork. The child blocks no signals and has default actions for fatal ones; it leads its own
 * process group, so that Ctrl-C does not reach it, and is killed when the calling thread ends.
 *
 * @return its pid, for child_wait by the same thread; -errno
 */
pid_t child_start(child_fn *body, void *data);

/**
 * Wait until it ends, then kill the rest of its group.
 *
 * @stop        set by another thread to kill it; NULL: never
 * @limit_ns    it is killed after this time; 0: no limit
 * @ret_status  from waitpid, also if it was killed
 * @return      0; -ECANCELED; -ETIMEDOUT; -errno of waitpid
 */
int child_wait(pid_t pid, const atomic_bool *stop, uint64_t limit_ns, int *ret_status);

/**
 * Run a command to its end: on the CPUs allowed to the calling thread, without input, output
 * discarded. It is killed with the thread; what remains in its process group is killed when it
 * ends.
 *
 * @backend  counts `set` in it and all that it starts, from exec to end; NULL: no counting
 * @type     core type to count on
 * @stop     set by another thread to kill it and its process group; NULL: never
 * @ret      final tasks_read; NULL without backend
 * @return   0; -ENOTSUP if the backend cannot count tasks; -ECHILD if it failed, with its error
 *           output; -ECANCELED if stopped; as backend_ops.tasks_open
 */
int program_run(const char *command, uint64_t n, struct backend *backend, unsigned type,
		const struct set *set, const atomic_bool *stop, struct sample *ret,
		struct err *err);

#endif
