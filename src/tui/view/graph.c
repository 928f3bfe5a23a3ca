#include "tui/view/graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "tui/history/timeline.h"
#include "tui/screen/list.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/widget/table.h"

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

/* Whether two series share a panel: the same quantity, or metrics of the same unit. */
static bool graph_is_panel(const struct model *model, const struct series *a,
			   const struct series *b)
{
	if (a->quantity.metric < 0 || b->quantity.metric < 0)
		return quantity_is(&a->quantity, &b->quantity);

	const struct metric *one = &model->metrics->metric[a->quantity.metric];
	const struct metric *other = &model->metrics->metric[b->quantity.metric];

	return one == other || (*one->unit && strcmp(one->unit, other->unit) == 0);
}

/* Return the kind of plot for the terminal and the user's choice. */
static enum plot_kind graph_kind(const struct graph *graph)
{
	if (draw_is_ascii())
		return PLOT_ASCII;
	return graph->wants_blocks == draw_has_eighths() ? PLOT_BLOCKS : PLOT_BRAILLE;
}

static float part_of(double value, double scale, enum quality quality)
{
	return quality_has_value(quality) ? (float)(value * scale) : NAN;
}

/* Fill the tracks with these bins. @return false: out of memory */
static bool graph_fill(struct graph *graph, const struct model *model, const struct bins *bins)
{
	bool is_ok = true;

	for (unsigned i = 0; i < graph->n; i++) {
		struct history_query query = series_query(model, &graph->series[i]);

		is_ok &= track_fill(&graph->track[i], model->history, &query, bins) == 0;
	}
	return is_ok;
}

/* Return the values of series i, one per bin of its track. @return to be freed; NULL: out of memory */
static struct plot_value *graph_values(const struct model *model, const struct graph *graph,
				       unsigned i)
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

/* Count the earlier series in the panel of series i: the number is its line style. */
static unsigned graph_line(const struct model *model, const struct graph *graph, unsigned i)
{
	const struct series *series = graph->series;
	unsigned n = 0;

	for (unsigned k = 0; k < i; k++)
		n += graph_is_panel(model, &series[k], &series[i]);
	return n;
}

/* Return the letter that marks a series on its line: 'a' … 'f'. */
static char graph_letter(unsigned i)
{
	return (char)('a' + (int)i);
}

/* Mark the graph as composed before a key changes its lines; it stops following the selection. */
static void graph_compose(struct graph *graph)
{
	graph->is_composed = true;
	if (graph->limits == LIMITS_HELD) /* the held limits are those of other lines */
		graph->limits = LIMITS_ZERO;
}

void graph_take(struct tui *tui, const struct series *series, unsigned n)
{
	struct graph *graph = tui->graph;
	bool is_there = n > 0;

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
			series_row_name(&tui->model, &series[0]).text, graph->n, PLOT_LINES_MAX);
}

/* Message after the last line was removed. */
static const char graph_follows[] = "the graph follows the selection again";

/* Remove line `at`; the cursor stays on its own line if that is another one. */
static void graph_remove(struct graph *graph, unsigned at)
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
	struct label name = quantity_name(&tui->model, &series->quantity);
	unsigned at = 0, n = graph->is_composed ? graph->n : 0;
	struct label row = series_row_name(&tui->model, series);

	while (at < n && !series_is(&graph->series[at], series))
		at++;
	if (at == n) {
		tui_say(tui, ROLE_WARN, "%s of %s is not in the graph: a adds it", name.text,
			row.text);
		return;
	}
	graph_remove(graph, at);
	if (graph->n)
		tui_say(tui, ROLE_TEXT, "removed from the graph: %s of %s; %u of %u lines",
			name.text, row.text, graph->n, PLOT_LINES_MAX);
	else
		tui_say(tui, ROLE_TEXT, "%s", graph_follows);
}

/* ---- panel ---- */

/* Place and content of a panel. */
struct graph_panel {
	struct graph *graph;
	unsigned first; /* first series; the panel also has the others that share it */
	unsigned number;
	int y, height; /* lines: a title, then the plot */
	int x, width;  /* columns of the plot; the labels are to its left */
	const struct bins *bins;
	bool has_values; /* the legend shows values: no table does */
};

enum {
	GRAPH_PANEL_GOOD = 7, /* comfortable height of a panel with its title, lines */
};

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

/* ---- title and legend ---- */

static struct label entry_text(const struct panel_sheet *sheet, unsigned line)
{
	const struct series *series = series_of(sheet, line);
	const struct model *model = &sheet->tui->model;
	struct history_value value = series_value(model, series);
	struct label row = series_row_name(model, series);
	struct label name = quantity_name(model, &series->quantity);
	struct label text =
		quantity_text(&series->quantity, (struct reading){ value.mean, value.quality });

	return label_printf("%s%s%s%s%s", row.text, sheet->is_one_quantity ? "" : " ",
			    sheet->is_one_quantity ? "" : name.text,
			    sheet->panel->has_values ? " " : "",
			    sheet->panel->has_values ? text.text : "");
}

/* Draw a legend entry: "a ━ cpu4 4.08". @return columns used; 0: no room */
static int draw_entry(const struct panel_sheet *sheet, unsigned line, int x, int end)
{
	enum role role = (enum role)(ROLE_LINE + line);
	int y = sheet->panel->y, begin = x;
	struct label text = entry_text(sheet, line);

	if (end - x < (sheet->has_letters ? 2 : 0) + 2 + draw_columns(text.text))
		return 0;
	if (sheet->has_letters)
		x += draw_printf(y, x, 1, role, "%c", graph_letter(sheet->series[line])) + 1;
	x += draw_text(y, x, 1, role, plot_sample(sheet->kind, line)) + 1;
	x += draw_text(y, x, end - x, is_selected(sheet, line) ? ROLE_TOTAL : ROLE_TEXT, text.text);
	return x - begin;
}

/* Draw the visible and the shown time. @return column where the title must end */
static int draw_time(const struct panel_sheet *sheet)
{
	const struct tui *tui = sheet->tui;
	int end = COLS - 1;
	struct label text = timeline_text(tui);

	if (sheet->panel->number)
		return end;
	end -= draw_columns(text.text);
	draw_text(sheet->panel->y, end, COLS - 1 - end, ROLE_DIM, text.text);
	return end - 2;
}

static void graph_panel_draw_title(const struct panel_sheet *sheet)
{
	const struct model *model = &sheet->tui->model;
	const struct quantity *quantity = &series_of(sheet, 0)->quantity;
	int x = 1, y = sheet->panel->y, end = draw_time(sheet), used = 1;
	struct label unit = quantity_unit(model, quantity);

	if (sheet->is_one_quantity)
		x += draw_text(y, x, end - x, ROLE_TITLE, quantity_name(model, quantity).text) + 1;
	if (sheet->is_one_quantity && quantity_says_unit(model, quantity))
		*unit.text = '\0';
	x += draw_text(y, x, end - x, ROLE_DIM, unit.text) + (*unit.text ? 2 : 1);
	for (unsigned line = 0; line < sheet->n && used; line++) {
		used = draw_entry(sheet, line, x, end);
		x += used + 2;
	}
}

/* ---- curves and axes ---- */

/* Whether every label fits beside the plot. */
static bool has_short_labels(const struct axis *axis)
{
	int widest = 0;

	for (unsigned i = 0; i < axis->n; i++) {
		int width = draw_columns(axis_label(axis, i).text);

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

/* Mark the shown time unless it is the newest. */
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

	for (int y = 1; y < panel->height; y++)
		draw_text(panel->y + y, panel->x - 1, 1, ROLE_DIM, "│");
	for (unsigned i = axis->n; i-- > 0;) {
		int y = plot_row(plot, axis_tick(axis, i));

		if (y == last || y < 0 || y >= (int)plot->height)
			continue;
		last = y;
		draw_right(panel->y + 1 + y, panel->x - GRAPH_LABELS, GRAPH_LABELS - 1, ROLE_DIM,
			   axis_label(axis, i).text);
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

/* Draw a panel; call after graph_fill. */
static void graph_draw_panel(struct tui *tui, const struct graph_panel *panel)
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
	for (unsigned i = 0; i < sheet.n; i++)
		free(sheet.value[i]);
}

/* ---- small graph ---- */

enum { MINI_PANEL_LEAST = 3 /* lines: a title and the smallest plot that shows rise and fall */ };
static struct graph_panel panel_of_graph(struct graph *graph, const struct bins *bins, int y)
{
	return (struct graph_panel){ .graph = graph,
				     .y = y,
				     .x = GRAPH_LABELS,
				     .width = COLS - 1 - GRAPH_LABELS,
				     .bins = bins };
}

/* Draw panels one below the other, as high as each other. @panel  the first  @first  first series of each */
static void draw_panels(struct tui *tui, struct graph_panel *panel, const unsigned *first,
			unsigned n, int bottom)
{
	for (unsigned i = 0; i < n; i++) {
		panel->number = i;
		panel->first = first[i];
		panel->height = (bottom - panel->y) / (int)(n - i);
		if (panel->graph == tui->mini_graph)
			panel->graph->at.at = i;
		graph_draw_panel(tui, panel);
		timeline_area(tui, panel->bins, panel->y + 1, panel->x, panel->height - 1,
			      panel->width);
		panel->y += panel->height;
	}
}

void mini_graph_draw(struct tui *tui, const struct series *series, unsigned n, int y, int height)
{
	struct graph *graph = tui->mini_graph;
	const struct model *model = &tui->model;
	static const unsigned first[PLOT_LINES_MAX] = { 0, 1 };
	int width = COLS - 1 - GRAPH_LABELS;
	struct graph_panel panel;
	struct bins bins;
	int n_axis = height >= MINI_PANEL_LEAST + TIMELINE_AXIS_LINES ? TIMELINE_AXIS_LINES : 0;

	height -= n_axis;
	if (height < MINI_PANEL_LEAST || !n)
		return;
	graph->wants_blocks = tui->graph->wants_blocks;
	graph->n = height < (int)n * GRAPH_PANEL_GOOD ? 1 : n;
	memcpy(graph->series, series + (n - graph->n), graph->n * sizeof(*series));
	timeline_bins(tui->timeline, model, (unsigned)width * plot_columns(graph_kind(graph)),
		      &bins);
	if (!graph_fill(graph, model, &bins))
		return;
	panel = panel_of_graph(graph, &bins, y);
	panel.has_values = true;
	draw_panels(tui, &panel, first, graph->n, y + height);
	if (n_axis)
		timeline_draw_axis(tui, &bins, y + height, n_axis, GRAPH_LABELS, width);
}

/* ---- table ---- */

enum { NAME_WIDTH = 8, WHAT_WIDTH = 16, WHAT_SHORT = 12, FIGURE_WIDTH = 7 };

/* Format a range: "3.12 to 4.02". */
static struct label range_text(const struct quantity *quantity, double low, double high)
{
	return label_printf("%s to %s",
			    quantity_text(quantity, (struct reading){ low, QUALITY_OK }).text,
			    quantity_text(quantity, (struct reading){ high, QUALITY_OK }).text);
}

/* Draw the smallest and largest value of the visible history, and of the frames in the window. */
static void draw_ranges(const struct tui *tui, unsigned i, struct history_value value, int y, int x)
{
	const struct quantity *quantity = &tui->graph->series[i].quantity;
	struct plot_value sight = { NAN, NAN, NAN };
	AUTO_FREE struct plot_value *all = graph_values(&tui->model, tui->graph, i);
	struct label range = range_text(quantity, value.min, value.max), text = { "" };
	int end = COLS - 1;

	for (unsigned k = 0; all && k < tui->graph->track[i].bins.n; k++) {
		sight.min = fminf(sight.min, all[k].min);
		sight.max = fmaxf(sight.max, all[k].max);
	}
	if (!isnan(sight.max))
		text = label_printf(
			"visible %s",
			range_text(quantity, (double)sight.min, (double)sight.max).text);
	if (x + draw_columns(text.text) <= end)
		x += draw_text(y, x, end - x, ROLE_DIM, text.text) + 3;
	if (value.max > value.min && x + 12 + draw_columns(range.text) <= end)
		draw_printf(y, x, end - x, ROLE_TEXT, "in window %s", range.text);
}

static int graph_draw_name(const struct tui *tui, unsigned i, int y)
{
	const struct series *series = &tui->graph->series[i];
	enum plot_kind kind = graph_kind(tui->graph);
	bool is_at = i == tui->graph->at.at;
	unsigned line = graph_line(&tui->model, tui->graph, i);
	enum role role = (enum role)(ROLE_LINE + line);
	int x = 1;

	if (kind != PLOT_ASCII)
		x += draw_printf(y, x, 2, role, "%c ", graph_letter(i));
	x += draw_text(y, x, 1, role, plot_sample(kind, line)) + 1;
	draw_text(y, x, NAME_WIDTH, is_at ? ROLE_TOTAL : ROLE_TEXT,
		  series_row_name(&tui->model, series).text);
	return x + NAME_WIDTH + 1;
}

static void draw_table_row(const void *data, unsigned i, int y)
{
	const struct tui *tui = data;
	const struct series *series = &tui->graph->series[i];
	struct history_value value = series_value(&tui->model, series);
	int width = COLS >= 60 ? WHAT_WIDTH : WHAT_SHORT, x = graph_draw_name(tui, i, y);

	draw_printf(y, x, width, ROLE_TEXT, "%s %s",
		    quantity_name(&tui->model, &series->quantity).text,
		    quantity_unit(&tui->model, &series->quantity).text);
	x += width + 1;
	draw_right(y, x, FIGURE_WIDTH, quality_has_value(value.quality) ? ROLE_TOTAL : ROLE_DIM,
		   quantity_text(&series->quantity, (struct reading){ value.mean, value.quality })
			   .text);
	draw_ranges(tui, i, value, y, x + FIGURE_WIDTH + 3);
}

static const struct table_ops row_ops = { .draw = draw_table_row, .mark = ROLE_KEY };

enum { PANEL_LEAST = 4 /* lines: title and three plot lines */ };

/* ---- panels ---- */

/* Get the panel of series i. @first  first series of each of the n panels @return n: none of them */
static unsigned panel_of(const struct tui *tui, const unsigned *first, unsigned n, unsigned i)
{
	const struct series *series = tui->graph->series;
	unsigned k = 0;

	while (k < n && !graph_is_panel(&tui->model, &series[first[k]], &series[i]))
		k++;
	return k;
}

/* Find the first series of each panel. @return number of panels */
static unsigned find_panels(const struct tui *tui, unsigned first[PLOT_LINES_MAX])
{
	unsigned n = 0;

	for (unsigned i = 0; i < tui->graph->n; i++)
		if (panel_of(tui, first, n, i) == n)
			first[n++] = i;
	return n;
}

/*
 * Lines of the view. If there is little room, parts give way in this order: the table shrinks to the
 * selected series and the legend shows the other values; panels other than the selected series';
 * the ticks under the plot; legend entries, the last ones first; the displayed time. Value and time
 * labels stay. Parts that do not fit are left out completely.
 */
struct graph_plan {
	int top, bottom; /* of the panels */
	int n_axis, n_table;
	unsigned n_panels, first; /* visible panels */
};

static struct graph_plan plan_lines(const struct tui *tui, const unsigned *first, unsigned n)
{
	struct graph_plan plan = {
		.top = tui->layout.view_y,
		.n_axis = LINES >= 14 ? TIMELINE_AXIS_LINES : 1,
		.n_table = (int)tui->graph->n,
	};
	int room = tui->layout.status_y - plan.top - plan.n_axis;

	if (room - plan.n_table < (int)n * GRAPH_PANEL_GOOD)
		plan.n_table = 1;
	room -= plan.n_table;
	plan.bottom = plan.top + room;
	plan.n_panels = room / PANEL_LEAST < (int)n ? (unsigned)(room / PANEL_LEAST) : n;
	if (!plan.n_panels)
		plan.n_panels = 1;

	unsigned selected = panel_of(tui, first, n, tui->graph->at.at);

	plan.first = selected >= plan.n_panels ? selected - plan.n_panels + 1 : 0;
	return plan;
}

static void graph_draw(struct tui *tui)
{
	unsigned columns = plot_columns(graph_kind(tui->graph));
	unsigned first[PLOT_LINES_MAX] = { 0 }, n = find_panels(tui, first);
	int width = COLS - 1 - GRAPH_LABELS;
	struct bins bins;

	if (!n) {
		timeline_draw_nothing(tui);
		return;
	}
	cursor_follow(&tui->graph->at, tui->graph->n, tui->graph->n);
	timeline_bins(tui->timeline, &tui->model, (unsigned)width * columns, &bins);
	if (!graph_fill(tui->graph, &tui->model, &bins))
		return;

	struct graph_plan plan = plan_lines(tui, first, n);
	struct graph_panel panel = panel_of_graph(tui->graph, &bins, plan.top);

	panel.has_values = plan.n_table < (int)tui->graph->n;
	draw_panels(tui, &panel, first + plan.first, plan.n_panels, plan.bottom);
	timeline_draw_axis(tui, &bins, plan.bottom, plan.n_axis, GRAPH_LABELS, width);
	/* values in the displayed window; if there is little room only those of the selected series */
	list_draw(tui, &row_ops, tui, plan.bottom + plan.n_axis, plan.n_table);
}

/* ---- keys ---- */

/* Follow the selection of other views until the user composes a graph. */
static void follow(struct tui *tui)
{
	struct graph *graph = tui->graph;

	if (graph->n && graph->is_composed)
		return;
	graph_compose(graph);
	graph->is_composed = false;
	graph->n = tui_selected(tui, graph->series);
	graph->at = (struct cursor){ 0 };
}

static void act_line(struct tui *tui, int key)
{
	struct graph *graph = tui->graph;

	cursor_key(&graph->at, cursor_letter(key), graph->n, 1);
}

/* Get the selected line's quantity for a change; the graph counts as composed from then on. */
static struct quantity *graph_quantity(struct tui *tui)
{
	struct graph *graph = tui->graph;

	if (!graph->n)
		return NULL;
	graph_compose(graph);
	return &graph->series[graph->at.at].quantity;
}

static struct cursor *graph_list(struct tui *tui, unsigned *ret_n)
{
	*ret_n = tui->graph->n;
	return &tui->graph->at;
}

/* Format an item: "cpu5 IPC". */
static const char *graph_item(const struct tui *tui, unsigned i, char *buf, size_t size)
{
	const struct series *series = &tui->graph->series[i];

	snprintf(buf, size, "%s %s", series_row_name(&tui->model, series).text,
		 quantity_name(&tui->model, &series->quantity).text);
	return buf;
}

static void act_row(struct tui *tui, int key)
{
	struct graph *graph = tui->graph;

	if (graph->n) {
		series_step_row(&tui->model, key == '>' ? 1 : -1, &graph->series[graph->at.at]);
		graph_compose(graph);
	}
}

static void act_add(struct tui *tui, int key UNUSED)
{
	struct graph *graph = tui->graph;

	if (!graph->n || graph->n == PLOT_LINES_MAX) {
		tui_say(tui, ROLE_WARN, "at most %d lines: x removes one", PLOT_LINES_MAX);
		return;
	}
	graph->series[graph->n] = graph->series[graph->at.at];
	series_step_row(&tui->model, 1, &graph->series[graph->n]);
	graph->at.at = graph->n++;
	graph_compose(graph);
}

static void act_remove(struct tui *tui, int key UNUSED)
{
	struct graph *graph = tui->graph;

	if (!graph->n)
		return;
	graph_remove(graph, graph->at.at);
	if (!graph->n)
		tui_say(tui, ROLE_TEXT, "%s", graph_follows);
	follow(tui);
}

static void act_limits(struct tui *tui, int key UNUSED)
{
	static const char *const message[N_LIMITS] = {
		[LIMITS_ZERO] = "values from zero",
		[LIMITS_FIT] = "values from the smallest visible",
		[LIMITS_HELD] = "limits of values are held",
	};
	struct graph *graph = tui->graph;

	graph->limits = (graph->limits + 1) % N_LIMITS;
	tui_say(tui, ROLE_TEXT, "%s", message[graph->limits]);
}

static void act_blocks(struct tui *tui, int key UNUSED)
{
	tui->graph->wants_blocks = !tui->graph->wants_blocks;
}

static const char group[] = "In Graph";

static const struct key keys[] = {
	OWN_KEY("> <", group, "next, previous core or cluster", act_row, '>', '<'),
	OWN_KEY("j k ↓ ↑", group, "select a line", act_line, 'j', 'k', 'g', 'G', KEY_DOWN, KEY_UP),
	OWN_KEY("a", group, "add a line like the selected one for the next row", act_add, 'a'),
	OWN_KEY("x", group, "remove the selected line", act_remove, 'x'),
	OWN_KEY("y", group, "values from zero, from the smallest, limits held", act_limits, 'y'),
	OWN_KEY("b", group, "half blocks instead of braille", act_blocks, 'b'),
	{ 0 },
};

const struct view view_graph = {
	.name = "Graph",
	.what = "figures over time, as lines",
	.hint = { { "?", "help" },
		  { "+ -", "zoom" },
		  { "] [", "what" },
		  { "< >", "core" },
		  { "a", "add" },
		  { "x", "remove" } },
	.enter = follow,
	.draw = graph_draw,
	.keys = { timeline_keys, keys },
	.quantity = graph_quantity,
	.list = graph_list,
	.item = graph_item,
};
