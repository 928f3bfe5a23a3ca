/* math.c: what each operation makes of its operands: once for folding and for evaluation */
#include <assert.h>
#include <math.h>

#include "metrics/expr/program.h"

unsigned metric_op_arity(uint8_t op)
{
	if (op < METRIC_NEGATE)
		return 0;
	if (op == METRIC_NEGATE)
		return 1;
	return op == METRIC_CHOOSE ? 3 : 2;
}

/* perf works on `long`: no fraction, and nothing that does not fit */
static bool is_integral(double a)
{
	return fabs(a) < 0x1p63;
}

static double remainder_of(double a, double b)
{
	if (!is_integral(a) || !is_integral(b))
		return NAN;

	int64_t x = (int64_t)a, y = (int64_t)b;

	return y == 0 ? NAN : y == -1 ? 0 : (double)(x % y);
}

static bool is_true(double a)
{
	return isfinite(a) && a != 0;
}

/* The side that is known may decide: 0 & x is 0, 1 | x is 1. */
static double logic(uint8_t op, double a, double b)
{
	if (op == METRIC_AND && (a == 0 || b == 0))
		return 0;
	if (op == METRIC_OR && (is_true(a) || is_true(b)))
		return 1;
	if (!isfinite(a) || !isfinite(b))
		return NAN;
	return op == METRIC_XOR ? (a != 0) != (b != 0) : op == METRIC_AND;
}

static double compare(uint8_t op, double a, double b)
{
	if (isunordered(a, b))
		return NAN;
	switch (op) {
	case METRIC_LESS: return a < b;
	case METRIC_GREATER: return a > b;
	case METRIC_MIN: return a < b ? a : b;
	default: return a > b ? a : b;
	}
}

static double d_ratio(double a, double b)
{
	if (isunordered(a, b))
		return NAN;
	return b == 0 ? 0 : a / b;
}

double metric_apply(uint8_t op, double a, double b, double c)
{
	switch (op) {
	case METRIC_NEGATE: return -a;
	case METRIC_ADD: return a + b;
	case METRIC_SUBTRACT: return a - b;
	case METRIC_MULTIPLY: return a * b;
	case METRIC_DIVIDE: return metric_divide(a, b);
	case METRIC_D_RATIO: return d_ratio(a, b);
	case METRIC_LESS:
	case METRIC_GREATER:
	case METRIC_MIN:
	case METRIC_MAX: return compare(op, a, b);
	case METRIC_AND:
	case METRIC_XOR:
	case METRIC_OR: return logic(op, a, b);
	case METRIC_REMAINDER: return remainder_of(a, b);
	case METRIC_CHOOSE: return isnan(b) ? NAN : b != 0 ? a : c;
	default: assert(false); return NAN;
	}
}
