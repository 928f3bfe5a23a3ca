#include "tui/time/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/screen/state.h"

void graph_fini(struct graph *graph)
{
	for (unsigned i = 0; graph && i < PLOT_LINES_MAX; i++)
		track_fini(&graph->track[i]);
}

/* @return is it there now? */
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
	if (graph->limits == LIMITS_HELD) /* they were other lines' */
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

void act_graph(struct tui *tui, int key)
{
	struct series selected[2];

	(void)key;
	if (tui_view(tui)->selected) /* also where nothing else was done yet */
		tui->acted = tui->view;
	graph_take(tui, selected, tui_selected(tui, selected));
}
