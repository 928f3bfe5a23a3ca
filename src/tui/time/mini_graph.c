/* mini_graph.c: a small graph of what is selected, where a view has lines to spare */
#include <string.h>

#include "tui/time/graph.h"
#include "tui/time/timeline.h"
#include "tui/screen/state.h"

enum { PANEL_LEAST = 3 /* lines: a title and a plot that still shows rise and fall */ };

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
