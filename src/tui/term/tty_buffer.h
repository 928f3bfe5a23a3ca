/* tty_buffer.h: buffer for curses' output, so that a stopped terminal blocks nothing */
#ifndef TUI_TERM_TTY_BUFFER_H
#define TUI_TERM_TTY_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/** Open the terminal in advance for tty_buffer_open: after rights are dropped it may belong to another
 * user, as under sudo. */
void tty_buffer_claim(void);

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

/** Return the descriptor of the terminal, which bypasses the buffer. Async-signal-safe. */
int tty_buffer_terminal(void);

#endif
