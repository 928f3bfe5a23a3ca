// SPDX-License-Identifier: GPL-2.0
/* core.c: PMU registers of the calling CPU */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/barrier.h>
#include <asm/sysreg.h>

#include "m1pmu.h"
#include "m1pmu_regs.h"

DEFINE_PER_CPU(struct m1pmu_core, m1pmu_cores);
u64 m1pmu_mode;
struct m1pmu_gen *m1pmu_gens;

/* A control register takes effect after an ISB. */
#define put(value, reg)					\
	do {						\
		write_sysreg_s(value, reg);		\
		isb();					\
	} while (0)

/* System register numbers are part of the instruction, so there is no loop. */
#define READ_PMC(n) (ret[n] = read_sysreg_s(PMC##n))
#define WRITE_PMC(n) write_sysreg_s(pmc[n], PMC##n)

static void read_counters(u64 *ret)
{
	isb();
	READ_PMC(0);
	READ_PMC(1);
	READ_PMC(2);
	READ_PMC(3);
	READ_PMC(4);
	READ_PMC(5);
	READ_PMC(6);
	READ_PMC(7);
	READ_PMC(8);
	READ_PMC(9);
	isb();
}

static void write_counters(const u64 *pmc)
{
	WRITE_PMC(0);
	WRITE_PMC(1);
	WRITE_PMC(2);
	WRITE_PMC(3);
	WRITE_PMC(4);
	WRITE_PMC(5);
	WRITE_PMC(6);
	WRITE_PMC(7);
	WRITE_PMC(8);
	WRITE_PMC(9);
	isb();
}

static void read_control(struct m1pmu_control *ret)
{
	isb();
	ret->pmcr0 = read_sysreg_s(PMCR0);
	ret->pmcr1 = read_sysreg_s(PMCR1);
	ret->pmesr0 = read_sysreg_s(PMESR0);
	ret->pmesr1 = read_sysreg_s(PMESR1);
}

/* Write the control registers, PMCR0 last: it starts the counters. */
static void write_control(const struct m1pmu_control *c)
{
	put(c->pmesr0, PMESR0);
	put(c->pmesr1, PMESR1);
	put(c->pmcr1, PMCR1);
	put(c->pmcr0, PMCR0);
}

/* Get the mode bits of PMCR0. After a misuse the registers are closed, whatever the owner requested. */
static u64 mode(void)
{
	u64 value = READ_ONCE(m1pmu_mode);

	return READ_ONCE(m1pmu_is_misused) ? value & ~PMCR0_EL0 : value;
}

bool m1pmu_is_open(void)
{
	return mode() & PMCR0_EL0;
}

static u64 stopped(const struct m1pmu_core *core)
{
	return (core->found.pmcr0 & ~PMCR0_OURS) | mode();
}

static void stop(const struct m1pmu_core *core)
{
	put(stopped(core), PMCR0);
}

/*
 * Read PMCR0 and clear bits that must not stay. Only user space can have enabled interrupts: that
 * ends the session. An active interrupt is acknowledged, in case an overflow raises it though none
 * is enabled: whether that happens is unknown.
 */
u64 m1pmu_core_check(struct m1pmu_core *core)
{
	u64 pmcr0 = read_sysreg_s(PMCR0), was = pmcr0;

	if ((pmcr0 & PMCR0_INTERRUPTS) && m1pmu_is_open()) {
		m1pmu_note_misuse(pmcr0);
		pmcr0 = stopped(core);
	}
	pmcr0 &= ~PMCR0_ACTIVE;
	if (pmcr0 != was)
		put(pmcr0, PMCR0);
	return pmcr0;
}

static void bump(bool was_idle)
{
	struct m1pmu_gen *gen = &m1pmu_gens[raw_smp_processor_id()];

	if (was_idle)
		WRITE_ONCE(gen->idle, gen->idle + 1);
	WRITE_ONCE(gen->generation, gen->generation + 1);
}

static u64 spread(unsigned int counters)
{
	return (counters & 0xff) | (u64)(counters >> 8) << 32;
}

static u64 select(const struct m1pmu_chip *chip, const u16 *event)
{
	u64 value = 0;
	int i;

	for (i = 0; i < 4; i++)
		value |= (u64)event[i] << (i * chip->event_bits);
	return value;
}

struct m1pmu_control m1pmu_compile(const struct m1pmu_chip *chip, const struct m1pmu_program *p)
{
	unsigned int user = 0, kernel = 0;
	int i;

	for (i = 0; i < M1PMU_N_COUNTERS; i++) {
		if (p->filter[i] & M1PMU_USER)
			user |= BIT(i);
		if (p->filter[i] & M1PMU_KERNEL)
			kernel |= BIT(i);
	}
	return (struct m1pmu_control){
		.pmcr0 = spread(p->enable),
		.pmcr1 = spread(user) << PMCR1_EL0_SHIFT | spread(kernel) << PMCR1_EL1_SHIFT,
		.pmesr0 = select(chip, p->event + 2),
		.pmesr1 = select(chip, p->event + 6),
	};
}

/* Write the requested state; fields that the module does not set keep the values found. */
void m1pmu_core_apply(struct m1pmu_core *core)
{
	struct m1pmu_control c = core->wanted;

	m1pmu_core_check(core);
	c.pmcr0 |= stopped(core);
	c.pmcr1 |= core->found.pmcr1 & ~PMCR1_OURS;
	stop(core);
	write_control(&c);
	read_control(&core->written);
}

static void find(struct m1pmu_core *core)
{
	read_control(&core->found);
	core->found.pmcr0 &= ~PMCR0_ACTIVE; /* stopping acknowledges it */
	stop(core);
	read_counters(core->found_pmc);
	core->has_found = true;
}

void m1pmu_core_set_owner(struct m1pmu_core *core, const struct file *owner)
{
	memset(&core->wanted, 0, sizeof(core->wanted));
	core->has_found = false;
	core->has_counts = false;
	core->owner = owner;
}

/* Take the core for the owner: save its state and stop. */
void m1pmu_core_take(struct m1pmu_core *core, const struct file *owner)
{
	m1pmu_core_set_owner(core, owner);
	find(core);
	m1pmu_core_apply(core);
}

static void put_back(const struct m1pmu_core *core)
{
	put(core->found.pmcr0 & ~PMCR0_OURS, PMCR0);
	write_counters(core->found_pmc);
	write_control(&core->found);
}

void m1pmu_core_give(struct m1pmu_core *core)
{
	if (core->owner && core->on)
		put_back(core);
	m1pmu_core_set_owner(core, NULL);
}

static bool is_changed(struct m1pmu_core *core)
{
	struct m1pmu_control now;

	m1pmu_core_check(core);
	read_control(&now);
	return memcmp(&now, &core->written, sizeof(now)) != 0;
}

void m1pmu_core_park(struct m1pmu_core *core)
{
	core->changed = is_changed(core);
	read_counters(core->pmc);
	core->has_counts = true;
}

/* Drop the saved counts: the CPU did not sleep and the counters ran on. */
void m1pmu_core_idle_failed(struct m1pmu_core *core)
{
	core->has_counts = false;
}

void m1pmu_core_unpark(struct m1pmu_core *core, bool was_idle)
{
	stop(core);
	if (core->has_counts)
		write_counters(core->pmc);
	core->has_counts = false;
	m1pmu_core_apply(core);
	bump(was_idle && !core->changed);
}

/* Restore the CPU's state before it goes offline, in case the owner is gone when it returns. */
void m1pmu_core_leave(struct m1pmu_core *core)
{
	if (core->owner) {
		m1pmu_core_park(core);
		put_back(core);
		bump(false);
	}
	core->on = false;
}

void m1pmu_core_return(struct m1pmu_core *core)
{
	core->on = true;
	if (!core->owner)
		return;
	if (!core->has_found)
		find(core);
	m1pmu_core_unpark(core, false);
}

void m1pmu_core_read(struct m1pmu_core *core, struct m1pmu_read *ret)
{
	int cpu = raw_smp_processor_id();

	ret->flags = 0;
	ret->time_ns = ktime_get_ns();
	read_counters(ret->pmc);
	if (m1pmu_core_check(core) != core->written.pmcr0) {
		ret->flags = M1PMU_CHANGED;
		bump(false);
	}
	ret->cpu = cpu;
	ret->generation = m1pmu_gens[cpu].generation;
	ret->idle = m1pmu_gens[cpu].idle;
}

void m1pmu_core_regs(struct m1pmu_core *core, struct m1pmu_regs *ret)
{
	ret->cpu = raw_smp_processor_id();
	ret->generation = m1pmu_gens[ret->cpu].generation;
	ret->written = core->written;
	m1pmu_core_check(core);
	read_control(&ret->now);
}
