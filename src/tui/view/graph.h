/* graph.h: the Graph view: its state, what other views add to it, and a small graph for them */
#ifndef TUI_VIEW_GRAPH_H
#define TUI_VIEW_GRAPH_H

#include "tui/widget/axis.h"
#include "tui/widget/plot.h"
#include "tui/model/series.h"

struct tui;

enum { GRAPH_LABELS = 7 /* columns for value labels and the axis, at the left */ };

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

/** Add lines that are not in it yet, if there is room; show a message. */
void graph_take(struct tui *tui, const struct series *series, unsigned n);

/** Remove a line if it is there; show a message. */
void graph_drop(struct tui *tui, const struct series *series);

/** Draw the selection of a view in its spare lines; if there are few, only the last series.
 * @n  1 or 2 */
void mini_graph_draw(struct tui *tui, const struct series *series, unsigned n, int y, int height);

#endif
