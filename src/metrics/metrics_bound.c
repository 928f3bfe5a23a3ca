/* metrics_bound.c: what one set gives of a session's metrics, and working it out every tick */
#include "metrics/metric_eval.h"
#include "metrics/metrics.h"

static bool bind_one(const struct metric *metric, const struct set *set, unsigned n_types,
		     unsigned column, struct metrics_bound *bound)
{
	bool is_bound = false;

	for (unsigned t = 0; t < n_types; t++) {
		bound->bound[t][column] =
			metric->program[t] && metric_bind(metric->program[t], &set->type[t],
							  &bound->binding[t][column]);
		is_bound |= bound->bound[t][column];
		if (metric->alarm[t])
			metric_bind(metric->alarm[t], &set->type[t], &bound->alarm[t][column]);
	}
	return is_bound;
}

void metrics_bind(const struct metrics *metrics, const struct set *set, unsigned n_types,
		  struct metrics_bound *ret)
{
	ret->n = 0;
	ret->n_slots = set->n_slots;
	for (unsigned i = 0; i < metrics->n && ret->n < METRICS_BOUND_MAX; i++) {
		if (!bind_one(&metrics->metric[i], set, n_types, ret->n, ret))
			continue;
		ret->number[ret->n++] = (uint16_t)i;
	}
}

int metrics_column(const struct metrics_bound *bound, int number)
{
	unsigned low = 0, high = bound->n;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (bound->number[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < bound->n && bound->number[low] == number ? (int)low : -1;
}

void metrics_eval(const struct metrics *metrics, const struct metrics_bound *bound, unsigned type,
		  const struct count *slot, struct reading *ret)
{
	struct metric_values values;

	metric_values_init(&values, slot, bound->n_slots);
	for (unsigned i = 0; i < bound->n; i++) {
		const struct metric *metric = &metrics->metric[bound->number[i]];

		ret[i] = (struct reading){ .quality = QUALITY_NONE };
		if (!bound->bound[type][i])
			continue;
		ret[i] = metric_eval_values(metric->program[type], &bound->binding[type][i],
					    &values);
		ret[i].value *= metric->scale;
	}
}

enum metric_alarm metrics_judge(const struct metrics *metrics, const struct metrics_bound *bound,
				int number, unsigned type, const struct count *slot)
{
	int column = metrics_column(bound, number);

	if (column < 0 || !bound->bound[type][column] || !metrics->metric[number].alarm[type])
		return ALARM_UNKNOWN;
	return metric_judge(metrics->metric[number].alarm[type], &bound->alarm[type][column],
			    slot);
}
