/* sim.h: behind the scenes of the simulated M1: what discover has to find out */
#ifndef BACKEND_SIM_SIM_H
#define BACKEND_SIM_SIM_H

#include "backend/backend.h"

/* What happens on the simulated M1, for a backend that backend_sim opened. */

/** Do ids mean what the seed says (sim:hidden)? Any backend may be asked. */
bool sim_is_hidden(const struct backend *backend);

/** What an id does, whatever the kernel. */
enum sim_kind {
	SIM_NEVER,      /* it never counts */
	SIM_SAME,       /* as much in each trigger as in its control */
	SIM_COUNTS,     /* k per trigger of some kernels */
	SIM_SPECULATES, /* more than k, by another amount in each run */
	SIM_CYCLES,     /* in proportion to cycles */
};

struct sim_answer {
	enum sim_kind kind;
	uint16_t counters; /* bit n: PMCn counts it */
	double k;          /* per trigger; 0: no response */
};

/**
 * With sim:hidden, what discover has to find out.
 *
 * @type    index into machine.type
 * @kernel  by name; any name has an answer
 */
struct sim_answer sim_truth_of_id(const struct backend *backend, unsigned type, uint64_t id,
				  const char *kernel);

/** What a core counts on an average, while it does this and nothing interferes, hidden or not. */
double sim_truth_of_workload(const struct backend *backend, unsigned type, uint64_t id,
			     const struct workload *workload);

#endif
