/* backlog.h: a core's switches that have been handed over and not attributed yet; private to sampler/ */
#ifndef SAMPLER_TASKS_BACKLOG_H
#define SAMPLER_TASKS_BACKLOG_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/switch.h"

/** Grows to a fixed size. { 0 } is empty; free(bytes) releases it. */
struct backlog {
	char *bytes;
	size_t begin, end, size;
};

/** Put a copy behind the others. @return false: it is full, or there is no memory */
bool backlog_push(struct backlog *backlog, const struct task_switch *one);

/** The oldest. @ret  its values stay where they are until the next push  @return false: there is none */
bool backlog_peek(const struct backlog *backlog, struct task_switch *ret);

/** Take the oldest out. */
void backlog_pop(struct backlog *backlog);

/** Is more than half of what it may hold in it? */
bool backlog_is_half_full(const struct backlog *backlog);

#endif
