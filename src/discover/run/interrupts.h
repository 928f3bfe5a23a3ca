/* interrupts.h: how many interrupts a CPU has taken, cheap enough to ask around every run */
#ifndef DISCOVER_RUN_INTERRUPTS_H
#define DISCOVER_RUN_INTERRUPTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/** /proc/interrupts, kept open. Asking allocates nothing. */
struct interrupts {
	int fd; /* -1: closed */
	unsigned cpu;
	char *text; /* room for the whole file */
	size_t size;
};

/** @return 0; -errno when the kernel does not tell; -ENODEV the CPU has no column: it is offline */
int interrupts_open(unsigned cpu, struct interrupts *ret, struct err *err);

/** All that the CPU has taken since boot. @return 0; -ENODEV it has gone offline; -errno */
int interrupts_read(struct interrupts *interrupts, uint64_t *ret);

/** NULL and what was never opened ({ .fd = -1 }) are accepted. */
void interrupts_close(struct interrupts *interrupts);

/**
 * The sum of a CPU's column; lines without a column for each CPU (ERR, MIS) are of none.
 *
 * @return 0; -ENODEV the CPU has no column
 */
int interrupts_sum(const char *text, unsigned cpu, uint64_t *ret);

#endif
