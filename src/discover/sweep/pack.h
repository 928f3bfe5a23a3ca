/* pack.h: many events on few sets: which ids are counted together */
#ifndef DISCOVER_SWEEP_PACK_H
#define DISCOVER_SWEEP_PACK_H

#include "event/set.h"

/** Events that are counted at one time. */
struct pack {
	uint32_t member[CORE_SLOTS_MAX]; /* places in the list that was packed */
	uint8_t n;
};

struct packs {
	struct pack *pack;
	size_t n, cap;
};

/**
 * Put events into as few sets as they go, those with few counters first.
 *
 * @counters  of each event, as in struct event; 0: any
 * @beside    an event that every set has as well (cycles); NULL: none
 * @is_core   they take the type's counters; else any CORE_SLOTS_MAX go together
 * @return    0 or -ENOMEM; release with packs_fini
 */
int packs_make(const struct core_type *type, const uint64_t *counters, size_t n, bool is_core,
	       const struct event *beside, struct packs *ret);

/** Two of a pack that was refused, in its place and at the end. @return 0 or -ENOMEM */
int packs_split(struct packs *packs, size_t i);

/** Release and empty. NULL is accepted. */
void packs_fini(struct packs *packs);

#endif
