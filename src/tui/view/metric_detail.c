/* metric_detail.c: what the selected metric is, and what it was made of in the selected column */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "tui/term/draw.h"
#include "tui/widget/axis.h"
#include "tui/model/baseline.h"
#include "tui/model/names.h"
#include "tui/screen/state.h"
#include "tui/model/scrub.h"
#include "tui/view/metrics_view.h"

/* One metric on one row of a frame. */
struct metric_detail {
	const struct model *model;
	const struct metric *metric;
	const struct metric_program *program;
	const struct metric_binding *binding;
	const struct placement *placement;
	const struct frame_row *row;
};

/* What stands behind the name: "BR-MPKI /Kinst", "STALL%". */
struct behind {
	const char *label, *unit; /* "" where the name, or the label, says it already */
};

static struct behind behind_of(const struct metric *metric)
{
	bool is_name = strcasecmp(metric->short_name, metric->name) == 0;

	return (struct behind){ is_name ? "" : metric->short_name,
				metric_label_has_unit(metric) ? "" : metric->unit };
}

/* Columns with the blanks before. */
static int width_behind(const char *text)
{
	return *text ? draw_columns(text) + 2 : 0;
}

/* Where text may stand behind name and unit, and how far before the group. */
static void find_room(const struct metric *metric, int *ret_x, int *ret_end)
{
	struct behind behind = behind_of(metric);

	*ret_end = COLS - 1 - draw_columns(metric->group);
	if (*ret_end < 61)
		*ret_end = COLS;
	*ret_x = 3 + draw_columns(metric->name) + width_behind(behind.label) +
		 width_behind(behind.unit);
}

static void draw_name(const struct metric *metric, int y, int end)
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

/* That the text takes beneath the name; 0 where it fits behind it. */
static int text_lines(const struct metric *metric)
{
	int x, end;

	find_room(metric, &x, &end);
	if (draw_columns(metric->what) <= end - x - 2)
		return 0;
	return draw_wrapped(-1, 1, COLS - 2, LINES, ROLE_TEXT, metric->what);
}

/* All of the text in so many lines and the name's, as far down as they go; in the name's alone what
 * fits. @return the next line */
static int draw_what(const struct metric *metric, int y, int n_lines)
{
	int x, end, n_text = text_lines(metric);

	if (n_text > n_lines)
		n_text = n_lines;
	y += n_lines - n_text;
	find_room(metric, &x, &end);
	draw_name(metric, y, end);
	if (!n_text)
		draw_text(y, x, end - x - 2, ROLE_TEXT, n_lines ? metric->what : metric->brief);
	return y + 1 + draw_wrapped(y + 1, 1, COLS - 2, n_text, ROLE_TEXT, metric->what);
}

static void draw_formula(const struct metric *metric, int y)
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
	x += draw_text(y, x, end - x, ROLE_DIM, "= ");
	draw_text(y, x, end - x, ROLE_TEXT, metric->expr);
}

/* "BR-MISP 22.4M" */
static int draw_input(const struct metric_detail *detail, unsigned input, int y, int x)
{
	struct count count;
	int column = metric_input_count(detail->binding, input, detail->row->count, &count);
	struct event_label label;
	struct reading total;
	char text[32];
	int end = COLS - 1;

	if (column < 0)
		return x;
	label = event_label(detail->placement->event[column]);
	total = count_total(&count);
	figure_text(total, 6, text, sizeof(text));
	if (end - x < draw_columns(label.text) + 8)
		return x + draw_text(y, x, end - x, ROLE_DIM, "…") + 2;
	x += draw_text(y, x, end - x, ROLE_DIM, label.text) + 1;
	x += draw_text(y, x, end - x, quality_has_value(total.quality) ? ROLE_TEXT : ROLE_WARN,
		       text);
	return x + 2;
}

/* How the inputs were counted, all of them together. */
struct standing {
	enum quality quality;
	double share; /* of the time, the least */
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
	char text[96], window[32];

	axis_span(detail->row->window_ns, window, sizeof(window));
	if (standing.quality == QUALITY_OK)
		snprintf(text, sizeof(text), "%sok, %s of %s",
			 detail->metric->is_approximate ? "~ approximate; inputs " : "",
			 detail->model->at.n_frames > 1 ? "windows" : "one window", window);
	else if (standing.quality == QUALITY_SCALED)
		snprintf(text, sizeof(text), "~ counted %.0f %% of %s%s", standing.share * 100,
			 window, standing.is_one_window ? "" : ", in different windows");
	else
		snprintf(text, sizeof(text), "%s", figure_meaning(standing.quality));
	draw_text(y, x + 1, COLS - 2 - x, standing.quality == QUALITY_OK ? ROLE_DIM : ROLE_WARN,
		  text);
}

/* Of a cell that several frames were put together to: between what the metric was. */
static int draw_range(const struct tui *tui, const struct line *line, unsigned number, int y, int x)
{
	const struct series series = { .line = *line, .quantity = quantity_of_metric(number) };
	const struct history_value value = series_value(&tui->model, &series);
	unsigned decimals = figure_decimals(value.max);
	char min[32], max[32];

	if (tui->model.at.n_frames < 2 || !quality_has_value(value.quality))
		return x;
	figure_metric((struct reading){ value.min, value.quality }, decimals, 8, min, sizeof(min));
	figure_metric((struct reading){ value.max, value.quality }, decimals, 8, max, sizeof(max));
	return x + draw_printf(y, x, COLS - x, ROLE_TEXT, "min %s  max %s", min, max) + 3;
}

static void draw_inputs(const struct metric_detail *detail, int y, int x)
{
	for (unsigned i = 0; metric_input(detail->program, i); i++)
		x = draw_input(detail, i, y, x);
	draw_standing(detail, y, x);
}

/* The metric in the selected column. @return false where it is not counted */
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

static int draw_baseline(const struct model *model, const struct frame_row *row, unsigned number,
			 int y, int x)
{
	struct reading before = baseline_metric(model, row, number);
	char text[32];

	figure_metric(before, figure_decimals(before.value), 8, text, sizeof(text));
	return x + draw_printf(y, x, COLS - x, ROLE_TEXT, "baseline %s", text) + 3;
}

static void draw_column(const struct tui *tui, unsigned number, int y)
{
	const struct model *model = &tui->model;
	struct line line = metrics_column_line(model, tui->metrics->column);
	struct frame_row row;
	struct metric_detail detail = { .model = model, .metric = &model->metrics->metric[number] };
	struct reading reading;
	char text[32], name[32];
	int x = 1;

	x += draw_text(y, x, COLS - x, ROLE_TOTAL,
		       name_row(model, &line, false, name, sizeof(name))) +
	     2;
	if (!model_row(model, &line, &row))
		return;
	detail.row = &row;
	reading = model_metric_cell(model, &row, number);
	figure_metric(reading, figure_decimals(reading.value), 8, text, sizeof(text));
	x += draw_text(y, x, COLS - x, ROLE_SELECTED, text) + 3;
	if (model->baseline)
		x = draw_baseline(model, &row, number, y, x);
	if (scrub_is_on(model))
		x = draw_range(tui, &line, number, y, x);
	if (find_inputs(&detail, number))
		draw_inputs(&detail, y, x);
	else
		draw_text(y, x, COLS - x, ROLE_DIM, figure_meaning(reading.quality));
}

static const struct metric *selected(const struct tui *tui)
{
	const struct metric_list *list = &tui->metrics->list;
	unsigned at = tui->metrics->metric.at;

	return at < list->n ? &tui->model.metrics->metric[list->number[at]] : NULL;
}

int metrics_text_lines(const struct tui *tui)
{
	const struct metric *metric = selected(tui);

	return metric ? text_lines(metric) : 0;
}

void metrics_draw_detail(const struct tui *tui, int y, int n)
{
	const struct metric *metric = selected(tui);

	if (!metric)
		return;
	y = draw_what(metric, y, n > 3 ? n - 3 : 0);
	if (n > 2)
		draw_formula(metric, y++);
	if (n > 1)
		draw_column(tui, (unsigned)(metric - tui->model.metrics->metric), y);
}
