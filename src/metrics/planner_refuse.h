/* planner_refuse.h: why an item fits no turn; private to metrics/ */
#ifndef METRICS_PLANNER_REFUSE_H
#define METRICS_PLANNER_REFUSE_H

#include "metrics/planner_pack.h"

/**
 * Say what of it does not fit, and of a metric how many sets it would take.
 *
 * @item    one that packing_fits_alone refused
 * @kernel  what request->fits said of it; "" when it was not asked
 * @return  -ENOSPC
 */
int packing_refuse(const struct packing *packing, const struct plan_item *item,
		   const struct err *kernel, struct err *err);

#endif
