/* program.h: the compiled form of a metric expression, its inputs and its evaluation; private to metrics/ */
#ifndef METRICS_EXPR_PROGRAM_H
#define METRICS_EXPR_PROGRAM_H

#include <math.h>

#include "metrics/expression.h"

enum metric_op {
	METRIC_NUMBER,
	METRIC_INPUT,   /* count of an input */
	METRIC_SHOWN,   /* count in the event's unit, as in its column */
	METRIC_SOURCES, /* number of units that an input was summed over */
	METRIC_SECONDS, /* length of the window */
	METRIC_NEGATE,
	METRIC_ADD,
	METRIC_SUBTRACT,
	METRIC_MULTIPLY,
	METRIC_DIVIDE,
	METRIC_REMAINDER,
	METRIC_LESS,
	METRIC_GREATER,
	METRIC_AND,
	METRIC_XOR,
	METRIC_OR,
	METRIC_MIN,
	METRIC_MAX,
	METRIC_D_RATIO,
	METRIC_CHOOSE, /* a if b else c */
	N_METRIC_OPS,
};

/* An operation. Operands are results of earlier steps, so that a repeated part of an expression (the parents of
 * top-down metrics) is evaluated once. */
struct metric_step {
	double number;    /* METRIC_NUMBER */
	uint16_t a, b, c; /* earlier steps; for _INPUT, _SHOWN, _SOURCES: a is the input */
	uint8_t op;
};

/* A compiled expression, which owns the names of its inputs. The last step is the result. */
struct metric_program {
	uint16_t n_steps, n_inputs;
	/* (by[0] × input of[0]) / (by[1] × input of[1]), as most metrics are: evaluated without steps */
	bool is_ratio;
	uint16_t of[2];
	double by[2];
	char **input;
	struct metric_step step[];
};

/** Get the number of operands of an operation: 0 for numbers and measured values. */
unsigned metric_op_arity(uint8_t op);

/**
 * Apply an operation to numbers. Undefined results are NaN, which propagates except through `0 & x`, which is 0. Bits
 * of numbers beyond 63 bits are undefined.
 */
double metric_apply(uint8_t op, double a, double b, double c);

/** Divide; undefined if b is 0. Inline, because nearly every metric divides. */
static inline double metric_divide(double a, double b)
{
	return b == 0 ? NAN : a / b;
}

/* ---- names of inputs */

/**
 * A parsed name, "cpu/EVENT,umask=1/u": PMU or "", event, and the levels if given. In "EVENT/umask=1/" the event is in
 * `pmu`.
 */
struct metric_wanted {
	char pmu[EVENT_NAME_MAX], what[EVENT_NAME_MAX];
	bool has_privilege;
	bool is_latency; /* modifier R: the time for an event to retire, which no counter
	                  * measures */
	enum privilege privilege;
};

/** Parse the name of an input. */
struct metric_wanted metric_wanted_of(const char *input);

/* ---- evaluation */

enum { METRIC_VALUES_MAX = COLUMNS_MAX + BINDING_SUMS_MAX };

/* Values of one window's counts, prepared once for all metrics. Columns are followed by the sums of the metric being
 * evaluated. */
struct metric_values {
	const struct count *slot;
	unsigned n;
	struct column_set exact; /* slots below n that counted throughout the same window */
	uint64_t exact_ns;
	double value[METRIC_VALUES_MAX]; /* NaN: no value */
	double sources[METRIC_VALUES_MAX];
	uint64_t window_ns[METRIC_VALUES_MAX];
	enum quality quality[METRIC_VALUES_MAX];
};

/** Prepare counts. @n  number of counts */
void metric_values_init(struct metric_values *values, const struct count *slot, unsigned n);

/** Evaluate a program as metric_eval does, with prepared counts. */
struct reading metric_eval_values(const struct metric_program *program,
				  const struct metric_binding *binding,
				  struct metric_values *values);

/** Evaluate a threshold as metric_judge does, with prepared counts. */
enum metric_alarm metric_judge_values(const struct metric_program *threshold,
				      const struct metric_binding *binding,
				      struct metric_values *values);

#endif
