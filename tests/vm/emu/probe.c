// SPDX-License-Identifier: GPL-2.0-only
/*
 * probe.c: answers in place of others
 *
 * m1pmu asks whether the registers trap, with exception vectors of its own: the emulation, which lives
 * on the kernel's, is not seen. So it answers for m1pmu_first_trap(). Likewise for the activity monitors,
 * unless they are to trap, and for what the ID register, which does not trap, says of them. And on request for
 * the security modules.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>

#include "emu.h"

static struct kprobe trap, amu_here, amu_trap, lsm;

static int answer(struct pt_regs *regs, u64 value)
{
	regs->regs[0] = value;
	regs->pc = regs->regs[30];
	return 1;
}
NOKPROBE_SYMBOL(answer);

/* const char *m1pmu_first_trap(void): none does */
static int no_trap(struct kprobe *unused, struct pt_regs *regs)
{
	return answer(regs, 0);
}
NOKPROBE_SYMBOL(no_trap);

/* bool m1pmu_amu_is_here(void) */
static int has_amu(struct kprobe *unused, struct pt_regs *regs)
{
	return answer(regs, this_cpu_read(emu_cores.has_amu));
}
NOKPROBE_SYMBOL(has_amu);

/* const char *m1pmu_first_amu_trap(void) */
static int no_amu_trap(struct kprobe *unused, struct pt_regs *regs)
{
	return this_cpu_read(emu_cores.amu_traps) ? 0 : answer(regs, 0);
}
NOKPROBE_SYMBOL(no_amu_trap);

/* int security_perf_event_open(...) */
static int refuse(struct kprobe *unused, struct pt_regs *regs)
{
	return answer(regs, -EACCES);
}
NOKPROBE_SYMBOL(refuse);

static void remove(struct kprobe *probe)
{
	if (probe->addr)
		unregister_kprobe(probe);
	*probe = (struct kprobe){};
}

static int plant(struct kprobe *probe, const char *symbol, kprobe_pre_handler_t handler)
{
	int ret;

	*probe = (struct kprobe){ .symbol_name = symbol, .pre_handler = handler };
	ret = register_kprobe(probe);
	if (ret)
		*probe = (struct kprobe){};
	return ret;
}

/* They are asked whenever a CPU comes online. */
static void remove_amu(void)
{
	remove(&amu_here);
	remove(&amu_trap);
}

int emu_lsm_set(bool refuses)
{
	remove(&lsm);
	return refuses ? plant(&lsm, "security_perf_event_open", refuse) : 0;
}

static int plant_all(void)
{
	int ret = plant(&trap, "m1pmu_first_trap", no_trap);

	if (!ret)
		ret = plant(&amu_here, "m1pmu_amu_is_here", has_amu);
	if (!ret)
		ret = plant(&amu_trap, "m1pmu_first_amu_trap", no_amu_trap);
	return ret;
}

static int follow(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *module = data;

	if (strcmp(module->name, "m1pmu"))
		return NOTIFY_OK;
	if (state == MODULE_STATE_COMING)
		return notifier_from_errno(plant_all());
	remove(&trap); /* its text goes with the module's initialisation */
	if (state == MODULE_STATE_GOING)
		remove_amu();
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = follow };

int emu_probe_in(void)
{
	return register_module_notifier(&notifier);
}

void emu_probe_out(void)
{
	unregister_module_notifier(&notifier);
	remove(&trap);
	remove_amu();
	remove(&lsm);
}
