/* device.h: SMMUv3 performance counter groups of the simulated machine, which a real M1 lacks */
#ifndef BACKEND_SIM_DEVICE_H
#define BACKEND_SIM_DEVICE_H

#include "event/event.h"

enum {
	SIM_DEVICES_MAX = 4,
	SIM_STREAMS = 8, /* devices behind each, with StreamIDs from this on */
	SIM_FIRST_STREAM = 0x40,
};

/** The n-th one as the kernel would describe it, counted on cpu 0. @return 0 or -ENOMEM */
int sim_device_make(unsigned n, struct pmu *ret);

/** The number of a device from its PMU. @return -1 when it is no device of the simulation */
int sim_device_of(const struct pmu *pmu);

/**
 * What a device's event counts in a window: exact, whole numbers that add up.
 *
 * @config  of the event, filter included; an event that is not known never happens
 */
uint64_t sim_device_count(uint64_t seed, unsigned device, const uint64_t *config, uint64_t from_ns,
			  uint64_t to_ns);

#endif
