/* activity.h: the activity monitors of a simulated core */
#ifndef BACKEND_SIM_ACTIVITY_H
#define BACKEND_SIM_ACTIVITY_H

#include "activity/path.h"
#include "backend/sim/load.h"

/** The path "sim": cycles, active time and instructions as the workload has them. */
extern const struct activity_path sim_activity;

/** What a stretch inside one phase adds to each event. @value  N_ACTIVITY_EVENTS sums */
void sim_activity_add(const struct sim_phase *phase, uint64_t from_ns, uint64_t to_ns,
		      uint64_t *value);

#endif
