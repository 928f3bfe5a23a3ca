/* sim_control.c: the simulated M1 from behind: what really happened, and faults on demand */
#include "rig/sim_control.h"

struct sim_backend *sim_control(struct backend *backend)
{
	return (struct sim_backend *)backend;
}

uint64_t sim_truth(const struct backend *backend, unsigned core, uint64_t id,
		   enum privilege privilege, uint64_t from_ns, uint64_t to_ns)
{
	const struct sim_backend *sim = (const struct sim_backend *)backend;
	const struct sim_event *event = sim_event_of(sim, id);
	struct sim_load load = sim_load_of(sim, core);

	return event ? sim_load_count(&load, event->id, privilege, from_ns - sim->origin_ns,
				      to_ns - sim->origin_ns)
		     : 0;
}

/* Begin or end a fault now. Beginning one that lasts already, or ending none, changes nothing. */
static int sim_set_fault(struct sim_backend *sim, struct sim_fault fault, bool on)
{
	struct sim_faults *faults = &sim->options.faults;
	uint64_t t_ns = sim_now(sim);

	if (!on) {
		struct sim_fault *active;

		while ((active = (struct sim_fault *)sim_faults_at(faults, fault.kind, fault.cpu,
								   fault.slot, t_ns)))
			atomic_store_explicit(&active->to_ns, t_ns, memory_order_relaxed);
		return 0;
	}
	if (sim_faults_at(faults, fault.kind, fault.cpu, fault.slot, t_ns))
		return 0;
	fault.from_ns = t_ns;
	atomic_init(&fault.to_ns, SIM_FOREVER);
	return sim_faults_add(faults, &fault);
}

int sim_core_offline(struct backend *backend, unsigned core, bool offline)
{
	struct sim_fault fault = { .kind = FAULT_OFFLINE, .cpu = backend->machine.core[core].cpu };

	return sim_set_fault(sim_control(backend), fault, offline);
}

int sim_steal(struct backend *backend, unsigned core, unsigned slot, bool stolen)
{
	struct sim_fault fault = { .kind = FAULT_STEAL,
				   .cpu = backend->machine.core[core].cpu,
				   .slot = slot };

	return sim_set_fault(sim_control(backend), fault, stolen);
}

int sim_lose(struct backend *backend, unsigned core, uint64_t ns)
{
	struct sim_backend *sim = sim_control(backend);
	struct sim_fault fault = { .kind = FAULT_LOST, .cpu = backend->machine.core[core].cpu };

	fault.from_ns = sim_now(sim);
	atomic_init(&fault.to_ns, fault.from_ns + ns);
	return sim_faults_add(&sim->options.faults, &fault);
}

int sim_slow_read(struct backend *backend, unsigned core, uint64_t ns)
{
	struct sim_fault fault = { .kind = FAULT_SLOW,
				   .cpu = backend->machine.core[core].cpu,
				   .slow_ns = ns };

	sim_set_fault(sim_control(backend), fault, false);
	return ns ? sim_set_fault(sim_control(backend), fault, true) : 0;
}
