/* sim_control.h: the simulated M1 from behind: what really happened, and faults on demand */
#ifndef TESTS_SIM_CONTROL_H
#define TESTS_SIM_CONTROL_H

#include "pmu/sim/machine.h"
#include "pmu/sim/sim.h"
#include "pmu/backend.h"

/*
 * These work on a backend that backend_sim opened; `core` is an index into machine.core. Only the
 * thread that opened it may inject faults, any thread may read the truth. A fault begins and ends at
 * the backend's own time: with a virtual clock exactly at the time that advance() has set.
 */

/** Get the simulation of a backend. */
struct sim_backend *sim_control(struct backend *backend);

/**
 * Count the events that a core executed between two moments, counted or not.
 *
 * The result is exact: an undisturbed counter gains as much between two reads at these times.
 *
 * @id               event number; unknown ones never happen
 * @from_ns, @to_ns  as in sample.t_ns, not before the backend was opened
 */
uint64_t sim_truth(const struct backend *backend, unsigned core, uint64_t id,
		   enum privilege privilege, uint64_t from_ns, uint64_t to_ns);

/** Take a core offline or bring it back. Its open groups stay dead. @return 0 or -ENOSPC */
int sim_core_offline(struct backend *backend, unsigned core, bool offline);

/**
 * Take one counter away or give it back. While it is away, its value and its running time stand still
 * and its enabled time goes on.
 *
 * @return 0 or -ENOSPC
 */
int sim_steal(struct backend *backend, unsigned core, unsigned slot, bool stolen);

/** Make reads of the core fail for ns from now on: they give RAW_LOST. @return 0 or -ENOSPC */
int sim_lose(struct backend *backend, unsigned core, uint64_t ns);

/** Make every read of the core take ns of real time; 0 ends that. @return 0 or -ENOSPC */
int sim_slow_read(struct backend *backend, unsigned core, uint64_t ns);

#endif
