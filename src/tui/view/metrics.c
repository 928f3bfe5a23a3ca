
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/term/draw.h"
#include "tui/widget/grid.h"
#include "tui/term/key.h"
#include "tui/model/baseline.h"
#include "tui/screen/list.h"
#include "tui/widget/table.h"
#include "tui/screen/rows_keys.h"
#include "tui/model/names.h"
#include "tui/screen/state.h"
#include "tui/time/graph.h"
#include "tui/view/metrics_view.h"

enum { CELL_WIDTH = 5, NAME_SHORT_MAX = 14, NAME_FULL_MAX = 40, ROW_NAME_MAX = 96 };

struct cell {
	struct reading reading;
	bool is_beyond; /* its threshold */
};

/* The picture in the making. */
struct metrics_table {
	struct tui *tui;
	const struct metric_list *list;
	struct grid grid;
	int heading_y, rows_y, detail_y;
	unsigned n_rows, first; /* room for rows, the first metric that is seen */
	bool is_airy;           /* there are lines to spare */
	bool is_short;          /* labels in place of names: all or none */
	struct cell *cell;      /* [row × grid.n + column] */
};

static const struct metric *metric_at(const struct metrics_table *table, unsigned row)
{
	const struct model *model = &table->tui->model;

	return &model->metrics->metric[table->list->number[row]];
}

/* With the level that it is counted at. */
static const char *row_name(const struct metrics_table *table, unsigned row, bool is_short,
			    char *buf, size_t size)
{
	const struct model *model = &table->tui->model;
	unsigned number = table->list->number[row];

	snprintf(buf, size, "%s%s",
		 is_short ? name_metric(model, number) : metric_at(table, row)->name,
		 name_level(model, number));
	return buf;
}

static int shorter(int width, int most)
{
	return width < most ? width : most;
}

static void want_names(const struct metrics_table *table, struct grid_want *want)
{
	char name[ROW_NAME_MAX];

	for (unsigned i = 0; i < table->list->n; i++) {
		int full = shorter(draw_columns(row_name(table, i, false, name, sizeof(name))),
				   NAME_FULL_MAX);
		int brief = shorter(draw_columns(row_name(table, i, true, name, sizeof(name))),
				    NAME_SHORT_MAX);
		int unit = draw_columns(metric_at(table, i)->unit);

		want->name_full = full > want->name_full ? full : want->name_full;
		want->name_short = brief > want->name_short ? brief : want->name_short;
		want->unit = unit > want->unit ? unit : want->unit;
	}
}

static void make_grid(struct metrics_table *table)
{
	const struct model *model = &table->tui->model;
	struct metrics_view *view = table->tui->metrics;
	struct grid_want want = {
		.width = COLS,
		.cell = CELL_WIDTH,
		.n_fixed = metrics_n_subtotals(model),
		.n_columns = metrics_n_columns(model),
	};
	char text[32];

	if (view->column >= want.n_columns)
		view->column = want.n_columns - 1;
	want.selected = view->column;
	want.first = view->first;
	want_names(table, &want);
	for (unsigned i = 0; i < want.n_columns; i++) {
		int width = draw_columns(metrics_heading(model, i, text, sizeof(text)));

		want.cell = width > want.cell ? width : want.cell;
	}
	grid_make(&want, &table->grid);
	table->is_short = table->grid.name_width < want.name_full;
	view->first = table->grid.first;
}

/* Lines of detail; more of them where the list leaves some free and the metric has a long text. */
static int n_detail(const struct metrics_table *table, int n_free)
{
	int n = LINES >= 22 ? 4 : LINES >= 18 ? 3 : LINES >= 14 ? 2 : 1;
	int wanted = n < 3 ? n : 3 + metrics_text_lines(table->tui);

	if (wanted > n + n_free)
		wanted = n + n_free;
	return wanted > n ? wanted : n;
}

static void make_lines(struct metrics_table *table)
{
	const struct layout *layout = &table->tui->layout;
	struct cursor *cursor = &table->tui->metrics->metric;
	int n_free;

	table->heading_y = layout->view_y;
	table->rows_y = table->heading_y + 1;
	table->n_rows = (unsigned)(layout->status_y - n_detail(table, 0) - table->rows_y);
	if (LINES >= 18 && table->n_rows > table->list->n) /* an empty one below the list */
		table->n_rows--;
	cursor_follow(cursor, table->list->n, table->n_rows);
	table->first = cursor->top;
	n_free = (int)table->n_rows - (int)table->list->n -
		 1; /* one between those asked for and others */
	table->is_airy = n_free >= 0;
	table->detail_y = layout->status_y - n_detail(table, n_free > 0 ? n_free : 0);
	if (table->n_rows > table->list->n - table->first)
		table->n_rows = table->list->n - table->first;
}

static void fill_column(struct metrics_table *table, unsigned column)
{
	const struct model *model = &table->tui->model;
	struct line line = metrics_column_line(model, table->grid.at[column].column);
	struct frame_row row;
	bool has_row = model_row(model, &line, &row);

	for (unsigned i = 0; i < table->n_rows; i++) {
		struct cell *cell = &table->cell[i * table->grid.n + column];
		unsigned number = table->list->number[table->first + i];

		cell->reading = baseline_metric_cell(model, has_row ? &row : NULL, number);
		cell->is_beyond = has_row && model_is_beyond(model, &row, (int)number);
	}
}

static void click_column(void *screen, int column)
{
	metrics_select_column(screen, (unsigned)column);
}

/* Above the names: rows are in another order than usual. */
static void draw_row_order(const struct metrics_table *table)
{
	static const char *const text[N_METRIC_ORDERS] = {
		[METRICS_BY_NAME] = "by name",
		[METRICS_BY_ALARM] = "▲ first",
	};
	const char *order = text[table->tui->metrics->order];

	if (order)
		draw_text(table->heading_y, table->grid.name_x, table->grid.name_width, ROLE_KEY,
			  order);
}

static const char *heading(const void *data, unsigned column, char *buf, size_t size)
{
	return metrics_heading(data, column, buf, size);
}

static void draw_headings(const struct metrics_table *table)
{
	const struct grid_headings headings = {
		.y = table->heading_y,
		.height = 1 + (int)table->n_rows + table->is_airy,
		.selected = table->tui->metrics->column,
		.data = &table->tui->model,
		.text = heading,
		.click = click_column,
	};

	grid_headings_draw(&table->grid, &headings);
}

static enum role cell_role(const struct metrics_table *table, const struct cell *cell,
			   unsigned column)
{
	unsigned number = table->grid.at[column].column;

	if (!quality_has_value(cell->reading.quality))
		return ROLE_DIM;
	if (cell->is_beyond)
		return ROLE_ALARM;
	if (number == table->tui->metrics->column)
		return ROLE_SELECTED;
	return number < metrics_n_subtotals(&table->tui->model) ? ROLE_TOTAL : ROLE_TEXT;
}

static double largest(const struct metrics_table *table, unsigned row)
{
	const struct cell *cell = &table->cell[row * table->grid.n];
	double most = 0;

	for (unsigned i = 0; i < table->grid.n; i++)
		if (quality_has_value(cell[i].reading.quality) && cell[i].reading.value > most)
			most = cell[i].reading.value;
	return most;
}

static void draw_cells(const struct metrics_table *table, unsigned row, int y)
{
	const struct grid *grid = &table->grid;
	unsigned number = table->list->number[table->first + row];
	unsigned decimals = model_decimals(&table->tui->model, number, largest(table, row));

	for (unsigned i = 0; i < grid->n; i++) {
		const struct cell *cell = &table->cell[row * grid->n + i];
		enum role role = cell_role(table, cell, i);
		char text[32];
		int width;

		if (table->tui->model.baseline)
			baseline_text(cell->reading, (unsigned)grid->cell, text, sizeof(text));
		else
			figure_metric(cell->reading, decimals, (unsigned)grid->cell, text,
				      sizeof(text));
		width = draw_right(y, grid->at[i].x, grid->cell, role, text);

		if (cell->is_beyond)
			draw_text(y, grid->at[i].x + grid->cell - width - 1, 1, role, "▲");
	}
}

/* Behind the name: the columns are sorted by this metric. */
static void draw_order(const struct metrics_table *table, const struct metric *metric, int y)
{
	const struct model *model = &table->tui->model;
	const struct order *order = &model->rows.order;

	if (order->by == ORDER_METRIC && metric == &model->metrics->metric[order->number])
		draw_text(y, table->grid.name_x + table->grid.name_width, 1, ROLE_KEY,
			  rows_arrow(order));
}

static void draw_name(const struct metrics_table *table, unsigned row, int y)
{
	const struct grid *grid = &table->grid;
	const struct metric *metric = metric_at(table, row);
	bool is_selected = row == table->tui->metrics->metric.at;
	char name[ROW_NAME_MAX];

	row_name(table, row, table->is_short, name, sizeof(name));
	draw_text(y, grid->name_x, grid->name_width, is_selected ? ROLE_TOTAL : ROLE_TEXT, name);
	draw_order(table, metric, y);
	draw_text(y, grid->unit_x, grid->unit_width, ROLE_DIM,
		  table->tui->model.baseline ? baseline_unit(metric->unit) : metric->unit);
}

/* Those that were asked for, and those that come with them. */
static bool is_apart(const void *data, unsigned row)
{
	const struct metrics_table *table = data;

	return table->is_airy && row == table->list->n_leading;
}

static void draw_row(const void *data, unsigned row, int y)
{
	const struct metrics_table *table = data;

	draw_name(table, row, y);
	draw_cells(table, row - table->first, y);
}

static const struct table_ops row_ops = {
	.draw = draw_row,
	.is_apart = is_apart,
	.mark = ROLE_KEY,
};

static void draw_mini_graph(const struct metrics_table *table, int y, int end)
{
	struct tui *tui = table->tui;
	const struct metrics_view *view = tui->metrics;

	if (view->metric.at >= table->list->n)
		return;

	const struct series series = {
		.line = metrics_column_line(&tui->model, view->column),
		.quantity = quantity_of_metric(table->list->number[view->metric.at]),
	};

	mini_graph_draw(tui, &series, 1, y, end - y);
}

static void draw_none(const struct tui *tui, int y)
{
	bool has_counters = machine_has_core_pmu(tui->model.machine);
	char text[160];

	if (frame_n_rows(tui->model.machine, tui->model.set, BY_DEVICE))
		y += draw_wrapped(y, 1, COLS - 2, 2, ROLE_DIM,
				  "metrics of devices are in the Uncore view");
	snprintf(text, sizeof(text),
		 has_counters
			 ? "no metric for the counted events: choose metrics with %s or a "
			   "preset with %s"
			 : "no metric for the counted events: %s shows which ones this machine "
			   "has; most are made of hardware counters, and it has none",
		 tui_key(tui, 'M').name, tui_key(tui, 'P').name);
	draw_wrapped(y, 1, COLS - 2, tui->layout.status_y - y, ROLE_DIM, text);
}

static void metrics_draw(struct tui *tui)
{
	struct metrics_table table = { .tui = tui, .list = &tui->metrics->list };
	make_lines(&table);
	make_grid(&table);
	table.cell = calloc((size_t)table.n_rows * table.grid.n + 1, sizeof(*table.cell));
	if (!table.cell)
		return;
	for (unsigned i = 0; i < table.grid.n; i++)
		fill_column(&table, i);
	tui->n_seen = table.n_rows;
	draw_row_order(&table);
	draw_headings(&table);
	draw_mini_graph(&table,
			list_draw(tui, &row_ops, &table, table.rows_y, (int)table.n_rows) + 1,
			table.detail_y - 1);
	if (!table.list->n)
		draw_none(tui, table.rows_y);
	metrics_draw_detail(tui, table.detail_y, tui->layout.status_y - table.detail_y);
	free(table.cell);
}

static void metrics_enter(struct tui *tui)
{
	const struct model *model = &tui->model;
	const struct line *selected = &model->line[model->row.at];

	for (unsigned i = 0; i < metrics_n_columns(model); i++) {
		struct line line = metrics_column_line(model, i);

		if (line.by == selected->by && line.index == selected->index)
			tui->metrics->column = i;
	}
}

static struct cursor *metrics_list(struct tui *tui, unsigned *ret_n)
{
	*ret_n = tui->metrics->list.n;
	return &tui->metrics->metric;
}

static const char *metrics_item(const struct tui *tui, unsigned i, char *buf, size_t size)
{
	const struct metric *metric = &tui->model.metrics->metric[tui->metrics->list.number[i]];

	snprintf(buf, size, "%s %s", metric->name, metric->short_name);
	return buf;
}

static unsigned metrics_selected(const struct tui *tui, struct series ret[2])
{
	const struct metrics_view *view = tui->metrics;

	if (view->metric.at >= view->list.n)
		return 0;
	ret[0] = (struct series){
		.line = metrics_column_line(&tui->model, view->column),
		.quantity = quantity_of_metric(view->list.number[view->metric.at]),
	};
	return 1;
}

static bool select_metric(struct tui *tui, const struct quantity *quantity)
{
	struct metrics_view *view = tui->metrics;

	for (unsigned i = 0; quantity->metric >= 0 && i < view->list.n; i++) {
		if (view->list.number[i] == (unsigned)quantity->metric) {
			view->metric.at = i;
			return true;
		}
	}
	return false;
}

const struct view view_metrics = {
	.name = "Metrics",
	.what = "the metrics of the counted events, by core",
	.has_changes = true,
	.hint = { { "?", "help" },
		  { "M", "metrics" },
		  { "P", "preset" },
		  { "Tab", "view" },
		  { "s", "sort cores" },
		  { "S", "sort metrics" },
		  { "a", "graph" } },
	.enter = metrics_enter,
	.draw = metrics_draw,
	.selected = metrics_selected,
	.select = select_metric,
	.keys = { metrics_keys },
	.list = metrics_list,
	.item = metrics_item,
};
