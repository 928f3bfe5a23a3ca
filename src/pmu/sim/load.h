/* load.h: work of a simulated core, in phases or by a schedule of tasks (sim:tasks=N), with exact counts */
#ifndef PMU_SIM_LOAD_H
#define PMU_SIM_LOAD_H

#include <stdbool.h>

#include "pmu/activity/path.h"
#include "pmu/event.h"
#include "pmu/sample.h"
#include "pmu/sim/events.h"

/** Core types, in the order of machine.type. */
enum sim_type { SIM_E, SIM_P, N_SIM_TYPES };

/**
 * Each task has a home core, where tasks take turns in rounds of 8 ms; one task moves between an E and a P
 * core. Some tasks are threads of one process, some sleep more than they run, some live for part of a second
 * and restart, under another id or the same. Short tasks live for one turn. Each task is in a cgroup; some move to
 * another one every second. All functions below are pure
 * functions of the schedule: any thread.
 */
struct sim_schedule {
	uint64_t seed;
	unsigned n_cores;
	unsigned n_tasks; /* 0: no schedule, phases are unchanged */
	uint64_t n_short; /* short tasks per second on all cores together */
	unsigned n_cgroups;
};

/** Changes of the work without a schedule; { 0 }: phases of 0.5 to 4 s. */
struct sim_shape {
	uint64_t phase_us; /* mean length of a phase, in which rates are constant */
	uint64_t same;     /* number of consecutive phases with the same kind of work */
	uint64_t idle_pct; /* share of kinds that are nearly idle, in addition to the usual ones */
	uint64_t
		period_us; /* two kinds alternate, a phase each; the other fields are then unused */
};

/** Core that works. All functions below are pure functions of this and of time: any thread. */
struct sim_load {
	uint64_t seed;
	unsigned cpu;
	enum sim_type type;
	bool is_sliced;                      /* phases are cut into turns of a task and idle time */
	const struct sim_schedule *schedule; /* decides what runs when; NULL: none */
	struct sim_shape shape;
};

enum sim_level { SIM_USER, SIM_KERNEL, N_SIM_LEVELS };

/** Phase, at most 4 s, or a slice of it, with constant rates: per ns, times 2^32. */
struct sim_phase {
	uint64_t from_ns, to_ns;
	enum sim_code code[N_SIM_LEVELS];
	uint64_t cycles_q32[N_SIM_LEVELS];
	uint64_t inst_q32[N_SIM_LEVELS];
	uint32_t miss_permille; /* factor of PER_MISS rates */
	uint32_t busy_permille; /* share of the time that is not idle */
	uint32_t pid, tid;      /* task that runs in a slice; 0: idle */
	uint32_t life;          /* distinguishes tasks with the same tid */
	uint32_t cgroup;        /* id of the task's cgroup; 0: it has none */
	uint32_t work;          /* kind of work; 0 with a schedule */
};

/** Find the phase at t_ns, or the slice, in which one task runs. O(1). */
void sim_load_phase(const struct sim_load *load, uint64_t t_ns, struct sim_phase *ret);

/** Do the same for times in ascending order. @whole  the phase without slices; initially { 0 } */
void sim_load_next(const struct sim_load *load, uint64_t t_ns, struct sim_phase *whole,
		   struct sim_phase *ret);

/**
 * Return the count of an event in a window inside one phase.
 *
 * Counts add up exactly: count(a,b) + count(b,c) = count(a,c), user + kernel = both.
 *
 * @event    NULL: 0
 * @from_ns  phase->from_ns … to_ns
 * @to_ns    from_ns … phase->to_ns
 */
uint64_t sim_phase_count(const struct sim_phase *phase, const struct sim_event *event,
			 enum privilege privilege, uint64_t from_ns, uint64_t to_ns);

/** Return the count in any window. O(phases in it). @id  an unknown one counts 0 */
uint64_t sim_load_count(const struct sim_load *load, uint64_t id, enum privilege privilege,
			uint64_t from_ns, uint64_t to_ns);

/** Return the busy time, ns, in a window inside one phase; adds up likewise. */
uint64_t sim_phase_busy_ns(const struct sim_phase *phase, uint64_t from_ns, uint64_t to_ns);

/** Record the names, starts and ends of tasks that are due when a slice begins and when it ends. */
void sim_schedule_begin(const struct sim_phase *slice, const struct switch_sink *sink);
void sim_schedule_end(const struct sim_load *load, const struct sim_phase *slice,
		      const struct switch_sink *sink);

/** Hand over the cgroups of a schedule: SIM_CGROUP and the following. */
enum { SIM_CGROUP = 100 };
void sim_schedule_cgroups(const struct sim_schedule *schedule, const struct switch_sink *sink);

/** Return the name of a task of a sliced load, or of a schedule. @return NULL if there is no such task */
const char *sim_load_comm(const struct sim_schedule *schedule, uint32_t tid);

/** Activity path "sim": cycles, active time and instructions of the load. */
extern const struct activity_path sim_activity;

/** Draw a number, uniform over 64 bits, from the arguments: equal arguments, equal numbers. */
uint64_t sim_hash(uint64_t seed, uint64_t a, uint64_t b, uint64_t c);

#endif
