#include "backend/sim/core.h"

#include <assert.h>
#include <stdbool.h>

#include "backend/sim/events.h"

#define VALUE_MASK ((UINT64_C(1) << SIM_WIDTH) - 1)
#define TOP_BIT    (UINT64_C(1) << (SIM_WIDTH - 1))

enum { EL0_SHIFT = 8, KERNEL_SHIFT = 16 };

/* PMCR0 and PMCR1 keep PMC0-7 in one byte and PMC8-9 in two bits 32 places higher */
static uint64_t split_bit(unsigned counter)
{
	return UINT64_C(1) << (counter < 8 ? counter : counter + 24);
}

static void put_bit(uint64_t *reg, uint64_t bit, bool on)
{
	*reg = on ? *reg | bit : *reg & ~bit;
}

static void select_event(struct sim_core *core, unsigned counter, uint8_t id)
{
	if (counter < 2)
		return;

	uint64_t *reg = &core->pmesr[(counter - 2) / 4];
	unsigned shift = (counter - 2) % 4 * 8;

	*reg = (*reg & ~(UINT64_C(0xff) << shift)) | (uint64_t)id << shift;
}

void sim_core_program(struct sim_core *core, unsigned counter, uint8_t id, enum privilege privilege,
		      uint64_t start)
{
	assert(counter < SIM_COUNTERS && start <= VALUE_MASK);
	put_bit(&core->pmcr0, split_bit(counter), false);
	put_bit(&core->pmcr1, split_bit(counter) << EL0_SHIFT, privilege != PRIVILEGE_KERNEL);
	put_bit(&core->pmcr1, split_bit(counter) << KERNEL_SHIFT, privilege != PRIVILEGE_USER);
	put_bit(&core->pmsr, UINT64_C(1) << counter, false);
	select_event(core, counter, id);
	core->pmc[counter] = start;
}

void sim_core_enable(struct sim_core *core, uint16_t counters)
{
	for (unsigned n = 0; n < SIM_COUNTERS; n++)
		put_bit(&core->pmcr0, split_bit(n), counters >> n & 1);
}

uint8_t sim_core_event(const struct sim_core *core, unsigned counter)
{
	if (counter < 2)
		return counter == 0 ? SIM_ID_CYCLES : SIM_ID_INSTRUCTIONS;
	return (uint8_t)(core->pmesr[(counter - 2) / 4] >> (counter - 2) % 4 * 8);
}

enum privilege sim_core_privilege(const struct sim_core *core, unsigned counter)
{
	bool user = core->pmcr1 & split_bit(counter) << EL0_SHIFT;
	bool kernel = core->pmcr1 & split_bit(counter) << KERNEL_SHIFT;

	return user && kernel ? PRIVILEGE_BOTH : user ? PRIVILEGE_USER : PRIVILEGE_KERNEL;
}

void sim_core_add(struct sim_core *core, unsigned counter, uint64_t events)
{
	if (!(core->pmcr0 & split_bit(counter)))
		return;

	uint64_t before = core->pmc[counter];
	uint64_t next_rise = before & TOP_BIT ? 3 * TOP_BIT : TOP_BIT;

	core->pmc[counter] = (before + events) & VALUE_MASK;
	if (before + events >= next_rise)
		core->pmsr |= UINT64_C(1) << counter;
}
