/* status.h: the lines at the bottom: the selected counter, the selected row, what just happened */
#ifndef TUI_STATUS_H
#define TUI_STATUS_H

struct tui;

/** Draw the detail lines and the status line. */
void status_draw(struct tui *tui);

#endif
