/* sets.h: the ids that a kernel is still to be tried on, in sets that a runner can load */
#ifndef DISCOVER_SWEEP_SETS_H
#define DISCOVER_SWEEP_SETS_H

#include "discover/sweep/pack.h"
#include "discover/sweep/target.h"

/** Of one core type. `{ .target, .findings }` to begin with. */
struct sweep_sets {
	const struct target *target;
	const struct findings *findings;
	size_t *place; /* of the ids: what the members of packs are numbers of */
	size_t n_places;
	struct packs packs;
	uint32_t n_loaded; /* so far: sets are numbered */
};

/** A set with its events, which must live as long as it is loaded. Large: not for the stack. */
struct sweep_set {
	struct event cycles, event[CORE_SLOTS_MAX];
	struct set set;
	int slot[CORE_SLOTS_MAX]; /* by member of the pack */
	int cycles_slot;          /* -1: not counted */
};

/**
 * Pack the ids that a kernel was not tried on. Packs are kept from kernel to kernel where they can be,
 * with what was learnt of those that were refused.
 *
 * @return 0 or -ENOMEM
 */
int sweep_sets_make(struct sweep_sets *sets, unsigned kernel, struct err *err);

/**
 * Load a pack. One that is refused or never runs is divided, the second half goes to the end.
 *
 * @ret    filled in, and in use until another is loaded
 * @return 0; a refusal: this one event is not taken at all; other errors of runner_load
 */
int sweep_sets_load(struct sweep_sets *sets, struct runner *runner, const struct kernel *kernel,
		    size_t i, struct sweep_set *ret, struct err *err);

/** Does an error say that it is the event that is wrong? */
bool sweep_is_refusal(int rc);

/** Release. */
void sweep_sets_fini(struct sweep_sets *sets);

#endif
