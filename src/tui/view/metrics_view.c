#include "tui/view/metrics_view.h"

#include <stdio.h>
#include <string.h>

#include "tui/model/names.h"
#include "tui/overlay/metric_chooser.h"
#include "tui/screen/state.h"
#include "tui/screen/rows_keys.h"
#include "tui/screen/list.h"
#include "tui/time/time_keys.h"
#include "tui/term/key.h"

unsigned metrics_n_subtotals(const struct model *model)
{
	return model->machine->n_types;
}

/* Cores stand in the order of the Cores view, without the clusters between them but those that are
 * folded. */
static unsigned n_parts(const struct model *model)
{
	unsigned n = 0;

	if (model->by >= BY_TYPE)
		return 0;
	for (unsigned i = 0; i < model->n_lines; i++)
		n += !model->line[i].is_heading;
	return n;
}

unsigned metrics_n_columns(const struct model *model)
{
	return metrics_n_subtotals(model) + n_parts(model);
}

struct line metrics_column_line(const struct model *model, unsigned column)
{
	unsigned part = column - metrics_n_subtotals(model);

	if (column < metrics_n_subtotals(model))
		return (struct line){ .by = BY_TYPE, .index = column };
	for (unsigned i = 0; i < model->n_lines; i++)
		if (!model->line[i].is_heading && part-- == 0)
			return model->line[i];
	return (struct line){ .by = BY_TYPE };
}

const char *metrics_heading(const struct model *model, unsigned column, char *buf, size_t size)
{
	struct line line = metrics_column_line(model, column);
	char name[32];

	if (line.by == BY_TYPE)
		snprintf(buf, size, "%s",
			 model->machine->n_types > 1 ? model->machine->type[line.index].name
						     : "all");
	else
		snprintf(buf, size, "%s", name_row(model, &line, true, name, sizeof(name)));
	return buf;
}

/* ---- keys ---- */

void metrics_select_column(struct tui *tui, unsigned column)
{
	struct line line = metrics_column_line(&tui->model, column);

	tui->metrics->column = column;
	/* a core that is selected here is so in the Cores view, too */
	rows_select(&tui->model, line.by, line.index);
}

static void act_column(struct tui *tui, int key)
{
	unsigned column = tui->metrics->column;

	if (key == ')' || key == KEY_SRIGHT)
		column += column + 1 < metrics_n_columns(&tui->model);
	else
		column -= column > 0;
	metrics_select_column(tui, column);
}

static void act_sort_columns(struct tui *tui, int key)
{
	const struct metrics_view *view = tui->metrics;

	if (key == '<')
		rows_sort_by(tui, ORDER_MACHINE, 0);
	else if (view->metric.at < view->list.n)
		rows_sort_by(tui, ORDER_METRIC, view->list.number[view->metric.at]);
}

/* > goes on to the next metric once the columns are sorted by the selected one. */
static void act_sort_on(struct tui *tui, int key)
{
	struct metrics_view *view = tui->metrics;
	const struct order *order = &tui->model.rows.order;

	if (view->metric.at < view->list.n && order->by == ORDER_METRIC &&
	    order->number == view->list.number[view->metric.at])
		view->metric.at = (view->metric.at + 1) % view->list.n;
	act_sort_columns(tui, key);
}

static const char group[] = "In Metrics";

const struct key metrics_keys[] = {
	OWN_KEY("j k ↓ ↑", group, "select a metric", act_move, 'j', 'k', 'g', 'G', KEY_DOWN, KEY_UP,
		KEY_NPAGE, KEY_PPAGE),
	OWN_KEY("( )", group, "select the core to the left, to the right", act_column, '(', ')',
		KEY_SLEFT, KEY_SRIGHT),
	OWN_KEY("s <", group, "cores by the selected metric, in the machine's order",
		act_sort_columns, 's', '<'),
	OWN_KEY(">", group, "cores by the next metric", act_sort_on, '>'),
	OWN_KEY("S", group, "metrics as chosen, by name, beyond a threshold first",
		metrics_act_order, 'S'),
	KEY("Enter", group, "choose metrics", COUNTS, act_metrics, NULL, '\r', '\n', KEY_ENTER),
	{ 0 },
};
