/* devices.h: rows for devices in stat, and their metrics */
#ifndef CMD_SHARED_DEVICES_H
#define CMD_SHARED_DEVICES_H

#include "cmd/shared/setup.h"

/** Whether only events and metrics of devices are requested. Then a table has a row for each device. */
bool devices_are_requested(const struct options *options, const struct setup *setup);

/** Whether all chosen metrics are of devices and in the set. */
bool devices_give_metrics(const struct metrics *metrics, const struct set *set,
			  const struct metrics_selection *chosen);

/** Report why there are no rows for --by device. @return -EINVAL */
int devices_none(const struct machine *machine, struct err *err);

#endif
