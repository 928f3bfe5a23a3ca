// SPDX-License-Identifier: GPL-2.0-only
/* access.c: one MRS or MSR of an Apple PMU register or of an activity monitor */
#include <linux/irqflags.h>
#include <linux/kernel_stat.h>
#include <linux/kprobes.h>
#include <asm/ptrace.h>

#include "emu.h"

#define PMCR0_EL0_ACCESS BIT(30)

const char *const emu_reg_names[EMU_N_REGS] = { "PMCR0", "PMCR1",  "PMCR2", "PMCR3",
						"PMCR4", "PMESR0", "PMESR1" };

enum kind { NONE, COUNTER, REG, STATUS, AMU, AUX, AUX_TYPE, AMU_SETUP };

struct target {
	enum kind kind;
	int index;
};

/*
 * S3_1_C15_Cm_0: control; S3_2_C15_Cm_0: counters, m = 8 is skipped; S3_3_C13: monitors, C2 and C3
 * their set-up, C4 fixed, C12 auxiliary, C14 the types of these.
 */
static struct target target_of(u32 insn)
{
	unsigned int op1 = (insn >> 16) & 7, crn = (insn >> 12) & 15;
	unsigned int crm = (insn >> 8) & 15, op2 = (insn >> 5) & 7;

	if (op1 == 3 && crn == 13 && crm == 4 && op2 < EMU_N_AMU)
		return (struct target){ AMU, op2 };
	if (op1 == 3 && crn == 13 && crm == 12 && op2 < EMU_N_AUX)
		return (struct target){ AUX, op2 };
	if (op1 == 3 && crn == 13 && crm == 14 && op2 < EMU_N_AUX)
		return (struct target){ AUX_TYPE, op2 };
	if (op1 == 3 && crn == 13 && (crm == 2 || crm == 3))
		return (struct target){ AMU_SETUP, (crm - 2) * 8 + op2 };
	if (crn != 15 || op2 != 0)
		return (struct target){ NONE };
	if (op1 == 2 && crm <= 7)
		return (struct target){ COUNTER, crm };
	if (op1 == 2 && (crm == 9 || crm == 10))
		return (struct target){ COUNTER, crm - 1 };
	if (op1 == 1 && crm < EMU_N_REGS)
		return (struct target){ REG, crm };
	if (op1 == 1 && crm == 13)
		return (struct target){ STATUS };
	return (struct target){ NONE };
}

static bool is_allowed(const struct emu_core *core, struct target target, bool is_write,
		       bool is_user)
{
	if (target.kind == NONE)
		return false;
	if (target.kind >= AMU)
		return core->has_amu && !core->amu_traps && !is_write && !is_user;
	if (target.kind == STATUS && is_write)
		return false;
	return !is_user || (core->regs[EMU_PMCR0] & PMCR0_EL0_ACCESS);
}

/*
 * A host that takes the processor away between two reads would tear a group apart. So the counters
 * stand still as long as nothing could have happened between them: interrupts are masked, none was
 * taken since, and this counter was not read yet.
 */
static bool is_same_moment(struct emu_core *core, struct target target, bool is_masked)
{
	unsigned long irqs = kstat_cpu_irqs_sum(smp_processor_id());
	u16 bit = target.kind == COUNTER ? BIT(target.index) : 0;
	bool is_same =
		is_masked && bit && core->fresh && !(core->fresh & bit) && irqs == core->fresh_irqs;

	core->fresh = is_same ? core->fresh | bit : bit;
	core->fresh_irqs = irqs;
	return is_same;
}

/* Monitors of 64 bits in two groups, all of them enabled unless firmware forgot to. */
static u64 amu_setup(int index)
{
	switch (index) {
	case 1: return 1U << 28 | 63 << 8 | (EMU_N_AMU + EMU_N_AUX - 1); /* AMCFGR */
	case 2: return EMU_N_AUX << 8 | EMU_N_AMU;                       /* AMCGCR */
	case 5: return emu_amu_is_on ? BIT(EMU_N_AMU) - 1 : 0;           /* AMCNTENSET0 */
	case 9: return emu_amu_is_on ? BIT(EMU_N_AUX) - 1 : 0;           /* AMCNTENSET1 */
	default: return 0;
	}
}

static u64 read_target(const struct emu_core *core, struct target target)
{
	switch (target.kind) {
	case COUNTER: return core->counters[target.index];
	case REG: return core->regs[target.index];
	case AMU: return core->amu[target.index];
	case AUX: return core->aux[target.index];
	case AUX_TYPE: return EMU_AUX_TYPE + target.index;
	case AMU_SETUP: return amu_setup(target.index);
	default: return emu_core_overflows(core);
	}
}

static void write_target(struct emu_core *core, struct target target, u64 value)
{
	if (target.kind == COUNTER) {
		core->counters[target.index] = value & EMU_COUNTER_MASK;
		core->fractions[target.index] = 0;
	} else if (target.kind == REG) {
		core->regs[target.index] = value;
	}
	core->fresh = 0;
	if (core->regs[EMU_PMCR0] & GENMASK(10, 8)) /* an interrupt mode */
		emu_core_check(core);
}

static int access(struct target target, bool is_write, bool is_user, bool is_masked, u64 *value)
{
	struct emu_core *core = this_cpu_ptr(&emu_cores);

	if (!is_allowed(core, target, is_write, is_user))
		return 1;
	if (is_write || !is_same_moment(core, target, is_masked))
		emu_core_count(core);
	if (is_user)
		core->n_el0++;
	else
		core->n_el1++;
	if (is_write)
		write_target(core, target, *value);
	else
		*value = read_target(core, target);
	return 0;
}

int emu_access(struct pt_regs *regs, u32 insn)
{
	bool is_write = !(insn & BIT(21)), is_user = user_mode(regs);
	bool is_masked = regs->pstate & PSR_I_BIT;
	u32 rt = insn & 31;
	unsigned long flags;
	u64 value;
	int ret;

	local_irq_save(flags);
	value = is_write ? pt_regs_read_reg(regs, rt) : 0;
	ret = access(target_of(insn), is_write, is_user, is_masked, &value);
	emu_log_add((insn >> 5) & 0x7fff, is_write, value, is_user ? 0 : 1, ret);
	local_irq_restore(flags);
	if (ret)
		return ret;
	if (!is_write)
		pt_regs_write_reg(regs, rt, value);
	regs->pc += 4;
	regs->pstate &= ~PSR_BTYPE_MASK;
	return 0;
}
NOKPROBE_SYMBOL(emu_access);
