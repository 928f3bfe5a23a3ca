/* terminal.h: taking over the terminal and restoring it on every exit */
#ifndef TUI_TERM_TERMINAL_H
#define TUI_TERM_TERMINAL_H

#include <stdbool.h>

#include "base/err.h"
#include "tui/theme.h"

/** Check that a screen can be shown. @return 0; -ENOTTY with what to use instead */
int terminal_check(struct err *err);

/**
 * Take over the terminal: alternate screen, no echo, keys without waiting. From here on a fatal signal
 * restores the terminal first and then has its usual effect.
 *
 * @ascii, @mouse  as requested; without a UTF-8 locale, and on the Linux console, whose fonts have
 *                 few characters, ASCII is used in any case
 * @return         0 or -ENOTTY
 */
int terminal_start(bool ascii, const struct theme *theme, bool mouse, struct err *err);

/** Restore the terminal; harmless if it was not taken over. */
void terminal_stop(void);

/** Handle Ctrl-Z: restore the terminal, stop this process, take the terminal over when it continues. The
 * caller has SIGTSTP blocked, before and after. */
void terminal_suspend(void);

/** Write pending curses output; do nothing while earlier output is still queued. */
void terminal_show(void);

/** Tell curses the new size of the terminal, at most 1024 lines and 2048 columns. */
void terminal_resize(void);

/** Redraw everything, as another program may have written over it. */
void terminal_repaint(void);

#endif
