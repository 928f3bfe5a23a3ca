/* terminal.h: taking over the terminal and restoring it on every exit; a buffer for its output */
#ifndef TUI_TERM_TERMINAL_H
#define TUI_TERM_TERMINAL_H

#include <stdbool.h>

#include "tui/theme.h"
#include "tui/tui.h"

/** Check that a screen can be shown. @return 0; -ENOTTY with what to use instead */
int terminal_check(struct err *err);

/**
 * Take over the terminal: alternate screen, no echo, keys without waiting. From here on a fatal signal
 * restores the terminal first and then has its usual effect.
 *
 * @ascii, @mouse  as requested; ASCII in any case if terminal_needs_ascii
 * @return         0 or -ENOTTY
 */
int terminal_start(bool ascii, const struct theme *theme, bool mouse, struct err *err);

/** Whether only ASCII can be shown: without a UTF-8 locale, and on the Linux console. */
bool terminal_needs_ascii(void);

/** Restore the terminal; harmless if it was not taken over. */
void terminal_stop(void);

/** Handle Ctrl-Z: restore the terminal, stop this process, take the terminal over when it continues. The
 * caller has SIGTSTP blocked, before and after. */
void terminal_suspend(void);

/** Tell curses the new size of the terminal, at most 1024 lines and 2048 columns. */
void terminal_resize(void);

/** Whether the terminal reports the mouse. */
bool terminal_has_mouse(void);

/** Ask the terminal to report the mouse, or to keep it. */
void terminal_set_mouse(bool mouse);

/** Redraw everything, as another program may have written over it. */
void terminal_repaint(void);

/* ---- buffer for curses' output, so that a stopped terminal blocks nothing ---- */

/** Redirect standard output to memory, from which tty_buffer_flush feeds the terminal. Call after curses
 * has changed the terminal's settings: it can no longer do so. @return 0 or -errno */
int tty_buffer_open(struct err *err);

/** Connect standard output to the terminal again; unsent output is lost. Harmless if it is connected. */
void tty_buffer_close(void);

/** Write to the terminal what it accepts without waiting. @return whether all is written */
bool tty_buffer_flush(void);

/** Like tty_buffer_flush, but wait up to 300 ms. @return whether all is written */
bool tty_buffer_drain(void);

/** Return the descriptor to poll for POLLOUT. @return -1: nothing to write */
int tty_buffer_waits_for(void);

#endif
