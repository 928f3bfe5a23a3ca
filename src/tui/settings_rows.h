/* settings_rows.h: which rows there are, as the configuration has it; no curses */
#ifndef TUI_SETTINGS_ROWS_H
#define TUI_SETTINGS_ROWS_H

#include <stddef.h>

#include "base/err.h"

struct model;

/** Can it be folded clusters: "all", "none" or their numbers: "0,3-5"? 0; -EINVAL */
int settings_check_folded(const char *text, struct err *err);

/** Fold these; "" leaves them as they are. */
void settings_apply_folded(const char *text, struct model *model);

/** The same back: "" where nothing is folded, "none" where that is not how it begins. */
void settings_take_folded(const struct model *model, char *ret, size_t size);

/** Leave out the rows that a filter leaves out, unless it leaves none. */
void settings_apply_filter(const char *text, struct model *model);

#endif
