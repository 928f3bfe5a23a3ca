/* pack.h: packing of many events into few sets */
#ifndef DISCOVER_SWEEP_PACK_H
#define DISCOVER_SWEEP_PACK_H

#include "pmu/set.h"

/** Events counted together. */
struct pack {
	uint32_t member[CORE_SLOTS_MAX]; /* indexes into the packed list */
	uint8_t n;
};

struct packs {
	struct pack *pack;
	size_t n, cap;
};

/**
 * Pack events into as few sets as possible, those with few counters first.
 *
 * @counters  of each event, as in struct event; 0: any
 * @always    event that every set has as well (cycles); NULL: none
 * @is_core   they use the type's counters; otherwise any CORE_SLOTS_MAX fit together
 * @return    0 or -ENOMEM; free with packs_fini
 */
int packs_make(const struct core_type *type, const uint64_t *counters, size_t n, bool is_core,
	       const struct event *always, struct packs *ret);

/** Split a refused pack; the second half is appended. @return 0 or -ENOMEM */
int packs_split(struct packs *packs, size_t i);

/** Free and empty the packs; NULL is accepted. */
void packs_fini(struct packs *packs);

#endif
