// SPDX-License-Identifier: GPL-2.0-only
/*
 * hook.c: undefined instructions of the kernel and of programs come here first.
 *
 * Up to 6.2 the kernel has hooks for that, though not for modules. Later ones have a fixed list of
 * emulations: kprobes on two of them, one for each level, look first.
 */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/version.h>
#include <asm/ptrace.h>
#include <asm/traps.h>

#include "emu.h"

/* The two spaces of registers: op0 = 3 and CRn = 15, or op1 = 3 and CRn = 13. */
static const struct {
	u32 mask, value;
} spaces[] = {
	{ 0xffd8f000, 0xd518f000 },
	{ 0xffdff000, 0xd51bd000 },
};

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)

static struct undef_hook hooks[ARRAY_SIZE(spaces)];
static void (*add_hook)(struct undef_hook *hook);
static void (*remove_hook)(struct undef_hook *hook);

int emu_hook_in(void)
{
	int i;

	add_hook = emu_symbol("register_undef_hook");
	remove_hook = emu_symbol("unregister_undef_hook");
	if (!add_hook || !remove_hook)
		return -ENOENT;
	for (i = 0; i < ARRAY_SIZE(spaces); i++) {
		hooks[i] = (struct undef_hook){
			.instr_mask = spaces[i].mask,
			.instr_val = spaces[i].value,
			.pstate_mask = PSR_MODE32_BIT,
			.fn = emu_access,
		};
		add_hook(&hooks[i]);
	}
	return 0;
}

bool emu_hook_is_busy(void)
{
	return false;
}

void emu_hook_out(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(spaces); i++)
		remove_hook(&hooks[i]);
	synchronize_rcu();
}

#else

static bool is_ours(u32 insn)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(spaces); i++)
		if ((insn & spaces[i].mask) == spaces[i].value)
			return true;
	return false;
}
NOKPROBE_SYMBOL(is_ours);

/* bool try_emulate_…(struct pt_regs *regs, u32 insn): emulate, and let it return true at once */
static int look_first(struct kprobe *probe, struct pt_regs *probed)
{
	struct pt_regs *regs = (void *)probed->regs[0];
	u32 insn = probed->regs[1];

	if (!is_ours(insn) || compat_user_mode(regs) || emu_access(regs, insn))
		return 0;
	probed->regs[0] = 1;
	probed->pc = probed->regs[30];
	return 1;
}
NOKPROBE_SYMBOL(look_first);

static struct kprobe el0_probe = { .symbol_name = "try_emulate_mrs", .pre_handler = look_first };
static struct kprobe el1_probe = { .symbol_name = "try_emulate_el1_ssbs",
				   .pre_handler = look_first };

static struct kprobe *__percpu *current_probe;

/*
 * What is undefined within a probe, or while the kernel keeps probes away (kprobe_flush_task),
 * does not come here.
 */
bool emu_hook_is_busy(void)
{
	return *this_cpu_ptr(current_probe);
}

int emu_hook_in(void)
{
	int ret;

	current_probe = (struct kprobe *__percpu *)emu_symbol("current_kprobe");
	if (!current_probe)
		return -ENOENT;
	ret = register_kprobe(&el0_probe);

	if (ret)
		return ret;
	ret = register_kprobe(&el1_probe);
	if (ret)
		unregister_kprobe(&el0_probe);
	return ret;
}

void emu_hook_out(void)
{
	unregister_kprobe(&el1_probe);
	unregister_kprobe(&el0_probe);
}

#endif
