/* mask.h: search for the counters that can count an event id, independent of catalogues */
#ifndef DISCOVER_RUN_MASK_H
#define DISCOVER_RUN_MASK_H

#include "discover/ids.h"
#include "discover/run/runner.h"

/** Called between steps. @return false to stop and keep what is done */
typedef bool mask_progress_fn(void *context, size_t done, size_t all);

/**
 * Find the masks of event ids on one core type, from groups that the driver accepts if the backend
 * has one, otherwise by counting.
 *
 * @core  a core of the type
 * @id    `n` event numbers; ret has room for as many, UNKNOWN for those not reached
 * @return 0; -ECANCELED if stopped by progress; errors of the backend
 */
int mask_find(struct backend *backend, unsigned core, const uint64_t *id, size_t n,
	      mask_progress_fn *progress, void *context, struct mask *ret, struct err *err);

#endif
