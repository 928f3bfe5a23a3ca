/* cores_bar.h: the stacked bar of the Cores view: what each core's time was spent on, and why */
#ifndef TUI_VIEW_CORES_BAR_H
#define TUI_VIEW_CORES_BAR_H

#include "sampler/frame.h"

struct tui;

/** The heading over `width` columns. */
void cores_bar_heading(int y, int x, int width);

/** A row's bar, with "~" before an estimate; nothing where a part of it is not known. */
void cores_bar_draw(const struct tui *tui, const struct frame_row *row, int y, int x, int width);

/** The line of details: the largest loss of the selected row, each part's mark and share. */
void cores_bar_detail(const struct tui *tui, int y);

/** Key: count the preset that says why the selected row's largest loss is so large. */
void act_explain(struct tui *tui, int key);

#endif
