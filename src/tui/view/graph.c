#include "tui/view.h"

#include <stdio.h>

#include "tui/draw.h"
#include "tui/graph.h"
#include "tui/keys.h"
#include "tui/state.h"

enum { PANEL_LEAST = 4 /* lines: its title and three of plot */ };

/* ---- the picture ---- */

/* Which panels there are: the first series of each. @return how many */
static unsigned find_panels(const struct tui *tui, unsigned first[PLOT_LINES_MAX])
{
	const struct graph *graph = &tui->graph;
	unsigned n = 0;

	for (unsigned i = 0; i < graph->n; i++) {
		unsigned k = 0;

		while (k < n &&
		       !graph_is_panel(&tui->model, &graph->series[first[k]], &graph->series[i]))
			k++;
		if (k == n)
			first[n++] = i;
	}
	return n;
}

static unsigned selected_panel(const struct tui *tui, const unsigned *first, unsigned n)
{
	const struct graph *graph = &tui->graph;
	unsigned k = 0;

	while (k + 1 < n &&
	       !graph_is_panel(&tui->model, &graph->series[first[k]], &graph->series[graph->at.at]))
		k++;
	return k;
}

/*
 * What gives way when there is little room, in this order: the table of all series becomes a line
 * for the selected one, and the legend says the others' values; panels, but for the selected
 * series'; the line of ticks under the plot; entries of the legend, the last ones first; the
 * picture's moment. Labels of values and times stay, and what does not fit is left out whole.
 */
struct plan {
	int top, bottom; /* of the panels */
	int n_axis, n_table;
	unsigned n_panels, first; /* to be seen */
};

static struct plan plan_lines(const struct tui *tui, const unsigned *first, unsigned n)
{
	struct plan plan = {
		.top = tui->layout.n_header + (LINES >= 18),
		.n_axis = LINES >= 14 ? TIMELINE_AXIS_LINES : 1,
		.n_table = (int)tui->graph.n,
	};
	int room = tui->layout.status_y - plan.top - plan.n_axis;

	if (room - plan.n_table < (int)n * GRAPH_PANEL_GOOD)
		plan.n_table = 1;
	room -= plan.n_table;
	plan.bottom = plan.top + room;
	plan.n_panels = room / PANEL_LEAST < (int)n ? (unsigned)(room / PANEL_LEAST) : n;
	if (!plan.n_panels)
		plan.n_panels = 1;

	unsigned selected = selected_panel(tui, first, n);

	plan.first = selected >= plan.n_panels ? selected - plan.n_panels + 1 : 0;
	return plan;
}

static void draw_panels(struct tui *tui, const struct plan *plan, const unsigned *first,
			const struct bins *bins)
{
	struct graph_panel panel = {
		.graph = &tui->graph,
		.y = plan->top,
		.x = GRAPH_LABELS,
		.width = COLS - 1 - GRAPH_LABELS,
		.bins = bins,
		.has_values = plan->n_table < (int)tui->graph.n,
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
	unsigned columns = plot_columns(graph_kind(&tui->graph));
	unsigned first[PLOT_LINES_MAX] = { 0 }, n = find_panels(tui, first);
	int width = COLS - 1 - GRAPH_LABELS;
	struct bins bins;

	if (!n) {
		timeline_draw_nothing(tui);
		return;
	}
	cursor_follow(&tui->graph.at, tui->graph.n, tui->graph.n);
	timeline_bins(&tui->timeline, &tui->model, (unsigned)width * columns, &bins);
	if (!graph_fill(&tui->graph, &tui->model, &bins))
		return;

	struct plan plan = plan_lines(tui, first, n);

	draw_panels(tui, &plan, first, &bins);
	timeline_draw_axis(tui, &bins, plan.bottom, plan.n_axis, GRAPH_LABELS, width);
	graph_draw_table(tui, plan.bottom + plan.n_axis, plan.n_table);
}

/* ---- keys ---- */

/* Until it is composed it is of what is selected elsewhere. */
static void follow(struct tui *tui)
{
	struct graph *graph = &tui->graph;

	if (graph->n && graph->is_composed)
		return;
	graph_compose(graph);
	graph->is_composed = false;
	graph->n = series_selected(tui, graph->series);
	graph->at = (struct cursor){ 0 };
}

static unsigned act_line(struct tui *tui, int key)
{
	struct graph *graph = &tui->graph;

	cursor_key(&graph->at, cursor_letter(key), graph->n, 1);
	return DID_REDRAW;
}

/* It is about to be changed. */
static struct quantity *graph_quantity(struct tui *tui)
{
	struct graph *graph = &tui->graph;

	if (!graph->n)
		return NULL;
	graph_compose(graph);
	return &graph->series[graph->at.at].quantity;
}

static struct cursor *graph_list(struct tui *tui, unsigned *ret_n)
{
	*ret_n = tui->graph.n;
	return &tui->graph.at;
}

/* "cpu5 IPC" */
static const char *graph_item(const struct tui *tui, unsigned i, char *buf, size_t size)
{
	const struct series *series = &tui->graph.series[i];
	char row[32];

	snprintf(buf, size, "%s %s", series_row_name(&tui->model, &series->line, row, sizeof(row)),
		 quantity_name(&tui->model, &series->quantity));
	return buf;
}

static unsigned act_row(struct tui *tui, int key)
{
	struct graph *graph = &tui->graph;

	if (graph->n) {
		series_step_line(&tui->model, key == '>' ? 1 : -1,
				 &graph->series[graph->at.at].line);
		graph_compose(graph);
	}
	return DID_REDRAW;
}

static unsigned act_add(struct tui *tui, int key)
{
	struct graph *graph = &tui->graph;

	(void)key;
	if (!graph->n || graph->n == PLOT_LINES_MAX) {
		tui_say(tui, ROLE_WARN, "no more than %d lines: x takes one out", PLOT_LINES_MAX);
		return DID_REDRAW;
	}
	graph->series[graph->n] = graph->series[graph->at.at];
	series_step_line(&tui->model, 1, &graph->series[graph->n].line);
	graph->at.at = graph->n++;
	graph_compose(graph);
	return DID_REDRAW;
}

static unsigned act_remove(struct tui *tui, int key)
{
	struct graph *graph = &tui->graph;

	(void)key;
	if (!graph->n)
		return DID_REDRAW;
	graph_remove(graph, graph->at.at);
	if (!graph->n)
		tui_say(tui, ROLE_TEXT, "%s", graph_follows);
	follow(tui);
	return DID_REDRAW;
}

static unsigned act_limits(struct tui *tui, int key)
{
	static const char *const said[N_LIMITS] = {
		[LIMITS_ZERO] = "values from zero",
		[LIMITS_FIT] = "values from the smallest in sight",
		[LIMITS_HELD] = "limits of values stay as they are",
	};
	struct graph *graph = &tui->graph;

	(void)key;
	graph->limits = (graph->limits + 1) % N_LIMITS;
	tui_say(tui, ROLE_TEXT, "%s", said[graph->limits]);
	return DID_REDRAW;
}

static unsigned act_blocks(struct tui *tui, int key)
{
	(void)key;
	tui->graph.wants_blocks = !tui->graph.wants_blocks;
	return DID_REDRAW;
}

static const char group[] = "In Graph";

static const struct key keys[] = {
	{ "> <", group, "next, previous core or cluster", { '>', '<' }, act_row, NULL },
	{ "j k ↓ ↑",
	  group,
	  "select a line",
	  { 'j', 'k', 'g', 'G', KEY_DOWN, KEY_UP },
	  act_line,
	  NULL },
	{ "a", group, "add a line like the selected one, of the next row", { 'a' }, act_add, NULL },
	{ "x", group, "take the selected line out", { 'x' }, act_remove, NULL },
	{ "y",
	  group,
	  "values from zero, from the smallest, limits held",
	  { 'y' },
	  act_limits,
	  NULL },
	{ "b", group, "half blocks in place of braille", { 'b' }, act_blocks, NULL },
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
