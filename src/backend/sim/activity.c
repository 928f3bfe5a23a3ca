#include "backend/sim/activity.h"

static int probe(const struct activity_place *place, uint32_t *ret_events, struct err *err)
{
	(void)place;
	(void)err;
	*ret_events = ACTIVITY_BIT(ACTIVITY_CYCLES) | ACTIVITY_BIT(ACTIVITY_TIME) |
		      ACTIVITY_BIT(ACTIVITY_INSTRUCTIONS);
	return 0;
}

const struct activity_path sim_activity = {
	.name = "sim",
	.what = "the simulated workload's own figures",
	.probe = probe,
};

void sim_activity_add(const struct sim_phase *phase, uint64_t from_ns, uint64_t to_ns,
		      uint64_t *value)
{
	value[ACTIVITY_CYCLES] += sim_phase_count(phase, sim_event_find(SIM_ID_CYCLES),
						  PRIVILEGE_BOTH, from_ns, to_ns);
	value[ACTIVITY_TIME] += sim_phase_busy_ns(phase, from_ns, to_ns);
	value[ACTIVITY_INSTRUCTIONS] += sim_phase_count(phase, sim_event_find(SIM_ID_INSTRUCTIONS),
							PRIVILEGE_BOTH, from_ns, to_ns);
}
