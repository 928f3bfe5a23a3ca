/* cores_fit.h: the columns of figures, as chosen, in the layout of the picture: of Cores and of Tasks */
#ifndef TUI_VIEW_CORES_FIT_H
#define TUI_VIEW_CORES_FIT_H

#include <stdbool.h>

struct layout;
struct tui;

/** Make tui->layout for the terminal's size; scrolling is kept to what is possible. */
void fit_make(struct tui *tui);

/** What the rows of tasks have instead of those of cores. */
struct fit_tasks {
	int leading;       /* columns before the figures */
	int share;         /* columns that the share of the selected column takes behind it */
	bool has_headline; /* tasks have the primary metric */
};

/** The same for the Tasks view, whose figures are those that tasks can have. */
void fit_make_tasks(const struct tui *tui, const struct fit_tasks *tasks, struct layout *ret);

/** Columns that can be scrolled through: those that are chosen and there. */
unsigned fit_n_columns(const struct tui *tui);

#endif
