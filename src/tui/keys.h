/* keys.h: every key in one const table; the help view is printed from it */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

#include "tui/screen/view.h"
#include "tui/term/key.h"

/** Ends with a NULL name. */
extern const struct key key_table[];

/** The row of a view's own tables that a key belongs to. @return NULL: none */
const struct key *keys_find_own(const struct view *view, int key);

/** Give a key to whoever it is for: the overlay, the view, the table. @return false: it is nobody's */
bool keys_dispatch(struct tui *tui, int key);

#endif
