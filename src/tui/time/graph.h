/* graph.h: the Graph view: what it draws, and how its parts share it */
#ifndef TUI_TIME_GRAPH_H
#define TUI_TIME_GRAPH_H

#include "tui/widget/axis.h"
#include "tui/widget/plot.h"
#include "tui/model/series.h"
#include "tui/model/track.h"

struct tui;

/** Where the axis of values begins and ends. */
enum graph_limits {
	LIMITS_ZERO, /* from zero to the largest in sight */
	LIMITS_FIT,  /* from the smallest */
	LIMITS_HELD, /* as they were */
	N_LIMITS,
};

struct graph {
	struct series series[PLOT_LINES_MAX];
	struct track track[PLOT_LINES_MAX]; /* of each */
	unsigned n;
	struct cursor at;  /* the selected series */
	bool is_composed;  /* by its keys: else it follows what is selected in other views */
	bool wants_blocks; /* half blocks in place of braille */
	enum graph_limits limits;
	struct axis axis[PLOT_LINES_MAX]; /* of each panel, as drawn last */
};

/** Release. NULL is accepted. */
void graph_fini(struct graph *graph);

/** Is a line of it a task's? */
bool graph_has_tasks(const struct graph *graph);

/** Its lines are about to change by its keys: no longer by what is selected elsewhere. */
void graph_compose(struct graph *graph);

/** Add what is selected to the graph: a key. */
void act_graph(struct tui *tui, int key);

/** Put lines into it, unless they are there or there are too many; says so. */
void graph_take(struct tui *tui, const struct series *series, unsigned n);

/** Take out line `at`; the cursor stays on its own where that is another. */
void graph_remove(struct graph *graph, unsigned at);

/** Take a line out, and say so, or that it is not there. */
void graph_drop(struct tui *tui, const struct series *series);

/** What is said when the last line was taken out. */
extern const char graph_follows[];

/** Do two series go into one panel? The same quantity, or metrics of the same unit. */
bool graph_is_panel(const struct model *model, const struct series *a, const struct series *b);

/** Work out what its tracks have in these bins. @return false without memory */
bool graph_fill(struct graph *graph, const struct model *model, const struct bins *bins);

/** Where a view has lines to spare: what is selected in it. With little room the last one alone.
 * @n  1 or 2 */
void mini_graph_draw(struct tui *tui, const struct series *series, unsigned n, int y, int height);

/** The kind of plot that suits the terminal and the user. */
enum plot_kind graph_kind(const struct graph *graph);

/** A panel's place and what it is of. */
struct graph_panel {
	struct graph *graph;
	unsigned first; /* its first series; the others are those that share its panel */
	unsigned number;
	int y, height; /* a title line, then the plot */
	int x, width;  /* of the plot; the labels stand to its left */
	const struct bins *bins;
	bool has_values; /* the legend says them: no table does */
};

enum {
	GRAPH_LABELS = 7,     /* columns that labels of values and the axis take */
	GRAPH_PANEL_GOOD = 7, /* lines of a panel, with its title, that is a pleasure to read */
};

/** Draw a panel; the tracks are filled. */
void graph_draw_panel(struct tui *tui, const struct graph_panel *panel);

/** Figures of the series at the picture's moment, the selected one alone when n is 1. */
void graph_draw_table(struct tui *tui, int y, int n);

/** Values of series i, one a bin of its track. @return to be freed; NULL without memory */
struct plot_value *graph_values(const struct model *model, const struct graph *graph, unsigned i);

/** How many of the series before this one are in its panel: the style of its line. */
unsigned graph_line(const struct model *model, const struct graph *graph, unsigned i);

/** What a series is called on its line: 'a' … 'f'. */
char graph_letter(unsigned i);

#endif
