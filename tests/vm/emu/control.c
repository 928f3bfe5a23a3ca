// SPDX-License-Identifier: GPL-2.0-only
/*
 * control.c: /sys/kernel/debug/apple_pmu_emu
 *
 * regs   every core's registers and counters
 * rates  what each event counts: core type, event, counts a microsecond
 * log    every MSR: time, core, level, register, value, program
 * ctl    commands, one a write:
 *
 *   rate E|P EVENT COUNTS_PER_US   what an event counts
 *   rates                          as at the boot again
 *   mask EVENT COUNTERS            where it counts, bit n: PMCn; at the boot: everywhere
 *   masks                          as at the boot again
 *   add EVENT MORE                 count the event so often, at EL0 of the CPU that the command is given on
 *   pmc CPU N VALUE                set a counter
 *   reg CPU NAME VALUE             set another register (PMCR0, PMESR1, …)
 *   reset CPU                      lose all registers, unannounced
 *   sleep CPU                      lose them as in deep idle: the kernel announces it (CPU_PM)
 *   nosleep CPU                    the same, but something refuses the sleep: CPU_PM_ENTER_FAILED
 *   wake CPU                       CPU_PM_EXIT of a CPU that did not sleep
 *   lsm 0|1                        a security module refuses to let anybody count the kernel
 *   mon CPU N MORE                 an activity monitor counts MORE: 0-3 fixed, 4-6 auxiliary
 *   freeze 0|1                     stop all counters
 *   amu 0|1                        what firmware does: leave the activity monitors off, at 0, or on
 *   logreads 0|1                   log every MRS too
 *   reboot                         what the kernel announces before a reboot and kexec, and no reboot
 *   clearlog
 */
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/debugfs.h>
#include <linux/notifier.h>
#include <linux/reboot.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "emu.h"

static struct dentry *folder;

static void count_here(void *unused)
{
	emu_core_count(this_cpu_ptr(&emu_cores));
}

static void show_core(struct seq_file *file, int cpu)
{
	const struct emu_core *core = per_cpu_ptr(&emu_cores, cpu);
	int i;

	seq_printf(file,
		   "cpu%d %s el0_ns=%llu el1_ns=%llu n_el0=%llu n_el1=%llu n_pmi=%llu PMSR=%#llx",
		   cpu, core->is_e_core ? "E" : "P", core->el0_ns, core->el1_ns, core->n_el0,
		   core->n_el1, core->n_interrupts, emu_core_overflows(core));
	for (i = 0; i < EMU_N_REGS; i++)
		seq_printf(file, " %s=%#llx", emu_reg_names[i], core->regs[i]);
	for (i = 0; i < EMU_N_COUNTERS; i++)
		seq_printf(file, " PMC%d=%llu", i, core->counters[i]);
	for (i = 0; i < EMU_N_AMU; i++)
		seq_printf(file, " AMU%d=%llu", i, core->amu[i]);
	for (i = 0; i < EMU_N_AUX; i++)
		seq_printf(file, " AUX%d=%llu", i, core->aux[i]);
	seq_putc(file, '\n');
}

static int regs_show(struct seq_file *file, void *unused)
{
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
	{
		smp_call_function_single(cpu, count_here, NULL, 1);
		show_core(file, cpu);
	}
	cpus_read_unlock();
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(regs);

static int rates_show(struct seq_file *file, void *unused)
{
	int type, event;

	for (type = 0; type < 2; type++)
		for (event = 1; event < EMU_N_EVENTS; event++)
			seq_printf(file, "%c %#x %u\n", "PE"[type], event, emu_rates[type][event]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(rates);

static int log_show(struct seq_file *file, void *unused)
{
	return emu_log_show(file, unused);
}
DEFINE_SHOW_ATTRIBUTE(log);

/* Something to do on a core. */
struct poke {
	enum { POKE_COUNTER, POKE_EVENT, POKE_REG, POKE_MONITOR, POKE_RESET } what;
	int index;
	u64 value;
};

static void poke_here(void *data)
{
	const struct poke *poke = data;
	struct emu_core *core = this_cpu_ptr(&emu_cores);

	emu_core_count(core);
	if (poke->what == POKE_RESET) {
		emu_core_reset(core);
	} else if (poke->what == POKE_EVENT) {
		emu_core_add(core, poke->index, poke->value);
	} else if (poke->what == POKE_COUNTER) {
		core->counters[poke->index] = poke->value & EMU_COUNTER_MASK;
		core->fractions[poke->index] = 0;
	} else if (poke->what == POKE_MONITOR && poke->index < EMU_N_AMU) {
		core->amu[poke->index] += poke->value;
	} else if (poke->what == POKE_MONITOR) {
		core->aux[poke->index - EMU_N_AMU] += poke->value;
	} else {
		core->regs[poke->index] = poke->value;
	}
	core->fresh = 0;
	emu_core_check(core);
}

static int poke(unsigned int cpu, struct poke poke)
{
	return smp_call_function_single(cpu, poke_here, &poke, 1);
}

static int command_rate(const char *text)
{
	unsigned int event, rate;
	char type;

	if (sscanf(text, "rate %c %i %u", &type, &event, &rate) != 3 || event >= EMU_N_EVENTS)
		return -EINVAL;
	on_each_cpu(count_here, NULL, 1);
	emu_rates[type == 'E'][event] = rate;
	return 0;
}

static int command_rates(const char *text)
{
	on_each_cpu(count_here, NULL, 1);
	emu_rates_init();
	return 0;
}

static int command_mask(const char *text)
{
	unsigned int event, counters;

	if (sscanf(text, "mask %i %i", &event, &counters) != 2 || event >= EMU_N_EVENTS)
		return -EINVAL;
	on_each_cpu(count_here, NULL, 1);
	emu_masks[event] = counters;
	return 0;
}

static int command_masks(const char *text)
{
	on_each_cpu(count_here, NULL, 1);
	emu_masks_init();
	return 0;
}

/* The task that gives the command stays on the core until it has counted. */
static int command_add(const char *text)
{
	int event, ret;
	u64 more;

	if (sscanf(text, "add %i %lli", &event, &more) != 2)
		return -EINVAL;
	ret = poke(get_cpu(), (struct poke){ POKE_EVENT, event, more });
	put_cpu();
	return ret;
}

static int command_pmc(const char *text)
{
	unsigned int cpu, i;
	u64 value;

	if (sscanf(text, "pmc %u %u %lli", &cpu, &i, &value) != 3 || i >= EMU_N_COUNTERS)
		return -EINVAL;
	return poke(cpu, (struct poke){ POKE_COUNTER, i, value });
}

static int command_reg(const char *text)
{
	unsigned int cpu;
	char name[16];
	u64 value;
	int i;

	if (sscanf(text, "reg %u %15s %lli", &cpu, name, &value) != 3)
		return -EINVAL;
	i = match_string(emu_reg_names, EMU_N_REGS, name);
	return i < 0 ? i : poke(cpu, (struct poke){ POKE_REG, i, value });
}

static int command_mon(const char *text)
{
	unsigned int cpu, i;
	u64 more;

	if (sscanf(text, "mon %u %u %lli", &cpu, &i, &more) != 3 || i >= EMU_N_AMU + EMU_N_AUX)
		return -EINVAL;
	return poke(cpu, (struct poke){ POKE_MONITOR, i, more });
}

static int command_reset(const char *text)
{
	unsigned int cpu;

	if (sscanf(text, "reset %u", &cpu) != 1)
		return -EINVAL;
	return poke(cpu, (struct poke){ POKE_RESET });
}

/* What the idle loop does around a state that loses context. */
static long sleep_here(void *unused)
{
	unsigned long flags;
	int ret;

	local_irq_save(flags);
	ret = cpu_pm_enter();
	if (!ret) {
		emu_core_reset(this_cpu_ptr(&emu_cores));
		ret = cpu_pm_exit();
	}
	local_irq_restore(flags);
	return ret;
}

static int command_sleep(const char *text)
{
	unsigned int cpu;

	if (sscanf(text, "sleep %u", &cpu) != 1 || cpu >= nr_cpu_ids || !cpu_online(cpu))
		return -EINVAL;
	return work_on_cpu(cpu, sleep_here, NULL);
}

static int refuse_sleep(struct notifier_block *nb, unsigned long action, void *unused)
{
	return action == CPU_PM_ENTER ? NOTIFY_BAD : NOTIFY_OK;
}

/* The last to be asked. */
static struct notifier_block refuser = { .notifier_call = refuse_sleep, .priority = INT_MIN };

static int command_nosleep(const char *text)
{
	unsigned int cpu;
	int ret;

	if (sscanf(text, "nosleep %u", &cpu) != 1 || cpu >= nr_cpu_ids || !cpu_online(cpu))
		return -EINVAL;
	ret = cpu_pm_register_notifier(&refuser);
	if (ret)
		return ret;
	ret = work_on_cpu(cpu, sleep_here, NULL);
	cpu_pm_unregister_notifier(&refuser);
	return ret ? 0 : -EIO;
}

static long wake_here(void *unused)
{
	unsigned long flags;
	int ret;

	local_irq_save(flags);
	ret = cpu_pm_exit();
	local_irq_restore(flags);
	return ret;
}

static int command_wake(const char *text)
{
	unsigned int cpu;

	if (sscanf(text, "wake %u", &cpu) != 1 || cpu >= nr_cpu_ids || !cpu_online(cpu))
		return -EINVAL;
	return work_on_cpu(cpu, wake_here, NULL);
}

static int command_lsm(const char *text)
{
	unsigned int refuses;

	if (sscanf(text, "lsm %u", &refuses) != 1)
		return -EINVAL;
	return emu_lsm_set(refuses);
}

static int command_freeze(const char *text)
{
	unsigned int is_frozen;

	if (sscanf(text, "freeze %u", &is_frozen) != 1)
		return -EINVAL;
	on_each_cpu(count_here, NULL, 1);
	emu_is_frozen = is_frozen;
	return 0;
}

static void clear_amu_here(void *unused)
{
	struct emu_core *core = this_cpu_ptr(&emu_cores);

	emu_core_count(core);
	memset(core->amu, 0, sizeof(core->amu));
	memset(core->aux, 0, sizeof(core->aux));
}

static int command_amu(const char *text)
{
	unsigned int is_on;

	if (sscanf(text, "amu %u", &is_on) != 1)
		return -EINVAL;
	emu_amu_is_on = false;
	on_each_cpu(clear_amu_here, NULL, 1);
	emu_amu_is_on = is_on;
	return 0;
}

static int command_logreads(const char *text)
{
	unsigned int has_reads;

	if (sscanf(text, "logreads %u", &has_reads) != 1)
		return -EINVAL;
	emu_log_has_reads = has_reads;
	return 0;
}

/* What reboot and kexec do before the machine goes down. */
static int command_reboot(const char *text)
{
	struct blocking_notifier_head *list = emu_symbol("reboot_notifier_list");

	if (!list)
		return -ENOENT;
	blocking_notifier_call_chain(list, SYS_RESTART, NULL);
	return 0;
}

static int command_clearlog(const char *text)
{
	emu_log_clear();
	return 0;
}

static const struct {
	const char *word;
	int (*run)(const char *text);
} commands[] = {
	{ "rate ", command_rate },        { "rates", command_rates },
	{ "add ", command_add },          { "reg ", command_reg },
	{ "reset ", command_reset },      { "sleep ", command_sleep },
	{ "freeze ", command_freeze },    { "logreads ", command_logreads },
	{ "clearlog", command_clearlog }, { "amu ", command_amu },
	{ "nosleep ", command_nosleep },  { "wake ", command_wake },
	{ "lsm ", command_lsm },          { "mon ", command_mon },
	{ "mask ", command_mask },        { "masks", command_masks },
	{ "pmc ", command_pmc },          { "reboot", command_reboot },
};

static ssize_t ctl_write(struct file *file, const char __user *from, size_t n, loff_t *offset)
{
	char text[128];
	int i, ret = -EINVAL;

	if (n >= sizeof(text) || copy_from_user(text, from, n))
		return -EINVAL;
	text[n] = '\0';
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strncmp(text, commands[i].word, strlen(commands[i].word)))
			ret = commands[i].run(text);
	return ret ? ret : n;
}

static const struct file_operations ctl_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = ctl_write,
};

void emu_control_init(void)
{
	folder = debugfs_create_dir("apple_pmu_emu", NULL);
	debugfs_create_file("regs", 0444, folder, NULL, &regs_fops);
	debugfs_create_file("rates", 0444, folder, NULL, &rates_fops);
	debugfs_create_file("log", 0444, folder, NULL, &log_fops);
	debugfs_create_file("ctl", 0200, folder, NULL, &ctl_fops);
}

void emu_control_exit(void)
{
	debugfs_remove_recursive(folder);
}
