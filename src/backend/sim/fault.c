#include "backend/sim/fault.h"

#include <errno.h>
#include <stddef.h>

int sim_faults_add(struct sim_faults *faults, const struct sim_fault *fault)
{
	unsigned n = atomic_load_explicit(&faults->n, memory_order_relaxed);

	if (n == SIM_FAULTS_MAX)
		return -ENOSPC;

	struct sim_fault *to = &faults->list[n];

	to->kind = fault->kind;
	to->cpu = fault->cpu;
	to->slot = fault->slot;
	to->slow_ns = fault->slow_ns;
	to->from_ns = fault->from_ns;
	atomic_init(&to->to_ns, fault->to_ns);
	/* release: whoever sees the new number sees the fault */
	atomic_store_explicit(&faults->n, n + 1, memory_order_release);
	return 0;
}

static unsigned n_faults(const struct sim_faults *faults)
{
	return atomic_load_explicit(&faults->n, memory_order_acquire);
}

static uint64_t end_ns(const struct sim_fault *fault)
{
	/* relaxed: a moment, and nothing else depends on it */
	return atomic_load_explicit(&fault->to_ns, memory_order_relaxed);
}

static bool is_about(const struct sim_fault *fault, enum sim_fault_kind kind, unsigned cpu,
		     unsigned slot)
{
	return fault->kind == kind && fault->cpu == cpu && fault->slot == slot;
}

static bool is_active(const struct sim_fault *fault, uint64_t t_ns)
{
	return fault->from_ns <= t_ns && t_ns < end_ns(fault);
}

void sim_faults_end(struct sim_faults *faults, enum sim_fault_kind kind, unsigned cpu,
		    unsigned slot, uint64_t t_ns)
{
	for (unsigned i = 0; i < n_faults(faults); i++) {
		struct sim_fault *fault = &faults->list[i];

		if (is_about(fault, kind, cpu, slot) && is_active(fault, t_ns))
			atomic_store_explicit(&fault->to_ns, t_ns, memory_order_relaxed);
	}
}

const struct sim_fault *sim_faults_at(const struct sim_faults *faults, enum sim_fault_kind kind,
				      unsigned cpu, unsigned slot, uint64_t t_ns)
{
	for (unsigned i = 0; i < n_faults(faults); i++) {
		const struct sim_fault *fault = &faults->list[i];

		if (is_about(fault, kind, cpu, slot) && is_active(fault, t_ns))
			return fault;
	}
	return NULL;
}

bool sim_faults_within(const struct sim_faults *faults, enum sim_fault_kind kind, unsigned cpu,
		       uint64_t from_ns, uint64_t to_ns)
{
	for (unsigned i = 0; i < n_faults(faults); i++) {
		const struct sim_fault *fault = &faults->list[i];

		if (is_about(fault, kind, cpu, 0) && fault->from_ns <= to_ns &&
		    from_ns < end_ns(fault))
			return true;
	}
	return false;
}

uint64_t sim_faults_edge(const struct sim_faults *faults, unsigned cpu, uint64_t from_ns,
			 uint64_t to_ns)
{
	for (unsigned i = 0; i < n_faults(faults); i++) {
		const struct sim_fault *fault = &faults->list[i];

		if (fault->cpu != cpu)
			continue;
		if (from_ns < fault->from_ns && fault->from_ns < to_ns)
			to_ns = fault->from_ns;
		if (from_ns < end_ns(fault) && end_ns(fault) < to_ns)
			to_ns = end_ns(fault);
	}
	return to_ns;
}
