/* uncore.c: the Uncore view lists devices such as memory controllers and SMMUs, with their counts
 * and metrics */
#include "tui/view/views.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "pmu/set.h"
#include "pmu/event.h"
#include "tui/term/draw.h"
#include "tui/widget/grid.h"
#include "tui/term/key.h"
#include "tui/screen/list.h"
#include "tui/widget/table.h"
#include "tui/counters/assign.h"
#include "tui/model/baseline.h"
#include "tui/overlay/picker.h"
#include "tui/screen/state.h"

enum { CELL_WIDTH = 6, NAME_SHORT_MAX = 12, NO_COLUMN = GRID_COLUMNS_MAX };

/* Context of one drawing. */
struct uncore_table {
	struct tui *tui;
	const struct set *set; /* of the displayed frame; before the first frame the next set */
	struct set_devices devices;
	unsigned n_metrics; /* metric columns, after those of the events */
	uint16_t metric[METRICS_BOUND_MAX];
	struct grid grid;
	int heading_y, n_detail;
	unsigned n_rows;   /* visible rows, from the cursor's top on */
	unsigned selected; /* column; NO_COLUMN: none, below the cores */
};

static unsigned n_columns(const struct uncore_table *table)
{
	unsigned n = table->devices.n_events + table->n_metrics;

	return n < GRID_COLUMNS_MAX ? n : GRID_COLUMNS_MAX;
}

/* Get the column's metric. @return NULL: it is an event's column */
static const struct metric *uncore_metric_of(const struct uncore_table *table, unsigned column)
{
	const struct metrics *metrics = table->tui->model.metrics;

	if (column < table->devices.n_events)
		return NULL;
	return &metrics->metric[table->metric[column - table->devices.n_events]];
}

static struct label uncore_heading(const void *data, unsigned column)
{
	const struct uncore_table *table = data;
	const struct metric *metric = uncore_metric_of(table, column);

	return label_printf("%s", metric ? metric_label(metric)
					 : event_label(table->devices.event[column]).text);
}

static void table_make(struct tui *tui, struct uncore_table *ret)
{
	const struct frame *shown = tui->model.shown;

	ret->tui = tui;
	ret->set = shown ? shown->set : tui->model.set;
	ret->n_metrics = 0;
	set_devices(ret->set, &ret->devices);
	for (unsigned i = 0; shown && i < shown->bound->n; i++)
		if (metrics_is_of_devices(shown->bound, i))
			ret->metric[ret->n_metrics++] = shown->bound->number[i];
}

static void make_grid(struct uncore_table *table)
{
	struct grid_want want = { .width = COLS,
				  .cell = CELL_WIDTH,
				  .n_columns = n_columns(table),
				  .cursor = &table->tui->uncore.column,
				  .data = table,
				  .text = uncore_heading };

	for (unsigned i = 0; i < table->devices.n; i++) {
		int width = draw_columns(table->devices.pmu[i]->name);

		want.name_full = width > want.name_full ? width : want.name_full;
	}
	want.name_short = want.name_full < NAME_SHORT_MAX ? want.name_full : NAME_SHORT_MAX;
	grid_make(&want, &table->grid);
	if (table->selected != NO_COLUMN)
		table->selected = want.cursor->at;
}

static void uncore_make_lines(struct uncore_table *table)
{
	const struct layout *layout = &table->tui->layout;
	struct cursor *cursor = &table->tui->uncore.device;
	int blank = LINES >= 18, rows_y;

	table->n_detail = LINES >= 18 ? 4 : LINES >= 14 ? 2 : 1;
	table->heading_y = layout->view_y;
	rows_y = table->heading_y + 2;
	table->n_rows = (unsigned)(layout->status_y - table->n_detail - blank - rows_y);
	cursor_follow(cursor, table->devices.n, table->n_rows);
	if (table->n_rows > table->devices.n - cursor->top)
		table->n_rows = table->devices.n - cursor->top;
}

static void click_column(struct tui *tui, int column)
{
	tui->uncore.column.at = (unsigned)column;
}

static struct label uncore_unit(const void *data, unsigned column)
{
	const struct uncore_table *table = data;
	const struct metric *metric = uncore_metric_of(table, column);
	struct label unit = metric ? label_printf("%s", metric->unit)
				   : figure_unit(table->devices.event[column], SHOW_RATE);

	return table->tui->model.baseline ? label_printf("%s", baseline_unit(unit.text)) : unit;
}

static void uncore_draw_headings(const struct uncore_table *table)
{
	const struct grid_headings headings = {
		.y = table->heading_y,
		.height = 2 + (int)table->n_rows,
		.selected = table->selected,
		.data = table,
		.text = uncore_heading,
		.unit = uncore_unit,
		.click = click_column,
	};

	grid_headings_draw(&table->grid, &headings);
}

/* Get the rate of an event, or its change. */
static struct reading device_rate(const struct uncore_table *table, const struct frame_row *row,
				  unsigned column)
{
	const struct model *model = &table->tui->model;
	unsigned slot = set_devices_column(&table->devices, row->index, column);
	struct reading rate = { .quality = QUALITY_NONE };

	if (slot != COLUMN_NONE) {
		rate = count_rate(&row->count[slot]);
		rate.value *= table->devices.event[column]->scale;
	}
	if (row->state == CORE_OFF)
		rate.quality = QUALITY_OFF;
	if (model->baseline && slot != COLUMN_NONE)
		rate = baseline_change(rate, baseline_slot(model, row, slot, SHOW_RATE), false);
	return rate;
}

/* Draw column i of a device's row. */
static void draw_cell(const struct uncore_table *table, const struct frame_row *row, unsigned i,
		      int y)
{
	const struct model *model = &table->tui->model;
	unsigned column = table->grid.at[i].column;
	const struct metric *metric = uncore_metric_of(table, column);
	unsigned number = metric ? (unsigned)(metric - model->metrics->metric) : 0;
	unsigned width = metric ? (unsigned)table->grid.cell : CELL_WIDTH;
	struct reading reading =
		metric ? baseline_metric_cell(model, row, number) : device_rate(table, row, column);
	bool has_value = quality_has_value(reading.quality), is_alarm;
	struct label text;

	if (model->baseline)
		text = baseline_text(reading, width);
	else if (metric)
		text = figure_metric(reading, figure_decimals(reading.value), width);
	else
		text = figure_text(reading, width);
	is_alarm = metric && has_value && model_is_beyond(model, row, (int)number);
	table_figure_draw(y, table->grid.at[i].x, table->grid.cell,
			  is_alarm                    ? ROLE_ALARM
			  : !has_value                ? ROLE_DIM
			  : metric                    ? ROLE_TOTAL
			  : column == table->selected ? ROLE_SELECTED
						      : ROLE_TEXT,
			  is_alarm, text.text);
}

static void uncore_draw_row(const void *data, unsigned device, int y)
{
	const struct uncore_table *table = data;
	const struct grid *grid = &table->grid;
	const struct line line = { .by = BY_DEVICE, .index = device };
	bool is_selected = table->selected != NO_COLUMN && device == table->tui->uncore.device.at;
	struct frame_row row;

	draw_text(y, grid->name_x, grid->name_width, is_selected ? ROLE_TOTAL : ROLE_TEXT,
		  table->devices.pmu[device]->name);
	if (!model_row(&table->tui->model, &line, &row))
		return;
	for (unsigned i = 0; i < grid->n; i++)
		draw_cell(table, &row, i, y);
}

static const struct table_ops row_ops = {
	.draw = uncore_draw_row,
	.mark = ROLE_KEY,
};

static void draw_metric(const struct metric *metric, int y, int n_lines)
{
	int x = 1 + draw_text(y, 1, COLS - 2, ROLE_SELECTED, metric->name) + 2;

	draw_text(y, x, COLS - 1 - x, ROLE_TEXT, metric->brief);
	if (n_lines > 1)
		draw_printf(y + 1, 1, COLS - 2, ROLE_DIM, "= %s", metric->expr);
}

/* Draw an event with its full description if there is room. */
static void draw_event(const struct event *event, int y, int n_lines)
{
	int x = 1 + draw_text(y, 1, COLS - 2, ROLE_SELECTED, event->name) + 2;

	if (event->known && n_lines == 1)
		draw_text(y, x, COLS - 1 - x, ROLE_TEXT, event->known->brief);
	else if (event->known)
		draw_wrapped(y + 1, 1, COLS - 2, n_lines - 1, ROLE_TEXT, event->known->what);
}

/* Draw the event or metric of the selected column and device. */
static void draw_what(const struct uncore_table *table, int y, int n_lines)
{
	unsigned column = table->tui->uncore.column.at;
	unsigned device = table->tui->uncore.device.at;
	const struct metric *metric = uncore_metric_of(table, column);
	unsigned slot = set_devices_column(&table->devices, device, column);

	if (metric)
		draw_metric(metric, y, n_lines);
	else if (slot == COLUMN_NONE)
		draw_text(y, 1, COLS - 2, ROLE_DIM, "not requested on this device");
	else
		draw_event(set_event(table->set, slot), y, n_lines);
}

/* Get the stream scope of the selected column; for a metric preferably that of an unfiltered input.
 * @return NULL: it does not count streams */
static const struct stream_scope *scope_of(const struct uncore_table *table, const struct pmu *pmu)
{
	const struct set_devices *devices = &table->devices;
	unsigned device = table->tui->uncore.device.at;
	bool lacks_secure = table->tui->model.machine->lacks_secure;
	const struct stream_scope *scope = NULL, *its;
	unsigned at = table->tui->uncore.column.at;

	for (unsigned i = 0; i < devices->n_events; i++) {
		its = stream_scope(pmu, devices->event[i]->config, lacks_secure);
		if (set_devices_column(devices, device, i) != COLUMN_NONE &&
		    (at == i || at >= devices->n_events) && its &&
		    (!scope || !devices->event[i]->streams))
			scope = its;
	}
	return scope;
}

/* Draw the CPU that counts the device, and the scope of its figures. */
static void draw_where(const struct uncore_table *table, int y)
{
	const struct pmu *pmu = table->devices.pmu[table->tui->uncore.device.at];
	const struct stream_scope *scope = scope_of(table, pmu);
	char cpus[128];
	int x = 1;

	x += draw_text(y, x, COLS - 2, ROLE_TOTAL, pmu->name) + 2;
	x += draw_printf(y, x, COLS - 1 - x, ROLE_DIM, "counted on cpu %s",
			 cpus_format(&pmu->cpus, cpus, sizeof(cpus))) +
	     3;
	if (scope)
		draw_text(y, x, COLS - 1 - x, ROLE_DIM, scope->brief);
}

static bool uncore_is_empty(const struct tui *tui)
{
	struct set_devices devices;
	char names[32];

	set_devices(tui->model.set, &devices);
	return !devices.n &&
	       !*pmus_names(&tui->model.machine->pmus, PMU_UNCORE, names, sizeof(names));
}

static void draw_nothing(const struct tui *tui)
{
	const struct pmus *pmus = &tui->model.machine->pmus;
	int y = tui->layout.n_header + 1, n = tui->layout.status_y - y;
	char names[800], text[1000];

	pmus_names(pmus, PMU_UNCORE, names, sizeof(names));
	if (*names)
		snprintf(text, sizeof(text),
			 "No device is counted: %s chooses an event of a device. This machine has "
			 "%s.",
			 tui_key(tui, 'e').name, names);
	else
		snprintf(text, sizeof(text),
			 "This machine has no devices with counters (uncore PMUs).");
	draw_wrapped(y, 1, COLS - 2, n > 0 ? n : 1, ROLE_DIM, text);
}

int uncore_draw_below(struct tui *tui, int y, int end)
{
	struct uncore_table table = { .selected = NO_COLUMN };

	table_make(tui, &table);
	if (!table.devices.n || end - y < 3)
		return y;
	table.heading_y = y;
	y += 2;
	make_grid(&table);
	uncore_draw_headings(&table);
	for (unsigned i = 0; i < table.devices.n && y < end; i++)
		uncore_draw_row(&table, i, y++);
	return y + 1;
}

static void uncore_draw(struct tui *tui)
{
	struct uncore_table table = { .selected = 0 };
	int y;

	table_make(tui, &table);
	if (!table.devices.n) {
		draw_nothing(tui);
		return;
	}
	uncore_make_lines(&table);
	make_grid(&table);
	tui->n_seen = table.n_rows;
	uncore_draw_headings(&table);
	list_draw(tui, &row_ops, &table, table.heading_y + 2, (int)table.n_rows);
	y = tui->layout.status_y - table.n_detail;
	draw_what(&table, y, table.n_detail > 2 ? table.n_detail - 1 : 1);
	if (table.n_detail > 1)
		draw_where(&table, y + table.n_detail - 1);
}

static bool uncore_key(struct tui *tui, int key)
{
	unsigned *column = &tui->uncore.column.at;
	struct uncore_table table;

	table_make(tui, &table);
	switch (key) {
	case '(':
	case KEY_SLEFT: *column -= *column > 0; return true;
	case ')':
	case KEY_SRIGHT: *column += *column + 1 < n_columns(&table); return true;
	default: return false;
	}
}

/* Clear the event on all devices, because it was chosen for all of them. */
static void act_clear_device(struct tui *tui, int key UNUSED)
{
	unsigned at = tui->uncore.column.at;
	struct column_set columns = { { 0 } };
	struct uncore_table table;
	char name[EVENT_SHORT_MAX];

	table_make(tui, &table);
	for (unsigned i = 0; i < table.devices.n && at < table.devices.n_events; i++) {
		unsigned column = set_devices_column(&table.devices, i, at);

		if (column != COLUMN_NONE)
			column_set_add(&columns, column);
	}
	if (column_set_is_empty(&columns)) {
		tui_say(tui, ROLE_WARN, "select the column of an event to clear it");
		return;
	}
	snprintf(name, sizeof(name), "%s", table.devices.event[at]->short_name);
	if (assign_nothing(tui, &columns) == 0)
		tui_say(tui, ROLE_TEXT, "%s is no longer counted; %s undoes that", name,
			tui_key(tui, 'u').name);
}

static const char group[] = "In Uncore";

static const struct key keys[] = {
	KEY("Enter e", group, "count an event of the devices, from a list with search", COUNTS,
	    act_pick_device, NULL, '\r', '\n', KEY_ENTER, 'e'),
	KEY("x", group, "stop counting the event of the selected column", COUNTS, act_clear_device,
	    NULL, 'x'),
	{ 0 },
};

static struct cursor *uncore_list(struct tui *tui, unsigned *ret_n)
{
	struct uncore_table table;

	table_make(tui, &table);
	*ret_n = table.devices.n;
	return &tui->uncore.device;
}

static unsigned uncore_selected(const struct tui *tui, struct series ret[2])
{
	const struct uncore_view *view = &tui->uncore;
	const struct model *model = &tui->model;
	struct set_devices devices;
	unsigned slot;

	set_devices(model->set, &devices);
	if (view->column.at >= devices.n_events || view->device.at >= devices.n)
		return 0;
	slot = set_devices_column(&devices, view->device.at, view->column.at);
	if (slot == COLUMN_NONE)
		return 0;
	*ret = (struct series){
		.line = { .by = BY_TYPE },
		.quantity = quantity_of_slot(model, slot),
	};
	return 1;
}

static const char *uncore_item(const struct tui *tui, unsigned i, char *buf, size_t size)
{
	const struct frame *shown = tui->model.shown;
	struct set_devices devices;

	set_devices(shown ? shown->set : tui->model.set, &devices);
	snprintf(buf, size, "%s", devices.pmu[i]->name);
	return buf;
}

const struct view view_uncore = {
	.name = "Uncore",
	.what = "devices: memory controllers, SMMUs",
	.parts = UNITS | CHANGES,
	.is_empty = uncore_is_empty,
	.hint = { { "?", "help" }, { "e", "choose" }, { "x", "clear" }, { "Tab", "view" } },
	.draw = uncore_draw,
	.selected = uncore_selected,
	.keys = { keys },
	.key = uncore_key,
	.list = uncore_list,
	.item = uncore_item,
};
