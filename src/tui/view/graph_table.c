#include "tui/time/graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tui/term/draw.h"
#include "tui/screen/list.h"
#include "tui/widget/table.h"
#include "tui/screen/state.h"

enum { NAME_WIDTH = 8, WHAT_WIDTH = 16, WHAT_SHORT = 12, FIGURE_WIDTH = 7 };

/* "3.12 to 4.02" */
static const char *range_text(const struct quantity *quantity, double low, double high, char *buf,
			      size_t size)
{
	char least[32], most[32];

	quantity_text(quantity, (struct reading){ low, QUALITY_OK }, least, sizeof(least));
	quantity_text(quantity, (struct reading){ high, QUALITY_OK }, most, sizeof(most));
	snprintf(buf, size, "%s to %s", least, most);
	return buf;
}

/* Smallest and largest: of the frames that the window is made of, and of all that is in sight. */
static void draw_ranges(const struct tui *tui, unsigned i, struct history_value value, int y, int x)
{
	const struct quantity *quantity = &tui->graph->series[i].quantity;
	struct plot_value sight = { NAN, NAN, NAN };
	struct plot_value *all = graph_values(&tui->model, tui->graph, i);
	char range[80], text[96] = "";
	int end = COLS - 1;

	for (unsigned k = 0; all && k < tui->graph->track[i].bins.n; k++) {
		sight.min = fminf(sight.min, all[k].min);
		sight.max = fmaxf(sight.max, all[k].max);
	}
	free(all);
	if (!isnan(sight.max))
		snprintf(text, sizeof(text), "visible %s",
			 range_text(quantity, (double)sight.min, (double)sight.max, range,
				    sizeof(range)));
	if (x + draw_columns(text) <= end)
		x += draw_text(y, x, end - x, ROLE_DIM, text) + 3;
	range_text(quantity, value.min, value.max, range, sizeof(range));
	if (value.max > value.min && x + 12 + draw_columns(range) <= end)
		draw_printf(y, x, end - x, ROLE_TEXT, "in window %s", range);
}

static int draw_name(const struct tui *tui, unsigned i, int y)
{
	const struct series *series = &tui->graph->series[i];
	enum plot_kind kind = graph_kind(tui->graph);
	bool is_selected = i == tui->graph->at.at;
	unsigned line = graph_line(&tui->model, tui->graph, i);
	enum role role = (enum role)(ROLE_LINE + line);
	char row[32];
	int x = 1;

	if (kind != PLOT_ASCII)
		x += draw_printf(y, x, 2, role, "%c ", graph_letter(i));
	x += draw_text(y, x, 1, role, plot_sample(kind, line)) + 1;
	draw_text(y, x, NAME_WIDTH, is_selected ? ROLE_TOTAL : ROLE_TEXT,
		  series_row_name(&tui->model, series, row, sizeof(row)));
	return x + NAME_WIDTH + 1;
}

static void draw_table_row(const void *data, unsigned i, int y)
{
	const struct tui *tui = data;
	const struct series *series = &tui->graph->series[i];
	struct history_value value = series_value(&tui->model, series);
	int width = COLS >= 60 ? WHAT_WIDTH : WHAT_SHORT, x = draw_name(tui, i, y);
	char unit[32], text[32], what[160];

	quantity_unit(&tui->model, &series->quantity, unit, sizeof(unit));
	snprintf(what, sizeof(what), "%s %s", quantity_name(&tui->model, &series->quantity).text,
		 unit);
	draw_text(y, x, width, ROLE_TEXT, what);
	quantity_text(&series->quantity, (struct reading){ value.mean, value.quality }, text,
		      sizeof(text));
	x += width + 1;
	draw_right(y, x, FIGURE_WIDTH, quality_has_value(value.quality) ? ROLE_TOTAL : ROLE_DIM,
		   text);
	draw_ranges(tui, i, value, y, x + FIGURE_WIDTH + 3);
}

void graph_draw_table(struct tui *tui, int y, int n)
{
	static const struct table_ops row_ops = { .draw = draw_table_row, .mark = ROLE_KEY };

	list_draw(tui, &row_ops, tui, y, n);
}
