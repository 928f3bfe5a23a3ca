/* device.h: SMMUv3 performance counter groups of the simulated machine; a real M1 has none */
#ifndef PMU_SIM_DEVICE_H
#define PMU_SIM_DEVICE_H

#include "pmu/event.h"

enum {
	SIM_DEVICES_MAX = 4,
	SIM_STREAMS = 8,         /* streams behind each device */
	SIM_FIRST_STREAM = 0x40, /* lowest StreamID */
};

/** Fill in the n-th device's PMU as the kernel would describe it; cpu 0 counts. @return 0 or -ENOMEM */
int sim_device_make(unsigned n, struct pmu *ret);

/** Return a device's number. @return -1 if the PMU is not a simulated device */
int sim_device_of(const struct pmu *pmu);

/**
 * Return the exact count of a device's event in a window; counts of adjacent windows add up.
 *
 * @config  of the event, with its filter; an unknown event counts 0
 */
uint64_t sim_device_count(uint64_t seed, unsigned device, const uint64_t *config, uint64_t from_ns,
			  uint64_t to_ns);

#endif
