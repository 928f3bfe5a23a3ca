/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vectors.S: read registers that may be undefined instructions
 *
 * The kernel cannot recover from an undefined instruction of its own: it checks neither the
 * exception table nor a hook for modules (arch/arm64/kernel/traps.c, do_el1_undef). So this CPU
 * gets exception vectors of the module's own during the reads. All other exceptions are masked.
 */
#include <linux/linkage.h>
#include <asm/assembler.h>

#include "m1pmu_regs.h"

/* Only one exception is possible, from the current level with its own stack: a read trapped. */
	.align	11
SYM_CODE_START_LOCAL(vectors)
	.space	0x200
	msr	elr_el1, x5
	eret
SYM_CODE_END(vectors)

	.macro	begin
	mrs	x2, daif
	msr	daifset, #0xf
	mrs	x3, vbar_el1
	adr	x4, vectors
	adr	x5, 1f
	mov	x0, #0
	msr	vbar_el1, x4
	isb
	.endm

	.macro	try, reg
	mrs_s	x1, \reg
	add	x0, x0, #1
	.endm

	.macro	finish
1:	msr	vbar_el1, x3
	isb
	msr	daif, x2
	ret
	.endm

/* unsigned int …(void): number of registers, in the order of probe.c, that can be read before one traps */
SYM_FUNC_START(m1pmu_n_readable)
	begin
	try	PMCR0
	try	PMCR1
	try	PMESR0
	try	PMESR1
	try	PMC0
	try	PMC1
	try	PMC2
	try	PMC3
	try	PMC4
	try	PMC5
	try	PMC6
	try	PMC7
	try	PMC8
	try	PMC9
	finish
SYM_FUNC_END(m1pmu_n_readable)

SYM_FUNC_START(m1pmu_n_amu_readable)
	begin
	try	SYS_AMCFGR_EL0
	try	SYS_AMCGCR_EL0
	try	SYS_AMCNTENSET0_EL0
	try	SYS_AMEVCNTR0_EL0(0)
	finish
SYM_FUNC_END(m1pmu_n_amu_readable)
