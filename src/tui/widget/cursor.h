/* cursor.h: the selected item of a list that may be longer than its place; pure */
#ifndef TUI_WIDGET_CURSOR_H
#define TUI_WIDGET_CURSOR_H

#include <stdbool.h>

struct cursor {
	unsigned at;  /* the selected item */
	unsigned top; /* the first that is seen */
};

/** A view's keys for a list: j k g G are the arrow, Home and End keys that they stand for, Home and
 * End themselves, which go through time, none; other keys as they are. */
int cursor_letter(int key);

/**
 * Take an arrow, page, Home or End key.
 *
 * @n       items
 * @page    items that a page goes on by
 * @return  was it such a key?
 */
bool cursor_key(struct cursor *cursor, int key, unsigned n, unsigned page);

/** Keep the selected item within `n`, and among the `n_seen` that are seen. */
void cursor_follow(struct cursor *cursor, unsigned n, unsigned n_seen);

#endif
