#include "tui/model/columns.h"

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

/* A list being ordered. */
struct nesting {
	const struct metric *metric;
	const struct metric_list *from;
	struct metric_list to;
	uint8_t *depth;
	bool is_taken[METRICS_BOUND_MAX]; /* by position in `from` */
};

static bool is_below(const struct nesting *nesting, unsigned part, unsigned whole)
{
	const uint16_t *number = nesting->from->number;

	return metric_divides(&nesting->metric[number[part]], &nesting->metric[number[whole]], -1);
}

/* Take a metric and those that divide it, unless another one above it has taken it. */
static void nest(struct nesting *nesting, unsigned at, unsigned depth)
{
	if (nesting->is_taken[at])
		return;
	nesting->is_taken[at] = true;
	nesting->depth[nesting->to.n] = (uint8_t)depth;
	nesting->to.number[nesting->to.n++] = nesting->from->number[at];
	for (unsigned i = 0; i < nesting->from->n; i++)
		if (is_below(nesting, i, at))
			nest(nesting, i, depth + 1);
}

void metric_list_nest(const struct metrics *metrics, struct metric_list *list, uint8_t *ret_depth)
{
	struct nesting nesting = { .metric = metrics->metric, .from = list, .depth = ret_depth };

	for (unsigned i = 0, k; i < list->n; i++) {
		for (k = 0; k < list->n && !is_below(&nesting, i, k);)
			k++;
		if (k == list->n)
			nest(&nesting, i, 0);
		if (i + 1 == list->n_leading)
			nesting.to.n_leading = nesting.to.n;
	}
	for (unsigned i = 0; i < list->n; i++) /* files may have circles */
		nest(&nesting, i, 0);
	*list = nesting.to;
}

int metric_list_above(const uint8_t *depth, unsigned at)
{
	int above = (int)at;

	while (above >= 0 && depth[above] >= depth[at])
		above--;
	return above;
}

void metric_list_remove(struct metric_list *list, unsigned number)
{
	unsigned n = 0;

	for (unsigned i = 0; i < list->n; i++)
		if (list->number[i] != number)
			list->number[n++] = list->number[i];
	list->n = n;
}

/* Add the metrics of all core types' presets with this name. */
static void metric_list_add_preset(const struct metrics *metrics, const char *name,
				   struct metric_list *list)
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

/* Whether the set provides the metric for cores. */
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
		metric_list_add_preset(metrics, set->preset, &wanted);
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

int columns_find(const struct columns *columns, enum shown_kind kind, unsigned number)
{
	for (unsigned i = 0; i < columns->n; i++)
		if (columns->item[i].kind == kind && columns->item[i].number == number)
			return (int)i;
	return -1;
}

static unsigned fixed_find(const struct columns *columns, const char *key)
{
	unsigned i = 0;

	while (i < columns->n_fixed && strcmp(columns->fixed[i]->key, key) != 0)
		i++;
	return i;
}

void columns_fix(struct columns *columns, const struct sheet_column *column)
{
	if (column->key && columns->n_fixed < FIXED_MAX &&
	    fixed_find(columns, column->key) == columns->n_fixed)
		columns->fixed[columns->n_fixed++] = column;
}

bool columns_shows(const struct columns *columns, const char *key)
{
	int at = columns_find(columns, SHOWN_FIXED, fixed_find(columns, key));

	return at >= 0 && !columns->item[at].is_hidden;
}

static void columns_add(struct columns *columns, enum shown_kind kind, unsigned number)
{
	if (columns->n < SHOWN_MAX && columns_find(columns, kind, number) < 0)
		columns->item[columns->n++] = (struct shown){
			.kind = kind,
			.number = number,
			.is_hidden = kind == SHOWN_METRIC ||
				     (kind == SHOWN_FIXED && columns->fixed[number]->is_hidden)
		};
}

/* Whether the set has the column, or the user's choice for it is kept. */
static bool columns_keep(const struct shown *item, unsigned n_slots,
			 const struct metric_list *metrics)
{
	if (item->kind == SHOWN_METRIC)
		return !item->is_hidden || metric_list_has(metrics, item->number);
	return item->kind != SHOWN_SLOT || item->is_hidden || item->number < n_slots;
}

static void columns_drop(struct columns *columns, unsigned n_slots,
			 const struct metric_list *metrics)
{
	unsigned n = 0;

	for (unsigned i = 0; i < columns->n; i++)
		if (columns_keep(&columns->item[i], n_slots, metrics))
			columns->item[n++] = columns->item[i];
	columns->n = n;
}

void columns_update(struct columns *columns, unsigned n_slots, const struct metric_list *metrics)
{
	for (unsigned i = 0; i < columns->n_fixed; i++)
		columns_add(columns, SHOWN_FIXED, i);
	columns_drop(columns, n_slots, metrics);
	for (unsigned slot = 0; slot < n_slots; slot++) {
		unsigned at = columns->n;

		columns_add(columns, SHOWN_SLOT, slot);
		/* a new slot stands after the other slots, before the metrics */
		while (at > columns->n_fixed && at < columns->n &&
		       columns->item[at - 1].kind == SHOWN_METRIC)
			at = columns_move(columns, at, -1);
	}
	for (unsigned i = 0; i < metrics->n; i++)
		columns_add(columns, SHOWN_METRIC, metrics->number[i]);
}

static bool is_movable(const struct columns *columns, unsigned at)
{
	return at >= columns->n_fixed && at < columns->n;
}

unsigned columns_move(struct columns *columns, unsigned at, int step)
{
	unsigned to = at + (unsigned)step;

	if (!is_movable(columns, at) || !is_movable(columns, to))
		return at;

	struct shown moved = columns->item[at];

	columns->item[at] = columns->item[to];
	columns->item[to] = moved;
	return to;
}

unsigned columns_n_counters(const struct machine *machine)
{
	unsigned n = 0;

	for (unsigned type = 0; type < machine->n_types; type++)
		if (machine->type[type].n_counters > n)
			n = machine->type[type].n_counters;
	return n;
}
