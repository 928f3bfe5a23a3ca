/* tty_buffer.h: what curses writes, kept until the terminal takes it: one that stands still stops nothing */
#ifndef TUI_TERM_TTY_BUFFER_H
#define TUI_TERM_TTY_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/** Open the terminal for tty_buffer_open already: once rights are given up it may belong to somebody
 * else, as under sudo. */
void tty_buffer_claim(void);

/** Standard output becomes a store in memory, from which tty_buffer_flush feeds the terminal. Curses
 * has changed the terminal's settings by then: it can no more. @return 0 or -errno */
int tty_buffer_open(struct err *err);

/** Standard output is the terminal again; what is kept is lost. Harmless when it is. */
void tty_buffer_close(void);

/** Give the terminal what it takes without waiting. @return has it taken all? */
bool tty_buffer_flush(void);

/** Likewise, and wait a moment for it. @return has it taken all? */
bool tty_buffer_drain(void);

/** What to poll for POLLOUT. @return -1: nothing is kept */
int tty_buffer_waits_for(void);

/** The terminal, past everything that is kept. A signal handler may ask. */
int tty_buffer_terminal(void);

#endif
