/* metric_eval.c: postfix code over the counts of one window */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "metrics/program.h"

/* Two operands; an undefined result is NaN and stays NaN through whatever follows. */
static double apply(uint8_t op, double a, double b)
{
	if (isnan(a) || isnan(b))
		return NAN;
	switch (op) {
	case METRIC_ADD: return a + b;
	case METRIC_SUBTRACT: return a - b;
	case METRIC_MULTIPLY: return a * b;
	case METRIC_DIVIDE: return b == 0 ? NAN : a / b;
	case METRIC_D_RATIO: return b == 0 ? 0 : a / b;
	case METRIC_MIN: return a < b ? a : b;
	case METRIC_MAX: return a > b ? a : b;
	default: assert(false); return NAN;
	}
}

static double run(const struct metric_program *program, const double *input)
{
	double stack[METRIC_CODE_MAX];
	unsigned top = 0;

	for (unsigned i = 0; i < program->n_code; i++) {
		const struct metric_step *step = &program->code[i];

		if (step->op == METRIC_NUMBER) {
			stack[top++] = step->number;
		} else if (step->op == METRIC_INPUT) {
			stack[top++] = input[step->input];
		} else if (step->op == METRIC_NEGATE) {
			assert(top >= 1);
			stack[top - 1] = -stack[top - 1];
		} else {
			assert(top >= 2);
			top--;
			stack[top - 1] = apply(step->op, stack[top - 1], stack[top]);
		}
	}
	assert(top == 1);
	return stack[0];
}

struct reading metric_eval(const struct metric_program *program,
			   const struct metric_binding *binding, const struct count *slot)
{
	double input[METRIC_INPUTS_MAX];
	enum quality quality = QUALITY_OK;
	const struct count *first = &slot[binding->slot[0]];

	for (unsigned i = 0; i < program->n_inputs; i++) {
		const struct count *count = &slot[binding->slot[i]];
		struct reading total = count_total(count);

		/* NONE would count as better than OK: an input that is nowhere is not counted */
		if (total.quality == QUALITY_NONE)
			total.quality = QUALITY_NOT_COUNTED;
		quality = quality_worst(quality, total.quality);
		/* inputs from two windows: the ratio is an estimate, however exact its parts are */
		if (count->enabled_ns != first->enabled_ns)
			quality = quality_worst(quality, QUALITY_SCALED);
		input[i] = total.value;
	}
	if (!quality_has_value(quality))
		return (struct reading){ .quality = quality };

	double value = run(program, input);

	if (!isfinite(value))
		return (struct reading){ .quality = QUALITY_UNDEFINED };
	return (struct reading){ .value = value, .quality = quality };
}

static bool bind_levels(const struct metric_program *program, const struct placement *placement,
			enum event_levels levels, struct metric_binding *ret)
{
	struct metric_binding binding = { 0 };

	for (unsigned i = 0; i < program->n_inputs; i++) {
		unsigned slot = 0;

		for (; slot < SLOTS_MAX; slot++) {
			const struct event *event = placement->event[slot];

			if (event && event->levels == levels && event_is(event, program->input[i]))
				break;
		}
		if (slot == SLOTS_MAX)
			return false;
		binding.slot[i] = (uint8_t)slot;
	}
	*ret = binding;
	return true;
}

bool metric_bind(const struct metric_program *program, const struct placement *placement,
		 struct metric_binding *ret)
{
	/* cycles:u and instructions:k make no ratio: all inputs at the same levels */
	return bind_levels(program, placement, LEVELS_BOTH, ret) ||
	       bind_levels(program, placement, LEVELS_USER, ret) ||
	       bind_levels(program, placement, LEVELS_KERNEL, ret);
}
