#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "pmu/sensors.h"
#include "tui/term/draw.h"
#include "tui/screen/list.h"
#include "tui/term/mouse.h"
#include "tui/widget/table.h"
#include "tui/counters/by_task.h"
#include "tui/model/baseline.h"
#include "tui/model/names.h"
#include "tui/model/task_list.h"
#include "tui/screen/state.h"
#include "tui/view/graph.h"
#include "tui/view/topdown.h"
#include "tui/view/figures.h"
#include "tui/view/views.h"

enum { TASKS_LEAST = 3, TASKS_GOOD = 5 /* heading and two tasks, four tasks */ };

enum { COLUMN_COUNT_MAX = sizeof((struct layout){ 0 }.column) / sizeof(struct column) };

/* Context of one drawing. */
struct cores_table {
	const struct tui *tui;
	double top[TYPES_MAX];   /* value of a full bar or curve, by core type */
	double curve[TYPES_MAX]; /* value of a full curve of IPC */
	const struct line *largest[COLUMN_COUNT_MAX]; /* largest line of a column; NULL: none */
};

/* Context of the cells of one line. */
struct cells {
	const struct cores_table *table;
	const struct line *line;
	const struct frame_row *row; /* NULL before the first frame */
	int y;
};

struct cores_column {
	void (*draw)(const struct cells *cells, const struct column *column);
	void (*head)(const struct tui *tui, const struct column *column); /* NULL: its title */
	struct sheet_column of;
};

static const struct cores_column columns[COLUMN_METRIC + 1];

static void cores_draw_name(const struct cells *cells, const struct column *column)
{
	const struct model *model = &cells->table->tui->model;
	bool is_off = cells->row && cells->row->state == CORE_OFF;
	bool is_core = cells->line->by <= BY_PHYSICAL;

	/* all names in full, or all short */
	draw_text(cells->y, column->x, column->width,
		  is_off    ? ROLE_DIM
		  : is_core ? ROLE_TEXT
			    : ROLE_TOTAL,
		  name_line(model, cells->line, column->width < model->name_full).text);
}

/* Get the reading of a cell. @row  NULL before the first frame */
static struct reading reading_of(const struct model *model, const struct frame_row *row,
				 const struct column *column)
{
	if (!row)
		return (struct reading){ .quality = QUALITY_PENDING };
	if (column->kind == COLUMN_SLOT)
		return baseline_slot_cell(model, row, column->slot);
	if (column->kind == COLUMN_METRIC || model->baseline)
		return baseline_metric_cell(model, row, column->slot);
	return model_metric(model, row, (int)column->slot);
}

static enum role cores_cell_role(const struct cells *cells, const struct column *column,
				 enum quality quality)
{
	const struct model *model = &cells->table->tui->model;

	if (!quality_has_value(quality) || cells->row->is_earlier)
		return ROLE_DIM;
	if (column->kind != COLUMN_SLOT && model_is_beyond(model, cells->row, (int)column->slot))
		return ROLE_ALARM;
	if (column->kind == COLUMN_HEADLINE)
		return ROLE_HEADLINE;
	if (column->kind == COLUMN_SLOT && model_is_selected(model, ORDER_SLOT, column->slot))
		return ROLE_SELECTED;
	return cells->line->by <= BY_PHYSICAL ? ROLE_TEXT : ROLE_TOTAL;
}

/* Draw a figure with marks: "▲" if it exceeds its threshold, "◆" if it is the largest of the column, "…" if it is of
 * the window before, as the core is late. */
static void draw_figure(const struct cells *cells, const struct column *column)
{
	const struct cores_table *table = cells->table;
	const struct model *model = &table->tui->model;
	struct reading reading = reading_of(model, cells->row, column);
	enum role role = cores_cell_role(cells, column, reading.quality);

	table_figure_draw(cells->y, column->x, column->width, role, role == ROLE_ALARM,
			  model->baseline ? baseline_text(reading, LAYOUT_CELL_WIDTH).text
					  : figures_text(table->tui, column, reading).text);
	if (cells->row && cells->row->is_earlier)
		draw_text(cells->y, column->x + column->width, 1, ROLE_DIM, "…");
	else if (cells->line == table->largest[column - table->tui->layout.column])
		draw_text(cells->y, column->x + column->width, 1, role, "◆");
}

static double top_of(const struct cells *cells)
{
	return cells->table->top[model_type(&cells->table->tui->model, cells->line)];
}

static void draw_row_bar(const struct cells *cells, const struct column *column)
{
	const struct model *model = &cells->table->tui->model;
	struct reading reading = { .quality = QUALITY_PENDING };
	double share;

	if (cells->row)
		reading = model_metric(model, cells->row, model->primary_metric);
	share = reading.value / top_of(cells);

	if (cells->table->tui->layout.has_parts && cells->row)
		topdown_draw(cells->table->tui, cells->row, cells->y, column->x, column->width);
	else if (quality_has_value(reading.quality))
		draw_bar(cells->y, column->x, column->width, theme_level(share), share);
}

/* Draw a line's history. A rate of several cores is drawn as their mean, so that all rows of a core type
 * have the same scale. */
static void draw_sparkline(const struct cells *cells, const struct column *column)
{
	const struct model *model = &cells->table->tui->model;
	float value[CURVE_MAX];
	unsigned n = lesser((unsigned)column->width, CURVE_MAX);
	unsigned n_cores = cells->row && model->primary_metric < 0 ? cells->row->n_on : 1;
	double curve = cells->table->curve[model_type(model, cells->line)];

	model_sparkline(model, cells->line, value, n);
	figures_curve(cells->y, column->x, value, n, curve > 0 ? curve : top_of(cells) * n_cores);
}

/* Find the largest IPC in the sparklines of each core type: those of E would be flat on the scale of P. */
static void find_curves(struct cores_table *table, int width)
{
	const struct model *model = &table->tui->model;
	unsigned end = model->row.top + (unsigned)table->tui->layout.n_rows;
	unsigned n = lesser((unsigned)width, CURVE_MAX);
	float value[CURVE_MAX];

	for (unsigned row = model->row.top; row < lesser(end, model->n_lines); row++) {
		double *curve = &table->curve[model_type(model, &model->line[row])];

		model_sparkline(model, &model->line[row], value, n);
		for (unsigned i = 0; i < n; i++)
			*curve = fmax(*curve, (double)value[i]);
	}
}

/* Draw the task that had the largest share of the core in the window. */
static void draw_task(const struct cells *cells, const struct column *column)
{
	const struct frame *shown = cells->table->tui->model.shown;
	const struct core_task *task =
		cells->line->by == BY_CORE ? task_of_core(shown, cells->line->index) : NULL;

	if (task)
		draw_text(cells->y, column->x, column->width, ROLE_TEXT, task->comm);
}

static void cores_draw_line(const void *data, unsigned i, int y)
{
	const struct cores_table *table = data;
	const struct tui *tui = table->tui;
	struct frame_row row;
	struct cells cells = { .table = table, .line = &tui->model.line[i], .y = y };

	if (model_row(&tui->model, cells.line, &row))
		cells.row = &row;
	for (unsigned n = 0; n < (tui->model.yielded ? 1 : tui->layout.n_columns); n++)
		columns[tui->layout.column[n].kind].draw(&cells, &tui->layout.column[n]);
	if (tui->model.yielded) /* first column of figures */
		draw_text(y, tui->layout.column[1].x, COLS, ROLE_DIM, "yielded");
}

/* ---- the largest core of each column ---- */

/* The two largest values so far. */
struct largest {
	double first, second;
};

static void cores_take_line(struct cores_table *table, const struct line *line,
			    struct largest *largest)
{
	const struct layout *layout = &table->tui->layout;
	struct frame_row row;

	if (line->by > BY_PHYSICAL || !model_row(&table->tui->model, line, &row))
		return;
	for (unsigned i = 0; i < layout->n_columns; i++) {
		struct reading reading = reading_of(&table->tui->model, &row, &layout->column[i]);

		if (!quality_has_value(reading.quality))
			continue;
		reading.value = fabs(reading.value); /* changes may be negative */
		if (reading.value > largest[i].first) {
			largest[i].second = largest[i].first;
			largest[i].first = reading.value;
			table->largest[i] = line;
		} else if (reading.value > largest[i].second) {
			largest[i].second = reading.value;
		}
	}
}

/* Find the largest core of each column; none if it differs by less than 0.5 % from the next. */
static void find_largest(struct cores_table *table)
{
	const struct model *model = &table->tui->model;
	struct largest largest[COLUMN_COUNT_MAX] = { { .first = 0 } };

	for (unsigned i = 0; i < model->n_lines; i++)
		cores_take_line(table, &model->line[i], largest);
	for (unsigned i = 0; i < COLUMN_COUNT_MAX; i++)
		if (largest[i].second == 0 || largest[i].first < largest[i].second * 1.005 ||
		    (model->baseline && largest[i].first < BASELINE_SHOWN))
			table->largest[i] = NULL;
}

/* ---- headings ---- */

static void click_slot(struct tui *tui, int slot)
{
	model_select(&tui->model, ORDER_SLOT, (unsigned)slot);
}

/* Get the order that a column of the layout stands for. */
static struct order order_of(const struct column *column)
{
	enum order_by by = columns[column->kind].of.order;

	return (struct order){ .by = by, .number = by < ORDER_SLOT ? 0 : column->slot };
}

/* Sort by a column and select it. */
static void click_heading(struct tui *tui, int i)
{
	const struct order order = order_of(&tui->layout.column[i]);

	rows_sort_by(tui, order.by, order.number);
	model_select(&tui->model, order.by, order.number);
}

/* Get the arrow of a column that rows are sorted by. @return NULL: they are not */
static const char *cores_arrow(const struct tui *tui, const struct column *column)
{
	const struct order *now = &tui->model.rows.order, order = order_of(column);

	return now->by == order.by && now->number == order.number ? rows_arrow(now) : NULL;
}

/* Draw a counter's heading: its number above the event's name. */
static void draw_slot_heading(const struct tui *tui, const struct column *column)
{
	figures_slot_heading(tui, &tui->layout, column, cores_arrow(tui, column), click_slot);
}

/* Draw what the sparklines show and the time span, as much as fits: "IPC, last 44 s", "IPC, 44 s", "44 s". */
static void draw_sparkline_heading(const struct tui *tui, const struct column *column)
{
	const struct model *model = &tui->model;
	double span_s = (double)model_cell_ns(model) * column->width / 1e9;
	const struct event_label label = event_label(set_event(model->set, model->slot));
	const char *what = model->primary_metric >= 0
				   ? name_metric(model, (unsigned)model->primary_metric)
				   : label.text;
	struct label text = { "" };

	for (int i = 0; i < 3 && (!i || draw_columns(text.text) > column->width); i++)
		text = label_printf("%s%s%s%.*f s", i < 2 ? what : "", i < 2 ? ", " : "",
				    i ? "" : "last ", span_s < 10, span_s);
	draw_right(tui->layout.heading_y, column->x, column->width, ROLE_HEADING, text.text);
}

/* Draw a metric's heading; for the primary metric the level stands after the name. */
static void draw_metric_heading(const struct tui *tui, const struct column *column)
{
	const struct model *model = &tui->model;
	bool is_primary = column->kind == COLUMN_HEADLINE;
	unsigned number = column->slot;
	struct table_heading heading = figures_heading(&tui->layout, column);
	const char *level = name_level(model, number), *unit = model->metrics->metric[number].unit;
	char text[32];

	snprintf(text, sizeof(text), "%s%s", name_metric(model, number), is_primary ? level : "");
	heading.text = text;
	heading.above = is_primary ? NULL : level;
	heading.unit = model->baseline ? baseline_unit(unit) : unit;
	heading.arrow = cores_arrow(tui, column);
	heading.is_selected = model_is_selected(model, order_of(column).by, number);
	table_heading_draw(&heading);
}

static void draw_bar_heading(const struct tui *tui, const struct column *column)
{
	if (tui->layout.has_parts)
		topdown_heading(tui->layout.heading_y, column->x, column->width,
				model_is_selected(&tui->model, ORDER_BAR, 0),
				cores_arrow(tui, column));
}

static const struct cores_column columns[COLUMN_METRIC + 1] = {
	[COLUMN_NAME] = { .draw = cores_draw_name },
	[COLUMN_HEADLINE] = { draw_figure,
			      draw_metric_heading,
			      { "ipc", .order = ORDER_HEADLINE, .is_of_metric = true } },
	[COLUMN_BAR] = { draw_row_bar,
			 draw_bar_heading,
			 { "bar", "bar",
			   "what the cycles were spent on, where that is counted; else the same",
			   .order = ORDER_BAR, .is_of_metric = true } },
	[COLUMN_HISTORY] = { draw_sparkline,
			     draw_sparkline_heading,
			     { "history", "history", .order = ORDER_HEADLINE,
			       .what = "its last seconds as a sparkline" } },
	[COLUMN_TASK] = { draw_task,
			  NULL,
			  { "task", "TASK",
			    .what = "who had most of the core, while counts are attributed to "
				    "tasks" } },
	[COLUMN_SLOT] = { draw_figure, draw_slot_heading, { .order = ORDER_SLOT } },
	[COLUMN_METRIC] = { draw_figure, draw_metric_heading, { .order = ORDER_METRIC } },
};

static const struct sheet_column *cores_column(unsigned i)
{
	return i < ARRAY_SIZE(columns) ? &columns[i].of : NULL;
}

/* Draw the number of visible columns, with arrows if there are more on either side: "‹ 6 of 10 ›". */
static void draw_hidden(const struct tui *tui, int x)
{
	const struct layout *layout = &tui->layout;
	unsigned n = 0;

	for (unsigned i = 0; i < layout->n_columns; i++)
		n += layout->column[i].kind >= COLUMN_SLOT && i > layout->n_leading;
	draw_printf(layout->number_y, x, COLS - x, ROLE_KEY, "%s%u of %u%s",
		    layout->more_left ? "‹ " : "", n, figures_n(tui),
		    layout->more_right ? " ›" : "");
}

static void cores_draw_headings(const struct tui *tui)
{
	const struct layout *layout = &tui->layout;
	const struct column *name = &layout->column[0];

	for (unsigned i = 0; i < layout->n_columns; i++) {
		const struct column *column = &layout->column[i];
		const struct cores_column *kind = &columns[column->kind];

		if (kind->head)
			kind->head(tui, column);
		else if (kind->of.title)
			draw_text(layout->heading_y, column->x, column->width, ROLE_HEADING,
				  kind->of.title);
		if (kind->of.order && (column->kind != COLUMN_BAR || layout->has_parts))
			mouse_area(layout->heading_y, column->x - 1, 1, column->width + 1,
				   click_heading, (int)i);
	}
	table_more_draw(layout->heading_y, name->x + name->width - 1, layout->more_left,
			layout->more_right);
	if (layout->more_left || layout->more_right)
		draw_hidden(tui, name->x);
}

/* Whether an empty line precedes the row: clusters or caches are separated if all lines and some tasks fit. */
static bool is_apart(const void *data, unsigned row)
{
	const struct tui *tui = ((const struct cores_table *)data)->tui;
	const struct model *model = &tui->model;

	return model->line[row].by == rows_heading(model) && model->by == BY_CORE &&
	       (int)(model->n_lines + rows_n_headings(model)) + !tui->hides_tasks * TASKS_GOOD <=
		       tui->layout.n_rows;
}

/* Get the selected row's headline and the rate of the selected counter. */
static unsigned cores_selected(const struct tui *tui, struct series ret[2])
{
	const struct model *model = &tui->model;
	const struct line *line = model_selected(model);
	unsigned n = series_of_line(model, line ? line : &(struct line){ .by = BY_TYPE }, ret);
	bool is_own = model->shown && model->shown->tasks && model->shown->tasks->own_window_ns;

	return is_own && n > 1 ? 1 : n; /* no core has the counts of the user's own tasks */
}

/* ---- the line of power, instructions per joule, clocks, temperature, fans, batteries and pressure ---- */

enum { BUSY_PCT = 90 };

/* A busy core below this share of its highest clock is throttled or limited. */
#define THROTTLED_SHARE 0.97

/* The line being drawn. */
struct power_line {
	const struct model *model;
	int y, x;
	int utilisation, frequency; /* metric numbers */
	double whole_w;             /* power of the machine; NaN: unknown */
	struct frame_row type[TYPES_MAX];
};

/* Add a part, unless it does not fit. */
static void put_part(struct power_line *line, enum role role, struct label part)
{
	if (line->x + draw_columns(part.text) < COLS)
		line->x += draw_text(line->y, line->x, COLS - line->x, role, part.text) + 3;
}

/* Draw all readings of a kind with their labels; the power of the machine needs none. */
static void put_kind(struct power_line *line, enum sensor_kind kind)
{
	const struct sensors *sensors = line->model->machine->sensors;

	for (unsigned i = 0; line->model->shown->sensed && i < sensors->n; i++) {
		const char *label = strchr(sensors->sensor[i].name, '/');
		bool is_whole = label && strcmp(label, "/Total System Power") == 0;
		double value = line->model->shown->sensed->value[i];
		char number[16];

		if (sensors->sensor[i].kind != kind || isnan(value))
			continue;
		if (is_whole)
			line->whole_w = value;
		put_part(line, ROLE_TEXT,
			 label_printf("%s%s%s %s", is_whole || !label ? "" : label + 1,
				      is_whole ? "" : " ",
				      num_si(value, 3, 6, number, sizeof(number)),
				      sensor_forms[kind].unit));
	}
}

/* Get a metric of a row. @return NaN: not counted */
static double value_of(const struct model *model, const struct frame_row *row, int number)
{
	struct reading reading = model_metric(model, row, number);

	return quality_has_value(reading.quality) ? reading.value : NAN;
}

/* Draw the power that the PMU "power" counts, if the set has the metric; its devices are in the row of one type. */
static void put_counted(struct power_line *line, const char *metric, const char *name)
{
	int number = metrics_find(line->model->metrics, metric);
	double power_w = NAN;

	for (unsigned type = 0; type < line->model->machine->n_types;
	     type++) /* the one that has it */
		power_w = fmax(power_w, value_of(line->model, &line->type[type], number));
	if (isnan(power_w))
		return;
	put_part(line, ROLE_TEXT, label_printf("%s%.1f W", name, power_w));
	line->whole_w = isnan(line->whole_w) ? power_w : line->whole_w;
}

/* Draw instructions per joule, if those of all types are counted. */
static void put_efficiency(struct power_line *line)
{
	int ipc = metrics_find(line->model->metrics, "IPC");
	double per_s = 0;
	char number[16];

	for (unsigned type = 0; type < line->model->machine->n_types; type++) {
		const struct frame_row *row = &line->type[type];
		double cores = value_of(line->model, row, line->utilisation) / 100 * row->n_on;

		if (cores > 0 || isnan(cores))
			per_s += value_of(line->model, row, ipc) * cores * 1e9 *
				 value_of(line->model, row, line->frequency);
	}
	if (per_s >= 0 && line->whole_w > 0)
		put_part(line, ROLE_TEXT,
			 label_printf("%s instr/J",
				      num_si(per_s / line->whole_w, 3, 6, number, sizeof(number))));
}

/* Draw the clock of a type and its highest, marked if a busy core is below that. */
static void put_clock(struct power_line *line, unsigned type)
{
	const struct model *model = line->model;
	const struct core_type *is = &model->machine->type[type];
	double ghz = value_of(model, &line->type[type], line->frequency);
	double max_ghz = is->max_mhz / 1e3;
	struct frame_row row;
	bool is_low = false;

	if (!is->max_mhz || isnan(ghz))
		return;
	for (unsigned core = 0; core < model->machine->n_cores && !is_low; core++) {
		if (model->machine->core[core].type != type)
			continue;
		frame_row(model->shown, model->machine, model->metrics, BY_CORE, core, &row);
		is_low = value_of(model, &row, line->utilisation) >= BUSY_PCT &&
			 value_of(model, &row, line->frequency) < max_ghz * THROTTLED_SHARE;
	}
	put_part(line, is_low ? ROLE_ALARM : ROLE_TEXT,
		 label_printf("%s %.2f/%.2f GHz%s", is->name, ghz, max_ghz, is_low ? " ▼" : ""));
}

/* Draw as much of the line as fits, the most important first. What is missing is left out. */
static void draw_power(const struct model *model, int y)
{
	struct power_line line = { .model = model,
				   .y = y,
				   .x = 1,
				   .utilisation = metrics_find(model->metrics, "Utilisation"),
				   .frequency = metrics_find(model->metrics, "Frequency"),
				   .whole_w = NAN };

	if (!model->shown)
		return;
	for (unsigned type = 0; type < model->machine->n_types; type++)
		frame_row(model->shown, model->machine, model->metrics, BY_TYPE, type,
			  &line.type[type]);
	put_kind(&line, SENSOR_POWER);
	put_counted(&line, "system_watts", "");
	put_counted(&line, "package_watts", "package ");
	put_efficiency(&line);
	for (unsigned type = model->machine->n_types; type-- > 0;)
		put_clock(&line, type);
	put_kind(&line, SENSOR_TEMPERATURE);
	put_kind(&line, SENSOR_FAN);
	put_kind(&line, SENSOR_PRESSURE);
}

/* ---- the view ---- */

static const struct table_ops row_ops = {
	.draw = cores_draw_line,
	.is_apart = is_apart,
	.mark = ROLE_KEY,
	.is_highlighted = true,
};

/* Get the value of a full bar, or of a curve that is not IPC: IPC_TOP, 100 %, or without a
 * primary metric the largest rate so far of the selected column on any core of that type. */
static double model_full_scale(const struct model *model, unsigned type)
{
	const struct event *event = set_event(model->set, model->slot);
	struct line line = { .by = BY_CORE };
	double most = 0;

	if (model->primary_metric >= 0)
		return model_is_primary_share(model) ? 100 : IPC_TOP;
	for (; line.index < model->machine->n_cores; line.index++)
		if (model_type(model, &line) == type)
			most = fmax(most, model_stats(model, &line, model->slot)->max.value);
	return most * (event ? event->scale : 1);
}

/* Whether tasks are on their way: attribution is on or about to begin, and no figures are there yet. */
static bool by_task_is_due(const struct tui *tui)
{
	return !tui->by_task->refused[0] && !tui_is_playing(tui) && !tui->model.frozen &&
	       !(tui->model.shown && tui->model.shown->tasks);
}

static void cores_draw(struct tui *tui)
{
	const struct layout *layout = &tui->layout;
	struct cores_table table = { .tui = tui };
	struct series series[2];
	int y, end = layout->rows_y + layout->n_rows;

	if (layout->power_y >= 0)
		draw_power(&tui->model, layout->power_y);
	for (unsigned type = 0; type < tui->model.machine->n_types; type++)
		table.top[type] = model_full_scale(&tui->model, type);
	for (unsigned i = 0; i < layout->n_columns; i++)
		if (layout->column[i].kind == COLUMN_HISTORY && tui->model.primary_metric >= 0 &&
		    !model_is_primary_share(&tui->model))
			find_curves(&table, layout->column[i].width);
	find_largest(&table);
	cores_draw_headings(tui);
	tui->n_seen = layout->n_rows > 0 ? (unsigned)layout->n_rows : 0;
	y = list_draw(tui, &row_ops, &table, layout->rows_y, layout->n_rows);
	y += tui->hides_tasks || end - y > TASKS_GOOD;
	y = uncore_draw_below(tui, y, end);
	tui->has_tasks_below = !tui->hides_tasks && end - y >= TASKS_LEAST;
	if (tui->has_tasks_below)
		y = tasks_draw_below(tui, y, end);
	if (y > end - TASKS_LEAST || (tui->has_tasks_below && by_task_is_due(tui)))
		return;
	if (!tui->hides_graph && !tui->model.yielded && model_selected(&tui->model) &&
	    !topdown_draw_bands(tui, y, end - y))
		mini_graph_draw(tui, series, cores_selected(tui, series), y, end - y);
}

static bool cores_select(struct tui *tui, const struct quantity *quantity)
{
	struct model *model = &tui->model;

	if (quantity->metric >= 0) {
		bool is_headline = quantity->metric == model->primary_metric;

		model_select(model, is_headline ? ORDER_HEADLINE : ORDER_METRIC,
			     (unsigned)quantity->metric);
		return true;
	}
	for (unsigned slot = 0; slot < model->set->n_slots; slot++) {
		struct quantity other = quantity_of_slot(model, slot);

		if (quantity_is(&other, quantity)) {
			model_select(&tui->model, ORDER_SLOT, slot);
			return true;
		}
	}
	return false;
}

const struct view view_cores = {
	.name = "Cores",
	.what = "every core and the rates of its counters",
	.parts = ROWS | COLUMNS | UNITS | CHANGES | TOTALS,
	.hint = { { "?", "help" },
		  { "q", "quit" },
		  { "Tab", "view" },
		  { "H", "hot" },
		  { "b", "why" },
		  { "e", "choose" },
		  { "X", "excursions" },
		  { "s", "sort" },
		  { "a", "graph" },
		  { "l", "log" },
		  { "u", "undo" },
		  { "x", "clear" },
		  { "] [", "next" },
		  { "T", "tasks" },
		  { "\\", "filter" },
		  { "B", "baseline" },
		  { "←", "back" },
		  { "F2", "settings" } },
	.draw = cores_draw,
	.column = cores_column,
	.selected = cores_selected,
	.select = cores_select,
	.list = rows_list,
	.below = VIEW_TASKS,
	.opens = 'T',
	.item = rows_item,
};
