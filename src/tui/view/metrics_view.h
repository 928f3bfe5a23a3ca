/* metrics_view.h: what the parts of the Metrics view share: its columns, keys, order of rows, lines of detail */
#ifndef TUI_VIEW_METRICS_VIEW_H
#define TUI_VIEW_METRICS_VIEW_H

#include "tui/widget/cursor.h"
#include "tui/term/key.h"
#include "tui/model/model.h"

struct tui;

/** The order of rows. */
enum metric_order {
	METRICS_AS_CHOSEN, /* those that were asked for, then those that come with them */
	METRICS_BY_NAME,
	METRICS_BY_ALARM, /* those that are beyond their threshold somewhere, then those within */
	N_METRIC_ORDERS,
};

/** What is selected in the Metrics view. */
struct metrics_view {
	struct metric_list list; /* model.metric in the order of the rows */
	struct cursor metric;    /* of it */
	enum metric_order order;
	/* What the list was made of, how, and when. */
	struct metric_list of;
	enum metric_order ordered_by;
	uint64_t ordered_ns;
	unsigned column, first; /* the selected column, the scrolling of those that scroll */
};

/** Before a picture: what is counted now gives the rows. The selected one stays so where it is still
 * there, but for the first. */
void metrics_follow(struct tui *tui);

/** Its keys; ends with a NULL name. */
extern const struct key metrics_keys[];

/** Select a column; its core is then selected in the Cores view, too. */
void metrics_select_column(struct tui *tui, unsigned column);

/** Key: the next order of rows. */
void metrics_act_order(struct tui *tui, int key);

/** How many columns are subtotals of a core type; they come first. */
unsigned metrics_n_subtotals(const struct model *model);

/** How many columns there are: subtotals by type, then cores or clusters. */
unsigned metrics_n_columns(const struct model *model);

/** What a column shows. */
struct line metrics_column_line(const struct model *model, unsigned column);

/** Its heading: "E", "all", "cpu5", "P cl1". @return buf */
const char *metrics_heading(const struct model *model, unsigned column, char *buf, size_t size);

/** Lines that the text about the selected metric would take beneath its name; 0 where it fits behind
 * it. */
int metrics_text_lines(const struct tui *tui);

/**
 * The lines about the selected metric: what it is, its formula, its inputs in the selected column.
 *
 * @n  lines from y on, 1 or more; those beyond 3 are for the text
 */
void metrics_draw_detail(const struct tui *tui, int y, int n);

#endif
