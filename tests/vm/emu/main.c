// SPDX-License-Identifier: GPL-2.0-only
/*
 * apple_pmu_emu: TEST ONLY. Plays the PMU registers of an Apple M1 on undefined-instruction exceptions,
 * so that code written for it runs in an emulated machine. Not for real ones.
 */
#include <linux/cpu.h>
#include <linux/cpufeature.h>
#include <linux/cpuhotplug.h>
#include <linux/interrupt.h>
#include <linux/kernfs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_irq.h>
#include <linux/of_platform.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <asm/cpu.h>
#include <asm/cpufeature.h>

#include "emu.h"

static char *ecpus = "0-3";
module_param(ecpus, charp, 0444);
MODULE_PARM_DESC(ecpus, "icestorm CPUs (a list); every other CPU is a firestorm");

static bool set_midr = true;
module_param(set_midr, bool, 0444);
MODULE_PARM_DESC(set_midr, "show each CPU the MIDR of an M1 E or P core");

static char *amu = "";
module_param(amu, charp, 0444);
MODULE_PARM_DESC(amu, "CPUs (a list) that have activity monitors too; m1pmu is told so in place of "
		      "ID_AA64PFR0_EL1");

static char *amu_traps = "";
module_param(amu_traps, charp, 0444);
MODULE_PARM_DESC(amu_traps, "CPUs of `amu` whose monitors trap");

static const char *const compatibles[2] = { "apple,firestorm-pmu", "apple,icestorm-pmu" };
static int online_state;

/* A kprobe that is never armed: it is resolved, and no code is patched. */
static unsigned long probe_address(const char *name)
{
	struct kprobe probe = { .symbol_name = name, .flags = KPROBE_FLAG_DISABLED };
	unsigned long address;

	if (register_kprobe(&probe))
		return 0;
	address = (unsigned long)probe.addr;
	unregister_kprobe(&probe);
	return address;
}

void *emu_symbol(const char *name)
{
	static unsigned long (*lookup)(const char *name);

	if (!lookup)
		lookup = (void *)probe_address("kallsyms_lookup_name");
	return lookup ? (void *)lookup(name) : NULL;
}

/* In /proc/cpuinfo and sysfs. The folder "regs" of a CPU is a kobject in its struct cpuinfo_arm64. */
static void show_midr(int cpu, bool is_e_core)
{
	struct device *device = get_cpu_device(cpu);
	struct kernfs_node *regs = device ? kernfs_find_and_get(device->kobj.sd, "regs") : NULL;

	if (!regs)
		return;
	container_of(regs->priv, struct cpuinfo_arm64, kobj)->reg_midr =
		is_e_core ? 0x611f0221 : 0x611f0231;
	kernfs_put(regs);
}

static int core_starting(unsigned int cpu)
{
	emu_core_reset(this_cpu_ptr(&emu_cores));
	return 0;
}

static int core_online(unsigned int cpu)
{
	struct emu_core *core = per_cpu_ptr(&emu_cores, cpu);

	if (set_midr)
		show_midr(cpu, core->is_e_core);
	core->is_up = true;
	return 0;
}

static int core_offline(unsigned int cpu)
{
	struct emu_core *core = per_cpu_ptr(&emu_cores, cpu);

	core->is_up = false;
	hrtimer_cancel(&core->timer);
	return 0;
}

/*
 * Registers are lost when a CPU goes off. The first state is one of 32-bit Arm's, unused here, that
 * comes before the state in which the PMU drivers program their registers.
 */
static int follow_cpus(void)
{
	int ret = cpuhp_setup_state(CPUHP_AP_ARM_VFP_STARTING, "apple_pmu_emu:starting",
				    core_starting, NULL);

	if (ret)
		return ret;
	online_state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "apple_pmu_emu:online", core_online,
					 core_offline);
	if (online_state >= 0)
		return 0;
	cpuhp_remove_state(CPUHP_AP_ARM_VFP_STARTING);
	return online_state;
}

static void unfollow_cpus(void)
{
	cpuhp_remove_state(online_state);
	cpuhp_remove_state(CPUHP_AP_ARM_VFP_STARTING);
}

static int init_cores(void)
{
	static struct cpumask e_cores, has_amu, traps;
	int cpu, ret = cpulist_parse(ecpus, &e_cores);

	if (!ret)
		ret = cpulist_parse(amu, &has_amu);
	if (!ret)
		ret = cpulist_parse(amu_traps, &traps);
	for_each_possible_cpu(cpu)
	{
		struct emu_core *core = per_cpu_ptr(&emu_cores, cpu);

		core->is_e_core = cpumask_test_cpu(cpu, &e_cores);
		core->has_amu = cpumask_test_cpu(cpu, &has_amu);
		core->amu_traps = cpumask_test_cpu(cpu, &traps);
		hrtimer_init(&core->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		core->timer.function = emu_core_timer;
	}
	return ret;
}

static void find_interrupts(void)
{
	int type;

	for (type = 0; type < 2; type++) {
		struct device_node *node = of_find_compatible_node(NULL, NULL, compatibles[type]);

		if (node)
			emu_pmi_irqs[type] = irq_of_parse_and_map(node, 0);
		of_node_put(node);
	}
}

/*
 * The PMUs' nodes are where the kernel makes no devices at boot, so that a driver that is built in
 * does not touch registers that are not there yet.
 */
static void create_devices(void)
{
	int type;

	for (type = 1; type >= 0; type--) {
		struct device_node *node = of_find_compatible_node(NULL, NULL, compatibles[type]);
		struct platform_device *device = node ? of_find_device_by_node(node) : NULL;

		if (device)
			put_device(&device->dev);
		else if (node && !of_platform_device_create(node, NULL, NULL))
			pr_err("apple_pmu_emu: no device for %s\n", compatibles[type]);
		of_node_put(node);
	}
}

static int __init emu_init(void)
{
	int ret = init_cores();

	if (!ret)
		ret = emu_log_init();
	if (ret)
		return ret;
	emu_rates_init();
	emu_masks_init();
	find_interrupts();
	ret = follow_cpus();
	if (ret)
		goto free_log;
	ret = emu_hook_in();
	if (ret)
		goto unfollow;
	ret = emu_probe_in();
	if (ret)
		goto unhook;
	emu_control_init();
	create_devices();
	pr_info("apple_pmu_emu: active, E cores %s\n", ecpus);
	return 0;
unhook:
	emu_hook_out();
unfollow:
	unfollow_cpus();
free_log:
	emu_log_exit();
	return ret;
}

static void __exit emu_exit(void)
{
	emu_control_exit();
	emu_probe_out();
	emu_hook_out();
	unfollow_cpus();
	emu_log_exit();
}

module_init(emu_init);
module_exit(emu_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("TEST ONLY: the PMU registers of an Apple M1 for emulated machines");
