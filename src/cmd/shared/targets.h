/* targets.h: the tasks that stat was asked to count */
#ifndef CMD_SHARED_TARGETS_H
#define CMD_SHARED_TARGETS_H

#include "cmd/options/options.h"

/**
 * Those of -p and -t; else a command's process, whose id is 0 until it has been started.
 *
 * @ret, @ret_n  allocated, for free(); NULL and 0 where CPUs are counted
 * @return       0; -EINVAL for what is no number; -ENOMEM
 */
int targets_parse(const struct options *options, struct task_target **ret, size_t *ret_n,
		  struct err *err);

/** Has the last of them ended? They are asked for by their ids. */
bool targets_have_ended(const struct task_target *target, size_t n);

#endif
