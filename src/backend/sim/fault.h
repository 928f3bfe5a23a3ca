/* fault.h: what goes wrong on the simulated machine, on which core, from when to when */
#ifndef BACKEND_SIM_FAULT_H
#define BACKEND_SIM_FAULT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum sim_fault_kind {
	FAULT_OFFLINE, /* the core is off; groups that were open on it are dead */
	FAULT_STEAL,   /* somebody else has one counter: it does not run */
	FAULT_LOST,    /* reads give values that cannot be trusted */
	FAULT_SLOW,    /* every read takes real time */
};

enum { SIM_FAULTS_MAX = 512 };

#define SIM_FOREVER UINT64_MAX

struct sim_fault {
	enum sim_fault_kind kind;
	unsigned cpu;
	unsigned slot;          /* FAULT_STEAL: the counter; else 0 */
	uint64_t slow_ns;       /* FAULT_SLOW: how long a read takes */
	uint64_t from_ns;       /* times count from the opening of the backend */
	_Atomic uint64_t to_ns; /* the first moment without it; SIM_FOREVER while it lasts */
};

/** Grows only. One thread adds and ends, any thread asks. `{ 0 }` is empty. */
struct sim_faults {
	struct sim_fault list[SIM_FAULTS_MAX];
	atomic_uint n;
};

/** @return 0, or -ENOSPC when SIM_FAULTS_MAX were added */
int sim_faults_add(struct sim_faults *faults, const struct sim_fault *fault);

/** End at t_ns whatever fault of this kind is active there. @slot as in struct sim_fault */
void sim_faults_end(struct sim_faults *faults, enum sim_fault_kind kind, unsigned cpu,
		    unsigned slot, uint64_t t_ns);

/** The fault of this kind that is active at t_ns. @return NULL when there is none */
const struct sim_fault *sim_faults_at(const struct sim_faults *faults, enum sim_fault_kind kind,
				      unsigned cpu, unsigned slot, uint64_t t_ns);

/** Was such a fault active at any moment from from_ns to to_ns, both included? */
bool sim_faults_within(const struct sim_faults *faults, enum sim_fault_kind kind, unsigned cpu,
		       uint64_t from_ns, uint64_t to_ns);

/** The first begin or end of a core's faults after from_ns. @return at most to_ns */
uint64_t sim_faults_edge(const struct sim_faults *faults, unsigned cpu, uint64_t from_ns,
			 uint64_t to_ns);

#endif
