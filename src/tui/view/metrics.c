#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "tui/view/graph.h"
#include "tui/model/baseline.h"
#include "tui/model/names.h"
#include "tui/overlay/chooser.h"
#include "tui/screen/list.h"
#include "tui/screen/state.h"
#include "sampler/excursions.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/view/parts.h"
#include "tui/view/views.h"
#include "tui/widget/axis.h"
#include "tui/widget/grid.h"
#include "tui/widget/table.h"

/* ---- columns ---- */

/* Count the columns of cores or clusters, in the order of the Cores view. Clusters among cores have
 * none unless folded. */
static unsigned n_parts(const struct model *model)
{
	unsigned n = 0;

	if (model->by >= BY_TYPE)
		return 0;
	for (unsigned i = 0; i < model->n_lines; i++)
		n += !model->line[i].is_heading;
	return n;
}

/* Count all columns: subtotals by type, then cores or clusters. */
static unsigned metrics_n_columns(const struct model *model)
{
	return model->machine->n_types + n_parts(model);
}

/* Get the line that a column shows. */
static struct line metrics_column_line(const struct model *model, unsigned column)
{
	unsigned part = column - model->machine->n_types;

	if (column < model->machine->n_types)
		return (struct line){ .by = BY_TYPE, .index = column };
	for (unsigned i = 0; i < model->n_lines; i++)
		if (!model->line[i].is_heading && part-- == 0)
			return model->line[i];
	return (struct line){ .by = BY_TYPE };
}

/* Format a column's heading: "E", "all", "cpu5", "P cl1". */
static struct label view_metrics_heading(const void *data, unsigned column)
{
	const struct model *model = data;
	struct line line = metrics_column_line(model, column);

	if (line.by == BY_TYPE)
		return label_printf("%s", model->machine->n_types > 1
						  ? model->machine->type[line.index].name
						  : "all");
	return name_row(model, &line, true);
}

/* Select a column; its core is then selected in the Cores view, too. */
static void metrics_select_column(struct tui *tui, int number)
{
	unsigned column = (unsigned)number;
	struct line line = metrics_column_line(&tui->model, column);

	tui->metrics->column.at = column;
	/* a core selected here is also selected in the Cores view */
	rows_select(&tui->model, line.by, line.index);
}

/* ---- order of rows ---- */

struct ranked_metric {
	uint16_t number;
	enum metric_alarm alarm; /* worst over all columns */
	const char *name;
	unsigned before; /* position before, for a stable sort */
};

static int by_name(const void *one, const void *other)
{
	const struct ranked_metric *a = one, *b = other;
	int order = strcmp(a->name, b->name);

	return order ? order : a->before < b->before ? -1 : 1;
}

static int by_alarm(const void *one, const void *other)
{
	const struct ranked_metric *a = one, *b = other;

	if (a->alarm != b->alarm)
		return a->alarm > b->alarm ? -1 : 1;
	return a->before < b->before ? -1 : 1;
}

static const struct {
	int (*compare)(const void *one, const void *other); /* NULL: keep the order */
	const char *message;
} orders[N_METRIC_ORDERS] = {
	[METRICS_AS_CHOSEN] = { NULL, "metrics in the order chosen" },
	[METRICS_BY_NAME] = { by_name, "metrics by name" },
	[METRICS_BY_ALARM] = { by_alarm, "metrics beyond a threshold first" },
};

static void judge_line(const struct model *model, const struct line *line,
		       struct ranked_metric *ranked, unsigned n)
{
	struct frame_row row;

	if (!model_row(model, line, &row) || row.state == CORE_OFF ||
	    !excursions_is_busy(model->excursions, &row))
		return;
	for (unsigned i = 0; i < n; i++) {
		enum metric_alarm alarm = ALARM_UNKNOWN;

		if (metrics_column(row.bound, ranked[i].number) >= 0)
			alarm = metrics_judge(model->metrics, row.bound, ranked[i].number, row.type,
					      row.count);
		ranked[i].alarm = alarm > ranked[i].alarm ? alarm : ranked[i].alarm;
	}
}

static void sort(const struct model *model, enum metric_order order, struct metric_list *list)
{
	struct ranked_metric ranked[METRICS_BOUND_MAX];

	for (unsigned i = 0; i < list->n; i++)
		ranked[i] = (struct ranked_metric){
			.number = list->number[i],
			.alarm = ALARM_UNKNOWN,
			.name = model->metrics->metric[list->number[i]].name,
			.before = i
		};
	for (unsigned type = 0; order == METRICS_BY_ALARM && type < model->machine->n_types; type++)
		judge_line(model, &(struct line){ .by = BY_TYPE, .index = type }, ranked, list->n);
	for (unsigned i = 0; order == METRICS_BY_ALARM && i < model->n_lines; i++)
		judge_line(model, &model->line[i], ranked, list->n);
	qsort(ranked, list->n, sizeof(*ranked), orders[order].compare);
	list->n_leading = 0;
	for (unsigned i = 0; i < list->n; i++) {
		list->number[i] = ranked[i].number;
		list->n_leading += ranked[i].alarm == ALARM_BEYOND;
	}
}

/* Whether the rows must be sorted again: after a change of set or order, and once a second if sorted
 * by alarm. */
static bool is_due(const struct tui *tui)
{
	const struct metrics_view *view = tui->metrics;
	const struct metric_list *now = &tui->model.metric;
	const struct frame *frame = tui->model.shown;

	if (view->of.n != now->n || view->of.n_leading != now->n_leading ||
	    memcmp(view->of.number, now->number, now->n * sizeof(*now->number)) != 0 ||
	    view->order != view->ordered_by)
		return true;
	if (view->order != METRICS_BY_ALARM || !frame || frame->t_ns == view->ordered_ns)
		return false;
	return tui->model.frozen || frame->t_ns < view->ordered_ns ||
	       frame->t_ns - view->ordered_ns >= NS_PER_S;
}

/* Whether a metric has the formula of another one: backend_bound that of stall_share. */
static bool is_alike(const struct metric *metric, const struct metric *other)
{
	return metric != other && metric->scale == other->scale &&
	       (strcmp(metric->expr, other->expr) == 0 || strcmp(metric->expr, other->name) == 0);
}

/* Leave out metrics that show the figures of an earlier row. */
static void drop_alike(const struct metric *metric, struct metric_list *list)
{
	unsigned n = 0, n_leading = list->n_leading, k;

	for (unsigned i = 0; i < list->n; i++) {
		for (k = 0; k < n; k++)
			if (is_alike(&metric[list->number[i]], &metric[list->number[k]]))
				break;
		if (k == n)
			list->number[n++] = list->number[i];
		else if (i < n_leading)
			list->n_leading--;
	}
	list->n = n;
}

void metrics_follow(struct tui *tui)
{
	struct metrics_view *view = tui->metrics;
	struct metric_list list = tui->model.metric;

	if (!is_due(tui))
		return;
	view->of = list;
	view->ordered_by = view->order;
	view->ordered_ns = tui->model.shown ? tui->model.shown->t_ns : 0;
	if (orders[view->order].compare)
		sort(&tui->model, view->order, &list);
	drop_alike(tui->model.metrics->metric, &list);
	metric_list_nest(tui->model.metrics, &list, view->depth);
	/* a selection on the first row stays on the first row */
	for (unsigned i = 0; view->metric.at && i < list.n; i++) {
		if (list.number[i] != view->list.number[view->metric.at])
			continue;
		view->metric.at = i;
		break;
	}
	view->list = list;
}

static void metrics_act_order(struct tui *tui, int key UNUSED)
{
	struct metrics_view *view = tui->metrics;

	view->order = (view->order + 1) % N_METRIC_ORDERS;
	view->metric = (struct cursor){ 0 };
	metrics_follow(tui);
	tui_say(tui, ROLE_TEXT, "%s", orders[view->order].message);
}

/* ---- details of the selected metric, and its inputs in the selected column ---- */

/* One metric on one row of a frame. */
struct metric_detail {
	const struct model *model;
	const struct metric *metric;
	const struct metric_program *program;
	const struct metric_binding *binding;
	const struct placement *placement;
	const struct frame_row *row;
};

/* Text after the name: "BR-MPKI /Kinst", "STALL%". */
struct behind {
	const char *label, *unit; /* "" if the name or label already contains it */
};

static struct behind behind_of(const struct metric *metric)
{
	bool is_name = ascii_casecmp(metric->short_name, metric->name) == 0;

	return (struct behind){ is_name ? "" : metric->short_name,
				metric_label_has_unit(metric) ? "" : metric->unit };
}

/* Calculate the width of a text with the blanks before it. */
static int width_behind(const char *text)
{
	return *text ? draw_columns(text) + 2 : 0;
}

/* Find the columns after name and unit, and before the group, where text may be drawn. */
static void find_room(const struct metric *metric, int *ret_x, int *ret_end)
{
	struct behind behind = behind_of(metric);

	*ret_end = COLS - 1 - draw_columns(metric->group);
	if (*ret_end < 61)
		*ret_end = COLS;
	*ret_x = 3 + draw_columns(metric->name) + width_behind(behind.label) +
		 width_behind(behind.unit);
}

static void metric_detail_draw_name(const struct metric *metric, int y, int end)
{
	struct behind behind = behind_of(metric);
	int x = 1;

	if (end < COLS)
		draw_text(y, end, COLS - 1 - end, ROLE_DIM, metric->group);
	x += draw_text(y, x, end - x - 2, ROLE_SELECTED, metric->name) + 2;
	draw_text(y, x, end - x - 2, ROLE_TOTAL, behind.label);
	x += width_behind(behind.label);
	draw_text(y, x, end - x - 2, ROLE_DIM, behind.unit);
}

/* Count the lines of the text below the name; 0 if it fits after the name. */
static int text_lines(const struct metric *metric)
{
	int x, end;

	find_room(metric, &x, &end);
	if (draw_columns(metric->what) <= end - x - 2)
		return 0;
	return draw_wrapped(-1, 1, COLS - 2, LINES, ROLE_TEXT, metric->what);
}

/* Draw the name and text at the bottom of 1 + n_lines lines; if n_lines is 0, only what fits after
 * the name. @return next line */
static int draw_what(const struct metric *metric, int y, int n_lines)
{
	int x, end, n_text = text_lines(metric);

	if (n_text > n_lines)
		n_text = n_lines;
	y += n_lines - n_text;
	find_room(metric, &x, &end);
	metric_detail_draw_name(metric, y, end);
	if (!n_text)
		draw_text(y, x, end - x - 2, ROLE_TEXT, n_lines ? metric->what : metric->brief);
	return y + 1 + draw_wrapped(y + 1, 1, COLS - 2, n_text, ROLE_TEXT, metric->what);
}

void metrics_draw_line(const struct model *model, int number, int y)
{
	if (number >= 0)
		draw_what(&model->metrics->metric[number], y, 0);
}

/* Draw the formula, unless it is m1top's own, and the other names that the metric has. */
static void draw_formula(const struct metrics *metrics, const struct metric *metric, int y)
{
	int x = 1, end = COLS - 1;
	char threshold[160];

	if (*metric->threshold) {
		snprintf(threshold, sizeof(threshold), "▲ %s", metric->threshold);
		if (draw_columns(threshold) < COLS / 2)
			end -= draw_columns(threshold);
		draw_text(y, end, COLS - 1 - end, ROLE_ALARM, threshold);
		end -= 2;
	}
	if (!strstr(metric->expr, "activity@")) {
		x += draw_text(y, x, end - x, ROLE_DIM, "= ");
		x += draw_text(y, x, end - x, ROLE_TEXT, metric->expr) + 2;
	}
	for (unsigned i = 0; i < metrics->n; i++)
		if (is_alike(&metrics->metric[i], metric))
			x += draw_printf(y, x, end - x, ROLE_DIM, "as %s ",
					 metrics->metric[i].name);
}

/* Draw an input: "BR-MISP 22.4M". @return next column */
static int draw_input(const struct metric_detail *detail, unsigned input, int y, int x)
{
	struct count count;
	int column = metric_input_count(detail->binding, input, detail->row->count, &count);
	struct event_label label;
	struct reading total;
	int end = COLS - 1;

	if (column < 0)
		return x;
	label = event_label(detail->placement->event[column]);
	total = count_total(&count);
	if (detail->metric->own) /* in the unit that the metric uses */
		total.value *= detail->placement->event[column]->scale;
	if (end - x < draw_columns(label.text) + 8)
		return x + draw_text(y, x, end - x, ROLE_DIM, "…") + 2;
	x += draw_text(y, x, end - x, ROLE_DIM, label.text) + 1;
	x += draw_text(y, x, end - x, quality_has_value(total.quality) ? ROLE_TEXT : ROLE_WARN,
		       figure_text(total, 6).text);
	return x + 2;
}

/* Quality of all inputs together. */
struct standing {
	enum quality quality;
	double share; /* share of time counted, the smallest of all inputs */
	bool is_one_window;
};

static struct standing standing_of(const struct metric_detail *detail)
{
	struct standing standing = { .quality = QUALITY_OK, .share = 1, .is_one_window = true };
	const struct set *set = detail->model->shown->set;
	int mux = -1;

	for (unsigned i = 0; metric_input(detail->program, i); i++) {
		struct count count;
		int column = metric_input_count(detail->binding, i, detail->row->count, &count);
		double share;

		if (column < 0)
			continue;
		standing.quality = quality_worst(standing.quality, count.quality);
		share = count.enabled_ns ? (double)count.running_ns / (double)count.enabled_ns : 1;
		standing.share = share < standing.share ? share : standing.share;
		int now = (int)set_mux_of(set, (unsigned)column);

		standing.is_one_window &= mux < 0 || mux == now;
		mux = now;
	}
	return standing;
}

static void draw_standing(const struct metric_detail *detail, int y, int x)
{
	const struct standing standing = standing_of(detail);
	char text[96];
	struct label window = axis_span(detail->row->window_ns);

	if (standing.quality == QUALITY_OK)
		snprintf(text, sizeof(text), "%sok, %s of %s",
			 detail->metric->is_approximate ? "~ approximate; inputs " : "",
			 detail->model->at.n_frames > 1 ? "windows" : "one window", window.text);
	else if (standing.quality == QUALITY_SCALED)
		snprintf(text, sizeof(text), "~ counted %.0f %% of %s%s", standing.share * 100,
			 window.text, standing.is_one_window ? "" : ", in different windows");
	else
		snprintf(text, sizeof(text), "%s", figure_meaning(standing.quality));
	draw_text(y, x + 1, COLS - 2 - x, standing.quality == QUALITY_OK ? ROLE_DIM : ROLE_WARN,
		  text);
}

/* Draw the metric's minimum and maximum in a history cell that merges several frames.
 * @return next column */
static int draw_range(const struct tui *tui, const struct line *line, unsigned number, int y, int x)
{
	const struct series series = { .line = *line, .quantity = quantity_of_metric(number) };
	const struct history_value value = series_value(&tui->model, &series);
	unsigned decimals = figure_decimals(value.max);

	if (tui->model.at.n_frames < 2 || !quality_has_value(value.quality))
		return x;

	struct label min = figure_metric((struct reading){ value.min, value.quality }, decimals, 8);
	struct label max = figure_metric((struct reading){ value.max, value.quality }, decimals, 8);

	return x + draw_printf(y, x, COLS - x, ROLE_TEXT, "min %s  max %s", min.text, max.text) + 3;
}

/* Find the metric's inputs in the selected column. @return false: it is not counted there */
static bool find_inputs(struct metric_detail *detail, unsigned number)
{
	const struct metrics_bound *bound = detail->row->bound;
	int column = metrics_column(bound, (int)number);
	unsigned type = detail->row->type;

	if (column < 0 || !bound->binding[type][column] || detail->row->state != CORE_ON)
		return false;
	detail->program = detail->metric->program[type];
	detail->binding = bound->binding[type][column];
	detail->placement = &detail->model->shown->set->type[type];
	return true;
}

static void draw_column(const struct tui *tui, unsigned number, int y)
{
	const struct model *model = &tui->model;
	struct line line = metrics_column_line(model, tui->metrics->column.at);
	struct frame_row row;
	struct metric_detail detail = { .model = model, .metric = &model->metrics->metric[number] };
	struct reading reading;
	enum quality quality;
	int x = 1;

	x += draw_text(y, x, COLS - x, ROLE_TOTAL, name_row(model, &line, false).text) + 2;
	if (!model_row(model, &line, &row))
		return;
	detail.row = &row;
	reading = model_metric_cell(model, &row, number);
	quality = reading.quality;
	x += draw_text(y, x, COLS - x, ROLE_SELECTED,
		       figure_metric(reading, figure_decimals(reading.value), 8).text) +
	     3;
	if (model->baseline) {
		reading = baseline_metric(model, &row, number);
		x += draw_printf(y, x, COLS - x, ROLE_TEXT, "baseline %s",
				 figure_metric(reading, figure_decimals(reading.value), 8).text) +
		     3;
	}
	if (scrub_is_on(model))
		x = draw_range(tui, &line, number, y, x);
	if (find_inputs(&detail, number)) {
		for (unsigned i = 0; metric_input(detail.program, i); i++)
			x = draw_input(&detail, i, y, x);
		draw_standing(&detail, y, x);
		return;
	}
	draw_text(y, x, COLS - x, ROLE_DIM, figure_meaning(quality));
}

static const struct metric *selected(const struct tui *tui)
{
	const struct metric_list *list = &tui->metrics->list;
	unsigned at = tui->metrics->metric.at;

	return at < list->n ? &tui->model.metrics->metric[list->number[at]] : NULL;
}

/*
 * Draw the details of the selected metric: description, formula, inputs in the selected column.
 *
 * @n  lines from y on, 1 or more; those beyond 3 are for the description
 */
static void metrics_draw_detail(const struct tui *tui, int y, int n)
{
	const struct metric *metric = selected(tui);

	if (!metric)
		return;
	y = draw_what(metric, y, n > 3 ? n - 3 : 0);
	if (n > 2)
		draw_formula(tui->model.metrics, metric, y++);
	if (n > 1)
		draw_column(tui, (unsigned)(metric - tui->model.metrics->metric), y);
}

enum { CELL_WIDTH = 5, NAME_SHORT_MAX = 14, NAME_FULL_MAX = 40 };

/* Context of one drawing. */
struct metrics_table {
	struct tui *tui;
	const struct metric_list *list;
	struct grid grid;
	int heading_y, rows_y, detail_y;
	unsigned n_rows;                        /* visible */
	bool is_airy;                           /* there are lines to spare */
	bool is_short;                          /* labels instead of names, for all rows */
	struct frame_row row[GRID_COLUMNS_MAX]; /* of each visible column, if there is a frame */
};

static const struct metric *metric_at(const struct metrics_table *table, unsigned row)
{
	const struct model *model = &table->tui->model;

	return &model->metrics->metric[table->list->number[row]];
}

/* Get a row's name or label with its privilege level. */
static struct label row_name(const struct metrics_table *table, unsigned row, bool is_short)
{
	const struct model *model = &table->tui->model;
	unsigned number = table->list->number[row];

	struct label label =
		label_printf("%*s%s%s", 2 * table->tui->metrics->depth[row], "",
			     is_short ? name_metric(model, number) : metric_at(table, row)->name,
			     name_level(model, number));

	for (char *at = label.text; *at; at++)
		*at = *at == '_' ? ' ' : *at;
	return label;
}

static int shorter(int width, int most)
{
	return width < most ? width : most;
}

static void want_names(const struct metrics_table *table, struct grid_want *want)
{
	for (unsigned i = 0; i < table->list->n; i++) {
		int full = shorter(draw_columns(row_name(table, i, false).text), NAME_FULL_MAX);
		int brief = shorter(draw_columns(row_name(table, i, true).text), NAME_SHORT_MAX);
		int unit = draw_columns(metric_at(table, i)->unit);

		want->name_full = full > want->name_full ? full : want->name_full;
		want->name_short = brief > want->name_short ? brief : want->name_short;
		want->unit = unit > want->unit ? unit : want->unit;
	}
}

static void make_grid(struct metrics_table *table)
{
	const struct model *model = &table->tui->model;
	struct grid_want want = {
		.width = COLS,
		.cell = CELL_WIDTH,
		.n_fixed = model->machine->n_types,
		.n_columns = metrics_n_columns(model),
		.cursor = &table->tui->metrics->column,
		.data = model,
		.text = view_metrics_heading,
	};

	want_names(table, &want);
	grid_make(&want, &table->grid);
	table->is_short = table->grid.name_width < want.name_full;
}

/* Count the detail lines; a metric with a long text gets lines that the list leaves free. */
static int n_detail(const struct metrics_table *table, int n_free)
{
	const struct metric *metric = selected(table->tui);
	int n = LINES >= 22 ? 4 : LINES >= 18 ? 3 : LINES >= 14 ? 2 : 1;
	int wanted = n < 3 ? n : 3 + (metric ? text_lines(metric) : 0);

	if (wanted > n + n_free)
		wanted = n + n_free;
	return wanted > n ? wanted : n;
}

static void metrics_make_lines(struct metrics_table *table)
{
	const struct layout *layout = &table->tui->layout;
	struct cursor *cursor = &table->tui->metrics->metric;
	int n_free;

	table->heading_y = layout->view_y + parts_draw(table->tui, NULL, -1);
	table->rows_y = table->heading_y + 1;
	table->n_rows = (unsigned)(layout->status_y - n_detail(table, 0) - table->rows_y);
	if (LINES >= 18 && table->n_rows > table->list->n) /* keep a blank line below the list */
		table->n_rows--;
	cursor_follow(cursor, table->list->n, table->n_rows);
	n_free = (int)table->n_rows - (int)table->list->n -
		 1; /* blank line between requested and other metrics */
	table->is_airy = n_free >= 0;
	table->detail_y = layout->status_y - n_detail(table, n_free > 0 ? n_free : 0);
	if (table->n_rows > table->list->n - cursor->top)
		table->n_rows = table->list->n - cursor->top;
}

/* Draw the order of rows above the names, unless it is the default. */
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

static void metrics_draw_cell(const struct metrics_table *table, unsigned i, unsigned number,
			      struct reading reading, unsigned decimals, int y)
{
	const struct model *model = &table->tui->model;
	const struct grid *grid = &table->grid;
	unsigned column = grid->at[i].column, width = (unsigned)grid->cell;
	bool is_beyond = model->shown && !table->row[i].is_earlier &&
			 model_is_beyond(model, &table->row[i], (int)number);
	enum role role = table->row[i].is_earlier || !quality_has_value(reading.quality) ? ROLE_DIM
			 : is_beyond                                ? ROLE_ALARM
			 : column == table->tui->metrics->column.at ? ROLE_SELECTED
			 : column < model->machine->n_types         ? ROLE_TOTAL
								    : ROLE_TEXT;
	struct label text = model->baseline ? baseline_text(reading, width)
					    : figure_metric(reading, decimals, width);

	table_figure_draw(y, grid->at[i].x, grid->cell, role, is_beyond, text.text);
	if (table->row[i].is_earlier)
		draw_text(y, grid->at[i].x + grid->cell, 1, role, "…");
}

/*
 * Get the decimals for a row of a metric's figures; close to a change they stay as before.
 *
 * @number   metric
 * @largest  largest figure of the row
 */
static unsigned model_decimals(const struct model *model, unsigned number, double largest)
{
	int column = model->shown && !scrub_is_on(model)
			     ? metrics_column(model->shown->bound, (int)number)
			     : -1;
	uint8_t before = column >= 0 ? model->decimals[column] : 0;

	return before ? figure_decimals_steady(largest, before - 1u) : figure_decimals(largest);
}

static void metrics_draw_cells(const struct metrics_table *table, unsigned number, int y)
{
	const struct model *model = &table->tui->model;
	struct reading reading[GRID_COLUMNS_MAX];
	unsigned decimals;
	double most = 0;

	for (unsigned i = 0; i < table->grid.n; i++) {
		reading[i] =
			baseline_metric_cell(model, model->shown ? &table->row[i] : NULL, number);
		if (quality_has_value(reading[i].quality))
			most = fmax(most, reading[i].value);
	}
	decimals = model_decimals(model, number, most);
	for (unsigned i = 0; i < table->grid.n; i++)
		metrics_draw_cell(table, i, number, reading[i], decimals, y);
}

static void metrics_draw_name(const struct metrics_table *table, unsigned row, int y)
{
	const struct grid *grid = &table->grid;
	const struct metric *metric = metric_at(table, row);
	const struct order *order = &table->tui->model.rows.order;
	bool is_selected = row == table->tui->metrics->metric.at;

	draw_text(y, grid->name_x, grid->name_width, is_selected ? ROLE_TOTAL : ROLE_TEXT,
		  row_name(table, row, table->is_short).text);
	if (order->by == ORDER_METRIC && order->number == table->list->number[row])
		draw_text(y, grid->name_x + grid->name_width, 1, ROLE_KEY, rows_arrow(order));
	draw_text(y, grid->unit_x, grid->unit_width, ROLE_DIM,
		  table->tui->model.baseline ? baseline_unit(metric->unit) : metric->unit);
}

/* Whether a blank line precedes the row: it separates requested from implied metrics. */
static bool is_apart(const void *data, unsigned row)
{
	const struct metrics_table *table = data;

	return table->is_airy && row == table->list->n_leading;
}

static void metrics_draw_row(const void *data, unsigned row, int y)
{
	const struct metrics_table *table = data;

	metrics_draw_name(table, row, y);
	metrics_draw_cells(table, table->list->number[row], y);
}

static const struct table_ops row_ops = {
	.draw = metrics_draw_row,
	.is_apart = is_apart,
	.mark = ROLE_KEY,
};

static unsigned metrics_selected(const struct tui *tui, struct series ret[2])
{
	const struct metrics_view *view = tui->metrics;

	if (view->metric.at >= view->list.n)
		return 0;
	ret[0] = (struct series){
		.line = metrics_column_line(&tui->model, view->column.at),
		.quantity = quantity_of_metric(view->list.number[view->metric.at]),
	};
	return 1;
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
	const struct model *model = &tui->model;
	struct metrics_table table = { .tui = tui, .list = &tui->metrics->list };
	struct grid_headings headings = {
		.data = model,
		.text = view_metrics_heading,
		.click = metrics_select_column,
	};
	struct line line = metrics_column_line(model, tui->metrics->column.at);
	struct series series[2];
	int y;

	metrics_make_lines(&table);
	make_grid(&table);
	for (unsigned i = 0; i < table.grid.n; i++) {
		struct line its = metrics_column_line(model, table.grid.at[i].column);

		model_row(model, &its, &table.row[i]);
	}
	tui->n_seen = table.n_rows;
	parts_draw(tui, &line, tui->layout.view_y);
	draw_row_order(&table);
	headings.y = table.heading_y;
	headings.height = 1 + (int)table.n_rows + table.is_airy;
	headings.selected = tui->metrics->column.at;
	grid_headings_draw(&table.grid, &headings);
	y = list_draw(tui, &row_ops, &table, table.rows_y, (int)table.n_rows) + 1;
	mini_graph_draw(tui, series, metrics_selected(tui, series), y, table.detail_y - 1 - y);
	if (!table.list->n)
		draw_none(tui, table.rows_y);
	metrics_draw_detail(tui, table.detail_y, tui->layout.status_y - table.detail_y);
}

static void metrics_enter(struct tui *tui)
{
	const struct model *model = &tui->model;
	const struct line *selected = &model->line[model->row.at];

	for (unsigned i = 0; i < metrics_n_columns(model); i++) {
		struct line line = metrics_column_line(model, i);

		if (line.by == selected->by && line.index == selected->index)
			tui->metrics->column.at = i;
	}
}

/* ---- keys ---- */

static void act_column(struct tui *tui, int key)
{
	unsigned column = tui->metrics->column.at;

	if (key == ')' || key == KEY_SRIGHT)
		column += column + 1 < metrics_n_columns(&tui->model);
	else
		column -= column > 0;
	metrics_select_column(tui, (int)column);
}

static void act_sort_columns(struct tui *tui, int key)
{
	const struct metrics_view *view = tui->metrics;

	if (key == '<')
		rows_sort_by(tui, ORDER_MACHINE, 0);
	else if (view->metric.at < view->list.n)
		rows_sort_by(tui, ORDER_METRIC, view->list.number[view->metric.at]);
}

/* Key >: sort by the next metric if already sorted by the selected one. */
static void act_sort_on(struct tui *tui, int key)
{
	struct metrics_view *view = tui->metrics;
	const struct order *order = &tui->model.rows.order;

	if (view->metric.at < view->list.n && order->by == ORDER_METRIC &&
	    order->number == view->list.number[view->metric.at])
		view->metric.at = (view->metric.at + 1) % view->list.n;
	act_sort_columns(tui, key);
}

/* Key Enter: open or close a top-down part; on other metrics choose metrics. */
static void act_part(struct tui *tui, int key)
{
	unsigned at = tui->metrics->metric.at;
	const struct metric_list *list = &tui->metrics->list;

	if (at >= list->n || !parts_has(tui, at))
		act_metrics(tui, key);
	else if (parts_is_open(tui, at))
		parts_close(tui, at);
	else
		parts_open(tui, at);
}

/* Key Esc: close the part that the row belongs to, and select it; else as everywhere. */
static void act_close_part(struct tui *tui, int key)
{
	struct metrics_view *view = tui->metrics;
	int at = (int)view->metric.at;

	while (at >= 0 && !parts_is_open(tui, (unsigned)at))
		at = metric_list_above(view->depth, (unsigned)at);
	if (at < 0) {
		rows_act_restore(tui, key);
		return;
	}
	view->metric.at = (unsigned)at;
	parts_close(tui, (unsigned)at);
}

static const char group[] = "In Metrics";

static const struct key keys[] = {
	OWN_KEY("j k ↓ ↑", group, "select a metric", act_move, 'j', 'k', 'g', 'G', KEY_DOWN, KEY_UP,
		KEY_NPAGE, KEY_PPAGE),
	OWN_KEY("( )", group, "select the core to the left, to the right", act_column, '(', ')',
		KEY_SLEFT, KEY_SRIGHT),
	OWN_KEY("s <", group, "cores by the selected metric, in the machine's order",
		act_sort_columns, 's', '<'),
	OWN_KEY(">", group, "cores by the next metric", act_sort_on, '>'),
	OWN_KEY("S", group, "metrics as chosen, by name, beyond a threshold first",
		metrics_act_order, 'S'),
	KEY("Enter", group, "count the parts of a top-down part; on others choose metrics", COUNTS,
	    act_part, NULL, '\r', '\n', KEY_ENTER),
	KEY("Esc", group, "close the top-down part", COUNTS, act_close_part, NULL, KEYS_ESCAPE),
	{ 0 },
};

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
	.parts = ROWS | CHANGES,
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
	.keys = { keys },
	.list = metrics_list,
	.item = metrics_item,
};
