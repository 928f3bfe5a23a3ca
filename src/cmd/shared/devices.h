/* devices.h: when stat has a row for each device, and the metrics it shows there */
#ifndef CMD_SHARED_DEVICES_H
#define CMD_SHARED_DEVICES_H

#include "cmd/shared/setup.h"

/** Is all that was asked for of devices? Then a table has a row for each of them. */
bool devices_are_asked_for(const struct options *options, const struct setup *setup);

/** Is every chosen metric one of devices, in a set that counts it? */
bool devices_give_metrics(const struct metrics *metrics, const struct set *set,
			  const struct metrics_selection *chosen);

/** Why there are no rows for --by device. @return -EINVAL */
int devices_none(const struct machine *machine, struct err *err);

/** Choose the metrics that devices give in a set, for what was not asked with -M.
 * @return 0 or -ENOMEM */
int devices_select_metrics(struct metrics *metrics, const struct set *set,
			   struct metrics_selection *ret, struct err *err);

#endif
