/* core.h: the performance registers of one simulated M1 core */
#ifndef BACKEND_SIM_CORE_H
#define BACKEND_SIM_CORE_H

#include <stdint.h>

#include "event/event.h"

enum { SIM_COUNTERS = 10, SIM_WIDTH = 48 };

/**
 * PMC0 counts cycles and PMC1 instructions; the others count what PMESR0 (PMC2-5) and PMESR1
 * (PMC6-9) select. A plain value: whoever holds it is its only user.
 *
 * Source: field layout of Linux arch/arm64/include/asm/apple_m1_pmu.h.
 */
struct sim_core {
	uint64_t pmcr0;    /* 7:0 and 33:32 enable PMC0-7 and PMC8-9 */
	uint64_t pmcr1;    /* 15:8 and 41:40 count in EL0; 23:16 and 49:48 in the kernel's level */
	uint64_t pmesr[2]; /* 8 bits a counter */
	uint64_t pmsr;     /* bit n: bit 47 of PMCn has become set */
	uint64_t pmc[SIM_COUNTERS]; /* 48 bits each */
};

/** Set a counter to an event, a start value and exception levels; disabled, overflow cleared.
 * @counter  0..9; @id is ignored by PMC0 and PMC1  @start 48 bits */
void sim_core_program(struct sim_core *core, unsigned counter, uint8_t id, enum privilege privilege,
		      uint64_t start);

/** Let these counters count, and no others. @counters bit n: PMCn */
void sim_core_enable(struct sim_core *core, uint16_t counters);

/** The event a counter is set to. */
uint8_t sim_core_event(const struct sim_core *core, unsigned counter);

/** The levels a counter counts in. */
enum privilege sim_core_privilege(const struct sim_core *core, unsigned counter);

/** Events happen: an enabled counter adds them, modulo 2^48; any other stays as it is. */
void sim_core_add(struct sim_core *core, unsigned counter, uint64_t events);

#endif
