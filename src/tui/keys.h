/* keys.h: the table of all keys, from which the help is printed */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

#include "tui/screen/view.h"
#include "tui/term/key.h"

/** Ends with a NULL name. */
extern const struct key key_table[];

/** Pass a key to the overlay, the view or the table. @return false: none of them handles it */
bool keys_dispatch(struct tui *tui, int key);

#endif
