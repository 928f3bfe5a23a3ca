/* signals.h: what a screen does about signals: leave, stop and go on, take its new size */
#ifndef TUI_SIGNALS_H
#define TUI_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "base/err.h"

/**
 * Block what the loop reads from a descriptor; call it before any thread is made.
 *
 * @ret_before  what was blocked before, to be put back in the end
 * @return      the descriptor, to be closed; or -errno
 */
int signals_take(sigset_t *ret_before, struct err *err);

/** Take one in: stop and go on, resize, repaint. @return is it one that ends the program? */
bool signals_answer(int fd);

#endif
