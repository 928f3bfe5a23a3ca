/* machine.h: the simulated machine, with SMMUv3 performance counter groups, which a real M1 lacks */
#ifndef PMU_SIM_MACHINE_H
#define PMU_SIM_MACHINE_H

#include "pmu/event.h"
#include "pmu/machine.h"
#include "pmu/sim/options.h"

enum {
	SIM_DEVICES_MAX = 4,
	SIM_STREAMS = 8,         /* streams behind each device */
	SIM_FIRST_STREAM = 0x40, /* lowest StreamID */
};

/**
 * Make a machine whose first half are E cores and whose second half are P cores, in clusters of four.
 *
 * @options     numbers of cores and devices; with `hidden` the catalogue has generic events only
 * @events_dir  argument of --events-dir; NULL: search
 * @ret         release with machine_fini
 * @return      0, -ENOMEM, or an error of the catalogue
 */
int sim_machine_make(const struct sim_options *options, const char *events_dir, struct machine *ret,
		     struct err *err);

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
