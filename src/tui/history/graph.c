#include "tui/history/graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "tui/history/timeline.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"

void graph_fini(struct graph *graph)
{
	for (unsigned i = 0; graph && i < PLOT_LINES_MAX; i++)
		track_fini(&graph->track[i]);
}

/* @return whether it is there now */
static bool add_series(struct graph *graph, const struct series *series)
{
	for (unsigned i = 0; i < graph->n; i++)
		if (series_is(&graph->series[i], series))
			return true;
	if (graph->n == PLOT_LINES_MAX)
		return false;
	graph->series[graph->n++] = *series;
	return true;
}

bool graph_has_tasks(const struct graph *graph)
{
	for (unsigned i = 0; i < graph->n; i++)
		if (graph->series[i].task.is_task)
			return true;
	return false;
}

bool graph_is_panel(const struct model *model, const struct series *a, const struct series *b)
{
	if (a->quantity.metric < 0 || b->quantity.metric < 0)
		return quantity_is(&a->quantity, &b->quantity);

	const struct metric *one = &model->metrics->metric[a->quantity.metric];
	const struct metric *other = &model->metrics->metric[b->quantity.metric];

	return one == other || (*one->unit && strcmp(one->unit, other->unit) == 0);
}

enum plot_kind graph_kind(const struct graph *graph)
{
	if (draw_is_ascii())
		return PLOT_ASCII;
	return graph->wants_blocks == draw_has_eighths() ? PLOT_BLOCKS : PLOT_BRAILLE;
}

static float part_of(double value, double scale, enum quality quality)
{
	return quality_has_value(quality) ? (float)(value * scale) : NAN;
}

bool graph_fill(struct graph *graph, const struct model *model, const struct bins *bins)
{
	bool is_ok = true;

	for (unsigned i = 0; i < graph->n; i++) {
		struct history_query query = series_query(model, &graph->series[i]);

		is_ok &= track_fill(&graph->track[i], model->history, &query, bins) == 0;
	}
	return is_ok;
}

struct plot_value *graph_values(const struct model *model, const struct graph *graph, unsigned i)
{
	const struct series *series = &graph->series[i];
	const struct track *track = &graph->track[i];
	double scale = quantity_scale(model, &series->quantity, &series->line);
	struct plot_value *value = calloc(track->bins.n + 1, sizeof(*value));

	for (unsigned k = 0; value && k < track->bins.n; k++) {
		const struct history_value *from = &track->value[k];

		value[k] = (struct plot_value){
			.min = part_of(from->min, scale, from->quality),
			.mean = part_of(from->mean, scale, from->quality),
			.max = part_of(from->max, scale, from->quality),
		};
	}
	return value;
}

unsigned graph_line(const struct model *model, const struct graph *graph, unsigned i)
{
	const struct series *series = graph->series;
	unsigned n = 0;

	for (unsigned k = 0; k < i; k++)
		n += graph_is_panel(model, &series[k], &series[i]);
	return n;
}

char graph_letter(unsigned i)
{
	return (char)('a' + (int)i);
}

void graph_compose(struct graph *graph)
{
	graph->is_composed = true;
	if (graph->limits == LIMITS_HELD) /* the held limits are those of other lines */
		graph->limits = LIMITS_ZERO;
}

void graph_take(struct tui *tui, const struct series *series, unsigned n)
{
	struct graph *graph = tui->graph;
	bool is_there = n > 0;
	char name[32];

	if (!graph->is_composed)
		graph->n = 0;
	graph_compose(graph);
	for (unsigned i = 0; i < n; i++)
		is_there &= add_series(graph, &series[i]);
	if (!is_there)
		tui_say(tui, ROLE_WARN,
			n ? "the graph is full: x in the Graph view removes a line"
			  : "nothing to draw is counted");
	else
		tui_say(tui, ROLE_TEXT, "in the Graph view: %s%s%s of %s; %u of %u lines",
			quantity_name(&tui->model, &series[0].quantity).text, n > 1 ? " and " : "",
			n > 1 ? quantity_name(&tui->model, &series[1].quantity).text : "",
			series_row_name(&tui->model, &series[0], name, sizeof(name)), graph->n,
			PLOT_LINES_MAX);
}

const char graph_follows[] = "the graph follows the selection again";

void graph_remove(struct graph *graph, unsigned at)
{
	graph_compose(graph);
	graph->n--;
	memmove(graph->series + at, graph->series + at + 1,
		(graph->n - at) * sizeof(*graph->series));
	if (graph->at.at > at)
		graph->at.at--;
}

void graph_drop(struct tui *tui, const struct series *series)
{
	struct graph *graph = tui->graph;
	struct quantity_label name = quantity_name(&tui->model, &series->quantity);
	unsigned at = 0, n = graph->is_composed ? graph->n : 0;
	char row[32];

	series_row_name(&tui->model, series, row, sizeof(row));
	while (at < n && !series_is(&graph->series[at], series))
		at++;
	if (at == n) {
		tui_say(tui, ROLE_WARN, "%s of %s is not in the graph: a adds it", name.text, row);
		return;
	}
	graph_remove(graph, at);
	if (graph->n)
		tui_say(tui, ROLE_TEXT, "removed from the graph: %s of %s; %u of %u lines",
			name.text, row, graph->n, PLOT_LINES_MAX);
	else
		tui_say(tui, ROLE_TEXT, "%s", graph_follows);
}

void act_graph(struct tui *tui, int key UNUSED)
{
	struct series selected[2];

	if (tui_view(tui)->selected) /* even before any other key in this view */
		tui->acted = tui->view;
	graph_take(tui, selected, tui_selected(tui, selected));
}

/* ---- panel ---- */

enum { LETTERS_EVERY = 24 };

/* Everything that a panel draws. Lines are numbered within the panel, so that a core looks the same in
 * every panel. */
struct panel_sheet {
	struct tui *tui;
	const struct graph_panel *panel;
	enum plot_kind kind;
	bool is_one_quantity; /* all lines show the same quantity, so the legend omits it */
	bool has_letters;
	unsigned n;
	unsigned series[PLOT_LINES_MAX];
	struct plot_value *value[PLOT_LINES_MAX];
	float low, high; /* limits of all lines; NaN: no value is visible */
};

static const struct series *series_of(const struct panel_sheet *sheet, unsigned line)
{
	return &sheet->panel->graph->series[sheet->series[line]];
}

static bool is_selected(const struct panel_sheet *sheet, unsigned line)
{
	return sheet->series[line] == sheet->panel->graph->at.at;
}

static void sheet_add(struct panel_sheet *sheet, unsigned i)
{
	struct plot_value *value = graph_values(&sheet->tui->model, sheet->panel->graph, i);
	unsigned line = sheet->n;

	if (!value)
		return;
	sheet->n++;
	sheet->series[line] = i;
	sheet->value[line] = value;
	sheet->is_one_quantity &=
		quantity_is(&series_of(sheet, 0)->quantity, &series_of(sheet, line)->quantity);
	for (unsigned k = 0; k < sheet->panel->bins->n; k++) {
		sheet->low = fminf(sheet->low, value[k].min);
		sheet->high = fmaxf(sheet->high, value[k].max);
	}
}

static void sheet_init(struct tui *tui, const struct graph_panel *panel, struct panel_sheet *sheet)
{
	const struct graph *graph = panel->graph;

	*sheet = (struct panel_sheet){
		.tui = tui,
		.panel = panel,
		.kind = graph_kind(graph),
		.is_one_quantity = true,
		.low = NAN,
		.high = NAN,
	};
	for (unsigned i = 0; i < graph->n; i++)
		if (graph_is_panel(&tui->model, &graph->series[panel->first], &graph->series[i]))
			sheet_add(sheet, i);
	sheet->has_letters = sheet->n > 1 && sheet->kind != PLOT_ASCII;
}

static void sheet_fini(struct panel_sheet *sheet)
{
	for (unsigned i = 0; i < sheet->n; i++)
		free(sheet->value[i]);
}

/* ---- title and legend ---- */

static void entry_text(const struct panel_sheet *sheet, unsigned line, char *buf, size_t size)
{
	const struct series *series = series_of(sheet, line);
	const struct model *model = &sheet->tui->model;
	struct history_value value = series_value(model, series);
	char row[32], text[32];

	series_row_name(model, series, row, sizeof(row));
	quantity_text(&series->quantity, (struct reading){ value.mean, value.quality }, text,
		      sizeof(text));
	snprintf(buf, size, "%s%s%s%s%s", row, sheet->is_one_quantity ? "" : " ",
		 sheet->is_one_quantity ? "" : quantity_name(model, &series->quantity).text,
		 sheet->panel->has_values ? " " : "", sheet->panel->has_values ? text : "");
}

/* Draw a legend entry: "a ━ cpu4 4.08". @return columns used; 0: no room */
static int draw_entry(const struct panel_sheet *sheet, unsigned line, int x, int end)
{
	enum role role = (enum role)(ROLE_LINE + line);
	int y = sheet->panel->y, begin = x;
	char text[192];

	entry_text(sheet, line, text, sizeof(text));
	if (end - x < (sheet->has_letters ? 2 : 0) + 2 + draw_columns(text))
		return 0;
	if (sheet->has_letters)
		x += draw_printf(y, x, 1, role, "%c", graph_letter(sheet->series[line])) + 1;
	x += draw_text(y, x, 1, role, plot_sample(sheet->kind, line)) + 1;
	x += draw_text(y, x, end - x, is_selected(sheet, line) ? ROLE_TOTAL : ROLE_TEXT, text);
	return x - begin;
}

/* Draw the visible time and the picture's moment. @return column where the title must end */
static int draw_time(const struct panel_sheet *sheet)
{
	const struct tui *tui = sheet->tui;
	int end = COLS - 1;
	char span[32], moment[64], text[128];

	if (sheet->panel->number)
		return end;
	axis_span(timeline_span(tui->timeline, &tui->model), span, sizeof(span));
	timeline_moment(tui, moment, sizeof(moment));
	snprintf(text, sizeof(text), COLS < 60 || !*moment ? "%s" : "%s   at %s", span, moment);
	end -= draw_columns(text);
	draw_text(sheet->panel->y, end, COLS - 1 - end, ROLE_DIM, text);
	return end - 2;
}

static void graph_panel_draw_title(const struct panel_sheet *sheet)
{
	const struct model *model = &sheet->tui->model;
	const struct quantity *quantity = &series_of(sheet, 0)->quantity;
	int x = 1, y = sheet->panel->y, end = draw_time(sheet), used = 1;
	char unit[32];

	quantity_unit(model, quantity, unit, sizeof(unit));
	if (sheet->is_one_quantity)
		x += draw_text(y, x, end - x, ROLE_TITLE, quantity_name(model, quantity).text) + 1;
	if (sheet->is_one_quantity && quantity_says_unit(model, quantity))
		*unit = '\0';
	x += draw_text(y, x, end - x, ROLE_DIM, unit) + (*unit ? 2 : 1);
	for (unsigned line = 0; line < sheet->n && used; line++) {
		used = draw_entry(sheet, line, x, end);
		x += used + 2;
	}
}

/* ---- picture ---- */

/* Whether every label fits beside the plot. */
static bool has_short_labels(const struct axis *axis)
{
	char text[32];
	int widest = 0;

	for (unsigned i = 0; i < axis->n; i++) {
		int width = draw_columns(axis_label(axis, i, text, sizeof(text)));

		widest = width > widest ? width : widest;
	}
	return widest < GRAPH_LABELS;
}

static struct axis limits_of(const struct panel_sheet *sheet)
{
	const struct graph *graph = sheet->panel->graph;
	const struct graph_panel *panel = sheet->panel;
	unsigned most = panel->height > 3 ? (unsigned)panel->height / 2 + 1 : 2;
	bool is_known = !isnan(sheet->high);
	double low = is_known ? (double)sheet->low : 0, high = is_known ? (double)sheet->high : 1;

	if (graph->limits == LIMITS_HELD && graph->axis[panel->number].n)
		return graph->axis[panel->number];
	most = most < AXIS_TICKS_MAX ? most : AXIS_TICKS_MAX;

	unsigned n_rows = (unsigned)panel->height - 1;
	struct axis axis = axis_make_even(low, high, most, n_rows - 1);

	/* far from zero, close values need more digits than fit */
	if (graph->limits != LIMITS_FIT || !has_short_labels(&axis))
		axis = axis_make_even(fmin(low, 0), fmax(high, 0), most, n_rows - 1);
	return axis;
}

/* Plot all lines, the selected one over the others. */
static void plot_lines(const struct panel_sheet *sheet, struct plot *plot)
{
	unsigned last = 0;

	for (unsigned i = 0; i < sheet->n; i++)
		plot_band(plot, i, sheet->value[i]);
	for (unsigned i = sheet->n; i-- > 0;) {
		plot_line(plot, i, sheet->value[i]);
		last = is_selected(sheet, i) ? i : last;
	}
	plot_line(plot, last, sheet->value[last]);
	for (unsigned i = 0; i < sheet->n && sheet->has_letters; i++)
		plot_letters(plot, i, sheet->value[i], graph_letter(sheet->series[i]),
			     4 + i * LETTERS_EVERY / PLOT_LINES_MAX, LETTERS_EVERY);
}

static enum role role_of(const struct plot_cell *cell)
{
	if (cell->line == PLOT_EMPTY)
		return ROLE_TEXT;
	return cell->is_band ? ROLE_DIM : (enum role)(ROLE_LINE + cell->line);
}

/* Draw a row of cells, one piece per run of cells of the same role. */
static void graph_panel_draw_row(const struct plot *plot, const struct graph_panel *panel,
				 unsigned y)
{
	const struct plot_cell *cell = &plot->cell[y * plot->width];
	wchar_t glyph[512];
	unsigned x = 0;

	while (x < plot->width) {
		enum role role = role_of(&cell[x]);
		unsigned n = 0;

		while (x + n < plot->width && n < 512 && role_of(&cell[x + n]) == role) {
			glyph[n] = plot_glyph(plot, x + n, y);
			n++;
		}
		draw_glyphs(panel->y + 1 + (int)y, panel->x + (int)x, (int)n, role, glyph);
		x += n;
	}
}

/* Mark the picture's moment unless it is the newest. */
static void draw_cursor(const struct panel_sheet *sheet, const struct plot *plot)
{
	const struct graph_panel *panel = sheet->panel;
	const struct model *model = &sheet->tui->model;
	int bin = model->frozen ? timeline_cursor(panel->bins, model) : -1;
	unsigned x = bin >= 0 ? (unsigned)bin / plot_columns(plot->kind) : 0;

	for (unsigned y = 0; bin >= 0 && y < plot->height; y++)
		if (plot->cell[y * plot->width + x].line == PLOT_EMPTY)
			draw_text(panel->y + 1 + (int)y, panel->x + (int)x, 1, ROLE_KEY, "│");
}

static void draw_axis(const struct graph_panel *panel, const struct axis *axis,
		      const struct plot *plot)
{
	int last = -1;
	char text[32];

	for (int y = 1; y < panel->height; y++)
		draw_text(panel->y + y, panel->x - 1, 1, ROLE_DIM, "│");
	for (unsigned i = axis->n; i-- > 0;) {
		int y = plot_row(plot, axis_tick(axis, i));

		if (y == last || y < 0 || y >= (int)plot->height)
			continue;
		last = y;
		draw_right(panel->y + 1 + y, panel->x - GRAPH_LABELS, GRAPH_LABELS - 1, ROLE_DIM,
			   axis_label(axis, i, text, sizeof(text)));
		draw_text(panel->y + 1 + y, panel->x - 1, 1, ROLE_DIM, "┤");
	}
}

static void draw_plot(const struct panel_sheet *sheet, const struct axis *axis)
{
	const struct graph_panel *panel = sheet->panel;
	struct plot plot;

	if (plot_init(&plot, sheet->kind, (unsigned)panel->width, (unsigned)panel->height - 1,
		      axis->low, axis->high) < 0)
		return;
	plot_lines(sheet, &plot);
	draw_axis(panel, axis, &plot);
	for (unsigned y = 0; y < plot.height; y++)
		graph_panel_draw_row(&plot, panel, y);
	draw_cursor(sheet, &plot);
	plot_fini(&plot);
}

void graph_draw_panel(struct tui *tui, const struct graph_panel *panel)
{
	struct panel_sheet sheet;
	struct axis axis;

	sheet_init(tui, panel, &sheet);
	axis = limits_of(&sheet);
	panel->graph->axis[panel->number] = axis;
	if (sheet.n) {
		graph_panel_draw_title(&sheet);
		draw_plot(&sheet, &axis);
	}
	if (isnan(sheet.high))
		draw_text(panel->y + 1, panel->x + 1, panel->width - 1, ROLE_DIM,
			  "not counted in this time");
	sheet_fini(&sheet);
}

/* ---- small graph ---- */

enum { PANEL_LEAST = 3 /* lines: a title and the smallest plot that shows rise and fall */ };

static void draw_panels(struct tui *tui, struct graph *graph, const struct bins *bins, int y,
			int height)
{
	struct graph_panel panel = {
		.graph = graph,
		.y = y,
		.x = GRAPH_LABELS,
		.width = COLS - 1 - GRAPH_LABELS,
		.bins = bins,
		.has_values = true,
	};

	for (unsigned i = 0; i < graph->n; i++) {
		panel.number = panel.first = graph->at.at = i;
		panel.height = (y + height - panel.y) / (int)(graph->n - i);
		graph_draw_panel(tui, &panel);
		timeline_area(tui, bins, panel.y + 1, panel.x, panel.height - 1, panel.width);
		panel.y += panel.height;
	}
}

void mini_graph_draw(struct tui *tui, const struct series *series, unsigned n, int y, int height)
{
	struct graph *graph = tui->mini_graph;
	const struct model *model = &tui->model;
	int width = COLS - 1 - GRAPH_LABELS;
	struct bins bins;

	int n_axis = height >= PANEL_LEAST + TIMELINE_AXIS_LINES ? TIMELINE_AXIS_LINES : 0;

	height -= n_axis;
	if (height < PANEL_LEAST || !n)
		return;
	graph->wants_blocks = tui->graph->wants_blocks;
	graph->n = height < (int)n * GRAPH_PANEL_GOOD ? 1 : n;
	memcpy(graph->series, series + (n - graph->n), graph->n * sizeof(*series));
	timeline_bins(tui->timeline, model, (unsigned)width * plot_columns(graph_kind(graph)),
		      &bins);
	if (!graph_fill(graph, model, &bins))
		return;
	draw_panels(tui, graph, &bins, y, height);
	if (n_axis)
		timeline_draw_axis(tui, &bins, y + height, n_axis, GRAPH_LABELS, width);
}
