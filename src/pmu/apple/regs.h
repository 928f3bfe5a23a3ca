/* regs.h: Apple's PMU registers: encodings, and reads from user space */
#ifndef PMU_APPLE_REGS_H
#define PMU_APPLE_REGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Registers read from EL0: name, op0, op1, CRn, CRm, op2. The table, enum and instructions are
 * generated from these lists. PMC8 and PMC9 skip CRm 8.
 * Source: Linux arch/arm64/include/asm/apple_m1_pmu.h; AsahiLinux docs, "ARM System Registers"
 */
#define APPLE_CONTROLS(X)         \
	X(PMCR0, 3, 1, 15, 0, 0)  \
	X(PMCR1, 3, 1, 15, 1, 0)  \
	X(PMESR0, 3, 1, 15, 5, 0) \
	X(PMESR1, 3, 1, 15, 6, 0)

#define APPLE_COUNTERS(X)       \
	X(PMC0, 3, 2, 15, 0, 0) \
	X(PMC1, 3, 2, 15, 1, 0) \
	X(PMC2, 3, 2, 15, 2, 0) \
	X(PMC3, 3, 2, 15, 3, 0) \
	X(PMC4, 3, 2, 15, 4, 0) \
	X(PMC5, 3, 2, 15, 5, 0) \
	X(PMC6, 3, 2, 15, 6, 0) \
	X(PMC7, 3, 2, 15, 7, 0) \
	X(PMC8, 3, 2, 15, 9, 0) \
	X(PMC9, 3, 2, 15, 10, 0)

/* PMCR0 bit 11: interrupt active */
#define APPLE_PMCR0_ACTIVE    (UINT64_C(1) << 11)

#define APPLE_ENUM(name, ...) APPLE_##name,

/** Registers in the order of the lists: controls, then counters. */
enum apple_register {
	APPLE_CONTROLS(APPLE_ENUM) APPLE_COUNTERS(APPLE_ENUM) N_APPLE_REGISTERS,
	N_APPLE_CONTROLS = APPLE_PMC0,
	N_APPLE_COUNTERS = N_APPLE_REGISTERS - N_APPLE_CONTROLS,
};

struct apple_encoding {
	const char *name;
	uint8_t op0, op1, crn, crm, op2;
};

/** Encodings, indexed by enum apple_register. */
extern const struct apple_encoding apple_encoding[N_APPLE_REGISTERS];

/**
 * Install a SIGILL handler for reads that are not permitted. Main thread, before the first read.
 *
 * Other SIGILLs are passed to the previous handler.
 *
 * @return 0; -EOPNOTSUPP not compiled for aarch64
 */
int apple_el0_begin(struct err *err);

/** Restore the SIGILL handler, once per successful begin. Main thread, after the last read. */
void apple_el0_end(void);

/**
 * Read PMC0-9 of the calling thread's CPU, between two ISBs. Any thread.
 *
 * @ret     N_APPLE_COUNTERS values
 * @return  false if EL0 may not read them on this CPU: the values are invalid
 */
bool apple_el0_counters(uint64_t *ret);

/** Read PMCR0, PMCR1, PMESR0 and PMESR1 likewise. @ret N_APPLE_CONTROLS values */
bool apple_el0_controls(uint64_t *ret);

#endif
