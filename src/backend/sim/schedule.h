/* schedule.h: sim:tasks=N: which task a simulated core runs when, and what the kernel would tell of it */
#ifndef BACKEND_SIM_SCHEDULE_H
#define BACKEND_SIM_SCHEDULE_H

#include "backend/sim/load.h"
#include "machine/switch.h"

/**
 * Tasks have a core each, where they take turns in rounds of 8 ms, but for one that moves between an E and
 * a P core. Some are threads of one process, some sleep more than they run; some live for part of a second
 * and begin again, under another id or the same; and some live for one turn alone. A pure function, of
 * which everything below is: any thread.
 */
struct sim_schedule {
	uint64_t seed;
	unsigned n_cores;
	unsigned n_tasks; /* 0: there is no schedule, phases are what they are */
	uint64_t n_short; /* a second, on all cores together: they live for one turn */
};

/** What the core runs at t_ns, from when to when. */
void sim_schedule_slice(const struct sim_load *load, uint64_t t_ns, struct sim_phase *ret);

/** What is told when a slice begins, and when it has ended: of names, beginnings and ends. */
void sim_schedule_begin(const struct sim_load *load, const struct sim_phase *slice,
			const struct switch_sink *sink);
void sim_schedule_end(const struct sim_load *load, const struct sim_phase *slice,
		      const struct switch_sink *sink);

/** What a task is called that nothing has been told of. @return NULL: there is none */
const char *sim_schedule_comm(const struct sim_schedule *schedule, uint32_t tid);

#endif
