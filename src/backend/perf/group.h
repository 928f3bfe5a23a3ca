/* group.h: what is open on a core; only the two files that open and read it include it */
#ifndef BACKEND_PERF_GROUP_H
#define BACKEND_PERF_GROUP_H

#include "backend/perf/perf.h"

/* Events that one read(2) delivers together: a group of the kernel. */
struct bundle {
	const struct pmu *uncore; /* NULL: the core's own group */
	int leader;
	struct value_order order;
	uint64_t enabled_ns; /* at the last read; 0 before the first */
};

struct group {
	uint8_t n_slots;
	uint8_t n_bundles;
	bool is_counting;
	uint8_t state[SLOTS_MAX]; /* of a slot while all is well */
	int fd[SLOTS_MAX];        /* by slot, -1 */
	int unseen[UNSEEN_MAX];   /* events that no slot has, in the core's own group */
	uint8_t n_unseen;
	struct activity_core *activity; /* NULL: nothing of it is asked for */
	struct switch_stream switches;
	struct bundle bundle[]; /* room for the core and each event of a device */
};

#endif
