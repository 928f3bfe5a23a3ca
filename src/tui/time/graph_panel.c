#include "tui/time/graph.h"
#include "tui/time/timeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tui/term/draw.h"
#include "tui/screen/state.h"

enum { LETTERS_EVERY = 24 };

/* Everything that a panel draws. Its lines have numbers of their own: a core looks the same in every panel
 * that it is in. */
struct panel_sheet {
	struct tui *tui;
	const struct graph_panel *panel;
	enum plot_kind kind;
	bool is_one_quantity; /* of all lines: then their names need not say it */
	bool has_letters;
	unsigned n;
	unsigned series[PLOT_LINES_MAX];
	struct plot_value *value[PLOT_LINES_MAX];
	float low, high; /* of all; NaN: nothing is in sight */
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

/* "a ━ cpu4 4.08". @return columns used, 0: there is no room */
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

/* How much is in sight, and the picture's moment. @return where it begins */
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

static void draw_title(const struct panel_sheet *sheet)
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

/* Has every label room beside the plot? */
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

	/* far from zero close values would need more digits than there is room for */
	if (graph->limits != LIMITS_FIT || !has_short_labels(&axis))
		axis = axis_make_even(fmin(low, 0), fmax(high, 0), most, n_rows - 1);
	return axis;
}

/* The selected line over the others. */
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
	if (cell->line == PLOT_NOBODY)
		return ROLE_TEXT;
	return cell->is_band ? ROLE_DIM : (enum role)(ROLE_LINE + cell->line);
}

/* One line of cells, as few pieces as there are roles. */
static void draw_row(const struct plot *plot, const struct graph_panel *panel, unsigned y)
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

/* The picture's moment, where it is not the newest. */
static void draw_cursor(const struct panel_sheet *sheet, const struct plot *plot)
{
	const struct graph_panel *panel = sheet->panel;
	const struct model *model = &sheet->tui->model;
	int bin = model->frozen ? timeline_cursor(panel->bins, model) : -1;
	unsigned x = bin >= 0 ? (unsigned)bin / plot_columns(plot->kind) : 0;

	for (unsigned y = 0; bin >= 0 && y < plot->height; y++)
		if (plot->cell[y * plot->width + x].line == PLOT_NOBODY)
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
		draw_row(&plot, panel, y);
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
		draw_title(&sheet);
		draw_plot(&sheet, &axis);
	}
	if (isnan(sheet.high))
		draw_text(panel->y + 1, panel->x + 1, panel->width - 1, ROLE_DIM,
			  "not counted in this time");
	sheet_fini(&sheet);
}
