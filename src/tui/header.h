/* header.h: the lines at the top: machine, backend, interval, own cost, log, clock */
#ifndef TUI_HEADER_H
#define TUI_HEADER_H

struct tui;

/** Draw tui->layout.n_header lines. */
void header_draw(struct tui *tui);

#endif
