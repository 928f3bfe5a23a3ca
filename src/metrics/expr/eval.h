/* eval.h: counts made ready for many programs; private to metrics/ */
#ifndef METRICS_EXPR_EVAL_H
#define METRICS_EXPR_EVAL_H

#include "metrics/expr/program.h"

/* What the counts of one window are worth, worked out once for all metrics. Behind the columns
 * stand the sums of the metric that is being evaluated. */
struct metric_values {
	const struct count *slot;
	unsigned n;
	uint64_t exact; /* slots, as bits, that counted all of one and the same window */
	uint64_t exact_ns;
	double value[METRIC_INPUTS_MAX]; /* NaN where there is none */
	double sources[METRIC_INPUTS_MAX];
	uint64_t window_ns[METRIC_INPUTS_MAX];
	enum quality quality[METRIC_INPUTS_MAX];
};

/** @n  how many counts */
void metric_values_init(struct metric_values *values, const struct count *slot, unsigned n);

/** As metric_eval, of counts made ready. */
struct reading metric_eval_values(const struct metric_program *program,
				  const struct metric_binding *binding,
				  struct metric_values *values);

#endif
