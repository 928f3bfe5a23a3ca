#include "backend/sim/effect.h"

#include <string.h>

#include "base/cleanup.h"
#include "backend/sim/events.h"

/*
 * Counts per trigger. Source: yuyichao/m1_pmu_test (slopes over thousands of micro tests, both core
 * types), Apple's names for the rest.
 */
static const struct {
	const char *kernel;
	uint8_t id;
	double k;
} known[] = {
	/* clang-format off */
	{ "nop",                    0x01, 1 }, /* RETIRE_UOP */
	{ "nop",                    0x8c, 1 }, /* INST_ALL */
	{ "add",                    0x97, 1 }, /* INST_INT_ALU */
	{ "mul",                    0x97, 1 },
	{ "div",                    0x97, 1 },
	{ "fp-add",                 0x9a, 1 }, /* INST_SIMD_ALU */
	{ "simd-add",               0x9a, 1 },
	{ "fma",                    0x9a, 1 },
	{ "load",                   0x95, 1 }, /* INST_INT_LD */
	{ "load",                   0x9b, 1 }, /* INST_LDST */
	{ "load",                   0xa6, 1 }, /* LD_UNIT_UOP */
	{ "store",                  0x96, 1 }, /* INST_INT_ST */
	{ "store",                  0x9b, 1 },
	{ "store",                  0xa7, 1 }, /* ST_UNIT_UOP */
	{ "load-pair",              0x7d, 2 }, /* MAP_LDST_UOP */
	{ "load-pair",              0x95, 1 },
	{ "load-pair",              0x9b, 1 },
	{ "load-pair",              0xa6, 1 },
	{ "atomic-success",         0xb3, 1 }, /* ATOMIC_OR_EXCLUSIVE_SUCC */
	{ "atomic-failure",         0xb4, 1 }, /* ATOMIC_OR_EXCLUSIVE_FAIL */
	{ "exclusive-pair",         0xb3, 1 },
	{ "barrier",                0x9c, 1 }, /* INST_BARRIER */
	{ "branch-predicted",       0x8d, 1 }, /* INST_BRANCH */
	{ "branch-predicted",       0x90, 1 }, /* INST_BRANCH_TAKEN */
	{ "branch-taken",           0x90, 1 },
	{ "branch-not-taken",       0x8d, 1 },
	{ "branch-random",          0xc5, 1 }, /* BRANCH_COND_MISPRED_NONSPEC */
	{ "branch-random",          0xcb, 1 }, /* BRANCH_MISPRED_NONSPEC */
	{ "branch-indirect",        0x8d, 1 },
	{ "branch-indirect",        0x90, 1 },
	{ "branch-indirect",        0x93, 1 }, /* INST_BRANCH_INDIR */
	{ "branch-indirect-random", 0xc6, 1 }, /* BRANCH_INDIR_MISPRED_NONSPEC */
	{ "branch-indirect-random", 0xcb, 1 },
	{ "call-return",            0x8d, 2 },
	{ "call-return",            0x8e, 1 }, /* INST_BRANCH_CALL */
	{ "call-return",            0x8f, 1 }, /* INST_BRANCH_RET */
	{ "call-return",            0x90, 2 },
	{ "l1d-miss",               0xbf, 1 }, /* L1D_CACHE_MISS_LD_NONSPEC */
	{ "l2-miss",                0xbf, 1 },
	{ "dtlb-miss",              0x05, 1 }, /* L1D_TLB_FILL */
	{ "dtlb-miss",              0xc1, 1 }, /* L1D_TLB_MISS_NONSPEC */
	{ "l1i-miss",               0xdb, 1 }, /* L1I_CACHE_MISS_DEMAND */
	{ "itlb-miss",              0x04, 1 }, /* L1I_TLB_FILL */
	{ "itlb-miss",              0xd4, 1 }, /* L1I_TLB_MISS_DEMAND */
	{ "line-crossing",          0xb1, 1 }, /* LDST_X64_UOP */
	{ "page-crossing",          0xb1, 1 },
	{ "page-crossing",          0xb2, 1 }, /* LDST_XPG_UOP */
	{ "ordering-violation",     0xc4, 1 }, /* ST_MEM_ORDER_VIOL_LD_NONSPEC */
	{ "system-call",            0x84, 1 }, /* FLUSH_RESTART_OTHER_NONSPEC */
	{ "page-fault",             0x0d, 1 }, /* MMU_VIRTUAL_MEMORY_FAULT_NONSPEC */
	/* clang-format on */
};

/* Counts of a unit of any kernel, trigger or control alike: four instructions in two cycles. */
static const struct {
	uint8_t id;
	double per_unit;
} always[] = {
	{ 0x01, 4 }, /* RETIRE_UOP */
	{ 0x8c, 4 }, /* INST_ALL */
	{ 0x8d, 1 }, /* INST_BRANCH */
	{ 0x90, 1 }, /* INST_BRANCH_TAKEN */
};

static struct sim_effect cycles_effect(void)
{
	return (struct sim_effect){
		.once = 300,
		.per_unit = 2,
		.per_trigger = 0.77,
		.spread = 0.005,
		.interrupted = 20000,
		.noise_of = SIM_ID_CYCLES,
		.is_time = true,
	};
}

struct sim_effect sim_known_effect(uint64_t id, const char *kernel)
{
	struct sim_effect effect = { .noise_of = id };

	if (id == SIM_ID_CYCLES)
		return cycles_effect();
	for (unsigned i = 0; i < ARRAY_SIZE(always); i++)
		if (always[i].id == id)
			effect.per_unit = always[i].per_unit;
	for (unsigned i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].id == id && strcmp(known[i].kernel, kernel) == 0)
			effect.per_trigger = known[i].k;
	if (effect.per_unit > 0 || effect.per_trigger > 0)
		effect.interrupted = 5000;
	return effect;
}
