/* sim_control.h: behind the scenes of the simulated M1: what really happened, and how to break it */
#ifndef TESTS_SIM_CONTROL_H
#define TESTS_SIM_CONTROL_H

#include "backend/sim/device.h"
#include "backend/sim/group.h"
#include "backend/sim/sim.h"

/*
 * All of it works on a backend that backend_sim opened; `core` is an index into machine.core.
 * One thread (the one that opened it) injects, any thread may ask for the truth. A fault begins
 * and ends at the backend's own time: with a virtual clock exactly where advance() has put it.
 */

static inline struct sim_backend *sim_control(struct backend *backend)
{
	return (struct sim_backend *)backend;
}

/**
 * Events that the core executed between two moments, counted or not.
 *
 * Exact: what an undisturbed counter gains between two reads is the truth between their t_ns.
 *
 * @id               event number; unknown ones never happen
 * @from_ns, @to_ns  as in sample.t_ns, not before the backend was opened
 */
static inline uint64_t sim_truth(const struct backend *backend, unsigned core, uint64_t id,
				 enum privilege privilege, uint64_t from_ns, uint64_t to_ns)
{
	const struct sim_backend *sim = (const struct sim_backend *)backend;
	const struct sim_event *event = sim_event_of(sim, id);
	struct sim_load load = sim_load_of(sim, core);

	return event ? sim_load_count(&load, event->id, privilege, from_ns - sim->origin_ns,
				      to_ns - sim->origin_ns)
		     : 0;
}

static inline uint64_t sim_load_busy_ns(const struct sim_load *load, uint64_t from_ns,
					uint64_t to_ns)
{
	uint64_t busy_ns = 0;

	while (from_ns < to_ns) {
		struct sim_phase phase;

		sim_load_phase(load, from_ns, &phase);

		uint64_t end_ns = phase.to_ns < to_ns ? phase.to_ns : to_ns;

		busy_ns += sim_phase_busy_ns(&phase, from_ns, end_ns);
		from_ns = end_ns;
	}
	return busy_ns;
}

/** How long the core was not idle between two such moments: what active-time gains. */
static inline uint64_t sim_truth_busy_ns(const struct backend *backend, unsigned core,
					 uint64_t from_ns, uint64_t to_ns)
{
	const struct sim_backend *sim = (const struct sim_backend *)backend;
	struct sim_load load = sim_load_of(sim, core);

	return sim_load_busy_ns(&load, from_ns - sim->origin_ns, to_ns - sim->origin_ns);
}

/** The same of an event of a device (sim:smmu=N), its stream filter included. */
static inline uint64_t sim_truth_of_device(const struct backend *backend, const struct event *event,
					   uint64_t from_ns, uint64_t to_ns)
{
	const struct sim_backend *sim = (const struct sim_backend *)backend;

	return sim_device_count(sim->options.seed, (unsigned)sim_device_of(event->pmu),
				event->config, from_ns - sim->origin_ns, to_ns - sim->origin_ns);
}

/* Begin or end a fault now; beginning what lasts already, or ending nothing, changes nothing. */
static inline int sim_set_fault(struct sim_backend *sim, struct sim_fault fault, bool on)
{
	struct sim_faults *faults = &sim->options.faults;
	uint64_t t_ns = sim_now(sim);

	if (!on) {
		sim_faults_end(faults, fault.kind, fault.cpu, fault.slot, t_ns);
		return 0;
	}
	if (sim_faults_at(faults, fault.kind, fault.cpu, fault.slot, t_ns))
		return 0;
	fault.from_ns = t_ns;
	atomic_init(&fault.to_ns, SIM_FOREVER);
	return sim_faults_add(faults, &fault);
}

/** Take a core offline or bring it back. Its open groups stay dead. @return 0 or -ENOSPC */
static inline int sim_core_offline(struct backend *backend, unsigned core, bool offline)
{
	struct sim_fault fault = { .kind = FAULT_OFFLINE, .cpu = backend->machine.core[core].cpu };

	return sim_set_fault(sim_control(backend), fault, offline);
}

/**
 * Take one counter away or give it back: meanwhile its value and its running time stand still
 * while its enabled time goes on.
 *
 * @return 0 or -ENOSPC
 */
static inline int sim_steal(struct backend *backend, unsigned core, unsigned slot, bool stolen)
{
	struct sim_fault fault = { .kind = FAULT_STEAL,
				   .cpu = backend->machine.core[core].cpu,
				   .slot = slot };

	return sim_set_fault(sim_control(backend), fault, stolen);
}

/** The next n reads of the core give RAW_LOST. */
static inline void sim_fail_read(struct backend *backend, unsigned core, unsigned n)
{
	/* relaxed: only the number itself is shared */
	atomic_store_explicit(&sim_control(backend)->n_fail_reads[backend->machine.core[core].cpu],
			      n, memory_order_relaxed);
}

/** Every read of the core takes ns of real time; 0: none. @return 0 or -ENOSPC */
static inline int sim_slow_read(struct backend *backend, unsigned core, uint64_t ns)
{
	struct sim_fault fault = { .kind = FAULT_SLOW,
				   .cpu = backend->machine.core[core].cpu,
				   .slow_ns = ns };

	sim_set_fault(sim_control(backend), fault, false);
	return ns ? sim_set_fault(sim_control(backend), fault, true) : 0;
}

#endif
