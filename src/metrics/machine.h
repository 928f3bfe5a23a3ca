/* machine.h: what expressions may ask of the machine; private to metrics/ */
#ifndef METRICS_MACHINE_H
#define METRICS_MACHINE_H

#include "metrics/expr/literal.h"
#include "metrics/expr/metric.h"

struct metrics;

/** The machine as one core type's expressions see it. */
struct metrics_machine {
	const struct machine *machine;
	const struct literals *literals;
	unsigned type;
	struct event_table *events;    /* for has_event() */
	const struct metrics *metrics; /* whose own expressions may be named; NULL: none */
	struct metric_context context;
};

/** @return 0 or -ENOMEM */
int metrics_machine_init(struct metrics_machine *ret, const struct machine *machine,
			 const struct literals *literals);

/** Release. NULL is accepted. */
void metrics_machine_fini(struct metrics_machine *machine);

/** Expressions of this core type from now on. @return the context for metric_compile */
const struct metric_context *metrics_machine_of_type(struct metrics_machine *machine,
						     unsigned type);

/** Is there such an event on the present core type? On a recorded machine there may always have
 * been. @return 0, or as event_resolve */
int metrics_machine_find_event(struct metrics_machine *machine, const char *name, struct err *err);

#endif
