/* metric.h: an expression compiled once, bound to a placement, evaluated without allocation */
#ifndef METRICS_METRIC_H
#define METRICS_METRIC_H

#include "base/err.h"
#include "metrics/count.h"
#include "pmu/set.h"

enum { METRICS_MAX = 128, METRIC_INPUTS_MAX = 16, METRIC_CODE_MAX = 64 };

/** A compiled expression. Constant; any thread may evaluate it. */
struct metric_program;

/**
 * Compile: numbers, event names, + - * /, unary minus, parentheses, d_ratio, min, max.
 * (The whole of perf's grammar comes with the metric engine proper; it goes in here.)
 *
 * @return 0; -EINVAL with the place in the expression; -E2BIG when it is too long
 */
int metric_compile(const char *expr, struct metric_program **ret, struct err *err);

/** Release. NULL is accepted. */
void metric_program_free(struct metric_program *program);

/** The n-th event name that the expression uses. @return NULL beyond the last */
const char *metric_input(const struct metric_program *program, unsigned n);

/** For each input the slot that counts it. */
struct metric_binding {
	uint8_t slot[METRIC_INPUTS_MAX];
};

/**
 * Find the program's inputs among the events of a placement, by name or alias, all of them counted
 * at the same exception levels.
 *
 * @return true; false when one of them is not counted by this placement
 */
bool metric_bind(const struct metric_program *program, const struct placement *placement,
		 struct metric_binding *ret);

/**
 * Work it out over the counts of one window of one core (or of cores of one type, summed).
 * Inputs are scaled by their own enabled/running; the result is never better than its worst
 * input; division by zero is UNDEFINED, d_ratio(x, 0) is 0.
 *
 * @slot   counts by slot
 */
struct reading metric_eval(const struct metric_program *program,
			   const struct metric_binding *binding, const struct count *slot);

/** One metric of a session, the same number in every frame. */
struct metric {
	const char *name;
	const char *short_name;
	const char *unit;
	const char *brief;
	double scale; /* applied by metrics_eval, so that readings are in `unit` */
	struct metric_program *program[TYPES_MAX]; /* NULL: this type does not have it */
};

/** The metrics of a session: number 0 is IPC where there is one. Constant once made. */
struct metrics {
	struct metric *metric;
	unsigned n;
};

/**
 * Every metric of the machine's catalogues, IPC and CPI first.
 *
 * @return 0; -EINVAL naming the metric and the place in its expression
 */
int metrics_make(const struct machine *machine, struct metrics *ret, struct err *err);

/** Release. NULL is accepted. */
void metrics_fini(struct metrics *metrics);

/** Metrics bound to one set: made on the main thread when the set is loaded, then constant. */
struct metrics_bound {
	struct metric_binding binding[TYPES_MAX][METRICS_MAX];
	bool bound[TYPES_MAX][METRICS_MAX];
};

/** Bind all of them. */
void metrics_bind(const struct metrics *metrics, const struct set *set, unsigned n_types,
		  struct metrics_bound *ret);

/**
 * Work out every metric for one window of one core type.
 *
 * @ret  metrics->n readings, scaled; NONE where the set does not count its inputs
 */
void metrics_eval(const struct metrics *metrics, const struct metrics_bound *bound, unsigned type,
		  const struct count *slot, struct reading *ret);

/** Number of a metric by name. @return -1 when there is none */
int metrics_find(const struct metrics *metrics, const char *name);

#endif
