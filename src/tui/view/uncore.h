/* uncore.h: devices in rows of their own, beneath those of cores */
#ifndef TUI_VIEW_UNCORE_H
#define TUI_VIEW_UNCORE_H

struct tui;

/**
 * Draw what devices count, from line y on, where that leaves room for a row before `end`.
 *
 * @return the line behind it and an empty one; y where nothing was drawn
 */
int uncore_draw_below(struct tui *tui, int y, int end);

#endif
