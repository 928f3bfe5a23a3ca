/* sim_known.h: what kernels of discover do to the events of an M1, as far as it has been measured */
#ifndef PMU_SIM_KNOWN_H
#define PMU_SIM_KNOWN_H

#include "pmu/sim_effect.h"

/** What a run of a kernel does to an id. A kernel that is not known has no trigger. */
struct sim_effect sim_known_effect(uint64_t id, const char *kernel);

#endif
