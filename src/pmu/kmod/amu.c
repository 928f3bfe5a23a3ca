// SPDX-License-Identifier: GPL-2.0
/* amu.c: the activity monitors (FEAT_AMUv1) of the CPU that this runs on */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/barrier.h>
#include <asm/cputype.h>
#include <asm/sysreg.h>

#include "m1pmu.h"

bool m1pmu_amu_present(void)
{
	return read_sysreg(ID_AA64PFR0_EL1) >> 44 & 0xf;
}

/* The number of a register is part of the instruction; one that is absent must not be read. */
#define AUX(n)								\
	do {								\
		if ((n) >= ret->n_aux)					\
			return;						\
		ret->aux[n] = read_sysreg_s(SYS_AMEVCNTR1_EL0(n));	\
		ret->aux_type[n] = read_sysreg_s(SYS_AMEVTYPER1_EL0(n)); \
	} while (0)

static void read_aux(struct m1pmu_amu *ret)
{
	AUX(0);
	AUX(1);
	AUX(2);
	AUX(3);
	AUX(4);
	AUX(5);
	AUX(6);
	AUX(7);
	AUX(8);
	AUX(9);
	AUX(10);
	AUX(11);
	AUX(12);
	AUX(13);
	AUX(14);
	AUX(15);
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
	int err = 0;

	memset(ret, 0, sizeof(*ret));
	local_irq_save(flags);
	if (m1pmu_amu_present())
		read_all(ret);
	else
		err = -EOPNOTSUPP;
	local_irq_restore(flags);
	return err;
}
