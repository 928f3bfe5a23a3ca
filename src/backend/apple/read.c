#include "backend/apple/read.h"

#include <string.h>

#include "backend/apple/regs.h"

uint32_t apple_losses(const struct apple *apple, unsigned cpu)
{
	const struct m1pmu_gen *gen = &apple->gen[cpu];
	uint32_t generation, idle;

	/* acquire: counters that are read after it are no older. Twice: the core may have slept
	 * between the two. */
	do {
		generation = __atomic_load_n(&gen->generation, __ATOMIC_ACQUIRE);
		idle = __atomic_load_n(&gen->idle, __ATOMIC_ACQUIRE);
	} while (generation != __atomic_load_n(&gen->generation, __ATOMIC_ACQUIRE));
	return generation - idle;
}

static int read_module(const struct apple *apple, struct apple_reading *ret)
{
	struct m1pmu_read values;
	int rc = apple->io->request(apple->fd, M1PMU_READ, &values);

	if (rc)
		return rc;
	ret->cpu = values.cpu;
	ret->losses = values.generation - values.idle;
	ret->is_changed = values.flags & M1PMU_CHANGED;
	ret->fault = ret->is_changed ? FAULT_PMCR0 : 0;
	ret->t_ns = values.time_ns;
	memcpy(ret->pmc, values.pmc, sizeof(ret->pmc));
	return 0;
}

/* The thread may be moved, and the registers taken away and put back, at any moment between. */
static int read_el0(const struct apple *apple, unsigned cpu, struct apple_reading *ret)
{
	const struct apple_io *io = apple->io;
	int before = io->cpu();

	ret->losses = apple_losses(apple, cpu);
	ret->t_ns = io->now_ns();
	ret->fault = io->el0_counters(ret->pmc) ? 0 : FAULT_EL0;

	int after = io->cpu();

	ret->cpu = (unsigned)(before == (int)cpu ? after : before);
	ret->is_changed = ret->fault || apple_losses(apple, cpu) != ret->losses;
	return 0;
}

int apple_read(const struct apple *apple, unsigned cpu, struct apple_reading *ret)
{
	return apple->options.el0 ? read_el0(apple, cpu, ret) : read_module(apple, ret);
}

static bool controls_module(const struct apple *apple, unsigned cpu, struct m1pmu_control *ret)
{
	struct m1pmu_regs regs;

	if (apple->io->request(apple->fd, M1PMU_REGS, &regs) || regs.cpu != cpu)
		return false;
	*ret = regs.now;
	return true;
}

static bool controls_el0(const struct apple *apple, unsigned cpu, struct m1pmu_control *ret)
{
	uint64_t value[N_APPLE_CONTROLS];

	if (!apple->io->el0_controls(value) || apple->io->cpu() != (int)cpu)
		return false;
	*ret = (struct m1pmu_control){
		.pmcr0 = value[APPLE_PMCR0],
		.pmcr1 = value[APPLE_PMCR1],
		.pmesr0 = value[APPLE_PMESR0],
		.pmesr1 = value[APPLE_PMESR1],
	};
	return true;
}

bool apple_controls(const struct apple *apple, unsigned cpu, struct m1pmu_control *ret)
{
	return apple->options.el0 ? controls_el0(apple, cpu, ret)
				  : controls_module(apple, cpu, ret);
}
