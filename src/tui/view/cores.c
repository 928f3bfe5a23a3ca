
#include <math.h>
#include <stdio.h>

#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/screen/list.h"
#include "tui/term/mouse.h"
#include "tui/widget/table.h"
#include "tui/model/baseline.h"
#include "tui/model/names.h"
#include "tui/tasks/task_list.h"
#include "tui/screen/rows_keys.h"
#include "tui/screen/state.h"
#include "tui/time/graph.h"
#include "tui/view/cores_bar.h"
#include "tui/view/cores_fit.h"
#include "tui/view/uncore.h"

enum { HISTORY_COLUMNS_MAX = 256 };

enum { COLUMN_COUNT_MAX = sizeof((struct layout){ 0 }.column) / sizeof(struct column) };

/* The picture in the making. */
struct cores_table {
	const struct tui *tui;
	double top; /* what fills a bar or a curve of a core */
	const struct line
		*largest[COLUMN_COUNT_MAX]; /* the core that has it; NULL: none stands out */
};

/* What every cell of one line needs. */
struct cells {
	const struct cores_table *table;
	const struct line *line;
	const struct frame_row *row; /* NULL before the first frame */
	int y;
};

static void draw_name(const struct cells *cells, const struct column *column)
{
	const struct model *model = &cells->table->tui->model;
	char name[32];
	bool is_off = cells->row && cells->row->state == CORE_OFF;
	bool is_core = cells->line->by <= BY_PHYSICAL;

	/* all in full or none */
	name_line(model, cells->line, column->width < model->name_full, name, sizeof(name));
	draw_text(cells->y, column->x, column->width,
		  is_off    ? ROLE_DIM
		  : is_core ? ROLE_TEXT
			    : ROLE_TOTAL,
		  name);
}

/* What a cell of figures says. @row  NULL before the first frame */
static struct reading reading_of(const struct model *model, const struct frame_row *row,
				 const struct column *column)
{
	if (!row)
		return (struct reading){ .quality = QUALITY_PENDING };
	if (column->kind == COLUMN_SLOT)
		return baseline_slot_cell(model, row, column->slot);
	if (column->kind == COLUMN_METRIC)
		return baseline_metric_cell(model, row, column->slot);
	if (column->kind == COLUMN_HEADLINE && model->baseline)
		return baseline_metric_cell(model, row, (unsigned)model->primary_metric);
	return model_metric(model, row, model->primary_metric);
}

static bool is_beyond(const struct cells *cells, const struct column *column)
{
	const struct model *model = &cells->table->tui->model;

	return cells->row && column->kind != COLUMN_SLOT &&
	       model_is_beyond(model, cells->row,
			       column->kind == COLUMN_METRIC ? (int)column->slot
							     : model->primary_metric);
}

static enum role cell_role(const struct cells *cells, const struct column *column,
			   enum quality quality)
{
	if (!quality_has_value(quality))
		return ROLE_DIM;
	if (is_beyond(cells, column))
		return ROLE_ALARM;
	if (column->kind == COLUMN_HEADLINE)
		return ROLE_HEADLINE;
	if (column->kind == COLUMN_SLOT && column->slot == cells->table->tui->model.slot)
		return ROLE_SELECTED;
	return cells->line->by <= BY_PHYSICAL ? ROLE_TEXT : ROLE_TOTAL;
}

/* With marks before and behind it: beyond its threshold, the largest of the column. */
static void draw_figure(const struct cells *cells, const struct column *column)
{
	const struct cores_table *table = cells->table;
	const struct model *model = &table->tui->model;
	struct reading reading = reading_of(model, cells->row, column);
	enum role role = cell_role(cells, column, reading.quality);
	unsigned width =
		column->width < LAYOUT_CELL_WIDTH ? (unsigned)column->width : LAYOUT_CELL_WIDTH;
	char text[32];

	if (model->baseline)
		baseline_text(reading, width, text, sizeof(text));
	else if (column->kind == COLUMN_HEADLINE && model_is_primary_share(model))
		figure_metric(reading, 1, width, text, sizeof(text));
	else if (column->kind == COLUMN_SLOT)
		figure_steady(reading, width, model_borders(model, column->slot), text,
			      sizeof(text));
	else
		figure_ratio(reading, width, text, sizeof(text));

	int used = draw_right(cells->y, column->x, column->width, role, text);

	if (role == ROLE_ALARM)
		draw_text(cells->y, column->x + column->width - used - 1, 1, role, "▲");
	if (cells->line == table->largest[column - table->tui->layout.column])
		draw_text(cells->y, column->x + column->width, 1, role, "◆");
}

static void draw_row_bar(const struct cells *cells, const struct column *column)
{
	const struct model *model = &cells->table->tui->model;
	struct reading reading = { .quality = QUALITY_PENDING };
	double share;

	if (cells->row)
		reading = model_metric(model, cells->row, model->primary_metric);
	share = reading.value / cells->table->top;

	if (cells->table->tui->layout.has_parts && cells->row)
		cores_bar_draw(cells->table->tui, cells->row, cells->y, column->x, column->width);
	else if (quality_has_value(reading.quality))
		draw_bar(cells->y, column->x, column->width, theme_level(share), share);
}

/* A rate of several cores is drawn as their mean: one scale is that of all rows. */
static void draw_sparkline(const struct cells *cells, const struct column *column)
{
	const struct model *model = &cells->table->tui->model;
	float value[HISTORY_COLUMNS_MAX];
	int width = column->width < HISTORY_COLUMNS_MAX ? column->width : HISTORY_COLUMNS_MAX;
	unsigned n_cores = cells->row && model->primary_metric < 0 ? cells->row->n_on : 1;

	model_sparkline(model, cells->line, value, (unsigned)width);
	draw_spark(cells->y, column->x, width, value, cells->table->top * n_cores);
}

/* Who had most of it in the window. */
static void draw_task(const struct cells *cells, const struct column *column)
{
	const struct frame *shown = cells->table->tui->model.shown;
	const struct core_task *task =
		cells->line->by == BY_CORE ? task_of_core(shown, cells->line->index) : NULL;

	if (task)
		draw_text(cells->y, column->x, column->width, ROLE_TEXT, task->comm);
}

static void (*const draw_cell[])(const struct cells *, const struct column *) = {
	[COLUMN_NAME] = draw_name,   [COLUMN_HEADLINE] = draw_figure,
	[COLUMN_BAR] = draw_row_bar, [COLUMN_HISTORY] = draw_sparkline,
	[COLUMN_SLOT] = draw_figure, [COLUMN_METRIC] = draw_figure,
	[COLUMN_TASK] = draw_task,
};

static void draw_cells(const void *data, unsigned i, int y)
{
	const struct cores_table *table = data;
	const struct tui *tui = table->tui;
	struct frame_row row;
	struct cells cells = { .table = table, .line = &tui->model.line[i], .y = y };

	if (model_row(&tui->model, cells.line, &row))
		cells.row = &row;
	for (unsigned n = 0; n < (tui->model.yielded ? 1 : tui->layout.n_columns); n++)
		draw_cell[tui->layout.column[n].kind](&cells, &tui->layout.column[n]);
	if (tui->model.yielded) /* where figures begin */
		draw_text(y, tui->layout.column[1].x, COLS, ROLE_DIM, "yielded");
}

static void draw_line(const void *data, unsigned i, int y)
{
	const struct cores_table *table = data;
	bool is_selected = i == table->tui->model.row.at;

	if (is_selected)
		draw_select_row(y, 1, COLS - 1);
	draw_cells(data, i, y);
	if (is_selected)
		draw_select_end();
}

/* ---- the largest core of each column ---- */

/* The two largest figures so far. */
struct lead {
	double first, second;
};

static void take_line(struct cores_table *table, const struct line *line, struct lead *lead)
{
	const struct layout *layout = &table->tui->layout;
	struct frame_row row;

	if (line->by > BY_PHYSICAL || !model_row(&table->tui->model, line, &row))
		return;
	for (unsigned i = 0; i < layout->n_columns; i++) {
		struct reading reading = reading_of(&table->tui->model, &row, &layout->column[i]);

		if (!quality_has_value(reading.quality))
			continue;
		reading.value = fabs(reading.value); /* a change may be less than nothing */
		if (reading.value > lead[i].first) {
			lead[i].second = lead[i].first;
			lead[i].first = reading.value;
			table->largest[i] = line;
		} else if (reading.value > lead[i].second) {
			lead[i].second = reading.value;
		}
	}
}

/* None where three digits would hardly tell it from the next. */
static void find_largest(struct cores_table *table)
{
	const struct model *model = &table->tui->model;
	struct lead lead[COLUMN_COUNT_MAX] = { { .first = 0 } };

	for (unsigned i = 0; i < model->n_lines; i++)
		take_line(table, &model->line[i], lead);
	for (unsigned i = 0; i < COLUMN_COUNT_MAX; i++)
		if (lead[i].second == 0 || lead[i].first < lead[i].second * 1.005 ||
		    (model->baseline && lead[i].first < BASELINE_SHOWN))
			table->largest[i] = NULL;
}

/* ---- headings ---- */

static void click_slot(void *screen, int slot)
{
	struct tui *tui = screen;

	tui->model.slot = (unsigned)slot;
}

static void click_heading(void *screen, int slot)
{
	rows_sort_by(screen, ORDER_SLOT, (unsigned)slot);
	click_slot(screen, slot);
}

static void click_primary(void *screen, int number)
{
	rows_sort_by(screen, ORDER_HEADLINE, (unsigned)number);
}

static void click_metric(void *screen, int number)
{
	rows_sort_by(screen, ORDER_METRIC, (unsigned)number);
}

/* With the order that it gives the rows; a click sorts by it. */
static void draw_heading(const struct tui *tui, const struct column *column, const char *text,
			 bool is_selected, enum order_by by)
{
	static mouse_act *const click[] = { [ORDER_HEADLINE] = click_primary,
					    [ORDER_SLOT] = click_heading,
					    [ORDER_METRIC] = click_metric };
	const struct order *order = &tui->model.rows.order;
	bool is_sorted = order->by == by && (by == ORDER_HEADLINE || order->number == column->slot);
	const struct table_heading heading = {
		.y = tui->layout.heading_y,
		.x = column->x,
		.width = column->width,
		.text = text,
		.is_selected = is_selected,
		.arrow = is_sorted ? rows_arrow(order) : NULL,
	};

	table_heading_draw(&heading);
	mouse_area(heading.y, heading.x - 1, 1, heading.width + 1, click[by], (int)column->slot);
}

static void draw_unit(const struct tui *tui, const struct column *column, const char *unit)
{
	if (tui->model.baseline)
		unit = baseline_unit(unit);
	if (tui->layout.units_y >= 0)
		draw_right(tui->layout.units_y, column->x, column->width, ROLE_DIM, unit);
}

/* The digit that selects it stands above the event, with the level: "5:u". */
static void draw_slot_heading(const struct tui *tui, const struct column *column)
{
	const struct layout *layout = &tui->layout;
	const struct model *model = &tui->model;
	const struct event *event = set_event(model->set, column->slot);
	bool is_selected = column->slot == model->slot;
	char text[48];

	snprintf(text, sizeof(text), "%u%s", set_slot_of(model->set, column->slot),
		 event ? privilege_suffix[event->privilege] : "");
	draw_right(layout->number_y, column->x, column->width,
		   is_selected ? ROLE_SELECTED : ROLE_HEADING, text);
	mouse_area(layout->number_y, column->x - 1,
		   layout->rows_y + layout->n_rows - layout->number_y, column->width + 1,
		   click_slot, (int)column->slot);
	draw_heading(tui, column, event ? event->short_name : "-", is_selected, ORDER_SLOT);
	draw_unit(tui, column, figure_unit(event, model->show, text, sizeof(text)));
}

/* Without IPC the curves are those of the selected column: then the heading names it. */
static void draw_sparkline_heading(const struct tui *tui, const struct column *column)
{
	const struct model *model = &tui->model;
	const struct event *event = set_event(model->set, model->slot);
	double span_s = (double)model_cell_ns(model) * column->width / 1e9;
	const char *last = column->width >= 10 ? "last " : "";
	char span[32];
	int y = tui->layout.heading_y;

	snprintf(span, sizeof(span), span_s < 10 ? "%s%.1f s" : "%s%.0f s", last, span_s);
	draw_right(y, column->x, column->width, ROLE_HEADING, span);
	if (model->primary_metric < 0 && event && column->width >= 20)
		draw_text(y, column->x, column->width - draw_columns(span) - 1, ROLE_SELECTED,
			  event_label(event).text);
}

static void draw_metric_heading(const struct tui *tui, const struct column *column)
{
	const struct model *model = &tui->model;
	const char *name = name_metric(model, column->slot);

	draw_right(tui->layout.number_y, column->x, column->width, ROLE_HEADING,
		   name_level(model, column->slot));
	draw_heading(tui, column, name, false, ORDER_METRIC);
	draw_unit(tui, column, model->metrics->metric[column->slot].unit);
}

static void draw_primary_heading(const struct tui *tui, const struct column *column)
{
	const struct model *model = &tui->model;
	unsigned number = (unsigned)model->primary_metric;
	char text[32];

	snprintf(text, sizeof(text), "%s%s", name_metric(model, number), name_level(model, number));
	draw_heading(tui, column, text, false, ORDER_HEADLINE);
	draw_unit(tui, column, model->metrics->metric[number].unit);
}

/* "‹ 6 of 10 ›": there are more columns, to the left and to the right. */
static void draw_hidden(const struct tui *tui, int x)
{
	const struct layout *layout = &tui->layout;
	unsigned n = 0;

	for (unsigned i = 0; i < layout->n_columns; i++)
		n += layout->column[i].kind >= COLUMN_SLOT && i > layout->n_leading;
	draw_printf(layout->number_y, x, COLS - x, ROLE_KEY, "%s%u of %u%s",
		    layout->more_left ? "‹ " : "", n, fit_n_columns(tui),
		    layout->more_right ? " ›" : "");
}

static void draw_headings(const struct tui *tui)
{
	const struct layout *layout = &tui->layout;
	const struct column *name = layout_find(layout, COLUMN_NAME);

	for (unsigned i = 0; i < layout->n_columns; i++) {
		const struct column *column = &layout->column[i];

		if (column->kind == COLUMN_SLOT)
			draw_slot_heading(tui, column);
		if (column->kind == COLUMN_METRIC)
			draw_metric_heading(tui, column);
		if (column->kind == COLUMN_HEADLINE)
			draw_primary_heading(tui, column);
		if (column->kind == COLUMN_BAR && layout->has_parts)
			cores_bar_heading(layout->heading_y, column->x, column->width);
		if (column->kind == COLUMN_HISTORY)
			draw_sparkline_heading(tui, column);
		if (column->kind == COLUMN_TASK)
			draw_text(layout->heading_y, column->x, column->width, ROLE_HEADING,
				  "TASK");
	}
	table_more_draw(layout->heading_y, name->x + name->width - 1, layout->more_left,
			layout->more_right);
	if (layout->more_left || layout->more_right)
		draw_hidden(tui, name->x);
}

/* Where there is room to spare, an empty line sets the clusters apart. */
static bool is_apart(const void *data, unsigned row)
{
	const struct tui *tui = ((const struct cores_table *)data)->tui;
	const struct model *model = &tui->model;

	return model->line[row].by == BY_CLUSTER && model->by == BY_CORE &&
	       (int)(model->n_lines + model->machine->n_clusters) <= tui->layout.n_rows;
}

static void draw_mini_graph(struct tui *tui, int y, int end)
{
	const struct model *model = &tui->model;
	const struct line *line = model_selected(model);
	struct series series[2];

	if (!model->yielded && line)
		mini_graph_draw(tui, series, series_of_line(model, line, series), y, end - y);
}

static const struct table_ops row_ops = {
	.draw = draw_line,
	.is_apart = is_apart,
	.mark = ROLE_KEY,
};

static void cores_draw(struct tui *tui)
{
	const struct layout *layout = &tui->layout;
	struct cores_table table = { .tui = tui, .top = model_top(&tui->model) };
	int y;

	find_largest(&table);
	draw_headings(tui);
	tui->n_seen = layout->n_rows > 0 ? (unsigned)layout->n_rows : 0;
	y = list_draw(tui, &row_ops, &table, layout->rows_y, layout->n_rows) + 1;
	y = uncore_draw_below(tui, y, layout->rows_y + layout->n_rows);
	draw_mini_graph(tui, y, layout->rows_y + layout->n_rows);
}

/* The headline and the rate of the selected counter. */
static unsigned cores_selected(const struct tui *tui, struct series ret[2])
{
	const struct model *model = &tui->model;
	const struct line *line = model_selected(model);

	return series_of_line(model, line ? line : &(struct line){ .by = BY_TYPE }, ret);
}

static bool cores_select(struct tui *tui, const struct quantity *quantity)
{
	const struct model *model = &tui->model;

	for (unsigned slot = 0; quantity->metric < 0 && slot < model->set->n_slots; slot++) {
		struct quantity other = quantity_of_slot(model, slot);

		if (quantity_is(&other, quantity)) {
			tui->model.slot = slot;
			return true;
		}
	}
	return false;
}

const struct view view_cores = {
	.name = "Cores",
	.what = "every core and the rates of its counters",
	.has_detail = true,
	.has_changes = true,
	.hint = { { "?", "help" },
		  { "e", "choose" },
		  { "b", "why" },
		  { "Tab", "view" },
		  { "s", "sort" },
		  { "a", "graph" },
		  { "l", "log" },
		  { "u", "undo" },
		  { "x", "clear" },
		  { "] [", "next" } },
	.draw = cores_draw,
	.selected = cores_selected,
	.select = cores_select,
	.list = rows_list,
	.has_folds = true,
	.item = rows_item,
};
