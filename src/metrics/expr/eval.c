/* eval.c: evaluate a program for the counts of one window */
#include "metrics/expr/program.h"

#include <assert.h>
#include <math.h>

unsigned metric_op_arity(uint8_t op)
{
	if (op < METRIC_NEGATE)
		return 0;
	if (op == METRIC_NEGATE)
		return 1;
	return op == METRIC_CHOOSE ? 3 : 2;
}

/* Whether a value fits `long`, in which perf calculates remainders. */
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

/* Evaluate a logical operation. One known operand may decide: 0 & x is 0, 1 | x is 1. */
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

static double math_compare(uint8_t op, double a, double b)
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
	case METRIC_MAX: return math_compare(op, a, b);
	case METRIC_AND:
	case METRIC_XOR:
	case METRIC_OR: return logic(op, a, b);
	case METRIC_REMAINDER: return remainder_of(a, b);
	case METRIC_CHOOSE: return isnan(b) ? NAN : b != 0 ? a : c;
	default: assert(false); return NAN;
	}
}

static inline void eval_take(struct metric_values *values, unsigned at, const struct count *count)
{
	struct reading total = count_total(count);

	/* NONE ranks better than OK, but a missing input is not counted */
	if (total.quality == QUALITY_NONE)
		total.quality = QUALITY_NOT_COUNTED;
	values->quality[at] = total.quality;
	values->value[at] = quality_has_value(total.quality) ? total.value : NAN;
	values->sources[at] = count->n_summed > 1 ? count->n_summed : 1;
	values->window_ns[at] = count->enabled_ns;
}

void metric_values_init(struct metric_values *values, const struct count *slot, unsigned n)
{
	values->slot = slot;
	values->exact = 0;
	values->exact_ns = 0;
	values->n = n;
	for (unsigned i = 0; i < n; i++) {
		eval_take(values, i, &slot[i]);
		if (values->quality[i] != QUALITY_OK || i >= COLUMNS_MAX)
			continue;
		if (!values->exact)
			values->exact_ns = slot[i].enabled_ns;
		if (slot[i].enabled_ns == values->exact_ns)
			values->exact |= UINT64_C(1) << i;
	}
}

/* Sum raw columns, to be scaled as a whole. Devices read on other cores add nothing. */
struct count metric_add_columns(uint64_t columns, bool is_of_devices, const struct count *slot)
{
	struct count sum = { .quality = QUALITY_NONE };

	for (; columns; columns &= columns - 1) {
		const struct count *one = &slot[__builtin_ctzll(columns)];

		if (is_of_devices)
			count_add_core(&sum, one);
		else
			count_add_mux(&sum, one);
	}
	return sum;
}

/* Add the sums of a binding. Cold, because most metrics have none. */
__attribute__((cold)) static void add_sums(const struct metric_binding *binding,
					   struct metric_values *values)
{
	for (unsigned i = 0; i < binding->n_sums; i++) {
		uint64_t columns = binding->sum[i];
		struct count sum =
			metric_add_columns(columns, columns & binding->gathered, values->slot);

		eval_take(values, COLUMNS_MAX + i, &sum);
	}
}

/* Get the worst quality of the inputs. A ratio of two windows is an estimate even if its inputs are exact. */
static enum quality quality_of(const struct metric_program *program,
			       const struct metric_binding *binding,
			       const struct metric_values *values)
{
	enum quality quality = QUALITY_OK;
	uint64_t window_ns = 0;

	for (unsigned i = 0; i < program->n_inputs; i++) {
		unsigned at = binding->slot[i];

		if (at == BINDING_MISSING)
			return QUALITY_NOT_COUNTED;
		quality = quality_worst(quality, values->quality[at]);
		if (!i)
			window_ns = values->window_ns[at];
		if (values->window_ns[at] != window_ns)
			quality = quality_worst(quality, QUALITY_SCALED);
	}
	return quality;
}

static double input(const struct metric_binding *binding, const struct metric_values *values,
		    const struct metric_step *step)
{
	unsigned at = binding->slot[step->a];

	return at == BINDING_MISSING ? NAN : values->value[at];
}

/* Count the devices. Devices of the same name on several sockets count once: perf's metrics multiply by
 * #num_packages. */
unsigned metric_n_devices(uint64_t columns, const struct count *slot)
{
	unsigned n = 0;

	for (; columns; columns &= columns - 1)
		n += slot[__builtin_ctzll(columns)].quality != QUALITY_NONE;
	return n;
}

static double sources(const struct metric_binding *binding, const struct metric_values *values,
		      const struct metric_step *step)
{
	unsigned at = binding->slot[step->a];

	if (at == BINDING_MISSING)
		return NAN;
	if (binding->n_sources)
		return binding->n_sources[step->a];

	uint64_t columns = metric_input_columns(binding, step->a) & binding->sources;

	if (columns & binding->gathered)
		return metric_n_devices(columns, values->slot);
	return columns ? values->sources[at] : 1;
}

/* Get the window's length, s; of summed cores the mean. Taken from the first column with a value: others may lack a
 * core's time. */
static double seconds(const struct metric_values *values)
{
	double any = NAN;

	for (unsigned i = 0; i < values->n; i++) {
		double is = (double)values->window_ns[i] * 1e-9 / values->sources[i];

		if (values->window_ns[i] && quality_has_value(values->quality[i]))
			return is;
		if (values->window_ns[i] && isnan(any))
			any = is;
	}
	return any;
}

/* Run a program. Common operations are inlined; metric_apply has all others. */
static double eval_run(const struct metric_program *program, const struct metric_binding *binding,
		       const struct metric_values *values)
{
	double at[METRIC_STEPS_MAX];
	double value = NAN;

	at[0] = NAN; /* unused operands refer to step 0 */
	for (unsigned i = 0; i < program->n_steps; i++) {
		const struct metric_step *step = &program->step[i];

		switch (step->op) {
		case METRIC_NUMBER: value = step->number; break;
		case METRIC_INPUT: value = input(binding, values, step); break;
		case METRIC_SHOWN:
			value = input(binding, values, step) * binding->scale[step->a];
			break;
		case METRIC_SOURCES: value = sources(binding, values, step); break;
		case METRIC_SECONDS: value = seconds(values); break;
		case METRIC_ADD: value = at[step->a] + at[step->b]; break;
		case METRIC_SUBTRACT: value = at[step->a] - at[step->b]; break;
		case METRIC_MULTIPLY: value = at[step->a] * at[step->b]; break;
		case METRIC_DIVIDE: value = metric_divide(at[step->a], at[step->b]); break;
		default: value = metric_apply(step->op, at[step->a], at[step->b], at[step->c]);
		}
		at[i] = value;
	}
	return value;
}

struct reading metric_eval_values(const struct metric_program *program,
				  const struct metric_binding *binding,
				  struct metric_values *values)
{
	struct reading reading = { .quality = QUALITY_OK };

	if (binding->n_sums)
		add_sums(binding, values);
	if (binding->slots & ~values->exact)
		reading.quality = quality_of(program, binding, values);
	if (!quality_has_value(reading.quality))
		return reading;
	reading.value = eval_run(program, binding, values);
	if (!isfinite(reading.value))
		return (struct reading){ .quality = QUALITY_UNDEFINED };
	return reading;
}

/* Get the number of slots up to the last one used: the array may end there. */
static unsigned n_slots(const struct metric_binding *binding)
{
	return binding->slots ? 64 - (unsigned)__builtin_clzll(binding->slots) : 0;
}

struct reading metric_eval(const struct metric_program *program,
			   const struct metric_binding *binding, const struct count *slot)
{
	struct metric_values values;

	metric_values_init(&values, slot, n_slots(binding));
	return metric_eval_values(program, binding, &values);
}

int metric_input_count(const struct metric_binding *binding, unsigned input,
		       const struct count *slot, struct count *ret)
{
	uint64_t columns = metric_input_columns(binding, input);

	if (!columns)
		return -1;
	if (binding->slot[input] < COLUMNS_MAX)
		*ret = slot[binding->slot[input]];
	else
		*ret = metric_add_columns(columns, columns & binding->gathered, slot);
	return __builtin_ctzll(columns);
}

/* Get the worst quality of the bound inputs; NONE if one was not requested in the window. */
static enum quality quality_of_inputs(const struct metric_program *program,
				      const struct metric_binding *binding,
				      const struct count *slot)
{
	enum quality worst = QUALITY_OK;
	struct count count;

	for (unsigned i = 0; i < program->n_inputs; i++) {
		if (metric_input_count(binding, i, slot, &count) < 0)
			continue;
		if (!count_was_asked(&count))
			return QUALITY_NONE;
		worst = quality_worst(worst, count.quality);
	}
	return worst;
}

void metric_add_window(const struct metric_program *program, const struct metric_binding *binding,
		       const struct count *slot, struct count *sum)
{
	enum quality quality = quality_of_inputs(program, binding, slot);
	struct count without;

	for (uint64_t left = binding->slots; left; left &= left - 1) {
		unsigned at = (unsigned)__builtin_ctzll(left);

		if (quality == QUALITY_NONE && count_was_asked(&slot[at]))
			continue;
		count_add_window(&sum[at], quality_has_value(quality)
						   ? &slot[at]
						   : count_without_value(&slot[at], &without));
	}
}

void metric_add_windows(const struct metric_program *program, const struct metric_binding *binding,
			const struct count_windows *windows, struct count *sum)
{
	for (unsigned i = 0; i < windows->n; i++)
		metric_add_window(program, binding, count_windows_part(windows, i), sum);
}

struct reading metric_eval_inputs(const struct metric_program *program, const struct count *input,
				  const double *scale)
{
	struct metric_binding binding = { .slots = UINT64_MAX };
	struct metric_values values;

	for (unsigned i = 0; i < program->n_inputs; i++) {
		binding.slot[i] = (uint8_t)i;
		binding.scale[i] = scale ? scale[i] : 1;
	}
	metric_values_init(&values, input, program->n_inputs);
	values.exact = 0; /* there may be more inputs than bits: check each */
	return metric_eval_values(program, &binding, &values);
}

enum metric_alarm metric_judge(const struct metric_program *threshold,
			       const struct metric_binding *binding, const struct count *slot)
{
	struct metric_values values;

	metric_values_init(&values, slot, n_slots(binding));
	add_sums(binding, &values);

	double value = eval_run(threshold, binding, &values);

	return isnan(value) ? ALARM_UNKNOWN : value != 0 ? ALARM_BEYOND : ALARM_WITHIN;
}
