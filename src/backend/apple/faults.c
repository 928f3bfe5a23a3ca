#include <errno.h>
#include <stdio.h>

#include "backend/apple/apple.h"

enum { CPU_BITS = 16 };

static const char *const register_name[] = {
	[FAULT_PMCR0] = "PMCR0",
	[FAULT_PMCR1] = "PMCR1",
	[FAULT_PMESR0] = "PMESR0",
	[FAULT_PMESR1] = "PMESR1",
};

void apple_tell_fault(struct apple *apple, enum apple_fault what, unsigned cpu)
{
	/* relaxed: the number is the whole message */
	if (what == FAULT_ENDED)
		atomic_store_explicit(&apple->has_ended, true, memory_order_relaxed);
	atomic_store_explicit(&apple->faults, (uint32_t)what << CPU_BITS | cpu,
			      memory_order_relaxed);
}

const char *apple_faults(struct backend *backend, char *buf, size_t size)
{
	struct apple *apple = (struct apple *)backend;
	uint32_t faults = atomic_exchange_explicit(&apple->faults, 0, memory_order_relaxed);
	unsigned what = faults >> CPU_BITS, cpu = faults & ((1U << CPU_BITS) - 1);

	buf[0] = '\0';
	if (atomic_load_explicit(&apple->has_ended, memory_order_relaxed))
		err_set(&backend->ended, EIO,
			"counting was stopped: a process enabled interrupts of the PMU, which "
			"apple:el0 opens to every process; m1pmu has cleared them and closed the "
			"registers (--backend apple without el0 never opens them)");
	else if (what == FAULT_EL0)
		snprintf(buf, size,
			 "cpu %u: user access to the counters was taken away: counts since then "
			 "are lost",
			 cpu);
	else if (what == FAULT_REFUSED)
		snprintf(buf, size,
			 "cpu %u: m1pmu refused the set: one of its events cannot be "
			 "counted on the counter it was placed on",
			 cpu);
	else if (what)
		snprintf(buf, size,
			 "cpu %u: %s is not as m1top wrote it: another program wrote it or the "
			 "core lost its state; counts since then are lost, counting restarts",
			 cpu, register_name[what]);
	return buf;
}
