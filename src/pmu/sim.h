/* sim.h: behind the scenes of the simulated M1: what really happened, and how to break it */
#ifndef PMU_SIM_H
#define PMU_SIM_H

#include "pmu/backend.h"

/*
 * All of it works on a backend that backend_sim opened; `core` is an index into machine.core.
 * One thread (the one that opened it) injects, any thread may ask for the truth. A fault begins
 * and ends at the backend's own time: with a virtual clock exactly where advance() has put it.
 */

/**
 * Events that the core executed between two moments, counted or not.
 *
 * Exact: what an undisturbed counter gains between two reads is the truth between their t_ns.
 *
 * @id               event number; unknown ones never happen
 * @from_ns, @to_ns  as in sample.t_ns, not before the backend was opened
 */
uint64_t sim_truth(const struct backend *backend, unsigned core, uint64_t id,
		   enum event_levels levels, uint64_t from_ns, uint64_t to_ns);

/** How long the core was not idle between two such moments: what active-time gains. */
uint64_t sim_truth_busy_ns(const struct backend *backend, unsigned core, uint64_t from_ns,
			   uint64_t to_ns);

/** The same of an event of a device (sim:smmu=N), its stream filter included. */
uint64_t sim_truth_of_device(const struct backend *backend, const struct event *event,
			     uint64_t from_ns, uint64_t to_ns);

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

/** What a core counts on an average, while it plays this and nothing interferes, hidden or not. */
double sim_truth_of_play(const struct backend *backend, unsigned type, uint64_t id,
			 const struct play *play);

/** Take a core offline or bring it back. Its open groups stay dead. @return 0 or -ENOSPC */
int sim_core_offline(struct backend *backend, unsigned core, bool offline);

/**
 * Take one counter away or give it back: meanwhile its value and its running time stand still
 * while its enabled time goes on.
 *
 * @return 0 or -ENOSPC
 */
int sim_steal(struct backend *backend, unsigned core, unsigned slot, bool stolen);

/** The next n reads of the core give RAW_LOST. */
void sim_fail_read(struct backend *backend, unsigned core, unsigned n);

/** Every read of the core takes ns of real time; 0: none. @return 0 or -ENOSPC */
int sim_slow_read(struct backend *backend, unsigned core, uint64_t ns);

#endif
