
#include <stdio.h>

#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/screen/list.h"
#include "tui/term/mouse.h"
#include "tui/widget/table.h"
#include "tui/model/names.h"
#include "tui/screen/rows_keys.h"
#include "tui/screen/state.h"
#include "tui/time/graph.h"

enum { HISTORY_COLUMNS_MAX = 256 };

/* What every cell of one line needs. */
struct cells {
	const struct tui *tui;
	const struct line *line;
	const struct frame_row *row; /* NULL before the first frame */
	int y;
};

static void draw_name(const struct cells *cells, const struct column *column)
{
	const struct model *model = &cells->tui->model;
	char name[32];
	bool is_off = cells->row && cells->row->state == CORE_OFF;
	bool is_core = cells->line->by == BY_CORE;

	/* all in full or none */
	name_line(model, cells->line, column->width < model->name_full, name, sizeof(name));
	draw_text(cells->y, column->x, column->width,
		  is_off    ? ROLE_DIM
		  : is_core ? ROLE_TEXT
			    : ROLE_TOTAL,
		  name);
}

static struct reading primary_metric_of(const struct cells *cells)
{
	const struct model *model = &cells->tui->model;

	if (!cells->row)
		return (struct reading){ .quality = QUALITY_PENDING };
	return model_metric(model, cells->row, model->primary_metric);
}

static void draw_primary(const struct cells *cells, const struct column *column)
{
	struct reading reading = primary_metric_of(cells);
	char text[32];

	figure_ratio(reading, (unsigned)column->width, text, sizeof(text));
	draw_right(cells->y, column->x, column->width,
		   quality_has_value(reading.quality) ? ROLE_HEADLINE : ROLE_DIM, text);
}

static void draw_primary_bar(const struct cells *cells, const struct column *column)
{
	struct reading reading = primary_metric_of(cells);

	if (quality_has_value(reading.quality))
		draw_bar(cells->y, column->x, column->width, ROLE_BAR,
			 reading.value / model_top(&cells->tui->model, cells->line));
}

static void draw_sparkline(const struct cells *cells, const struct column *column)
{
	const struct model *model = &cells->tui->model;
	float value[HISTORY_COLUMNS_MAX];
	int width = column->width < HISTORY_COLUMNS_MAX ? column->width : HISTORY_COLUMNS_MAX;

	model_sparkline(model, cells->line, value, (unsigned)width);
	draw_spark(cells->y, column->x, width, ROLE_SPARK, value, model_top(model, cells->line));
}

static enum role cell_role(const struct cells *cells, unsigned slot, enum quality quality)
{
	if (!quality_has_value(quality))
		return ROLE_DIM;
	if (slot == cells->tui->model.slot)
		return ROLE_SELECTED;
	return cells->line->by == BY_CORE ? ROLE_TEXT : ROLE_TOTAL;
}

static void draw_slot(const struct cells *cells, const struct column *column)
{
	const struct model *model = &cells->tui->model;
	struct reading reading = { .quality = QUALITY_PENDING };
	char text[32];

	if (cells->row)
		reading = model_figure(model, cells->row, column->slot, model->show);
	figure_steady(reading, LAYOUT_CELL_WIDTH, model_step(model, cells->line, column->slot),
		      text, sizeof(text));
	draw_right(cells->y, column->x, column->width,
		   cell_role(cells, column->slot, reading.quality), text);
}

static void draw_metric(const struct cells *cells, const struct column *column)
{
	const struct model *model = &cells->tui->model;
	struct reading reading = model_metric_cell(model, cells->row, column->slot);
	char text[32];

	if (cells->row && cells->row->state == CORE_OFF)
		reading.quality = QUALITY_OFF;
	figure_ratio(reading, LAYOUT_CELL_WIDTH, text, sizeof(text));
	draw_right(cells->y, column->x, column->width,
		   !quality_has_value(reading.quality) ? ROLE_DIM
		   : cells->line->by == BY_CORE        ? ROLE_TEXT
						       : ROLE_TOTAL,
		   text);
}

static void (*const draw_cell[])(const struct cells *, const struct column *) = {
	[COLUMN_NAME] = draw_name,       [COLUMN_HEADLINE] = draw_primary,
	[COLUMN_BAR] = draw_primary_bar, [COLUMN_HISTORY] = draw_sparkline,
	[COLUMN_SLOT] = draw_slot,       [COLUMN_METRIC] = draw_metric,
};

static void draw_line(const void *data, unsigned i, int y)
{
	const struct tui *tui = data;
	struct frame_row row;
	struct cells cells = { .tui = tui, .line = &tui->model.line[i], .y = y };

	if (model_row(&tui->model, cells.line, &row))
		cells.row = &row;
	for (unsigned n = 0; n < (tui->model.yielded ? 1 : tui->layout.n_columns); n++)
		draw_cell[tui->layout.column[n].kind](&cells, &tui->layout.column[n]);
	if (tui->model.yielded) /* where figures begin */
		draw_text(y, tui->layout.column[1].x, COLS, ROLE_DIM, "yielded");
}

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

static void draw_slot_heading(const struct tui *tui, const struct column *column)
{
	const struct layout *layout = &tui->layout;
	const struct event *event = set_event(tui->model.set, column->slot);
	char text[48];
	int y = layout->heading_y;

	draw_heading(tui, column, name_heading(&tui->model, column->slot, text, sizeof(text)),
		     column->slot == tui->model.slot, ORDER_SLOT);
	mouse_area(y + 1, column->x - 1, layout->n_rows + layout->rows_y - y - 1, column->width + 1,
		   click_slot, (int)column->slot);
	if (layout->units_y >= 0)
		draw_right(layout->units_y, column->x, column->width, ROLE_DIM,
			   figure_unit(event, tui->model.show, text, sizeof(text)));
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
			  event->short_name);
}

static void draw_metric_heading(const struct tui *tui, const struct column *column)
{
	const struct model *model = &tui->model;
	const char *name = name_metric(model, column->slot);

	draw_heading(tui, column, name, false, ORDER_METRIC);
	if (tui->layout.units_y >= 0)
		draw_right(tui->layout.units_y, column->x, column->width, ROLE_DIM,
			   model->metrics->metric[column->slot].unit);
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
			draw_heading(tui, column, "IPC", false, ORDER_HEADLINE);
		if (column->kind == COLUMN_HISTORY)
			draw_sparkline_heading(tui, column);
	}
	table_more_draw(layout->heading_y, name->x + name->width - 1, layout->more_left,
			layout->more_right);
}

/* Where there is room to spare, an empty line sets the clusters apart. */
static bool is_apart(const void *data, unsigned row)
{
	const struct tui *tui = data;
	const struct model *model = &tui->model;

	return model->line[row].by == BY_CLUSTER && model->by == BY_CORE &&
	       (int)(model->n_lines + model->machine->n_clusters) <= tui->layout.n_rows;
}

static void draw_mini_graph(struct tui *tui, int y, int end)
{
	const struct model *model = &tui->model;
	struct series series[2];

	if (!model->yielded && model->row.at < model->n_lines)
		mini_graph_draw(tui, series,
				series_of_line(model, &model->line[model->row.at], series), y,
				end - y);
}

static const struct table_ops row_ops = {
	.draw = draw_line,
	.is_apart = is_apart,
	.mark = ROLE_KEY,
};

static void cores_draw(struct tui *tui)
{
	const struct layout *layout = &tui->layout;
	draw_headings(tui);
	tui->n_seen = layout->n_rows > 0 ? (unsigned)layout->n_rows : 0;
	draw_mini_graph(tui, list_draw(tui, &row_ops, tui, layout->rows_y, layout->n_rows) + 1,
			layout->rows_y + layout->n_rows);
}

/* The headline and the rate of the selected counter. */
static unsigned cores_selected(const struct tui *tui, struct series ret[2])
{
	const struct model *model = &tui->model;
	struct line line = { .by = BY_TYPE };

	if (model->row.at < model->n_lines)
		line = model->line[model->row.at];
	return series_of_line(model, &line, ret);
}

const struct view view_cores = {
	.name = "Cores",
	.what = "every core and the rates of its counters",
	.has_detail = true,
	.hint = { { "?", "help" },
		  { "e", "choose" },
		  { "Tab", "view" },
		  { "s", "sort" },
		  { "a", "graph" },
		  { "l", "log" },
		  { "u", "undo" },
		  { "x", "clear" },
		  { "] [", "next" } },
	.draw = cores_draw,
	.selected = cores_selected,
	.list = rows_list,
	.has_folds = true,
	.item = rows_item,
};
