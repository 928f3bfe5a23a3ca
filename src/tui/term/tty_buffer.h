/* outlet.h: what curses writes, kept until the terminal takes it: one that stands still stops nothing */
#ifndef TUI_OUTLET_H
#define TUI_OUTLET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/** Standard output becomes a store in memory, from which outlet_flush feeds the terminal. Curses
 * has changed the terminal's settings by then: it can no more. @return 0 or -errno */
int outlet_open(struct err *err);

/** Standard output is the terminal again; what is kept is lost. Harmless when it is. */
void outlet_close(void);

/** Give the terminal what it takes without waiting. @return has it taken all? */
bool outlet_flush(void);

/** Likewise, and wait a moment for it. @return has it taken all? */
bool outlet_drain(void);

/** What to poll for POLLOUT. @return -1: nothing is kept */
int outlet_waits_for(void);

/** The terminal, past everything that is kept. A signal handler may ask. */
int outlet_terminal(void);

#endif
