/* group.h: the counters of one simulated core, opened for one set */
#ifndef BACKEND_SIM_GROUP_H
#define BACKEND_SIM_GROUP_H

#include <stdatomic.h>

#include "backend/backend.h"
#include "backend/sim/load.h"
#include "backend/sim/options.h"
#include "backend/sim/schedule.h"

struct sim_backend {
	struct backend base;
	struct sim_options options;
	struct sim_schedule schedule;
	uint64_t origin_ns;                  /* CLOCK_MONOTONIC at time 0; 0 with a virtual clock */
	_Atomic uint64_t now_ns;             /* virtual clock: where it stands */
	atomic_uint n_fail_reads[CORES_MAX]; /* by CPU: reads that will still be lost */
	_Atomic uint64_t n_runs;             /* runs of kernels since the backend was opened */
	/* by core; NULL until a set wants tasks */
	_Atomic(struct sim_recorder *) recorder[CORES_MAX];
	uint64_t n_streams; /* groups whose switches are recorded, since then; main thread */
};

/** Time since the backend was opened: what workloads and faults go by. Any thread. */
uint64_t sim_now(const struct sim_backend *sim);

/** What a core executes. @core  index into machine.core */
struct sim_load sim_load_of(const struct sim_backend *sim, unsigned core);

/** The event whose habits an id has on this machine. @return NULL: it never happens */
const struct sim_event *sim_event_of(const struct sim_backend *sim, uint64_t id);

/** The operations of struct backend_ops that concern groups. */
int sim_group_open(struct backend *backend, unsigned core, const struct set *set,
		   struct group **ret, struct err *err);
void sim_group_close(struct group *group);
int sim_group_enable(struct group *group);
int sim_group_disable(struct group *group);
int sim_group_read(struct group *group, struct sample *ret);
unsigned sim_group_run(struct group *group, const struct workload *workload);

/** Those that concern tasks. */
int sim_tasks_open(struct backend *backend, const struct task_target *target, size_t n,
		   unsigned type, const struct set *set, struct tasks **ret, struct err *err);
int sim_tasks_read(struct tasks *tasks, struct sample *ret);
void sim_tasks_close(struct tasks *tasks);

#endif
