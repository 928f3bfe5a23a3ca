// SPDX-License-Identifier: GPL-2.0
/* probe.c: tests whether the registers can be read or a hypervisor traps them */
#include <linux/init.h>
#include <linux/kernel.h>

#include "m1pmu.h"

/* Order of the reads in vectors.S. */
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

/* Find the first AMU register that traps. Not __init: also called on CPUs that come online later. */
noinline const char *m1pmu_first_amu_trap(void)
{
	unsigned int n = m1pmu_n_amu_readable();

	return n < ARRAY_SIZE(amu_names) ? amu_names[n] : NULL;
}
