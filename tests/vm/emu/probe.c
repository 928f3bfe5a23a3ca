// SPDX-License-Identifier: GPL-2.0-only
/*
 * probe.c: answers in place of others
 *
 * m1pmu asks, while it is loaded, whether the registers trap, with exception vectors of its own: the
 * emulation, which lives on the kernel's, is not seen. So it answers for m1pmu_first_trap(). And on
 * request for the security modules.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>

#include "emu.h"

static struct kprobe trap, amu_trap, lsm;

/* const char *m1pmu_first_…trap(void): none does */
static int no_trap(struct kprobe *unused, struct pt_regs *regs)
{
	regs->regs[0] = 0;
	regs->pc = regs->regs[30];
	return 1;
}
NOKPROBE_SYMBOL(no_trap);

/* int security_perf_event_open(...) */
static int refuse(struct kprobe *unused, struct pt_regs *regs)
{
	regs->regs[0] = -EACCES;
	regs->pc = regs->regs[30];
	return 1;
}
NOKPROBE_SYMBOL(refuse);

static void remove(struct kprobe *probe)
{
	if (probe->addr)
		unregister_kprobe(probe);
	*probe = (struct kprobe){};
}

static int plant(struct kprobe *probe, const char *symbol, kprobe_pre_handler_t answer)
{
	int ret;

	*probe = (struct kprobe){ .symbol_name = symbol, .pre_handler = answer };
	ret = register_kprobe(probe);
	if (ret)
		*probe = (struct kprobe){};
	return ret;
}

int emu_lsm_set(bool refuses)
{
	remove(&lsm);
	return refuses ? plant(&lsm, "security_perf_event_open", refuse) : 0;
}

static int plant_all(void)
{
	int ret = plant(&trap, "m1pmu_first_trap", no_trap);

	return ret || !emu_has_amu ? ret : plant(&amu_trap, "m1pmu_first_amu_trap", no_trap);
}

static int follow(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *module = data;

	if (strcmp(module->name, "m1pmu"))
		return NOTIFY_OK;
	if (state == MODULE_STATE_COMING)
		return notifier_from_errno(plant_all());
	remove(&trap);
	remove(&amu_trap);
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
	remove(&amu_trap);
	remove(&lsm);
}
