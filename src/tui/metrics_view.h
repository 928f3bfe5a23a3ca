/* metrics_view.h: what the Metrics view and its lines of detail share */
#ifndef TUI_METRICS_VIEW_H
#define TUI_METRICS_VIEW_H

#include "tui/cursor.h"
#include "tui/model.h"

struct tui;

/** What is selected in the Metrics view. */
struct metrics_view {
	struct cursor metric;   /* of model.metric */
	unsigned column, first; /* the selected column, the scrolling of those that scroll */
};

/** How many columns are subtotals of a core type; they come first. */
unsigned metrics_n_subtotals(const struct model *model);

/** How many columns there are: subtotals by type, then cores or clusters. */
unsigned metrics_n_columns(const struct model *model);

/** What a column shows. */
struct line metrics_column_line(const struct model *model, unsigned column);

/** Its heading: "E", "all", "cpu5", "P cl1". @return buf */
const char *metrics_heading(const struct model *model, unsigned column, char *buf, size_t size);

/**
 * A cell: the metric's figure on a row; why there is none where this set does not give it.
 *
 * @row     NULL before the first frame
 * @number  metric
 */
struct reading metrics_figure(const struct model *model, const struct frame_row *row,
			      unsigned number);

/**
 * The lines about the selected metric: what it is, its formula, its inputs in the selected column.
 *
 * @n  1 … 3 lines from y on
 */
void metrics_draw_detail(const struct tui *tui, int y, int n);

#endif
