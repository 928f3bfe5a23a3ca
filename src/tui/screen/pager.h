/* pager.h: what views of text have in common: a title, scrolling, the way back */
#ifndef TUI_SCREEN_PAGER_H
#define TUI_SCREEN_PAGER_H

#include <stdbool.h>

struct tui;

/** Draw the title. @return the first free line */
int pager_title(const struct tui *tui, const char *title);

/** Keep the scrolling in range. @y  first line of text  @return the first item to show */
unsigned pager_fit(struct tui *tui, int y, unsigned n_items);

/** j k arrows PgUp PgDn g G scroll; Esc and q go back. @return false: not mine */
bool pager_key(struct tui *tui, int key);

#endif
