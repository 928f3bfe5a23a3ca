/* cores_fit.h: the Cores view's columns, as chosen, in the layout of the picture */
#ifndef TUI_VIEW_CORES_FIT_H
#define TUI_VIEW_CORES_FIT_H

struct tui;

/** Make tui->layout for the terminal's size; scrolling is kept to what is possible. */
void fit_make(struct tui *tui);

/** Columns that can be scrolled through: those that are chosen and there. */
unsigned fit_n_columns(const struct tui *tui);

#endif
