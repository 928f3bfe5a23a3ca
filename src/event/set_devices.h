/* set_devices.h: the devices (uncore PMUs) that a set counts, and the columns of each; pure */
#ifndef EVENT_SET_DEVICES_H
#define EVENT_SET_DEVICES_H

#include "event/set.h"

enum { COLUMN_NONE = 0xff };

/** An event of several devices is one event here: uncore_imc_0/x/ and uncore_imc_1/x/. */
struct set_devices {
	unsigned n, n_events;
	const struct pmu *pmu[COLUMNS_MAX];       /* in the order of their first columns */
	uint64_t columns[COLUMNS_MAX];            /* by device: its columns, as bits */
	const struct event *event[COLUMNS_MAX];   /* as the first device has it */
	uint8_t column[COLUMNS_MAX][COLUMNS_MAX]; /* [device][event]; COLUMN_NONE */
};

/** Does a device count the column's event? */
bool set_is_of_device(const struct set *set, unsigned column);

/** Look through the set's columns. */
void set_devices(const struct set *set, struct set_devices *ret);

#endif
