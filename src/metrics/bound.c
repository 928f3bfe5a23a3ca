/* bound.c: bind the metrics of a session to a set, and evaluate them every tick */
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#include "metrics/expr/program.h"
#include "metrics/metrics.h"

static int bound_keep(const struct metric_binding *binding, struct metric_binding **ret)
{
	*ret = malloc(sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	**ret = *binding;
	return 0;
}

static int bind_alarm(const struct metric_program *alarm, const struct set *set, unsigned type,
		      const struct metric_binding *metric, struct metric_binding **ret)
{
	struct metric_binding binding;

	if (!alarm)
		return 0;
	metric_bind_alarm(alarm, set, type, metric, &binding);
	return bound_keep(&binding, ret);
}

/* Get the privilege level common to all columns, else PRIVILEGE_BOTH. */
static enum privilege bound_level_of(const struct placement *placement, uint64_t columns)
{
	enum privilege level = PRIVILEGE_BOTH;

	for (uint64_t left = columns; left; left &= left - 1) {
		enum privilege its = placement->event[__builtin_ctzll(left)]->privilege;

		if (left != columns && its != level)
			return PRIVILEGE_BOTH;
		level = its;
	}
	return level;
}

/* @return number of types that have it; -ENOMEM */
static int bind_metric(const struct metric *metric, const struct set *set, unsigned n_types,
		       struct metrics_bound *bound)
{
	int n = 0;

	for (unsigned t = 0; t < n_types; t++) {
		struct metric_binding binding;

		if (!metric->program[t] || !metric_bind_set(metric->program[t], set, t, &binding))
			continue;
		if (bound_keep(&binding, &bound->binding[t][bound->n]) ||
		    bind_alarm(metric->alarm[t], set, t, &binding, &bound->alarm[t][bound->n]))
			return -ENOMEM;
		bound->level[bound->n] = (uint8_t)bound_level_of(&set->type[t], binding.slots);
		n++;
	}
	return n;
}

static unsigned count_selected(const struct metrics *metrics)
{
	unsigned n = 0;

	for (unsigned i = 0; i < metrics->n; i++)
		n += metrics->metric[i].is_selected;
	return n;
}

/* Whether the set's preset lists the metric on some type. */
static bool is_of_preset(const struct metrics *metrics, const struct set *set, const char *metric)
{
	for (unsigned t = 0; *set->preset && t < metrics->machine->n_types; t++) {
		const struct catalog *catalog = metrics->machine->type[t].catalog;
		const struct catalog_preset *preset =
			catalog ? catalog_preset_find(catalog, set->preset) : NULL;
		const char *const *name = preset ? preset->metric : NULL;

		for (; name && *name; name++)
			if (strcasecmp(*name, metric) == 0)
				return true;
	}
	return false;
}

static void list_asked(const struct metrics *metrics, const struct set *set,
		       struct metrics_bound *bound)
{
	for (unsigned i = 0; i < bound->n; i++) {
		const struct metric *metric = &metrics->metric[bound->number[i]];

		if (metric->is_selected || is_of_preset(metrics, set, metric->name))
			bound->asked[bound->n_asked++] = bound->number[i];
	}
	if (bound->n_asked)
		return;
	for (unsigned i = 0; i < bound->n; i++)
		if (!catalog_is_variant(metrics->metric[bound->number[i]].group))
			bound->asked[bound->n_asked++] = bound->number[i];
}

int metrics_bind(const struct metrics *metrics, const struct set *set, unsigned n_types,
		 struct metrics_bound *ret)
{
	struct metrics_bound bound = { .n_slots = set->n_slots };
	unsigned n_reserved = count_selected(metrics);

	for (unsigned i = 0; i < metrics->n && bound.n < METRICS_BOUND_MAX; i++) {
		n_reserved -= metrics->metric[i].is_selected;
		if (!metrics->metric[i].is_selected && bound.n + n_reserved >= METRICS_BOUND_MAX)
			continue;

		int n = bind_metric(&metrics->metric[i], set, n_types, &bound);

		if (n) /* also after a failure half way, so that its bindings are released */
			bound.number[bound.n++] = (uint16_t)i;
		if (n < 0) {
			metrics_bound_fini(&bound);
			return n;
		}
	}
	list_asked(metrics, set, &bound);
	*ret = bound;
	return 0;
}

void metrics_bound_fini(struct metrics_bound *bound)
{
	for (unsigned t = 0; bound && t < TYPES_MAX; t++) {
		for (unsigned i = 0; i < bound->n; i++) {
			free(bound->binding[t][i]);
			free(bound->alarm[t][i]);
		}
	}
	if (bound)
		bound->n = 0;
}

/* Report why a metric is not available, for the last type that has it. */
static int say_unbound(const struct metrics *metrics, unsigned number, const struct set *set,
		       struct err *err)
{
	const struct metric *metric = &metrics->metric[number];
	struct err why = { "no core type has it" };
	struct metric_binding unused;

	for (unsigned t = 0; t < metrics->machine->n_types; t++) {
		if (!metric->program[t])
			continue;
		if (metric_bind_set(metric->program[t], set, t, &unused))
			return err_set(err, EINVAL, "metric %s: at most %d can be shown",
				       metric->name, METRICS_BOUND_MAX);
		metric_say_unbound(metric->program[t], set, t, &why);
	}
	return err_set(err, EINVAL, "metric %s: %s", metric->name, why.text);
}

int metrics_check_set(const struct metrics *metrics, const struct metrics_selection *selection,
		      const struct set *set, struct err *err)
{
	struct metrics_bound bound;
	int rc = metrics_bind(metrics, set, metrics->machine->n_types, &bound);

	if (rc)
		return err_set(err, -rc, "out of memory");
	for (size_t i = 0; i < selection->n && !rc; i++)
		if (metrics_column(&bound, selection->number[i]) < 0)
			rc = say_unbound(metrics, selection->number[i], set, err);
	metrics_bound_fini(&bound);
	return rc;
}

bool metrics_is_of_devices(const struct metrics_bound *bound, unsigned column)
{
	for (unsigned type = 0; type < TYPES_MAX; type++) {
		const struct metric_binding *binding = bound->binding[type][column];

		if (binding && binding->slots && binding->slots == binding->gathered)
			return true;
	}
	return false;
}

enum privilege metrics_level(const struct metrics_bound *bound, int number)
{
	int column = metrics_column(bound, number);

	return column < 0 ? PRIVILEGE_BOTH : (enum privilege)bound->level[column];
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

struct reading metric_in_unit(const struct metric *metric, struct reading value)
{
	value.value *= metric->scale;
	if (metric->is_approximate && value.quality == QUALITY_OK)
		value.quality = QUALITY_SCALED;
	return value;
}

void metrics_eval(const struct metrics *metrics, const struct metrics_bound *bound, unsigned type,
		  const struct count *slot, struct reading *ret)
{
	struct metric_values values;

	metric_values_init(&values, slot, bound->n_slots);
	for (unsigned i = 0; i < bound->n; i++) {
		const struct metric *metric = &metrics->metric[bound->number[i]];

		ret[i] = (struct reading){ .quality = QUALITY_NONE };
		if (!bound->binding[type][i])
			continue;
		ret[i] = metric_in_unit(metric,
					metric_eval_values(metric->program[type],
							   bound->binding[type][i], &values));
	}
}

enum metric_alarm metrics_judge(const struct metrics *metrics, const struct metrics_bound *bound,
				int number, unsigned type, const struct count *slot)
{
	int column = metrics_column(bound, number);

	if (column < 0 || !bound->alarm[type][column])
		return ALARM_UNKNOWN;
	return metric_judge(metrics->metric[number].alarm[type], bound->alarm[type][column], slot);
}
