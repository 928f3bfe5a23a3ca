#include "tui/model/columns.h"

bool columns_is_there(const struct shown *item, bool has_primary_metric, unsigned n_slots,
		      const struct metric_list *metrics)
{
	switch (item->kind) {
	case SHOWN_HEADLINE:
	case SHOWN_BAR: return has_primary_metric;
	case SHOWN_HISTORY:
	case SHOWN_TASK: return true;
	case SHOWN_SLOT: return item->number < n_slots;
	default: return metric_list_has(metrics, item->number);
	}
}

int columns_find(const struct columns *columns, enum shown_kind kind, unsigned number)
{
	for (unsigned i = 0; i < columns->n; i++)
		if (columns->item[i].kind == kind && columns->item[i].number == number)
			return (int)i;
	return -1;
}

bool columns_shows(const struct columns *columns, enum shown_kind kind, unsigned number)
{
	int at = columns_find(columns, kind, number);

	return at >= 0 && !columns->item[at].is_hidden;
}

static void add(struct columns *columns, enum shown_kind kind, unsigned number)
{
	if (columns->n < SHOWN_MAX && columns_find(columns, kind, number) < 0)
		columns->item[columns->n++] = (struct shown){ .kind = kind,
							      .number = number,
							      .is_hidden = kind == SHOWN_METRIC };
}

/* A metric that nobody chose goes with its set. */
static void drop_metrics(struct columns *columns, const struct metric_list *metrics)
{
	unsigned n = 0;

	for (unsigned i = 0; i < columns->n; i++) {
		const struct shown *item = &columns->item[i];

		if (item->kind != SHOWN_METRIC || !item->is_hidden ||
		    metric_list_has(metrics, item->number))
			columns->item[n++] = *item;
	}
	columns->n = n;
}

/* A new slot stands behind the others, before metrics. */
static void add_slot(struct columns *columns, unsigned slot)
{
	unsigned at = columns->n;

	add(columns, SHOWN_SLOT, slot);
	if (at == columns->n)
		return;
	while (columns->item[at - 1].kind == SHOWN_METRIC)
		at = columns_move(columns, at, -1);
}

void columns_update(struct columns *columns, unsigned n_slots, const struct metric_list *metrics)
{
	for (int kind = SHOWN_HEADLINE; kind < SHOWN_FIXED; kind++)
		add(columns, (enum shown_kind)kind, 0);
	drop_metrics(columns, metrics);
	for (unsigned slot = 0; slot < n_slots; slot++)
		add_slot(columns, slot);
	for (unsigned i = 0; i < metrics->n; i++)
		add(columns, SHOWN_METRIC, metrics->number[i]);
}

static bool is_movable(const struct columns *columns, unsigned at)
{
	return at >= SHOWN_FIXED && at < columns->n;
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

unsigned columns_beside(const struct columns *columns, unsigned slot, int step, unsigned n_slots)
{
	int at = columns_find(columns, SHOWN_SLOT, slot);

	for (at += step; at >= 0 && at < (int)columns->n; at += step) {
		const struct shown *item = &columns->item[at];

		if (item->kind == SHOWN_SLOT && !item->is_hidden && item->number < n_slots)
			return item->number;
	}
	return slot;
}

unsigned columns_n_counters(const struct machine *machine)
{
	unsigned n = 0;

	for (unsigned type = 0; type < machine->n_types; type++)
		if (machine->type[type].n_counters > n)
			n = machine->type[type].n_counters;
	return n;
}
