/* list.h: the list of a view: selection by click, search; rows as a list, their order */
#ifndef TUI_SCREEN_LIST_H
#define TUI_SCREEN_LIST_H

struct tui;

#include "tui/term/label.h"
#include "tui/model/rows.h"
#include "tui/widget/table.h"

struct list_search {
	char text[64];      /* search of keys n and N; "" before the first */
	unsigned before;    /* selected item when the search began */
	struct cpus folded; /* folded clusters when the search began */
};

/**
 * Draw the view's list; a click selects an item.
 *
 * @y       first line
 * @n_seen  number of items that fit
 * @return  line after the last one
 */
int list_draw(struct tui *tui, const struct table_ops *ops, const void *data, int y, int n_seen);

/** Move the selection with an arrow, a page key or a letter. */
void act_move(struct tui *tui, int key);

/** Prompt for a text, and select the first item that contains it as the user types; folded items are
 * searched too. */
void act_search(struct tui *tui, int key);

/** Select the next (n) or previous (N) match. */
void act_search_again(struct tui *tui, int key);

/* ---- rows ---- */

/** Get the mark of the direction: "▴" smallest first, "▾" largest first. */
const char *rows_arrow(const struct order *order);

/** Format the current order: "IPC ▾"; "" in machine order. */
struct label rows_order_text(const struct model *model);

/** Get the rows as a view's list (`list` of struct view). */
struct cursor *rows_list(struct tui *tui, unsigned *ret_n);

/** Format an item (`item` of struct view): "cpu5 P cluster 1". */
const char *rows_item(const struct tui *tui, unsigned i, char *buf, size_t size);

/** Sort by a key, or reverse the order if it is the current key, and report it. */
void rows_sort_by(struct tui *tui, enum order_by by, unsigned number);

/** Key Esc: remove the filter; without a filter restore the machine's order. */
void rows_act_restore(struct tui *tui, int key);

#endif
