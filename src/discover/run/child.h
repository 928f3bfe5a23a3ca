/* child.h: a process of ours: in a group of its own, watched, and ended with all that it started */
#ifndef DISCOVER_RUN_CHILD_H
#define DISCOVER_RUN_CHILD_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

/** What a child does, behind the fork: nothing may be allocated. @return its exit status */
typedef int child_fn(void *data);

/**
 * Fork. The child blocks no signals and dies of those that programs die of; it leads a process group
 * of its own, so that Ctrl-C is not for it, and is killed when the calling thread ends.
 *
 * @return its pid, for child_wait by the same thread; -errno
 */
pid_t child_start(child_fn *body, void *data);

/** Ask it and its group to end at once; child_wait follows. */
void child_kill(pid_t pid);

/**
 * Wait until it ends, then end what is left of its group.
 *
 * @stop        set by another thread: it is killed; NULL: nobody does
 * @limit_ns    it may take so long, else it is killed; 0: any time
 * @ret_status  as of waitpid, also when it was killed
 * @return      0; -ECANCELED; -ETIMEDOUT; -errno of waitpid
 */
int child_wait(pid_t pid, const atomic_bool *stop, uint64_t limit_ns, int *ret_status);

#endif
