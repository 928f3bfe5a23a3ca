// SPDX-License-Identifier: GPL-2.0
/*
 * guard.c: checks each second whether a process has enabled the PMU's interrupts
 *
 * Every process may write PMCR0 while it is open to user space. An interrupt enabled there has no
 * handler, so it is raised again and again and stalls its core. Other interrupts are still taken in
 * between, including this timer's.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/percpu.h>

#include "compat.h"
#include "m1pmu.h"

#define EVERY ns_to_ktime(NSEC_PER_SEC)

static DEFINE_PER_CPU(struct hrtimer, timers);

static enum hrtimer_restart look(struct hrtimer *timer)
{
	struct m1pmu_core *core = this_cpu_ptr(&m1pmu_cores);

	if (!core->owner || !core->on || !m1pmu_is_open())
		return HRTIMER_NORESTART;
	m1pmu_core_check(core);
	hrtimer_forward_now(timer, EVERY);
	return HRTIMER_RESTART;
}

void m1pmu_guard_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		compat_hrtimer_setup(per_cpu_ptr(&timers, cpu), look, CLOCK_MONOTONIC,
				     HRTIMER_MODE_REL_PINNED_HARD);
}

void m1pmu_guard_start(void)
{
	hrtimer_start(this_cpu_ptr(&timers), EVERY, HRTIMER_MODE_REL_PINNED_HARD);
}

void m1pmu_guard_stop(int cpu)
{
	hrtimer_cancel(per_cpu_ptr(&timers, cpu));
}
