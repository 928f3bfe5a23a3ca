/* load.h: what a simulated core executes: phases of work, and the exact number of its events */
#ifndef BACKEND_SIM_LOAD_H
#define BACKEND_SIM_LOAD_H

#include <stdbool.h>

#include "activity/path.h"
#include "event/event.h"
#include "backend/sim/events.h"

/** Core types, in the order of machine.type. */
enum sim_type { SIM_E, SIM_P, N_SIM_TYPES };

struct sim_schedule;

/** Whose work it is. Everything below is a pure function of this and of time: any thread. */
struct sim_load {
	uint64_t seed;
	unsigned cpu;
	enum sim_type type;
	bool is_sliced; /* its phases are cut into the turns of a task and idle time */
	const struct sim_schedule
		*schedule; /* or it is this that says what runs when; NULL: none */
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
	uint32_t pid, tid;      /* of a slice: who runs; 0: nobody */
	uint32_t life;          /* of the tid: another number is another task */
};

/** The phase that time t_ns lies in, or the slice: a stretch in which one task runs. O(1). */
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

/** The kinds of work that there are; 0 is hardly any. */
enum { SIM_WORKS = 8 };

/** How fast a task does a kind of work while it runs. @who  whose habits: rates differ a little */
void sim_work_rates(const struct sim_load *load, unsigned work, uint32_t who,
		    struct sim_phase *ret);

/** The program that does it. */
const char *sim_work_comm(unsigned work);

/** The name of a task of a phase that was cut into turns. @return NULL: there is no such thread */
const char *sim_load_comm(uint32_t tid);

/** The activity path "sim": cycles, active time and instructions as the workload has them. */
extern const struct activity_path sim_activity;

/** What a stretch inside one phase adds to each of its events. @value  N_ACTIVITY_EVENTS sums */
void sim_activity_add(const struct sim_phase *phase, uint64_t from_ns, uint64_t to_ns,
		      uint64_t *value);

/** A number drawn from others, evenly over 64 bits: equal questions, equal answers. */
uint64_t sim_hash(uint64_t seed, uint64_t a, uint64_t b, uint64_t c);

#endif
