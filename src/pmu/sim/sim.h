/* sim.h: the simulation as a backend, for its file and for tests */
#ifndef PMU_SIM_SIM_H
#define PMU_SIM_SIM_H

#include <stdatomic.h>

#include "pmu/backend.h"
#include "pmu/sim/load.h"
#include "pmu/sim/options.h"

struct sim_backend {
	struct backend base;
	struct sim_options options;
	struct sim_schedule schedule;
	uint64_t origin_ns;      /* CLOCK_MONOTONIC at time 0; 0 with a virtual clock */
	_Atomic uint64_t now_ns; /* time of the virtual clock */
	_Atomic uint64_t n_runs; /* number of runs of kernels since the backend was opened */
	/* by core; NULL until a set has by_task */
	_Atomic(struct sim_recorder *) recorder[CORES_MAX];
	_Atomic uint64_t period[CORES_MAX]; /* of sampled events, by core; 0: the first one */
	uint64_t n_streams;                 /* number of groups opened with by_task; main thread */
};

/** Return the time since the backend was opened, the clock of loads and faults. Any thread. */
uint64_t sim_now(const struct sim_backend *sim);

/** backend_ops.tasks_open, tasks_read, tasks_close */
int sim_tasks_open(struct backend *backend, const struct task_target *target, size_t n,
		   unsigned type, const struct set *set, struct tasks **ret, struct err *err);
int sim_tasks_read(struct tasks *tasks, struct sample *ret);
void sim_tasks_close(struct tasks *tasks);

/** Return the load of a core. @core  index into machine.core */
struct sim_load sim_load_of(const struct sim_backend *sim, unsigned core);

/** Find the event whose rates an id has on this machine. @return NULL if it never counts */
const struct sim_event *sim_event_of(const struct sim_backend *sim, uint64_t id);

#endif
