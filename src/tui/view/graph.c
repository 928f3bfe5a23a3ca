#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tui/history/graph.h"
#include "tui/history/timeline.h"
#include "tui/screen/list.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/widget/table.h"

enum { NAME_WIDTH = 8, WHAT_WIDTH = 16, WHAT_SHORT = 12, FIGURE_WIDTH = 7 };

/* Format a range: "3.12 to 4.02". */
static const char *range_text(const struct quantity *quantity, double low, double high, char *buf,
			      size_t size)
{
	char least[32], most[32];

	quantity_text(quantity, (struct reading){ low, QUALITY_OK }, least, sizeof(least));
	quantity_text(quantity, (struct reading){ high, QUALITY_OK }, most, sizeof(most));
	snprintf(buf, size, "%s to %s", least, most);
	return buf;
}

/* Draw the smallest and largest value of the visible history, and of the frames in the window. */
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

static int graph_draw_name(const struct tui *tui, unsigned i, int y)
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
	int width = COLS >= 60 ? WHAT_WIDTH : WHAT_SHORT, x = graph_draw_name(tui, i, y);
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

/* Draw the table of series values in the displayed window; only the selected series if n is 1. */
static void graph_draw_table(struct tui *tui, int y, int n)
{
	static const struct table_ops row_ops = { .draw = draw_table_row, .mark = ROLE_KEY };

	list_draw(tui, &row_ops, tui, y, n);
}

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

static void draw_panels(struct tui *tui, const struct graph_plan *plan, const unsigned *first,
			const struct bins *bins)
{
	struct graph_panel panel = {
		.graph = tui->graph,
		.y = plan->top,
		.x = GRAPH_LABELS,
		.width = COLS - 1 - GRAPH_LABELS,
		.bins = bins,
		.has_values = plan->n_table < (int)tui->graph->n,
	};

	for (unsigned i = 0; i < plan->n_panels; i++) {
		panel.number = i;
		panel.first = first[plan->first + i];
		panel.height = (plan->bottom - panel.y) / (int)(plan->n_panels - i);
		graph_draw_panel(tui, &panel);
		timeline_area(tui, bins, panel.y + 1, panel.x, panel.height - 1, panel.width);
		panel.y += panel.height;
	}
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

	draw_panels(tui, &plan, first, &bins);
	timeline_draw_axis(tui, &bins, plan.bottom, plan.n_axis, GRAPH_LABELS, width);
	graph_draw_table(tui, plan.bottom + plan.n_axis, plan.n_table);
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
	char row[32];

	snprintf(buf, size, "%s %s", series_row_name(&tui->model, series, row, sizeof(row)),
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

static void act_add(struct tui *tui, int key)
{
	struct graph *graph = tui->graph;

	(void)key;
	if (!graph->n || graph->n == PLOT_LINES_MAX) {
		tui_say(tui, ROLE_WARN, "at most %d lines: x removes one", PLOT_LINES_MAX);
		return;
	}
	graph->series[graph->n] = graph->series[graph->at.at];
	series_step_row(&tui->model, 1, &graph->series[graph->n]);
	graph->at.at = graph->n++;
	graph_compose(graph);
}

static void act_remove(struct tui *tui, int key)
{
	struct graph *graph = tui->graph;

	(void)key;
	if (!graph->n)
		return;
	graph_remove(graph, graph->at.at);
	if (!graph->n)
		tui_say(tui, ROLE_TEXT, "%s", graph_follows);
	follow(tui);
}

static void act_limits(struct tui *tui, int key)
{
	static const char *const said[N_LIMITS] = {
		[LIMITS_ZERO] = "values from zero",
		[LIMITS_FIT] = "values from the smallest visible",
		[LIMITS_HELD] = "limits of values are held",
	};
	struct graph *graph = tui->graph;

	(void)key;
	graph->limits = (graph->limits + 1) % N_LIMITS;
	tui_say(tui, ROLE_TEXT, "%s", said[graph->limits]);
}

static void act_blocks(struct tui *tui, int key)
{
	(void)key;
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
