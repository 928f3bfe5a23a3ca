/* program.h: the compiled form of a metric expression; private to metrics/ */
#ifndef METRICS_EXPR_PROGRAM_H
#define METRICS_EXPR_PROGRAM_H

#include <math.h>
#include <stddef.h>

#include "metrics/expr/metric.h"

enum metric_op {
	METRIC_NUMBER,
	METRIC_INPUT,   /* what was counted */
	METRIC_SOURCES, /* how many units that was summed over */
	METRIC_SECONDS, /* the window */
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

/* One operation. Its operands are results of earlier steps, so that a part that an expression
 * has twice (the parents of top-down metrics) is worked out once. */
struct metric_step {
	double number;    /* METRIC_NUMBER */
	uint16_t a, b, c; /* steps before this one; METRIC_INPUT and _SOURCES: a is the input */
	uint8_t op;
};

/* The last step is the result. One piece of memory, input names included. */
struct metric_program {
	uint16_t n_steps, n_inputs;
	uint16_t n_sources; /* source_count() used: inputs' units matter */
	const char **input;
	struct metric_step step[];
};

/** How many operands an operation has: 0 for what is not worked out. */
unsigned metric_op_arity(uint8_t op);

/**
 * One operation on numbers. What is undefined is NaN, and stays NaN through whatever follows but
 * for `0 & x`, which is 0. Bits of numbers beyond 63 bits are undefined.
 */
double metric_apply(uint8_t op, double a, double b, double c);

/** a / b, undefined where b is 0; here, because nearly every metric divides. */
static inline double metric_divide(double a, double b)
{
	return b == 0 ? NAN : a / b;
}

#endif
