/* program.h: the compiled form of a metric expression: postfix code; private to metrics/ */
#ifndef METRICS_PROGRAM_H
#define METRICS_PROGRAM_H

#include "metrics/metric.h"

enum metric_op {
	METRIC_NUMBER,
	METRIC_INPUT,
	METRIC_NEGATE,
	METRIC_ADD,
	METRIC_SUBTRACT,
	METRIC_MULTIPLY,
	METRIC_DIVIDE,
	METRIC_D_RATIO,
	METRIC_MIN,
	METRIC_MAX,
};

struct metric_step {
	double number; /* METRIC_NUMBER */
	uint8_t op;
	uint8_t input; /* METRIC_INPUT */
};

struct metric_program {
	uint8_t n_code, n_inputs;
	struct metric_step code[METRIC_CODE_MAX];
	char *input[METRIC_INPUTS_MAX];
};

#endif
