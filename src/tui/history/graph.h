/* graph.h: the Graph view: its state, and functions that its parts share */
#ifndef TUI_HISTORY_GRAPH_H
#define TUI_HISTORY_GRAPH_H

#include "tui/widget/axis.h"
#include "tui/widget/plot.h"
#include "tui/model/series.h"

struct tui;

/** Limits of the value axis. */
enum graph_limits {
	LIMITS_ZERO, /* zero to the largest visible value */
	LIMITS_FIT,  /* smallest to largest visible value */
	LIMITS_HELD, /* unchanged */
	N_LIMITS,
};

struct graph {
	struct series series[PLOT_LINES_MAX];
	struct track track[PLOT_LINES_MAX]; /* one per series */
	unsigned n;
	struct cursor at; /* the selected series */
	bool is_composed; /* lines were chosen with its keys; false: it follows the selection of other views */
	bool wants_blocks; /* half blocks instead of braille */
	enum graph_limits limits;
	struct axis axis[PLOT_LINES_MAX]; /* one per panel, as drawn last */
};

/** Release. NULL is accepted. */
void graph_fini(struct graph *graph);

/** Whether a line shows a task. */
bool graph_has_tasks(const struct graph *graph);

/** Mark the graph as composed before a key changes its lines; it stops following the selection. */
void graph_compose(struct graph *graph);

/** Handle the key that adds the selection to the graph. */
void act_graph(struct tui *tui, int key);

/** Add lines that are not in it yet, if there is room; show a message. */
void graph_take(struct tui *tui, const struct series *series, unsigned n);

/** Remove line `at`; the cursor stays on its own line if that is another one. */
void graph_remove(struct graph *graph, unsigned at);

/** Remove a line if it is there; show a message. */
void graph_drop(struct tui *tui, const struct series *series);

/** Message after the last line was removed. */
extern const char graph_follows[];

/** Whether two series share a panel: the same quantity, or metrics of the same unit. */
bool graph_is_panel(const struct model *model, const struct series *a, const struct series *b);

/** Fill the tracks with these bins. @return false: out of memory */
bool graph_fill(struct graph *graph, const struct model *model, const struct bins *bins);

/** Draw the selection of a view in its spare lines; if there are few, only the last series.
 * @n  1 or 2 */
void mini_graph_draw(struct tui *tui, const struct series *series, unsigned n, int y, int height);

/** Return the kind of plot for the terminal and the user's choice. */
enum plot_kind graph_kind(const struct graph *graph);

/** Place and content of a panel. */
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
	GRAPH_LABELS = 7,     /* columns for value labels and the axis */
	GRAPH_PANEL_GOOD = 7, /* comfortable height of a panel with its title, lines */
};

/** Draw a panel; call after graph_fill. */
void graph_draw_panel(struct tui *tui, const struct graph_panel *panel);

/** Return the values of series i, one per bin of its track. @return to be freed; NULL: out of memory */
struct plot_value *graph_values(const struct model *model, const struct graph *graph, unsigned i);

/** Count the earlier series in the panel of series i: the number is its line style. */
unsigned graph_line(const struct model *model, const struct graph *graph, unsigned i);

/** Return the letter that marks a series on its line: 'a' … 'f'. */
char graph_letter(unsigned i);

#endif
