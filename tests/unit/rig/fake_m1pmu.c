#include "rig/fake_m1pmu.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "pmu/apple/regs.h"

struct fake_m1pmu fake_m1;

void fake_m1_reset(void)
{
	fake_m1 = (struct fake_m1pmu){
		.abi = M1PMU_ABI,
		.flags = M1PMU_APPLE,
		.family = "M1",
		.first_part = 0x22,
		.width = 48,
		.event_bits = 8,
		.cpu_flags = M1PMU_CPU_MASKS,
		.moves_to = -1,
		.now_ns = 1000000000,
	};
}

static uint64_t mask(void)
{
	return fake_m1.width == 64 ? UINT64_MAX : (UINT64_C(1) << fake_m1.width) - 1;
}

void fake_m1_work(unsigned cpu, uint64_t n)
{
	struct fake_core *core = &fake_m1.core[cpu];

	for (unsigned i = 0; i < M1PMU_N_COUNTERS; i++) {
		uint64_t on = UINT64_C(1) << (i < 8 ? i : i + 24); /* PMCR0: 7:0 and 33:32 */

		if (core->now.pmcr0 & on)
			core->pmc[i] = (core->pmc[i] + n * (i + 1)) & mask();
	}
	fake_m1.now_ns += 1000000;
}

static int open_device(void)
{
	if (fake_m1.open_result)
		return fake_m1.open_result;
	fake_m1.n_open++;
	return 77;
}

static void close_device(int fd)
{
	(void)fd;
	fake_m1.n_open--;
	fake_m1.is_owner = false;
}

static int info(void *arg)
{
	*(struct m1pmu_info *)arg = (struct m1pmu_info){
		.abi = fake_m1.abi,
		.flags = fake_m1.flags,
		.n_cpus = FAKE_CPUS,
		.n_counters = M1PMU_N_COUNTERS,
		.owner_pid = fake_m1.owner_pid,
		.gen_bytes = 4096,
	};
	return 0;
}

static int describe(void *arg)
{
	struct m1pmu_cpu *cpu = arg;
	bool is_p = cpu->cpu >= FAKE_CPUS / 2;

	if (cpu->cpu >= FAKE_CPUS)
		return -EINVAL;
	cpu->flags = fake_m1.cpu_flags;
	cpu->flags |= fake_m1.core[cpu->cpu].is_offline ? 0 : M1PMU_CPU_ONLINE;
	cpu->midr = 0x61000000 | (fake_m1.first_part + is_p) << 4;
	cpu->type = is_p ? 'P' : 'E';
	cpu->n_counters = M1PMU_N_COUNTERS;
	cpu->width = fake_m1.width;
	cpu->event_bits = fake_m1.event_bits;
	snprintf(cpu->family, sizeof(cpu->family), "%s", fake_m1.family);
	return 0;
}

static int acquire(void)
{
	fake_m1.is_owner = !fake_m1.acquire_result;
	return fake_m1.acquire_result;
}

static struct m1pmu_control compile(const struct m1pmu_program *p)
{
	struct m1pmu_control c = { .pmcr0 = (p->enable & 0xff) | (uint64_t)(p->enable >> 8) << 32 };

	c.pmcr0 |= fake_m1.el0 ? UINT64_C(1) << 30 : 0;
	for (unsigned i = 0; i < 4; i++) {
		c.pmesr0 |= (uint64_t)p->event[2 + i] << (i * fake_m1.event_bits);
		c.pmesr1 |= (uint64_t)p->event[6 + i] << (i * fake_m1.event_bits);
	}
	return c;
}

static int program(void *arg)
{
	const struct m1pmu_program *p = arg;

	fake_m1.n_programs++;
	if (!fake_m1.is_owner || fake_m1.program_result)
		return fake_m1.is_owner ? fake_m1.program_result : -EACCES;
	if (p->cpu >= FAKE_CPUS || fake_m1.core[p->cpu].is_offline)
		return -ENODEV;
	fake_m1.core[p->cpu].program = *p;
	fake_m1.core[p->cpu].now = fake_m1.core[p->cpu].written = compile(p);
	return 0;
}

static int read_counters(void *arg)
{
	const struct fake_core *core = &fake_m1.core[fake_m1.cpu];
	struct m1pmu_gen *gen = &fake_m1.gen[fake_m1.cpu];
	bool is_changed = core->now.pmcr0 != core->written.pmcr0;
	struct m1pmu_read *ret = arg;

	if (fake_m1.read_result)
		return fake_m1.read_result;
	gen->generation += is_changed;
	*ret = (struct m1pmu_read){
		.cpu = (uint32_t)fake_m1.cpu,
		.generation = gen->generation,
		.idle = gen->idle,
		.flags = is_changed ? M1PMU_CHANGED : 0,
		.time_ns = fake_m1.now_ns,
	};
	memcpy(ret->pmc, core->pmc, sizeof(ret->pmc));
	return 0;
}

static int regs(void *arg)
{
	const struct fake_core *core = &fake_m1.core[fake_m1.cpu];

	*(struct m1pmu_regs *)arg = (struct m1pmu_regs){
		.cpu = (uint32_t)fake_m1.cpu,
		.generation = fake_m1.gen[fake_m1.cpu].generation,
		.now = core->now,
		.written = core->written,
	};
	return 0;
}

static int request(int fd, unsigned long number, void *arg)
{
	(void)fd;
	fake_m1.n_requests++;
	switch (number) {
	case M1PMU_INFO: return info(arg);
	case M1PMU_CPU: return describe(arg);
	case M1PMU_ACQUIRE: return acquire();
	case M1PMU_RELEASE: return 0;
	case M1PMU_PROGRAM: return program(arg);
	case M1PMU_READ: return read_counters(arg);
	case M1PMU_REGS: return regs(arg);
	case M1PMU_EL0: fake_m1.el0 = *(uint32_t *)arg; return 0;
	case M1PMU_L2C: fake_m1.l2c = *(uint32_t *)arg; return 0;
	default: return -ENOTTY;
	}
}

static const void *map(int fd, size_t size)
{
	(void)fd;
	fake_m1.n_maps++;
	return size == 4096 ? fake_m1.gen : NULL;
}

static void unmap(const void *at, size_t size)
{
	(void)at;
	(void)size;
	fake_m1.n_maps--;
}

static int cpu(void)
{
	return fake_m1.cpu;
}

static uint64_t now_ns(void)
{
	return fake_m1.now_ns;
}

static int el0_begin(struct err *err)
{
	(void)err;
	fake_m1.has_sigill = true;
	return 0;
}

static void el0_end(void)
{
	fake_m1.has_sigill = false;
}

static bool may_read(void)
{
	return fake_m1.core[fake_m1.cpu].now.pmcr0 >> 30 & 1 && !fake_m1.is_closed;
}

static bool el0_counters(uint64_t *ret)
{
	bool may = may_read();

	if (may)
		memcpy(ret, fake_m1.core[fake_m1.cpu].pmc, sizeof(fake_m1.core[0].pmc));
	if (fake_m1.moves_to >= 0)
		fake_m1.cpu = fake_m1.moves_to;
	return may;
}

static bool el0_controls(uint64_t *ret)
{
	const struct m1pmu_control *now = &fake_m1.core[fake_m1.cpu].now;

	ret[APPLE_PMCR0] = now->pmcr0;
	ret[APPLE_PMCR1] = now->pmcr1;
	ret[APPLE_PMESR0] = now->pmesr0;
	ret[APPLE_PMESR1] = now->pmesr1;
	return may_read();
}

const struct apple_io fake_m1_io = {
	.open = open_device,
	.close = close_device,
	.request = request,
	.map = map,
	.unmap = unmap,
	.cpu = cpu,
	.now_ns = now_ns,
	.el0_begin = el0_begin,
	.el0_end = el0_end,
	.el0_counters = el0_counters,
	.el0_controls = el0_controls,
};
