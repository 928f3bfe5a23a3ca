// SPDX-License-Identifier: GPL-2.0-only
/*
 * probe.c: m1pmu asks, while it is loaded, whether the registers trap, with exception vectors of its own:
 * the emulation, which lives on the kernel's, is not seen. So it answers in place of m1pmu_first_trap().
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>

#include "emu.h"

static struct kprobe probe;

/* const char *m1pmu_first_trap(void): none does */
static int answer(struct kprobe *unused, struct pt_regs *regs)
{
	regs->regs[0] = 0;
	regs->pc = regs->regs[30];
	return 1;
}
NOKPROBE_SYMBOL(answer);

static void remove(void)
{
	if (probe.addr)
		unregister_kprobe(&probe);
	probe = (struct kprobe){};
}

static void plant(void)
{
	probe = (struct kprobe){ .symbol_name = "m1pmu_first_trap", .pre_handler = answer };
	if (register_kprobe(&probe)) {
		pr_err("apple_pmu_emu: m1pmu cannot be answered\n");
		probe = (struct kprobe){};
	}
}

static int follow(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *module = data;

	if (strcmp(module->name, "m1pmu"))
		return NOTIFY_OK;
	if (state == MODULE_STATE_COMING)
		plant();
	else
		remove();
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
	remove();
}
