// SPDX-License-Identifier: GPL-2.0
/* power.c: hotplug, deep idle that loses state, reboot */
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/irqflags.h>
#include <linux/notifier.h>
#include <linux/reboot.h>
#include <asm/cputype.h>

#include "m1pmu.h"

/*
 * A dynamic state is the earliest one for modules. It runs before user tasks may use the CPU on the
 * way up, and after them on the way down; both on the CPU itself.
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

/* Save and restore around deep idle. Called with interrupts off on the CPU itself. */
static int cpu_sleeps(struct notifier_block *nb, unsigned long action, void *unused)
{
	struct m1pmu_core *core = this_cpu_ptr(&m1pmu_cores);

	if (!core->owner || !core->on)
		return NOTIFY_OK;
	if (action == CPU_PM_ENTER)
		m1pmu_core_park(core);
	else if (action == CPU_PM_ENTER_FAILED)
		m1pmu_core_idle_failed(core);
	else if (action == CPU_PM_EXIT)
		m1pmu_core_unpark(core, true);
	return NOTIFY_OK;
}

static struct notifier_block sleep_notifier = { .notifier_call = cpu_sleeps };

/* End the session: kexec starts the next kernel with unchanged registers. */
static int goes_down(struct notifier_block *nb, unsigned long action, void *unused)
{
	m1pmu_session_end("the machine goes down", true);
	return NOTIFY_OK;
}

static struct notifier_block down_notifier = { .notifier_call = goes_down };

int m1pmu_power_init(void)
{
	int ret;

	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "m1pmu:online", cpu_up, cpu_down);
	if (ret < 0)
		return ret;
	hotplug_state = ret;
	ret = cpu_pm_register_notifier(&sleep_notifier);
	if (ret)
		goto fail_sleep;
	ret = register_reboot_notifier(&down_notifier);
	if (ret)
		goto fail_down;
	return 0;

fail_down:
	cpu_pm_unregister_notifier(&sleep_notifier);
fail_sleep:
	cpuhp_remove_state(hotplug_state);
	return ret;
}

void m1pmu_power_exit(void)
{
	unregister_reboot_notifier(&down_notifier);
	cpu_pm_unregister_notifier(&sleep_notifier);
	cpuhp_remove_state(hotplug_state);
}
