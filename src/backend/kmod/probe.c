// SPDX-License-Identifier: GPL-2.0
/* probe.c: do the registers answer, or does something above this kernel trap them? */
#include <linux/init.h>
#include <linux/kernel.h>

#include "m1pmu.h"

/* In the order in which vectors.S reads them. */
static const char *const names[] __initconst = {
	"PMCR0", "PMCR1", "PMESR0", "PMESR1", "PMC0", "PMC1", "PMC2",
	"PMC3",  "PMC4",  "PMC5",   "PMC6",   "PMC7", "PMC8", "PMC9",
};

static const char *const amu_names[] = { "AMCFGR_EL0", "AMCGCR_EL0", "AMCNTENSET0_EL0",
					 "AMEVCNTR00_EL0" };

const char *__init m1pmu_first_trap(void)
{
	unsigned int n = m1pmu_n_readable();

	return n < ARRAY_SIZE(names) ? names[n] : NULL;
}

/* Also on CPUs that come online later. */
noinline const char *m1pmu_first_amu_trap(void)
{
	unsigned int n = m1pmu_n_amu_readable();

	return n < ARRAY_SIZE(amu_names) ? amu_names[n] : NULL;
}
