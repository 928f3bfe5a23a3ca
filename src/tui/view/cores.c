#include "tui/view.h"

#include <stdio.h>

#include "tui/draw.h"
#include "tui/keys.h"
#include "tui/list.h"
#include "tui/mouse.h"
#include "tui/names.h"
#include "tui/rows_keys.h"
#include "tui/state.h"

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

static struct reading headline_of(const struct cells *cells)
{
	const struct model *model = &cells->tui->model;

	if (!cells->row)
		return (struct reading){ .quality = QUALITY_PENDING };
	return model_metric(model, cells->row, model->headline);
}

static void draw_headline(const struct cells *cells, const struct column *column)
{
	struct reading reading = headline_of(cells);
	char text[32];

	figure_ratio(reading, (unsigned)column->width, text, sizeof(text));
	draw_right(cells->y, column->x, column->width,
		   quality_has_value(reading.quality) ? ROLE_HEADLINE : ROLE_DIM, text);
}

static void draw_headline_bar(const struct cells *cells, const struct column *column)
{
	struct reading reading = headline_of(cells);

	if (quality_has_value(reading.quality))
		draw_bar(cells->y, column->x, column->width, ROLE_BAR,
			 reading.value / model_top(&cells->tui->model, cells->line));
}

static void draw_history(const struct cells *cells, const struct column *column)
{
	const struct model *model = &cells->tui->model;
	float value[HISTORY_COLUMNS_MAX];
	int width = column->width < HISTORY_COLUMNS_MAX ? column->width : HISTORY_COLUMNS_MAX;

	model_history(model, cells->line, value, (unsigned)width);
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
	struct reading reading = metrics_figure(model, cells->row, column->slot);
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
	[COLUMN_NAME] = draw_name,        [COLUMN_HEADLINE] = draw_headline,
	[COLUMN_BAR] = draw_headline_bar, [COLUMN_HISTORY] = draw_history,
	[COLUMN_SLOT] = draw_slot,        [COLUMN_METRIC] = draw_metric,
};

static void draw_line(const struct tui *tui, unsigned i, int y)
{
	struct frame_row row;
	struct cells cells = { .tui = tui, .line = &tui->model.line[i], .y = y };

	if (model_row(&tui->model, cells.line, &row))
		cells.row = &row;
	for (unsigned n = 0; n < (tui->model.yielded ? 1 : tui->layout.n_columns); n++)
		draw_cell[tui->layout.column[n].kind](&cells, &tui->layout.column[n]);
	if (tui->model.yielded) /* where figures begin */
		draw_text(y, tui->layout.column[1].x, COLS, ROLE_DIM, "yielded");
	if (i == tui->model.row.at)
		draw_text(y, 0, 1, ROLE_KEY, "▸");
	list_area(y, i);
}

static unsigned click_slot(void *screen, int slot)
{
	struct tui *tui = screen;

	tui->model.slot = (unsigned)slot;
	return DID_REDRAW;
}

static unsigned click_heading(void *screen, int slot)
{
	rows_sort_by(screen, ORDER_SLOT, (unsigned)slot);
	return click_slot(screen, slot);
}

static unsigned click_headline(void *screen, int unused)
{
	(void)unused;
	rows_sort_by(screen, ORDER_HEADLINE, 0);
	return DID_REDRAW;
}

/* Behind the heading: the order that it gives the rows, or that it is selected. */
static void mark_heading(const struct tui *tui, const struct column *column, enum order_by by,
			 unsigned number, bool is_selected)
{
	const struct order *order = &tui->model.rows.order;
	int y = tui->layout.heading_y, x = column->x + column->width;

	if (order->by == by && order->number == number)
		draw_text(y, x, 1, ROLE_KEY, rows_arrow(order));
	else if (is_selected)
		draw_text(y, x, 1, ROLE_SELECTED, "◂");
}

static void draw_slot_heading(const struct tui *tui, const struct column *column)
{
	const struct layout *layout = &tui->layout;
	const struct event *event = set_event(tui->model.set, column->slot);
	bool is_selected = column->slot == tui->model.slot;
	enum role role = is_selected ? ROLE_SELECTED : ROLE_HEADING;
	char text[48];
	int y = layout->heading_y;

	int width = draw_right(y, column->x, column->width, role,
			       name_heading(&tui->model, column->slot, text, sizeof(text)));

	if (is_selected)
		draw_text(y, column->x + column->width - width - 1, 1, role, "▸");
	mark_heading(tui, column, ORDER_SLOT, column->slot, is_selected);
	mouse_area(y, column->x - 1, 1, column->width + 1, click_heading, (int)column->slot);
	mouse_area(y + 1, column->x - 1, layout->n_rows + layout->rows_y - y - 1, column->width + 1,
		   click_slot, (int)column->slot);
	if (layout->units_y >= 0)
		draw_right(layout->units_y, column->x, column->width, ROLE_DIM,
			   figure_unit(event, tui->model.show, text, sizeof(text)));
}

/* Without IPC the curves are those of the selected column: then the heading names it. */
static void draw_history_heading(const struct tui *tui, const struct column *column)
{
	const struct model *model = &tui->model;
	const struct event *event = set_event(model->set, model->slot);
	double span_s = (double)model_cell_ns(model) * column->width / 1e9;
	const char *last = column->width >= 10 ? "last " : "";
	char span[32];
	int y = tui->layout.heading_y;

	snprintf(span, sizeof(span), span_s < 10 ? "%s%.1f s" : "%s%.0f s", last, span_s);
	draw_right(y, column->x, column->width, ROLE_HEADING, span);
	if (model->headline < 0 && event && column->width >= 20)
		draw_text(y, column->x, column->width - draw_columns(span) - 1, ROLE_SELECTED,
			  event->short_name);
}

static void draw_headline_heading(const struct tui *tui, const struct column *column)
{
	int y = tui->layout.heading_y;

	draw_right(y, column->x, column->width, ROLE_HEADING, "IPC");
	mark_heading(tui, column, ORDER_HEADLINE, 0, false);
	mouse_area(y, column->x - 1, 1, column->width + 1, click_headline, 0);
}

static unsigned click_metric(void *screen, int number)
{
	rows_sort_by(screen, ORDER_METRIC, (unsigned)number);
	return DID_REDRAW;
}

static void draw_metric_heading(const struct tui *tui, const struct column *column)
{
	const struct model *model = &tui->model;
	const char *name = name_metric(model, column->slot);
	int y = tui->layout.heading_y;

	draw_right(y, column->x, column->width, ROLE_HEADING, name);
	mark_heading(tui, column, ORDER_METRIC, column->slot, false);
	mouse_area(y, column->x - 1, 1, column->width + 1, click_metric, (int)column->slot);
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
			draw_headline_heading(tui, column);
		if (column->kind == COLUMN_HISTORY)
			draw_history_heading(tui, column);
	}
	if (layout->more_left)
		draw_text(layout->heading_y, name->x + name->width - 1, 1, ROLE_KEY, "‹");
	if (layout->more_right)
		draw_text(layout->heading_y, COLS - 1, 1, ROLE_KEY, "›");
}

/* Where there is room to spare, an empty line sets the clusters apart. */
static bool is_airy(const struct model *model, unsigned n_rows)
{
	return model->by == BY_CORE && model->n_lines + model->machine->n_clusters <= n_rows;
}

static void draw_beneath(struct tui *tui, int y, int end)
{
	const struct model *model = &tui->model;
	struct series series[2];

	if (!model->yielded && model->row.at < model->n_lines)
		graph_draw_beneath(tui, series,
				   series_of_line(model, &model->line[model->row.at], series), y,
				   end - y);
}

static void cores_draw(struct tui *tui)
{
	const struct model *model = &tui->model;
	unsigned n_rows = tui->layout.n_rows > 0 ? (unsigned)tui->layout.n_rows : 0;
	int y = tui->layout.rows_y;

	draw_headings(tui);
	cursor_follow(&tui->model.row, model->n_lines, n_rows);
	tui->n_seen = n_rows;
	for (unsigned i = model->row.top; i < model->n_lines && i < model->row.top + n_rows; i++) {
		y += i > 0 && model->line[i].by == BY_CLUSTER && is_airy(model, n_rows);
		draw_line(tui, i, y++);
	}
	if (model->row.top + n_rows < model->n_lines)
		draw_text(tui->layout.rows_y + (int)n_rows - 1, 0, 1, ROLE_KEY, "↓");
	if (model->row.top > 0)
		draw_text(tui->layout.rows_y, 0, 1, ROLE_KEY, "↑");
	draw_beneath(tui, y + 1, tui->layout.rows_y + (int)n_rows);
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
	.list = rows_list,
	.item = rows_item,
};
