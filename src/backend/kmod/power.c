// SPDX-License-Identifier: GPL-2.0
/* power.c: CPUs that go offline and return, or sleep so deep that they forget */
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/irqflags.h>
#include <linux/notifier.h>
#include <asm/cputype.h>

#include "m1pmu.h"

/*
 * A state of the dynamic range is the earliest that a module can have. On the way up it comes
 * before, on the way down after user tasks may use the CPU; both run on the CPU itself.
 */
static enum cpuhp_state hotplug_state;

static int cpu_up(unsigned int cpu)
{
	struct m1pmu_core *core;
	unsigned long flags;

	local_irq_save(flags);
	core = this_cpu_ptr(&m1pmu_cores);
	core->midr = read_cpuid_id();
	m1pmu_amu_find();
	m1pmu_core_return(core);
	if (core->owner && m1pmu_is_open())
		m1pmu_guard_start();
	local_irq_restore(flags);
	return 0;
}

static int cpu_down(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	m1pmu_core_leave(this_cpu_ptr(&m1pmu_cores));
	local_irq_restore(flags);
	m1pmu_guard_stop(cpu);
	return 0;
}

/* Called with interrupts off on the CPU that goes to sleep. */
static int cpu_sleeps(struct notifier_block *nb, unsigned long action, void *unused)
{
	struct m1pmu_core *core = this_cpu_ptr(&m1pmu_cores);

	if (!core->owner || !core->on)
		return NOTIFY_OK;
	if (action == CPU_PM_ENTER)
		m1pmu_core_park(core);
	else if (action == CPU_PM_ENTER_FAILED)
		m1pmu_core_stay(core);
	else if (action == CPU_PM_EXIT)
		m1pmu_core_unpark(core, true);
	return NOTIFY_OK;
}

static struct notifier_block sleep_notifier = { .notifier_call = cpu_sleeps };

int m1pmu_power_init(void)
{
	int ret;

	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "m1pmu:online", cpu_up, cpu_down);
	if (ret < 0)
		return ret;
	hotplug_state = ret;
	ret = cpu_pm_register_notifier(&sleep_notifier);
	if (ret)
		cpuhp_remove_state(hotplug_state);
	return ret;
}

void m1pmu_power_exit(void)
{
	cpu_pm_unregister_notifier(&sleep_notifier);
	cpuhp_remove_state(hotplug_state);
}
