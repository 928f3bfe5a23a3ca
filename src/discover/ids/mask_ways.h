/* mask_ways.h: the two ways in which mask_find() finds masks */
#ifndef DISCOVER_IDS_MASK_WAYS_H
#define DISCOVER_IDS_MASK_WAYS_H

#include "discover/ids/mask.h"

struct mask_search {
	struct backend *backend;
	unsigned core;
	const struct core_type *type; /* the core's; has a PMU */
	const uint64_t *id;
	size_t n;
	mask_progress_fn *progress; /* NULL: nobody is told */
	void *context;
};

/**
 * Ask a driver which groups it takes. One that takes the lowest free counter of an event's mask, and
 * never moves one, can be asked about each counter: when cycles and instructions fill those below,
 * how many copies still find room?
 *
 * @ret    of each id; UNKNOWN on entry
 * @return 0; -ECANCELED; -EACCES, -EMFILE … of opening events
 */
int mask_by_driver(const struct mask_search *search, struct mask *ret, struct err *err);

/**
 * Program an id on every counter, run kernels until something counts, and see which did.
 *
 * @ret    likewise
 * @return 0; -ECANCELED; errors of the runner
 */
int mask_by_counting(const struct mask_search *search, struct mask *ret, struct err *err);

/** Tell how far it is. @return 0 or -ECANCELED */
int mask_tell(const struct mask_search *search, size_t done, size_t all, struct err *err);

#endif
