/* planner_bounds.h: how few turns are possible, how hard an item is; private to metrics/ */
#ifndef METRICS_PLANNER_BOUNDS_H
#define METRICS_PLANNER_BOUNDS_H

#include "metrics/planner_pack.h"

/**
 * No fewer turns than this, however items are spread.
 *
 * @return 0; -ENOSPC when that is more than TURNS_MAX, or the events more than COLUMNS_MAX
 */
int packing_bounds(const struct packing *packing, unsigned *ret_least, struct err *err);

/** The refusal of what takes too many turns. @return -ENOSPC */
int packing_refuse_turns(struct err *err);

/** The counters that an item keeps others from, on the type where that is most. */
unsigned packing_hardness(const struct packing *packing, const struct plan_item *item);

/** How many events that need a counter a core type takes at a time. 0: unknown */
unsigned packing_limit(const struct planner_request *request, unsigned type);

#endif
