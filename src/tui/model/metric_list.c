#include "tui/model/metric_list.h"

#include <string.h>

#include "base/cleanup.h"

bool metric_list_has(const struct metric_list *list, unsigned number)
{
	for (unsigned i = 0; i < list->n; i++)
		if (list->number[i] == number)
			return true;
	return false;
}

int metric_list_primary(const struct metrics *metrics, const struct metric_list *list)
{
	static const char *const names[] = { "IPC", "Utilisation" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		int number = metrics_find(metrics, names[i]);

		if (number >= 0 && metric_list_has(list, (unsigned)number))
			return number;
	}
	return -1;
}

void metric_list_add(struct metric_list *list, unsigned number)
{
	if (list->n < METRICS_BOUND_MAX && !metric_list_has(list, number))
		list->number[list->n++] = (uint16_t)number;
}

void metric_list_remove(struct metric_list *list, unsigned number)
{
	unsigned n = 0;

	for (unsigned i = 0; i < list->n; i++)
		if (list->number[i] != number)
			list->number[n++] = list->number[i];
	list->n = n;
}

/* What the presets of that name are for, over all core types. */
static void add_preset(const struct metrics *metrics, const char *name, struct metric_list *list)
{
	const struct machine *machine = metrics->machine;

	for (unsigned type = 0; type < machine->n_types; type++) {
		const struct catalog_preset *preset =
			catalog_preset_find(machine->type[type].catalog, name);

		for (unsigned i = 0; preset && preset->metric && preset->metric[i]; i++) {
			int number = metrics_find(metrics, preset->metric[i]);

			if (number >= 0)
				metric_list_add(list, (unsigned)number);
		}
	}
}

/* Is it one of the cores that the set gives? */
static bool is_bound(const struct metrics_bound *bound, unsigned number)
{
	int column = metrics_column(bound, (int)number);

	return column >= 0 && !metrics_is_of_devices(bound, (unsigned)column);
}

int metric_list_of_set(const struct metrics *metrics, const struct set *set,
		       const struct metric_list *chosen, struct metric_list *ret)
{
	struct metric_list wanted = *chosen, list = { 0 };
	struct metrics_bound bound;
	int r = metrics_bind(metrics, set, metrics->machine->n_types, &bound);

	if (r < 0)
		return r;
	if (!wanted.n && *set->preset)
		add_preset(metrics, set->preset, &wanted);
	for (unsigned i = 0; i < wanted.n; i++)
		if (is_bound(&bound, wanted.number[i]))
			metric_list_add(&list, wanted.number[i]);
	list.n_leading = list.n;
	for (unsigned i = 0; i < bound.n; i++)
		if (is_bound(&bound, bound.number[i]) &&
		    !catalog_is_variant(metrics->metric[bound.number[i]].group))
			metric_list_add(&list, bound.number[i]);
	metrics_bound_fini(&bound);
	*ret = list;
	return 0;
}
