/* devices.h: when stat has a row for each device, and the metrics it shows there */
#ifndef CMD_DEVICES_H
#define CMD_DEVICES_H

#include "cmd/setup.h"

/**
 * The rows of a table: what --by says, else by device where all that was asked for is of devices.
 *
 * @return 0; -EINVAL for --by device without a device, saying which there are
 */
int devices_choose_rows(const struct options *options, const struct setup *setup,
			enum frame_by *ret, struct err *err);

/** The metrics that devices give in the first set, for what was not asked with -M. */
int devices_select_metrics(struct setup *setup, struct err *err);

#endif
