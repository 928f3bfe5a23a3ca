/* own.h: expressions of the user's own among a session's metrics; private to metrics/ */
#ifndef METRICS_OWN_H
#define METRICS_OWN_H

#include "metrics/metrics.h"
#include "metrics/machine.h"

/**
 * Append a metric that is not compiled yet. One that is there with the same expression stays.
 *
 * @name, @expr  copied
 * @return       0, -ENOMEM; -EINVAL: the name is taken, or there are METRICS_OWN_MAX
 */
int metrics_own_add(struct metrics *metrics, const char *name, const char *expr, struct err *err);

/**
 * Compile those from number n on, each on every core type that has its events. They may use each
 * other.
 *
 * @return 0, -ENOMEM, as metric_compile; -ENOENT: no type has the events
 */
int metrics_own_compile(struct metrics *metrics, unsigned n, struct err *err);

/** The expression of one by name, as it is spelt. @return NULL: there is none */
const char *metrics_own_expr(const struct metrics *metrics, const char *name);

/** Has the present core type all events of a program? @return as metrics_machine_find_event */
int metrics_own_find_events(struct metrics_machine *machine, const struct metric_program *program,
			    struct err *err);

#endif
