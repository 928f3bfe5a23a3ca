/* columns.h: columns and the order of rows as the configuration has them; no curses */
#ifndef TUI_SETTINGS_COLUMNS_H
#define TUI_SETTINGS_COLUMNS_H

#include "tui/settings/settings.h"

struct model;

/**
 * Columns of Cores and Tasks, in their order: "ipc", "bar", "history", "task", counters by number, metrics
 * by name; with "-" before them those that are not shown. What is not mentioned is as it is
 * without; what this machine does not have is passed over.
 */
void settings_apply_columns(const struct setting_list *list, struct model *model);

/** The same back: counters, and the metrics that are shown. */
void settings_take_columns(const struct model *model, struct setting_list *ret);

/** "ipc", "5", "branch_mpki": rows by that column, the largest first, or with " ascending" behind
 * it the smallest; "" is the machine's order. */
void settings_apply_sort(const char *text, struct model *model);

/** The same back. */
void settings_take_sort(const struct model *model, char *ret, size_t size);

#endif
