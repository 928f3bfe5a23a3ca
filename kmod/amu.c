// SPDX-License-Identifier: GPL-2.0
/* amu.c: activity monitors (FEAT_AMUv1) of the calling CPU */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/barrier.h>
#include <asm/cputype.h>
#include <asm/sysreg.h>

#include "m1pmu.h"

bool m1pmu_amu;

/* Result of reading them, by CPU: 0 or an error. Written on that CPU. */
static DEFINE_PER_CPU(int, amu_err) = -EOPNOTSUPP;

/* Read this CPU's own ID register: the kernel's sanitised value is 0 unless every CPU has them. */
noinline bool m1pmu_amu_is_here(void)
{
	return read_cpuid(ID_AA64PFR0_EL1) >> 44 & 0xf;
}

static int find_err(void)
{
	const char *reg;

	if (!m1pmu_amu || !m1pmu_amu_is_here())
		return -EOPNOTSUPP;
	reg = m1pmu_first_amu_trap();
	if (!reg)
		return 0;
	pr_err_once("CPU %d says that it has activity monitors, but reading %s traps: they are left alone\n",
		    raw_smp_processor_id(), reg);
	return -ENXIO;
}

void m1pmu_amu_find(void)
{
	this_cpu_write(amu_err, find_err());
}

bool m1pmu_amu_is_on(u32 cpu)
{
	return !per_cpu(amu_err, cpu);
}

/* Register numbers are part of the instruction; an absent register must not be read. */
#define READ_AUX(i)							\
	do {								\
		ret->aux[i] = read_sysreg_s(SYS_AMEVCNTR1_EL0(i));	\
		ret->aux_type[i] = read_sysreg_s(SYS_AMEVTYPER1_EL0(i)); \
	} while (0)

static void read_aux(struct m1pmu_amu *ret)
{
	u32 n = ret->n_aux;

	if (n > 0)
		READ_AUX(0);
	if (n > 1)
		READ_AUX(1);
	if (n > 2)
		READ_AUX(2);
	if (n > 3)
		READ_AUX(3);
	if (n > 4)
		READ_AUX(4);
	if (n > 5)
		READ_AUX(5);
	if (n > 6)
		READ_AUX(6);
	if (n > 7)
		READ_AUX(7);
	if (n > 8)
		READ_AUX(8);
	if (n > 9)
		READ_AUX(9);
	if (n > 10)
		READ_AUX(10);
	if (n > 11)
		READ_AUX(11);
	if (n > 12)
		READ_AUX(12);
	if (n > 13)
		READ_AUX(13);
	if (n > 14)
		READ_AUX(14);
	if (n > 15)
		READ_AUX(15);
}

static void read_all(struct m1pmu_amu *ret)
{
	ret->cpu = raw_smp_processor_id();
	ret->amcfgr = read_sysreg_s(SYS_AMCFGR_EL0);
	ret->amcgcr = read_sysreg_s(SYS_AMCGCR_EL0);
	ret->enabled = read_sysreg_s(SYS_AMCNTENSET0_EL0) & 0xffff;
	if (ret->amcfgr >> 28 & 0xf) { /* NCG: there is a second group */
		ret->n_aux = min_t(u32, ret->amcgcr >> 8 & 0xff, ARRAY_SIZE(ret->aux));
		ret->enabled |= (read_sysreg_s(SYS_AMCNTENSET1_EL0) & 0xffff) << 16;
	}
	ret->time_ns = ktime_get_ns();
	isb();
	ret->fixed[0] = read_sysreg_s(SYS_AMEVCNTR0_EL0(0));
	ret->fixed[1] = read_sysreg_s(SYS_AMEVCNTR0_EL0(1));
	ret->fixed[2] = read_sysreg_s(SYS_AMEVCNTR0_EL0(2));
	ret->fixed[3] = read_sysreg_s(SYS_AMEVCNTR0_EL0(3));
	read_aux(ret);
	isb();
}

int m1pmu_amu_read(struct m1pmu_amu *ret)
{
	unsigned long flags;
	int err;

	memset(ret, 0, sizeof(*ret));
	local_irq_save(flags);
	err = this_cpu_read(amu_err);
	if (!err)
		read_all(ret);
	local_irq_restore(flags);
	return err;
}
