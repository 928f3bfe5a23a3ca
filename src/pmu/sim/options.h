/* options.h: options of the simulation, such as "sim:cores=128,seed=7,offline=3@5-9", and its faults */
#ifndef PMU_SIM_OPTIONS_H
#define PMU_SIM_OPTIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "pmu/sim/load.h"

enum sim_fault_kind {
	FAULT_OFFLINE, /* the core is offline; groups that were open on it are dead */
	FAULT_STEAL,   /* another program holds one counter, which does not run */
	FAULT_LOST,    /* reads return unreliable values */
	FAULT_SLOW,    /* every read is delayed, in real time */
};

enum { SIM_FAULTS_MAX = 512 };

#define SIM_FOREVER UINT64_MAX

struct sim_fault {
	enum sim_fault_kind kind;
	unsigned cpu;
	unsigned slot;          /* FAULT_STEAL: counter; else 0 */
	uint64_t slow_ns;       /* FAULT_SLOW: duration of a read */
	uint64_t from_ns;       /* begin, since the backend was opened */
	_Atomic uint64_t to_ns; /* end, exclusive; SIM_FOREVER while it lasts */
};

/** List that only grows. One thread adds and ends faults, any thread reads. `{ 0 }` is empty. */
struct sim_faults {
	struct sim_fault list[SIM_FAULTS_MAX];
	atomic_uint n;
};

struct sim_options {
	unsigned cores;   /* half E, half P */
	unsigned smt;     /* threads per physical core */
	unsigned sockets; /* number of sockets, each with both types */
	unsigned nodes;   /* number of NUMA nodes, a multiple of sockets, each with both types */
	unsigned llcs;    /* number of last-level caches, likewise; 0: the clusters */
	unsigned smmus;   /* number of SMMUv3 performance counter groups */
	uint64_t seed;
	bool virtual_clock;
	uint64_t halt_after;  /* virtual clock: ticks after the last plan change; 0: never halts */
	bool hidden;          /* the seed decides what ids count, see hidden.h */
	bool wrap_near;       /* counters start within seconds of their wrap */
	unsigned tasks;       /* number of tasks, see load.h; 0: none */
	uint64_t short_tasks; /* per second, see load.h */
	unsigned cgroups;     /* number of cgroups that tasks run in; 0: none */
	uint64_t rhythm_us;   /* period in which the functions take turns; 0: none */
	unsigned functions;   /* number of functions of each program, see functions.h */
	unsigned records;     /* capacity of a core's recorder, in context switches */
	struct sim_shape shape;
	struct sim_faults faults;
};

/**
 * Parse key=value pairs and keys without value, separated by commas; keys may repeat. A fault is
 * CORE[.COUNTER][:TIME][@FROM-TO], several joined by "+"; FROM and TO in seconds.
 *
 * @text  NULL or "": the defaults listed in the table of options.c
 * @ret   `{ 0 }` on entry
 * @return 0; -EINVAL for an unknown key, listing the known ones, or an invalid value, showing
 *         the format
 */
int sim_options_parse(const char *text, struct sim_options *ret, struct err *err);

/* ---- faults, each on one core for some time ---- */

/** Add a fault. @return 0; -ENOSPC if there are SIM_FAULTS_MAX */
int sim_faults_add(struct sim_faults *faults, const struct sim_fault *fault);

/** Find a fault of this kind that is active at t_ns, or at any time from from_ns to to_ns, both included.
 * @return NULL if there is none */
const struct sim_fault *sim_faults_at(const struct sim_faults *faults, enum sim_fault_kind kind,
				      unsigned cpu, unsigned slot, uint64_t t_ns);
const struct sim_fault *sim_faults_within(const struct sim_faults *faults, enum sim_fault_kind kind,
					  unsigned cpu, unsigned slot, uint64_t from_ns,
					  uint64_t to_ns);

/** Return the time of the first begin or end of a core's fault after from_ns, at most to_ns. */
uint64_t sim_faults_edge(const struct sim_faults *faults, unsigned cpu, uint64_t from_ns,
			 uint64_t to_ns);

#endif
