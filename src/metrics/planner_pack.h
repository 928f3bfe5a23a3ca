/* planner_pack.h: items into the fewest turns; private to metrics/ */
#ifndef METRICS_PLANNER_PACK_H
#define METRICS_PLANNER_PACK_H

#include "metrics/planner_items.h"

struct packing {
	const struct planner_request *request;
	const struct plan_items *items;
	struct wishes first; /* what is in turn 0 before any item */
	struct wishes empty; /* and in every other */
	bool has_first;      /* events or a preset were asked for: turn 0 is there in any case */
	bool asks;           /* request->fits has a say in every step */
	struct wishes turn[TURNS_MAX];
	unsigned n_turns;
	uint8_t *turn_of; /* by item; owned by the caller */
	unsigned budget;  /* steps that are left of the search */
};

/** Does one item fit a turn that has nothing else? @err  why not, when request->fits says so */
bool packing_fits_alone(const struct packing *packing, const struct plan_item *item,
			struct err *err);

/** A turn with one item and nothing else. Errors of wishes_place. */
int packing_place_alone(const struct packing *packing, const struct plan_item *item,
			struct set *ret, struct err *err);

/**
 * Every item into a turn, in as few turns as can be found: the hardest first, each where it shares
 * most; then with one turn less as long as a search of limited length succeeds.
 *
 * @packing  its `turn_of` has room for all items; fills in turn_of and n_turns
 * @return   0; -ENOSPC beyond TURNS_MAX turns, -ENOMEM
 */
int packing_solve(struct packing *packing, struct err *err);

/** One turn as a set, the events in the order of their items. Errors of wishes_place. */
int packing_set(const struct packing *packing, unsigned turn, const char *preset, struct set *ret,
		struct err *err);

#endif
