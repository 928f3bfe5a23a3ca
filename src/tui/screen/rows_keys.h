/* rows_keys.h: keys that select rows and their order */
#ifndef TUI_SCREEN_ROWS_KEYS_H
#define TUI_SCREEN_ROWS_KEYS_H

#include "tui/model/rows.h"

struct tui;

/** Get the mark of the direction: "▴" smallest first, "▾" largest first. */
const char *rows_arrow(const struct order *order);

/** Format the current order: "IPC ▾"; "" in machine order. @return buf */
const char *rows_order_text(const struct model *model, char *buf, size_t size);

/** Get the rows as a view's list (`list` of struct view). */
struct cursor *rows_list(struct tui *tui, unsigned *ret_n);

/** Format an item (`item` of struct view): "cpu5 P cluster 1". */
const char *rows_item(const struct tui *tui, unsigned i, char *buf, size_t size);

/** Sort by a key, or reverse the order if it is the current key, and report it. */
void rows_sort_by(struct tui *tui, enum order_by by, unsigned number);

/** Sort by the column to the right (>) or to the left (<). */
void act_sort(struct tui *tui, int key);

/** Sort by the selected counter. */
void act_sort_selected(struct tui *tui, int key);

/** Reverse the order. */
void act_turn_order(struct tui *tui, int key);

/** Fold or unfold the selected cluster. */
void act_fold(struct tui *tui, int key);

/** Fold all clusters, or unfold all if any is folded. */
void act_fold_all(struct tui *tui, int key);

/** Prompt for a filter. */
void act_filter(struct tui *tui, int key);

/** Key Esc: remove the filter; without a filter restore machine order. */
void act_escape(struct tui *tui, int key);

#endif
