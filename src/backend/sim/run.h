/* sim_play.h: what a simulated core counts while it plays a piece of work */
#ifndef PMU_SIM_PLAY_H
#define PMU_SIM_PLAY_H

#include "pmu/play.h"
#include "pmu/sim_load.h"

/** One run. A value; everything below is a pure function of it. */
struct sim_run {
	uint64_t seed;
	enum sim_type type;
	bool is_hidden;
	const struct play *play;
	uint64_t number; /* of runs since the backend was opened: each has noise of its own */
};

/** How often an id happened during the run, at these levels. Interrupts are the kernel's work. */
uint64_t sim_run_count(const struct sim_run *run, uint64_t id, enum event_levels levels);

/** The same on an average of runs without interrupts, at both levels. */
double sim_run_mean(const struct sim_run *run, uint64_t id);

/** Interruptions that the operating system would tell of: most of those that there were. */
unsigned sim_run_interrupts(const struct sim_run *run);

#endif
