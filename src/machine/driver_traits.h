/* driver_traits.h: how the kernel's driver of a core PMU behaves, found by trying it */
#ifndef MACHINE_DRIVER_TRAITS_H
#define MACHINE_DRIVER_TRAITS_H

#include "machine/pmu.h"

struct driver_trait {
	const char *what;
	int code;          /* 0: it does; else the errno that it was refused with */
	const char *means; /* for m1top, of this answer */
};

enum { DRIVER_TRAITS = 4 };

/**
 * Open an event for every trait of Linux's Apple driver, and close it again.
 *
 * @cpu  one of the PMU's that is online
 * @ret  all of them, in the order of a table
 */
void driver_traits(const struct pmu *pmu, unsigned cpu, struct driver_trait ret[DRIVER_TRAITS]);

#endif
