/* metric_keys.c: the keys of the Metrics view */
#include "tui/actions.h"
#include "tui/keys.h"
#include "tui/moment.h"
#include "tui/rows_keys.h"
#include "tui/state.h"

/* A core that is selected here is so in the Cores view, too. */
static void select_line(struct model *model, const struct line *line)
{
	for (unsigned i = 0; i < model->n_lines; i++)
		if (model->line[i].by == line->by && model->line[i].index == line->index)
			model->row.at = i;
}

void metrics_select_column(struct tui *tui, unsigned column)
{
	struct line line = metrics_column_line(&tui->model, column);

	tui->metrics.column = column;
	select_line(&tui->model, &line);
}

static unsigned act_column(struct tui *tui, int key)
{
	unsigned column = tui->metrics.column;

	if (key == ')' || key == KEY_SRIGHT)
		column += column + 1 < metrics_n_columns(&tui->model);
	else
		column -= column > 0;
	metrics_select_column(tui, column);
	return DID_REDRAW;
}

static unsigned act_sort_columns(struct tui *tui, int key)
{
	const struct metrics_view *view = &tui->metrics;

	if (key == '<')
		rows_sort_by(tui, ORDER_MACHINE, 0);
	else if (view->metric.at < view->list.n)
		rows_sort_by(tui, ORDER_METRIC, view->list.number[view->metric.at]);
	return DID_REDRAW;
}

/* > goes on to the next metric once the columns are sorted by the selected one. */
static unsigned act_sort_on(struct tui *tui, int key)
{
	struct metrics_view *view = &tui->metrics;
	const struct order *order = &tui->model.rows.order;

	if (view->metric.at < view->list.n && order->by == ORDER_METRIC &&
	    order->number == view->list.number[view->metric.at])
		view->metric.at = (view->metric.at + 1) % view->list.n;
	return act_sort_columns(tui, key);
}

static unsigned act_choose(struct tui *tui, int key)
{
	return moment_may_change(tui) ? act_metrics(tui, key) : DID_REDRAW;
}

static unsigned act_select_metric(struct tui *tui, int key)
{
	unsigned page = tui->layout.n_rows > 2 ? (unsigned)tui->layout.n_rows - 2 : 1;

	cursor_key(&tui->metrics.metric, cursor_letter(key), tui->metrics.list.n, page);
	return DID_REDRAW;
}

static const char group[] = "In Metrics";

const struct key metrics_keys[] = {
	{ "j k ↓ ↑",
	  group,
	  "select a metric",
	  { 'j', 'k', 'g', 'G', KEY_DOWN, KEY_UP, KEY_NPAGE, KEY_PPAGE },
	  act_select_metric,
	  NULL },
	{ "( )",
	  group,
	  "select the core to the left, to the right",
	  { '(', ')', KEY_SLEFT, KEY_SRIGHT },
	  act_column,
	  NULL },
	{ "s <",
	  group,
	  "cores by the selected metric, in the machine's order",
	  { 's', '<' },
	  act_sort_columns,
	  NULL },
	{ ">", group, "cores by the next metric", { '>' }, act_sort_on, NULL },
	{ "S",
	  group,
	  "metrics as chosen, by name, beyond a threshold first",
	  { 'S' },
	  metrics_act_order,
	  NULL },
	{ "Enter", group, "choose metrics", { '\r', '\n', KEY_ENTER }, act_choose, NULL },
	{ 0 },
};
