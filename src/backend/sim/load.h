/* load.h: what a simulated core executes: phases of work, and the exact number of its events */
#ifndef BACKEND_SIM_LOAD_H
#define BACKEND_SIM_LOAD_H

#include "event/event.h"
#include "backend/sim/events.h"

/** Core types, in the order of machine.type. */
enum sim_type { SIM_E, SIM_P, N_SIM_TYPES };

/** Whose work it is. Everything below is a pure function of this and of time: any thread. */
struct sim_load {
	uint64_t seed;
	unsigned cpu;
	enum sim_type type;
};

enum sim_level { SIM_USER, SIM_KERNEL, N_SIM_LEVELS };

/** A stretch of 0.5 to 4 s in which nothing changes. Rates are per ns, times 2^32. */
struct sim_phase {
	const char *work; /* "idle", "integer", "memory", … */
	uint64_t from_ns, to_ns;
	enum sim_code code[N_SIM_LEVELS];
	uint64_t cycles_q32[N_SIM_LEVELS];
	uint64_t inst_q32[N_SIM_LEVELS];
	uint32_t miss_permille; /* PER_MISS rates are multiplied by this */
	uint32_t busy_permille; /* of the time: not idle */
};

/** The phase that time t_ns lies in. O(1). */
void sim_load_phase(const struct sim_load *load, uint64_t t_ns, struct sim_phase *ret);

/**
 * Events that happen in a window inside one phase.
 *
 * Whole numbers that add up: count(a,b) + count(b,c) = count(a,c), user + kernel = both.
 *
 * @event    NULL never happens
 * @from_ns  phase->from_ns … to_ns
 * @to_ns    from_ns … phase->to_ns
 */
uint64_t sim_phase_count(const struct sim_phase *phase, const struct sim_event *event,
			 enum privilege privilege, uint64_t from_ns, uint64_t to_ns);

/** The same over any window. O(phases in it). @id one that is not known counts 0 */
uint64_t sim_load_count(const struct sim_load *load, uint64_t id, enum privilege privilege,
			uint64_t from_ns, uint64_t to_ns);

/** How long the core is not idle in a window inside one phase; adds up likewise. */
uint64_t sim_phase_busy_ns(const struct sim_phase *phase, uint64_t from_ns, uint64_t to_ns);

/** A number drawn from others, evenly over 64 bits: equal questions, equal answers. */
uint64_t sim_hash(uint64_t seed, uint64_t a, uint64_t b, uint64_t c);

#endif
