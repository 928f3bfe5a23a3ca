/* cursor.h: the selected item of a list that may be longer than its visible part; pure */
#ifndef TUI_WIDGET_CURSOR_H
#define TUI_WIDGET_CURSOR_H

#include <stdbool.h>

struct cursor {
	unsigned at;  /* the selected item */
	unsigned top; /* first visible item */
};

/** Translate a view's keys for a list: j k g G to arrow, Home and End keys, Home and End, which move
 * through time, to 0; other keys stay. */
int cursor_letter(int key);

/**
 * Handle an arrow, page, Home or End key.
 *
 * @n       items
 * @page    items per page
 * @return  whether it was such a key
 */
bool cursor_key(struct cursor *cursor, int key, unsigned n, unsigned page);

/** Keep the selected item within `n`, and scroll it into the `n_seen` visible ones. */
void cursor_follow(struct cursor *cursor, unsigned n, unsigned n_seen);

#endif
