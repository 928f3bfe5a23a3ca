/* terminal.h: taking the terminal and giving it back on every way out */
#ifndef TUI_TERM_TERMINAL_H
#define TUI_TERM_TERMINAL_H

#include <stdbool.h>

#include "base/err.h"
#include "tui/term/theme.h"

/** Can a screen be shown at all? @return 0; -ENOTTY saying what to use instead */
int terminal_check(struct err *err);

/**
 * Take it: alternate screen, no echo, keys without waiting. A fatal signal from here on gives the
 * terminal back first and then does what it would have done.
 *
 * @ascii, @mouse  as asked for; without a UTF-8 locale, and on the Linux console, whose fonts have
 *                 few characters, it is ASCII all the same
 * @return         0 or -ENOTTY
 */
int terminal_start(bool ascii, const struct theme *theme, bool mouse, struct err *err);

/** Give it back; harmless when it was not taken. */
void terminal_stop(void);

/** Ctrl-Z: give it back, stop this process, take it again when it goes on. SIGTSTP is blocked by
 * the caller, before and after. */
void terminal_suspend(void);

/** Bring to it what curses has been told; where it still has to take an earlier picture, nothing. */
void terminal_show(void);

/** Its size has changed: tell curses. Of more than 1024 lines and 2048 columns the first are used. */
void terminal_resize(void);

/** Redraw everything: another program may have written over it. */
void terminal_repaint(void);

#endif
