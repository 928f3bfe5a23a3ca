/* run.h: what a simulated core counts during one run of a workload */
#ifndef BACKEND_SIM_RUN_H
#define BACKEND_SIM_RUN_H

#include "backend/backend.h"
#include "backend/sim/load.h"

/** One run. A value; everything below is a pure function of it. */
struct sim_run {
	uint64_t seed;
	enum sim_type type;
	bool is_hidden;
	const struct workload *workload;
	uint64_t number; /* of runs since the backend was opened: each has noise of its own */
};

/** How often an id happened during the run, at these levels. Interrupts are the kernel's work. */
uint64_t sim_run_count(const struct sim_run *run, uint64_t id, enum privilege privilege);

/** The same on an average of runs without interrupts, at both levels. */
double sim_run_mean(const struct sim_run *run, uint64_t id);

/** Interruptions that the operating system would tell of: most of those that there were. */
unsigned sim_run_interrupts(const struct sim_run *run);

#endif
