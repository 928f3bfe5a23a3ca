/* change.h: counting something else: loading it, and the way back */
#ifndef TUI_CHANGE_H
#define TUI_CHANGE_H

#include "tui/model.h"

struct tui;

/** Count something else; a refusal is said in the status line. Undo is the caller's. @return 0 or
 * -errno */
int change_load(struct tui *tui, const struct change *next);

/**
 * The same, decided by the user: `u` takes it back, and a rotation ends.
 *
 * @ret_aside  for the end of what is said: "; rotation stopped" or ""
 */
int change_make(struct tui *tui, const struct change *next, const char **ret_aside);

/** Count nothing, so that another tool may have the counters; what was counted is loaded again by
 * change_load, or with any other set. @return 0 or -errno */
int change_yield(struct tui *tui);

/** Say an error; the messages keep it. */
void change_refused(struct tui *tui, const struct err *err);

#endif
