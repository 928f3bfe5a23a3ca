/* mask.h: which counters take an event id, found out without believing any catalogue */
#ifndef DISCOVER_IDS_MASK_H
#define DISCOVER_IDS_MASK_H

#include "discover/run/runner.h"

enum mask_source {
	MASK_UNKNOWN, /* nothing could be found out: no kernel stirs the id, or the kernel refuses it */
	MASK_BY_COUNTING, /* programmed on every counter: these counted, and agreed every time */
	MASK_BY_DRIVER,   /* what a driver's table says, seen by the groups that it takes */
};

struct mask {
	enum mask_source source;
	uint64_t counters; /* bit n: counter n; 0 where the driver hides which */
	uint8_t copies;    /* by driver: how many times one group takes the id */
	uint8_t above; /* by driver: how many events of cycles may stand before it, -1 as 0xff */
};

/** Told between steps. @return false: stop, keep what is done */
typedef bool mask_progress_fn(void *context, size_t done, size_t all);

/**
 * The masks of event ids on one core type, by the driver's groups where the backend asks one, else by
 * counting.
 *
 * @core  a core of the type
 * @id    event numbers, `n` of them; ret has room for as many, UNKNOWN for those not reached
 * @return 0; -ECANCELED stopped by progress; errors of the backend
 */
int mask_find(struct backend *backend, unsigned core, const uint64_t *id, size_t n,
	      mask_progress_fn *progress, void *context, struct mask *ret, struct err *err);

#endif
