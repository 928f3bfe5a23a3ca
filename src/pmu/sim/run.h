/* run.h: what event ids count during one run of a workload, on an M1 and with sim:hidden */
#ifndef PMU_SIM_RUN_H
#define PMU_SIM_RUN_H

#include "pmu/backend.h"
#include "pmu/sim/load.h"

/** Counts; all 0: the event does not happen. */
struct sim_effect {
	double once;        /* per run, whatever its length */
	double per_unit;    /* per unit of the trigger and of the control */
	double per_trigger; /* in addition, per unit of the trigger */
	double surplus;     /* speculation: largest excess over per_trigger, as a share of it */
	double spread;      /* largest deviation of a run in either direction, as a share */
	double jitter;      /* largest random addition per run */
	double interrupted; /* largest addition by an interrupt */
	uint64_t noise_of;  /* id: events with the same value have the same noise in a run */
	bool is_time;       /* counts on while the work is delayed */
};

/** One run. All functions below are pure functions of it. */
struct sim_run {
	uint64_t seed;
	enum sim_type type;
	bool is_hidden;
	const struct workload *workload;
	uint64_t number; /* number of the run since the backend was opened; selects its noise */
};

/** Return the count of an id in the run at these levels; at kernel level only interrupts count. */
uint64_t sim_run_count(const struct sim_run *run, uint64_t id, enum privilege privilege);

/** Return the average count over runs without interrupts, at both levels. */
double sim_run_mean(const struct sim_run *run, uint64_t id);

/** Return the number of interrupts that the operating system would report: most of them. */
unsigned sim_run_interrupts(const struct sim_run *run);

/* ---- sim:hidden: the seed decides what each event id counts, and on which counters ---- */

/*
 * Pure functions of the seed. Core types share ids and counters; a few factors differ by type.
 * 0x02 and 0x8c stay cycles and instructions, because PMC0 and PMC1 are fixed to them.
 */

/** Return the behaviour of an id; its `k` is 0. */
struct sim_answer sim_hidden_id(uint64_t seed, uint64_t id);

/** Return an id's count per trigger of a kernel; 0: it does not respond. */
double sim_hidden_k(uint64_t seed, enum sim_type type, uint64_t id, const char *kernel);

/** Return the effect of a run of a kernel on an id. */
struct sim_effect sim_hidden_effect(uint64_t seed, enum sim_type type, uint64_t id,
				    const char *kernel);

/** Find the event whose rates an id has on the live screen. @return NULL if it never counts */
const struct sim_event *sim_hidden_event(uint64_t seed, uint64_t id);

#endif
