/* rows_keys.h: the keys that choose rows and their order */
#ifndef TUI_SCREEN_ROWS_KEYS_H
#define TUI_SCREEN_ROWS_KEYS_H

#include "tui/model/rows.h"

struct tui;

/** The direction as a mark: the smallest first "▴", the largest first "▾". */
const char *rows_arrow(const struct order *order);

/** What rows are sorted by, with its direction: "IPC ▾"; "" in the machine's order. @return buf */
const char *rows_order_text(const struct model *model, char *buf, size_t size);

/** The rows as the list of a view: struct view's `list`. */
struct cursor *rows_list(struct tui *tui, unsigned *ret_n);

/** Its `item`: "cpu5 P cluster 1". */
const char *rows_item(const struct tui *tui, unsigned i, char *buf, size_t size);

/** Sort by something, by the same once more in the other direction, and say so. */
void rows_sort_by(struct tui *tui, enum order_by by, unsigned number);

/** Sort by the column to the right (>) or to the left (<). */
void act_sort(struct tui *tui, int key);

/** Sort by the selected counter. */
void act_sort_selected(struct tui *tui, int key);

/** The other way round. */
void act_turn_order(struct tui *tui, int key);

/** Fold or unfold the selected cluster. */
void act_fold(struct tui *tui, int key);

/** Fold all clusters or none. */
void act_fold_all(struct tui *tui, int key);

/** Ask which rows to leave. */
void act_filter(struct tui *tui, int key);

/** Esc: no filter; without one the machine's order. */
void act_escape(struct tui *tui, int key);

#endif
