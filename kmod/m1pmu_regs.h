/* SPDX-License-Identifier: GPL-2.0 */
/* m1pmu_regs.h: Apple's PMU registers and their fields (sources: docs/apple.md) */
#ifndef M1PMU_REGS_H
#define M1PMU_REGS_H

#include <linux/bits.h>
#include <asm/sysreg.h>

#define PMCR0              sys_reg(3, 1, 15, 0, 0)
#define PMCR1              sys_reg(3, 1, 15, 1, 0)
#define PMESR0             sys_reg(3, 1, 15, 5, 0)
#define PMESR1             sys_reg(3, 1, 15, 6, 0)

#define PMC0               sys_reg(3, 2, 15, 0, 0)
#define PMC1               sys_reg(3, 2, 15, 1, 0)
#define PMC2               sys_reg(3, 2, 15, 2, 0)
#define PMC3               sys_reg(3, 2, 15, 3, 0)
#define PMC4               sys_reg(3, 2, 15, 4, 0)
#define PMC5               sys_reg(3, 2, 15, 5, 0)
#define PMC6               sys_reg(3, 2, 15, 6, 0)
#define PMC7               sys_reg(3, 2, 15, 7, 0)
#define PMC8               sys_reg(3, 2, 15, 9, 0) /* CRm 8 is skipped */
#define PMC9               sys_reg(3, 2, 15, 10, 0)

/* Field with one bit per counter: PMC0-7 in a byte, PMC8-9 in two bits 32 higher. */
#define PER_COUNTER(shift) ((0xffULL | 3ULL << 32) << (shift))

#define PMCR0_ENABLE       PER_COUNTER(0)
#define PMCR0_MODE         GENMASK_ULL(10, 8) /* 0: no interrupt */
#define PMCR0_ACTIVE       BIT_ULL(11)
#define PMCR0_INTERRUPT    PER_COUNTER(12)
#define PMCR0_INTERRUPTS   (PMCR0_MODE | PMCR0_INTERRUPT)
#define PMCR0_STOP_ON_PMI  BIT_ULL(20)
#define PMCR0_HOLD_TO_ERET BIT_ULL(22)
#define PMCR0_L2C          (BIT_ULL(21) | BIT_ULL(23)) /* sources disagree about the bit */
#define PMCR0_CAPTURE_PC   GENMASK_ULL(26, 24)
#define PMCR0_EL0          BIT_ULL(30)

/* Fields that the module sets, most of them to 0; other fields keep their values. */
#define PMCR0_OURS                                                                        \
	(PMCR0_ENABLE | PMCR0_MODE | PMCR0_ACTIVE | PMCR0_INTERRUPT | PMCR0_STOP_ON_PMI | \
	 PMCR0_HOLD_TO_ERET | PMCR0_L2C | PMCR0_CAPTURE_PC | PMCR0_EL0)

#define PMCR1_EL0_A32_SHIFT 0
#define PMCR1_EL0_SHIFT     8
#define PMCR1_EL1_SHIFT     16
#define PMCR1_EL3_SHIFT     24
#define PMCR1_OURS                                                         \
	(PER_COUNTER(PMCR1_EL0_A32_SHIFT) | PER_COUNTER(PMCR1_EL0_SHIFT) | \
	 PER_COUNTER(PMCR1_EL1_SHIFT) | PER_COUNTER(PMCR1_EL3_SHIFT))

#endif
