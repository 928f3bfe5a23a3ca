/* list.h: the list of a view: selected in by clicks, searched */
#ifndef TUI_SCREEN_LIST_H
#define TUI_SCREEN_LIST_H

struct tui;

#include "tui/model/rows.h"
#include "tui/widget/table.h"

struct list_search {
	char text[64];      /* that n and N look for; "" before the first */
	unsigned before;    /* the selected item when the search began */
	struct folds folds; /* what was folded then */
};

/**
 * Draw the view's list: a click selects in it.
 *
 * @y, @n_seen  where, and for how many items there is room
 * @return      the line behind the last one
 */
int list_draw(struct tui *tui, const struct table_ops *ops, const void *data, int y, int n_seen);

/** Select another item with an arrow, a page key or a letter. */
void act_move(struct tui *tui, int key);

/** How much of it is seen, "12–40 of 128", where that is not all; for the status line.
 * @n_seen  items  @return buf */
const char *list_range(struct tui *tui, unsigned n_seen, char *buf, unsigned size);

/** Ask for a text and go to the first item that has it, folded away or not, while it is typed. */
void act_search(struct tui *tui, int key);

/** Go to the next (n) or the previous (N) item that has it. */
void act_search_again(struct tui *tui, int key);

#endif
