/* tasks_table.c: the table of the Tasks view: its columns, headings and lines */
#include <stdio.h>
#include <string.h>

#include "tui/model/names.h"
#include "tui/screen/list.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/view/cores_bar.h"
#include "tui/view/cores_fit.h"
#include "tui/view/tasks_view.h"

/* Columns before the figures, from left to right. */
enum lead { LEAD_NUMBER, LEAD_USER, LEAD_NAME, LEAD_LOAD, LEAD_WHERE, N_LEADS };

static const struct {
	const char *heading;
	int width;
	int brief; /* on a screen of less than so many columns: */
	int below;
	bool is_right;
} leads[N_LEADS] = {
	[LEAD_NUMBER] = { "PID", 7, 7, 0, true },    [LEAD_USER] = { "USER", 8, 0, 100, false },
	[LEAD_NAME] = { "TASK", 15, 10, 50, false }, [LEAD_LOAD] = { "CPU%", 5, 0, 50, true },
	[LEAD_WHERE] = { "ON", 7, 2, 76, false },
};

enum { SHARE_WIDTH = 6 };

/* The picture in the making. */
struct tasks_table {
	struct tui *tui;
	const struct task_list *list;
	struct layout layout;
	int lead_x[N_LEADS], lead_width[N_LEADS]; /* 0: given way */
	int share_x;                              /* 0: given way */
	bool has_headline;
};

/* ---- where things stand ---- */

static bool has_users(const struct tui *tui)
{
	return !tui->model.machine->simulated && !tui_is_playing(tui);
}

static int width_of_lead(const struct tui *tui, enum lead lead)
{
	bool is_brief = COLS < leads[lead].below;

	if ((lead == LEAD_USER && !has_users(tui)) ||
	    (lead == LEAD_WHERE && is_brief && tui->model.machine->n_types < 2))
		return 0;
	return is_brief ? leads[lead].brief : leads[lead].width;
}

static int place_leads(struct tasks_table *table)
{
	int x = 1;

	for (enum lead lead = 0; lead < N_LEADS; lead++) {
		table->lead_width[lead] = width_of_lead(table->tui, lead);
		if (!table->lead_width[lead])
			continue;
		table->lead_x[lead] = x;
		x += table->lead_width[lead] + 1;
	}
	return x - 2;
}

/* Columns to the right of the selected one make room for its share. */
static void place_share(struct tasks_table *table)
{
	struct layout *layout = &table->layout;
	unsigned slot = table->tui->model.slot;

	for (unsigned i = 0; i < layout->n_columns; i++) {
		struct column *column = &layout->column[i];

		if (table->share_x)
			column->x += SHARE_WIDTH + 1;
		else if (column->kind == COLUMN_SLOT && column->slot == slot)
			table->share_x = column->x + column->width + 1;
	}
}

static void place(struct tasks_table *table)
{
	const struct model *model = &table->tui->model;
	struct fit_tasks fit = {
		.leading = place_leads(table),
		.share = COLS >= 60 ? SHARE_WIDTH + 1 : 0,
		.has_headline = task_list_has_metric(model, model->primary_metric),
	};

	fit_make_tasks(table->tui, &fit, &table->layout);
	if (fit.share)
		place_share(table);
}

/* ---- one line ---- */

/* What every cell of a line needs. */
struct task_cells {
	const struct tasks_table *table;
	const struct task_line *line;
	struct task_figures figures;
	enum role role;
	int y;
};

static void draw_lead(const struct task_cells *cells, enum lead lead, const char *text)
{
	int x = cells->table->lead_x[lead], width = cells->table->lead_width[lead];

	if (!x)
		return;
	if (leads[lead].is_right)
		draw_right(cells->y, x, width, cells->role, text);
	else
		draw_text(cells->y, x, width, cells->role, text);
}

static const char *user_text(const struct task_cells *cells)
{
	const struct core_task *task = cells->line->row->task;
	struct tui *tui = cells->table->tui;

	if (task->kind != TASK_THREAD || tui->tasks->list.by == BY_COMMAND)
		return "-";
	return users_name(&tui->tasks->users, task->pid, task->first_ns);
}

/* "P 4-5" */
static const char *where_text(const struct task_cells *cells, char *buf, size_t size)
{
	const struct machine *machine = cells->table->tui->model.machine;
	const char *type = machine->type[cells->line->type].name;
	const struct task_row *row = cells->line->row;
	struct cpus cpus = { { 0 } };
	char list[32];

	for (size_t i = 0; i < row->n_parts; i++) {
		const struct core *core = &machine->core[row->part[i]->core];

		if (core->type == cells->line->type)
			cpus_add(&cpus, core->cpu);
	}
	cpus_format(&cpus, list, sizeof(list));
	if (machine->n_types < 2)
		snprintf(buf, size, "%s", list);
	else if (cells->table->lead_width[LEAD_WHERE] < leads[LEAD_WHERE].width)
		snprintf(buf, size, "%s", type);
	else
		snprintf(buf, size, "%s %s", type, list);
	return buf;
}

/* Not of what was idle, as part of [unattributed] may have been. */
static const char *load_text(const struct task_cells *cells, char *buf, size_t size)
{
	double percent = cells->figures.load * 100;

	if (cells->line->row->task->kind == TASK_IDLE ||
	    cells->line->row->task->kind == TASK_UNATTRIBUTED)
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, percent < 9.95 ? "%.1f" : "%.0f", percent);
	return buf;
}

static void draw_leads(const struct task_cells *cells)
{
	const struct task_list *list = cells->table->list;
	unsigned number = task_list_number(list, cells->line);
	char text[64];

	snprintf(text, sizeof(text), number ? "%u" : "-", number);
	draw_lead(cells, LEAD_NUMBER, text);
	if (cells->table->lead_x[LEAD_USER])
		draw_lead(cells, LEAD_USER, user_text(cells));
	draw_lead(cells, LEAD_NAME, cells->line->row->task->comm);
	draw_lead(cells, LEAD_LOAD, load_text(cells, text, sizeof(text)));
	draw_lead(cells, LEAD_WHERE, where_text(cells, text, sizeof(text)));
}

static enum role cell_role(const struct task_cells *cells, enum quality quality, enum role role)
{
	return quality_has_value(quality) && cells->role == ROLE_TEXT ? role : ROLE_DIM;
}

static void draw_headline(const struct task_cells *cells, const struct column *column)
{
	const struct model *model = &cells->table->tui->model;
	struct reading reading = model_metric(model, &cells->figures.row, model->primary_metric);
	char text[32];

	if (model_is_primary_share(model))
		figure_metric(reading, 1, (unsigned)column->width, text, sizeof(text));
	else
		figure_ratio(reading, (unsigned)column->width, text, sizeof(text));
	draw_right(cells->y, column->x, column->width,
		   cell_role(cells, reading.quality, ROLE_HEADLINE), text);
}

static void draw_parts(const struct task_cells *cells, const struct column *column)
{
	cores_bar_draw(cells->table->tui, &cells->figures.row, cells->y, column->x, column->width);
}

static void draw_share(const struct task_cells *cells, unsigned slot)
{
	const struct tasks_table *table = cells->table;
	struct reading share =
		task_figures_share(table->list, &table->tui->model, &cells->figures, slot);
	const char *mark = quality_mark(share.quality);
	char text[32];

	if (!quality_has_value(share.quality))
		snprintf(text, sizeof(text), "%s", mark);
	else
		snprintf(text, sizeof(text), "%s%.*f", mark, share.value < 9.95, share.value);
	draw_right(cells->y, table->share_x, SHARE_WIDTH,
		   cell_role(cells, share.quality, ROLE_SELECTED), text);
}

static void draw_counter(const struct task_cells *cells, const struct column *column)
{
	const struct model *model = &cells->table->tui->model;
	bool is_selected = column->slot == model->slot;
	struct reading reading =
		model_figure(model, &cells->figures.row, column->slot, model->show);
	char text[32];

	figure_text(reading, LAYOUT_CELL_WIDTH, text, sizeof(text));
	draw_right(cells->y, column->x, column->width,
		   cell_role(cells, reading.quality, is_selected ? ROLE_SELECTED : ROLE_TEXT),
		   text);
	if (is_selected && cells->table->share_x)
		draw_share(cells, column->slot);
}

static void (*const draw_column[])(const struct task_cells *, const struct column *) = {
	[COLUMN_HEADLINE] = draw_headline,
	[COLUMN_BAR] = draw_parts,
	[COLUMN_SLOT] = draw_counter,
};

static void draw_cells(const struct tasks_table *table, const struct task_line *line, int y)
{
	bool is_task = line->row->task->kind == TASK_THREAD;
	struct task_cells cells = {
		.table = table, .line = line, .role = is_task ? ROLE_TEXT : ROLE_DIM, .y = y
	};

	task_figures_make(table->list, &table->tui->model, line, &cells.figures);
	draw_leads(&cells);
	for (unsigned i = 1; i < table->layout.n_columns; i++) /* behind what leads */
		draw_column[table->layout.column[i].kind](&cells, &table->layout.column[i]);
}

static void draw_line(const void *data, unsigned i, int y)
{
	const struct tasks_table *table = data;
	bool is_selected = i == table->list->at.at;

	if (is_selected)
		draw_select_row(y, 1, COLS - 1);
	draw_cells(table, &table->list->line[i], y);
	if (is_selected)
		draw_select_end();
}

/* ---- headings ---- */

static void click_counter(void *screen, int slot)
{
	struct tui *tui = screen;

	tui->model.slot = (unsigned)slot;
	tui->tasks->list.order = TASKS_BY_COUNTER;
	tui->tasks->list.is_stale = true;
}

static void click_order(void *screen, int order)
{
	struct tui *tui = screen;

	tui->tasks->list.order = (enum task_order)order;
	tui->tasks->list.is_stale = true;
}

static const char *arrow(const struct tasks_table *table, enum task_order order)
{
	if (table->list->order != order)
		return NULL;
	return table->list->is_ascending ? "▴" : "▾";
}

static void draw_head(const struct tasks_table *table, int x, int width, const char *text,
		      bool is_selected, enum task_order order)
{
	const struct table_heading heading = { .y = table->layout.heading_y,
					       .x = x,
					       .width = width,
					       .text = text,
					       .is_selected = is_selected,
					       .arrow = arrow(table, order) };

	table_heading_draw(&heading);
}

static void draw_counter_head(const struct tasks_table *table, const struct column *column)
{
	const struct model *model = &table->tui->model;
	const struct layout *layout = &table->layout;
	const struct event *event = set_event(model->set, column->slot);
	bool is_selected = column->slot == model->slot;
	char text[48];

	snprintf(text, sizeof(text), "%u%s", set_slot_of(model->set, column->slot),
		 privilege_suffix[event->privilege]);
	draw_right(layout->number_y, column->x, column->width,
		   is_selected ? ROLE_SELECTED : ROLE_HEADING, text);
	draw_head(table, column->x, column->width, event->short_name, is_selected,
		  is_selected ? TASKS_BY_COUNTER : N_TASK_ORDERS);
	if (is_selected && table->share_x)
		draw_right(layout->heading_y, table->share_x, SHARE_WIDTH, ROLE_SELECTED, "share");
	if (layout->units_y >= 0)
		draw_right(layout->units_y, column->x, column->width, ROLE_DIM,
			   figure_unit(event, model->show, text, sizeof(text)));
	if (layout->units_y >= 0 && is_selected && table->share_x)
		draw_right(layout->units_y, table->share_x, SHARE_WIDTH, ROLE_DIM, "%");
	mouse_area(layout->number_y, column->x - 1,
		   layout->rows_y + layout->n_rows - layout->number_y, column->width + 1,
		   click_counter, (int)column->slot);
}

static void draw_lead_heads(const struct tasks_table *table)
{
	int y = table->layout.heading_y;

	for (enum lead lead = 0; lead < N_LEADS; lead++) {
		int x = table->lead_x[lead], width = table->lead_width[lead];
		bool is_tid = lead == LEAD_NUMBER && table->list->by == BY_THREAD;

		if (!x)
			continue;
		if (lead == LEAD_LOAD) {
			draw_head(table, x, width, leads[lead].heading, false, TASKS_BY_TIME);
			mouse_area(y, x, 1, width, click_order, TASKS_BY_TIME);
		} else if (leads[lead].is_right) {
			draw_right(y, x, width, ROLE_HEADING, is_tid ? "TID" : leads[lead].heading);
		} else {
			draw_text(y, x, width, ROLE_HEADING, leads[lead].heading);
		}
	}
}

static void draw_heads(const struct tasks_table *table)
{
	const struct layout *layout = &table->layout;
	const struct model *model = &table->tui->model;

	draw_lead_heads(table);
	for (unsigned i = 1; i < layout->n_columns; i++) {
		const struct column *column = &layout->column[i];

		if (column->kind == COLUMN_SLOT)
			draw_counter_head(table, column);
		if (column->kind == COLUMN_BAR)
			cores_bar_heading(layout->heading_y, column->x, column->width);
		if (column->kind != COLUMN_HEADLINE)
			continue;
		draw_head(table, column->x, column->width,
			  name_metric(model, (unsigned)model->primary_metric), false,
			  TASKS_BY_HEADLINE);
		mouse_area(layout->heading_y, column->x, 1, column->width, click_order,
			   TASKS_BY_HEADLINE);
	}
	table_more_draw(layout->heading_y, layout->column[0].x + layout->column[0].width,
			layout->more_left, layout->more_right);
}

int tasks_table_draw(struct tui *tui, struct layout *ret)
{
	static const struct table_ops ops = { .draw = draw_line, .mark = ROLE_KEY };
	struct tasks_table table = { .tui = tui, .list = &tui->tasks->list };
	const struct layout *layout = &table.layout;

	place(&table);
	draw_heads(&table);
	*ret = *layout;
	if (!table.list->n)
		return layout->rows_y;
	tui->n_seen = layout->n_rows > 0 ? (unsigned)layout->n_rows : 0;
	return list_draw(tui, &ops, &table, layout->rows_y, layout->n_rows);
}
