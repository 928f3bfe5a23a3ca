/* chips.h: the sources of sensors: hwmon chips, and pressure by /proc/pressure */
#ifndef PMU_ACTIVITY_CHIPS_H
#define PMU_ACTIVITY_CHIPS_H

#include "pmu/sensors.h"

/** Add the hwmon chips of the running machine, unless m1top was built without libsensors. */
void chips_find(struct machine *machine);

/** Add the pressure of cpu, memory and io, below the root of the machine's PMUs, where the kernel has it. @t_ns  now */
void pressure_find(struct machine *machine, uint64_t t_ns);

#endif
