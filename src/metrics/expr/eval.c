/* eval.c: evaluate a program for the counts of one window */
#include "metrics/expr/program.h"

#include <assert.h>
#include <math.h>
#include <string.h>

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
	bool has_exact = false;

	values->slot = slot;
	memset(&values->exact, 0, bits_n_words(n) * sizeof(values->exact.word[0]));
	values->exact_ns = 0;
	values->n = n;
	for (unsigned i = 0; i < n; i++) {
		eval_take(values, i, &slot[i]);
		if (values->quality[i] != QUALITY_OK)
			continue;
		if (!has_exact)
			values->exact_ns = slot[i].enabled_ns;
		has_exact = true;
		if (slot[i].enabled_ns == values->exact_ns)
			column_set_add(&values->exact, i);
	}
}

/* Sum raw columns, to be scaled as a whole. Devices read on other cores add nothing. */
struct count metric_add_columns(const struct column_set *columns, bool is_of_devices,
				const struct count *slot)
{
	struct count sum = { .quality = QUALITY_NONE };

	column_set_each(columns, column) {
		if (is_of_devices)
			count_add_core(&sum, &slot[column]);
		else
			count_add_mux(&sum, &slot[column]);
	}
	return sum;
}

/* Add the sums of a binding. Cold, because most metrics have none. */
__attribute__((cold)) static void add_sums(const struct metric_binding *binding,
					   struct metric_values *values)
{
	for (unsigned i = 0; i < binding->n_sums; i++) {
		const struct column_set *columns = &binding->sum[i];
		bool is_of_devices = column_set_meets(columns, &binding->gathered);
		struct count sum = metric_add_columns(columns, is_of_devices, values->slot);

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
	/* a ratio of counts that are too low is an estimate */
	return quality == QUALITY_PARTIAL ? QUALITY_SCALED : quality;
}

static inline double input(const struct metric_binding *binding, const struct metric_values *values,
			   unsigned number)
{
	unsigned at = binding->slot[number];

	return at == BINDING_MISSING ? NAN : values->value[at];
}

/* Count the devices. Devices of the same name on several sockets count once: perf's metrics multiply by
 * #num_packages. */
unsigned metric_n_devices(const struct column_set *columns, const struct count *slot)
{
	unsigned n = 0;

	column_set_each(columns, column)
		n += slot[column].quality != QUALITY_NONE;
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

	struct column_set columns = metric_input_columns(binding, step->a);

	if (!column_set_meets(&columns, &binding->sources))
		return 1;
	return column_set_meets(&columns, &binding->gathered)
		       ? metric_n_devices(&columns, values->slot)
		       : values->sources[at];
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
		case METRIC_INPUT: value = input(binding, values, step->a); break;
		case METRIC_SHOWN:
			value = input(binding, values, step->a) * binding->scale[step->a];
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

/* Whether all inputs were counted throughout the same window. */
static bool are_exact(const struct metric_binding *binding, const struct metric_values *values)
{
	uint64_t others = 0;

	for (unsigned i = 0; i < bits_n_words(values->n); i++)
		others |= binding->slots.word[i] & ~values->exact.word[i];
	return !others;
}

struct reading metric_eval_values(const struct metric_program *program,
				  const struct metric_binding *binding,
				  struct metric_values *values)
{
	struct reading reading = { .quality = QUALITY_OK };

	if (binding->n_sums)
		add_sums(binding, values);
	if (!are_exact(binding, values))
		reading.quality = quality_of(program, binding, values);
	if (!quality_has_value(reading.quality))
		return reading;
	reading.value =
		program->is_ratio
			? metric_divide(program->by[0] * input(binding, values, program->of[0]),
					program->by[1] * input(binding, values, program->of[1]))
			: eval_run(program, binding, values);
	if (!isfinite(reading.value))
		return (struct reading){ .quality = QUALITY_UNDEFINED };
	return reading;
}

/* Get the number of slots up to the last one used: the array may end there. */
static unsigned n_slots(const struct metric_binding *binding)
{
	unsigned word = COLUMNS_MAX / 64;

	while (word && !binding->slots.word[word - 1])
		word--;
	return word ? 64 * word - (unsigned)__builtin_clzll(binding->slots.word[word - 1]) : 0;
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
	unsigned at = binding->slot[input];
	const struct column_set *columns;

	if (at == BINDING_MISSING)
		return -1;
	if (at < COLUMNS_MAX) {
		*ret = slot[at];
		return (int)at;
	}
	columns = &binding->sum[at - COLUMNS_MAX];
	*ret = metric_add_columns(columns, column_set_meets(columns, &binding->gathered), slot);
	return column_set_next(columns, -1);
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
		if (!count_is_requested(&count))
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

	column_set_each(&binding->slots, at) {
		if (quality == QUALITY_NONE && count_is_requested(&slot[at]))
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
	struct metric_binding binding = { .n_sums = 0 };
	struct metric_values values;

	memset(&binding.slots, 0xff, sizeof(binding.slots));

	for (unsigned i = 0; i < program->n_inputs; i++) {
		binding.slot[i] = (uint16_t)i;
		binding.scale[i] = scale ? scale[i] : 1;
	}
	metric_values_init(&values, input, program->n_inputs);
	memset(&values.exact, 0, sizeof(values.exact)); /* their windows differ: check each */
	return metric_eval_values(program, &binding, &values);
}

enum metric_alarm metric_judge_values(const struct metric_program *threshold,
				      const struct metric_binding *binding,
				      struct metric_values *values)
{
	if (binding->n_sums)
		add_sums(binding, values);

	double value = eval_run(threshold, binding, values);

	return isnan(value) ? ALARM_UNKNOWN : value != 0 ? ALARM_BEYOND : ALARM_WITHIN;
}

enum metric_alarm metric_judge(const struct metric_program *threshold,
			       const struct metric_binding *binding, const struct count *slot)
{
	struct metric_values values;

	metric_values_init(&values, slot, n_slots(binding));
	return metric_judge_values(threshold, binding, &values);
}
