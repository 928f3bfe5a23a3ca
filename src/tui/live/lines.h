/* lines.h: the fixed lines: above the view machine, settings and clock; below it selection and status */
#ifndef TUI_LIVE_LINES_H
#define TUI_LIVE_LINES_H

struct tui;

/** Draw tui->layout.n_header lines. */
void header_draw(struct tui *tui);

/** Draw the detail lines about the selected counter and row, and the status line. */
void status_draw(struct tui *tui);

#endif
