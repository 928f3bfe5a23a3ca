// SPDX-License-Identifier: GPL-2.0-only
/*
 * core.c: how the emulated counters count.
 *
 * Time base: the EL0 nanoseconds of a core come from the guest's PMUv3 cycle counter (qemu: one count
 * is a nanosecond of virtual time), filtered to EL0. EL1 nanoseconds are wall time less idle less EL0,
 * with the kernel's own idle accounting. A counter counts its event's rate times the nanoseconds at the
 * levels that PMCR1 lets it count.
 */
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/smp.h>
#include <linux/tick.h>
#include <asm/barrier.h>
#include <asm/sysreg.h>

#include "emu.h"

#define PMCR0_INTERRUPT_MODE    GENMASK(10, 8)
#define PMCR0_INTERRUPT_ACTIVE  BIT(11)
#define PMCR0_STOP_ON_INTERRUPT BIT(20)
#define OVERFLOW                BIT_ULL(47) /* of a counter */

DEFINE_PER_CPU(struct emu_core, emu_cores);
u32 emu_rates[2][EMU_N_EVENTS];
u16 emu_masks[EMU_N_EVENTS];
bool emu_is_frozen;
bool emu_amu_is_on = true;
unsigned int emu_pmi_irqs[2];

void emu_rates_init(void)
{
	static const struct {
		u32 mhz, ipc_pct;
	} types[2] = { { 3204, 250 }, { 2064, 120 } };
	int type, event;

	for (type = 0; type < 2; type++) {
		u32 mhz = types[type].mhz;
		u32 instructions = mhz * types[type].ipc_pct / 100;

		for (event = 1; event < EMU_N_EVENTS; event++)
			emu_rates[type][event] = mhz * event / 1024; /* another one for each */
		emu_rates[type][0x02] = mhz;                         /* cycles */
		emu_rates[type][0x8c] = instructions;
		emu_rates[type][0x8d] = instructions * 20 / 100; /* branches */
		emu_rates[type][0xcb] = instructions / 200;      /* mispredicted ones */
	}
}

void emu_masks_init(void)
{
	int event;

	for (event = 0; event < EMU_N_EVENTS; event++)
		emu_masks[event] = GENMASK(EMU_N_COUNTERS - 1, 0);
}

static u64 idle_ns(int cpu)
{
	u64 idle_us = get_cpu_idle_time_us(cpu, NULL);

	if (idle_us == (u64)-1)
		return 0;
	return (idle_us + get_cpu_iowait_time_us(cpu, NULL)) * NSEC_PER_USEC;
}

/* PMUv3's cycle counter, at EL0 only. */
static void start_el0_clock(void)
{
	write_sysreg(BIT(31), pmcntenclr_el0);
	write_sysreg(BIT(31), pmccfiltr_el0); /* P: not at EL1 */
	write_sysreg(0, pmccntr_el0);
	write_sysreg(BIT(6) | BIT(2) | BIT(0), pmcr_el0); /* LC, C, E */
	write_sysreg(BIT(31), pmcntenset_el0);
	isb();
}

void emu_core_reset(struct emu_core *core)
{
	memset(core->regs, 0, sizeof(core->regs));
	memset(core->counters, 0, sizeof(core->counters));
	memset(core->fractions, 0, sizeof(core->fractions));
	memset(core->amu, 0, sizeof(core->amu));
	memset(core->aux, 0, sizeof(core->aux));
	core->fresh = 0;
	core->el0_ns = 0;
	core->el1_ns = 0;
	core->base_wall_ns = ktime_get_ns();
	core->base_idle_ns = idle_ns(smp_processor_id());
	start_el0_clock();
}

/* Bit of counter i where a register has the first eight in a row and the last two further up. */
static u64 field_bit(int i, int first, int last)
{
	return BIT_ULL(i < 8 ? first + i : last + i - 8);
}

static bool is_enabled(const struct emu_core *core, int i)
{
	return core->regs[EMU_PMCR0] & field_bit(i, 0, 32);
}

static bool has_interrupt(const struct emu_core *core, int i)
{
	return core->regs[EMU_PMCR0] & field_bit(i, 12, 44);
}

static u8 event_of(const struct emu_core *core, int i)
{
	switch (i) {
	case 0: return 0x02;
	case 1: return 0x8c;
	case 2 ... 5: return core->regs[EMU_PMESR0] >> ((i - 2) * 8);
	default: return core->regs[EMU_PMESR1] >> ((i - 6) * 8);
	}
}

static u32 rate_of(const struct emu_core *core, int i)
{
	u8 event = event_of(core, i);

	return emu_masks[event] & BIT(i) ? emu_rates[core->is_e_core][event] : 0;
}

static void count_one(struct emu_core *core, int i, u64 el0_ns, u64 el1_ns)
{
	u64 ns = 0, thousandths;

	if (core->regs[EMU_PMCR1] & field_bit(i, 8, 40))
		ns += el0_ns;
	if (core->regs[EMU_PMCR1] & field_bit(i, 16, 48))
		ns += el1_ns;
	thousandths = ns * rate_of(core, i) + core->fractions[i];
	core->counters[i] = (core->counters[i] + thousandths / 1000) & EMU_COUNTER_MASK;
	core->fractions[i] = thousandths % 1000;
}

static bool is_stopped(const struct emu_core *core)
{
	const u64 both = PMCR0_STOP_ON_INTERRUPT | PMCR0_INTERRUPT_ACTIVE;

	return emu_is_frozen || (core->regs[EMU_PMCR0] & both) == both;
}

/*
 * The activity monitors: core cycles, constant cycles, instructions, stalls, and three that are told
 * apart by their rates. A PMU that is stopped does not stop them.
 */
static void count_amu(struct emu_core *core, u64 ns)
{
	const u32 *rates = emu_rates[core->is_e_core];
	int i;

	if (!emu_amu_is_on)
		return;
	core->amu[0] += ns * rates[0x02] / 1000;
	core->amu[1] += ns * (read_sysreg(cntfrq_el0) / 1000) / 1000000; /* the system counter */
	core->amu[2] += ns * rates[0x8c] / 1000;
	core->amu[3] += ns * rates[0x02] / 10000;
	for (i = 0; i < EMU_N_AUX; i++)
		core->aux[i] += ns * (i + 1) / 100;
}

void emu_core_count(struct emu_core *core)
{
	u64 wall_ns = ktime_get_ns() - core->base_wall_ns;
	u64 idle = idle_ns(smp_processor_id()) - core->base_idle_ns;
	u64 el0_ns = max_t(u64, read_sysreg(pmccntr_el0), core->el0_ns);
	u64 el1_ns = max_t(s64, (s64)(wall_ns - idle - el0_ns), core->el1_ns);
	u64 el0_more = el0_ns - core->el0_ns, el1_more = el1_ns - core->el1_ns;
	int i;

	core->el0_ns = el0_ns;
	core->el1_ns = el1_ns;
	if (!emu_is_frozen)
		count_amu(core, el0_more + el1_more);
	if (is_stopped(core))
		return;
	for (i = 0; i < EMU_N_COUNTERS; i++)
		if (is_enabled(core, i))
			count_one(core, i, el0_more, el1_more);
}

void emu_core_add(struct emu_core *core, u8 event, u64 more)
{
	int i;

	for (i = 0; i < EMU_N_COUNTERS && !is_stopped(core); i++)
		if (is_enabled(core, i) && event_of(core, i) == event &&
		    core->regs[EMU_PMCR1] & field_bit(i, 8, 40))
			core->counters[i] = (core->counters[i] + more) & EMU_COUNTER_MASK;
}

u64 emu_core_overflows(const struct emu_core *core)
{
	u64 overflows = 0;
	int i;

	for (i = 0; i < EMU_N_COUNTERS; i++)
		if (core->counters[i] & OVERFLOW)
			overflows |= BIT_ULL(i);
	return overflows;
}

static void raise_if_due(struct emu_core *core)
{
	u64 overflows = emu_core_overflows(core);
	unsigned int irq = emu_pmi_irqs[core->is_e_core];
	int i;

	if (!(core->regs[EMU_PMCR0] & PMCR0_INTERRUPT_MODE) ||
	    (core->regs[EMU_PMCR0] & PMCR0_INTERRUPT_ACTIVE))
		return;
	for (i = 0; i < EMU_N_COUNTERS; i++) {
		if (!(overflows & BIT_ULL(i)) || !has_interrupt(core, i))
			continue;
		core->regs[EMU_PMCR0] |= PMCR0_INTERRUPT_ACTIVE;
		core->n_interrupts++;
		if (irq)
			irq_set_irqchip_state(irq, IRQCHIP_STATE_PENDING, true);
		return;
	}
}

/* When the first overflow that interrupts can come; a second at most. */
static u64 next_check_ns(const struct emu_core *core)
{
	u64 best = NSEC_PER_SEC;
	int i;

	for (i = 0; i < EMU_N_COUNTERS; i++) {
		u32 rate = rate_of(core, i);
		u64 left = core->counters[i] & OVERFLOW ? 0 : OVERFLOW - core->counters[i];

		if (is_enabled(core, i) && has_interrupt(core, i) && rate && left < BIT_ULL(43))
			best = min(best, max_t(u64, left * 1000 / rate, 20 * NSEC_PER_USEC));
	}
	return best;
}

/* Only ever made to fire earlier: most register writes need nothing. */
static void arm_timer(struct emu_core *core)
{
	ktime_t when = ktime_add_ns(ktime_get(), next_check_ns(core));

	if (!core->is_up)
		return;
	if (hrtimer_active(&core->timer) &&
	    ktime_compare(hrtimer_get_expires(&core->timer), when) <= 0)
		return;
	hrtimer_start(&core->timer, when, HRTIMER_MODE_ABS_PINNED_HARD);
}

void emu_core_check(struct emu_core *core)
{
	raise_if_due(core);
	arm_timer(core);
}

enum hrtimer_restart emu_core_timer(struct hrtimer *timer)
{
	struct emu_core *core = this_cpu_ptr(&emu_cores);

	emu_core_count(core);
	if (emu_hook_is_busy()) { /* the handler of the interrupt could not read the registers */
		hrtimer_forward_now(timer, ns_to_ktime(20 * NSEC_PER_USEC));
		return HRTIMER_RESTART;
	}
	raise_if_due(core);
	hrtimer_forward_now(timer, ns_to_ktime(next_check_ns(core)));
	return HRTIMER_RESTART;
}
