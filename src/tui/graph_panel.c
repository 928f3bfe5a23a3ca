#include "tui/graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tui/draw.h"
#include "tui/names.h"
#include "tui/state.h"

enum { LETTERS_EVERY = 24 };

static bool is_in(const struct tui *tui, const struct graph_panel *panel, unsigned i)
{
	const struct graph *graph = &tui->graph;

	return graph_is_panel(&tui->model, &graph->series[panel->first], &graph->series[i]);
}

static unsigned n_lines(const struct tui *tui, const struct graph_panel *panel)
{
	unsigned n = 0;

	for (unsigned i = 0; i < tui->graph.n; i++)
		n += is_in(tui, panel, i);
	return n;
}

/* ---- title and legend ---- */

/* All lines of one quantity: then their names need not say it. */
static bool is_one_quantity(const struct tui *tui, const struct graph_panel *panel)
{
	const struct graph *graph = &tui->graph;
	bool is_one = true;

	for (unsigned i = 0; i < graph->n; i++)
		if (is_in(tui, panel, i))
			is_one &= quantity_is(&graph->series[panel->first].quantity,
					      &graph->series[i].quantity);
	return is_one;
}

static void entry_text(const struct tui *tui, const struct graph_panel *panel, unsigned i,
		       char *buf, size_t size)
{
	const struct series *series = &tui->graph.series[i];
	struct past_value value = graph_value(tui, series);
	char row[32], text[32];

	series_row_name(&tui->model, &series->line, row, sizeof(row));
	quantity_text(&series->quantity, (struct reading){ value.mean, value.quality }, text,
		      sizeof(text));
	snprintf(buf, size, "%s%s%s%s%s", row, is_one_quantity(tui, panel) ? "" : " ",
		 is_one_quantity(tui, panel) ? "" : quantity_name(&tui->model, &series->quantity),
		 panel->has_values ? " " : "", panel->has_values ? text : "");
}

/* "a ━ cpu4 4.08". @return columns used, 0: there is no room */
static int draw_entry(const struct tui *tui, const struct graph_panel *panel, unsigned i, int x,
		      int end)
{
	enum plot_kind kind = graph_kind(&tui->graph);
	enum role role = (enum role)(ROLE_LINE + i);
	bool has_letter = n_lines(tui, panel) > 1 && kind != PLOT_ASCII;
	int begin = x;
	char text[96];

	entry_text(tui, panel, i, text, sizeof(text));
	if (end - x < (has_letter ? 2 : 0) + 2 + draw_columns(text))
		return 0;
	if (has_letter)
		x += draw_printf(panel->y, x, 1, role, "%c", 'a' + (int)i);
	x += draw_text(panel->y, x, 1, role, plot_sample(kind, i)) + 1;
	x += draw_text(panel->y, x, end - x, i == tui->graph.at.at ? ROLE_TOTAL : ROLE_TEXT, text);
	return x - begin;
}

static void draw_title(const struct tui *tui, const struct graph_panel *panel)
{
	const struct quantity *quantity = &tui->graph.series[panel->first].quantity;
	int x = 1, end = COLS - 1, used = 1;
	char unit[32], aside[96], moment[64];

	quantity_unit(&tui->model, quantity, unit, sizeof(unit));
	if (is_one_quantity(tui, panel))
		x += draw_text(panel->y, x, end - x, ROLE_TITLE,
			       quantity_name(&tui->model, quantity)) +
		     1;
	x += draw_text(panel->y, x, end - x, ROLE_DIM, unit) + (*unit ? 2 : 1);
	if (panel->number == 0) {
		axis_span(timeline_span(&tui->timeline, &tui->model), unit, sizeof(unit));
		timeline_moment(tui, moment, sizeof(moment));
		snprintf(aside, sizeof(aside), COLS < 60 || !*moment ? "%s" : "%s   at %s", unit,
			 moment);
		end -= draw_columns(aside);
		draw_text(panel->y, end, COLS - 1 - end, ROLE_DIM, aside);
		end -= 2;
	}
	for (unsigned i = 0; i < tui->graph.n && used; i++) {
		if (!is_in(tui, panel, i))
			continue;
		used = draw_entry(tui, panel, i, x, end);
		x += used + 2;
	}
}

/* ---- values ---- */

static float part_of(double value, double scale, enum quality quality)
{
	return quality_has_value(quality) ? (float)(value * scale) : NAN;
}

/* The values of a line, one a column of dots. @return to be freed; NULL without memory */
static struct plot_value *values_of(const struct tui *tui, unsigned i)
{
	const struct graph *graph = &tui->graph;
	const struct track *track = &graph->track[i];
	double scale =
		quantity_scale(&tui->model, &graph->series[i].quantity, &graph->series[i].line);
	struct plot_value *value = calloc(track->bins.n + 1, sizeof(*value));

	for (unsigned k = 0; value && k < track->bins.n; k++) {
		const struct past_value *from = &track->value[k];

		value[k] = (struct plot_value){
			.min = part_of(from->min, scale, from->quality),
			.mean = part_of(from->mean, scale, from->quality),
			.max = part_of(from->max, scale, from->quality),
		};
	}
	return value;
}

/* Everything that a panel draws. */
struct sheet {
	struct plot_value *value[PLOT_LINES_MAX]; /* NULL: not in this panel */
	float low, high;                          /* of all; NaN: nothing is in sight */
};

static void sheet_fini(struct sheet *sheet)
{
	for (unsigned i = 0; i < PLOT_LINES_MAX; i++)
		free(sheet->value[i]);
}

static void sheet_init(const struct tui *tui, const struct graph_panel *panel, struct sheet *sheet)
{
	*sheet = (struct sheet){ .low = NAN, .high = NAN };
	for (unsigned i = 0; i < tui->graph.n; i++) {
		if (is_in(tui, panel, i))
			sheet->value[i] = values_of(tui, i);
		for (unsigned k = 0; sheet->value[i] && k < panel->bins->n; k++) {
			sheet->low = fminf(sheet->low, sheet->value[i][k].min);
			sheet->high = fmaxf(sheet->high, sheet->value[i][k].max);
		}
	}
}

static struct axis limits_of(const struct graph *graph, const struct graph_panel *panel,
			     const struct sheet *sheet)
{
	unsigned most = panel->height > 3 ? (unsigned)panel->height / 2 + 1 : 2;
	bool is_known = !isnan(sheet->high);
	double low = is_known ? (double)sheet->low : 0, high = is_known ? (double)sheet->high : 1;

	if (graph->limits == LIMITS_HELD && graph->axis[panel->number].n)
		return graph->axis[panel->number];
	if (graph->limits != LIMITS_FIT)
		low = fmin(low, 0);
	return axis_make(low, high, most < AXIS_TICKS_MAX ? most : AXIS_TICKS_MAX);
}

/* ---- picture ---- */

static void draw_lines(struct tui *tui, const struct sheet *sheet, struct plot *plot, unsigned n)
{
	unsigned every = LETTERS_EVERY > n ? LETTERS_EVERY : n;

	for (unsigned i = 0; i < tui->graph.n; i++)
		if (sheet->value[i])
			plot_band(plot, i, sheet->value[i]);
	for (unsigned i = tui->graph.n; i-- > 0;)
		if (sheet->value[i] && i != tui->graph.at.at)
			plot_line(plot, i, sheet->value[i]);
	if (sheet->value[tui->graph.at.at])
		plot_line(plot, tui->graph.at.at, sheet->value[tui->graph.at.at]);
	for (unsigned i = 0; i < tui->graph.n && n > 1 && plot->kind != PLOT_ASCII; i++)
		if (sheet->value[i])
			plot_letters(plot, i, sheet->value[i], (char)('a' + i),
				     4 + i * every / PLOT_LINES_MAX, every);
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
static void draw_cursor(const struct tui *tui, const struct graph_panel *panel,
			const struct plot *plot)
{
	int bin = timeline_cursor(panel->bins, &tui->model);
	unsigned x = bin >= 0 ? (unsigned)bin / plot_columns(plot->kind) : 0;

	for (unsigned y = 0; bin >= 0 && tui->model.frozen && y < plot->height; y++)
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

void graph_draw_panel(struct tui *tui, const struct graph_panel *panel)
{
	struct graph *graph = &tui->graph;
	struct sheet sheet;
	struct plot plot;

	sheet_init(tui, panel, &sheet);

	struct axis axis = limits_of(graph, panel, &sheet);

	graph->axis[panel->number] = axis;
	if (plot_init(&plot, graph_kind(graph), (unsigned)panel->width, (unsigned)panel->height - 1,
		      axis.low, axis.high) == 0) {
		draw_lines(tui, &sheet, &plot, n_lines(tui, panel));
		draw_axis(panel, &axis, &plot);
		for (unsigned y = 0; y < plot.height; y++)
			draw_row(&plot, panel, y);
		draw_cursor(tui, panel, &plot);
		plot_fini(&plot);
	}
	if (isnan(sheet.high))
		draw_text(panel->y + 1, panel->x + 1, panel->width - 1, ROLE_DIM,
			  "not counted in this time");
	draw_title(tui, panel);
	sheet_fini(&sheet);
}

/* ---- table ---- */

static void draw_extremes(const struct tui *tui, unsigned i, struct past_value value, int y, int x)
{
	const struct quantity *quantity = &tui->graph.series[i].quantity;
	struct plot_value sight = { NAN, NAN, NAN };
	struct plot_value *all = values_of(tui, i);
	char low[32], high[32], least[32], most[32];

	for (unsigned k = 0; all && k < tui->graph.track[i].bins.n; k++) {
		sight.min = fminf(sight.min, all[k].min);
		sight.max = fmaxf(sight.max, all[k].max);
	}
	free(all);
	quantity_text(quantity, (struct reading){ value.min, value.quality }, low, sizeof(low));
	quantity_text(quantity, (struct reading){ value.max, value.quality }, high, sizeof(high));
	if (value.max > value.min)
		x += draw_printf(y, x, COLS - 1 - x, ROLE_TEXT, "of %s … %s   ", low, high);
	if (isnan(sight.max))
		return;
	quantity_text(quantity, (struct reading){ (double)sight.min, QUALITY_OK }, least,
		      sizeof(least));
	quantity_text(quantity, (struct reading){ (double)sight.max, QUALITY_OK }, most,
		      sizeof(most));

	char text[96];

	snprintf(text, sizeof(text), "in sight %s … %s", least, most);
	if (draw_columns(text) < COLS - x)
		draw_text(y, x, COLS - 1 - x, ROLE_DIM, text);
}

static void draw_table_row(const struct tui *tui, unsigned i, int y)
{
	const struct series *series = &tui->graph.series[i];
	struct past_value value = graph_value(tui, series);
	enum plot_kind kind = graph_kind(&tui->graph);
	enum role role = (enum role)(ROLE_LINE + i);
	char row[32], unit[32], text[32], what[64];
	int x = 1;

	if (i == tui->graph.at.at)
		draw_text(y, 0, 1, ROLE_KEY, "▸");
	if (kind != PLOT_ASCII)
		x += draw_printf(y, x, 2, role, "%c ", 'a' + (int)i);
	x += draw_text(y, x, 1, role, plot_sample(kind, i)) + 1;
	draw_text(y, x, 8, i == tui->graph.at.at ? ROLE_TOTAL : ROLE_TEXT,
		  series_row_name(&tui->model, &series->line, row, sizeof(row)));
	x += 9;
	quantity_unit(&tui->model, &series->quantity, unit, sizeof(unit));
	snprintf(what, sizeof(what), "%s %s", quantity_name(&tui->model, &series->quantity), unit);
	draw_text(y, x, COLS >= 60 ? 16 : 12, ROLE_TEXT, what);
	x += COLS >= 60 ? 17 : 13;
	quantity_text(&series->quantity, (struct reading){ value.mean, value.quality }, text,
		      sizeof(text));
	draw_right(y, x, 7, quality_has_value(value.quality) ? ROLE_TOTAL : ROLE_DIM, text);
	x += 10;
	if (COLS - x > 20)
		draw_extremes(tui, i, value, y, x);
}

void graph_draw_table(const struct tui *tui, int y, int n)
{
	if (n == 1)
		draw_table_row(tui, tui->graph.at.at, y);
	for (unsigned i = 0; n > 1 && i < tui->graph.n; i++)
		draw_table_row(tui, i, y + (int)i);
}
