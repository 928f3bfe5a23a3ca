#include "pmu/sim/run.h"

#include <string.h>

#include "base/cleanup.h"

/* ---- an M1 ---- */

/*
 * Counts per trigger. Source: yuyichao/m1_pmu_test (slopes over thousands of micro tests, both core
 * types); the rest follows from Apple's event names.
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

/* Counts per unit of every kernel, trigger or control: four instructions in two cycles. */
static const struct {
	uint8_t id;
	double per_unit;
} always[] = {
	{ 0x01, 4 }, /* RETIRE_UOP */
	{ 0x8c, 4 }, /* INST_ALL */
	{ 0x8d, 1 }, /* INST_BRANCH */
	{ 0x90, 1 }, /* INST_BRANCH_TAKEN */
};

static struct sim_effect cycles(double per_unit, double per_trigger, double share)
{
	return (struct sim_effect){
		.once = 300 * share,
		.per_unit = per_unit * share,
		.per_trigger = per_trigger * share,
		.spread = 0.005,
		.interrupted = 20000 * share,
		.noise_of = SIM_ID_CYCLES,
		.is_time = true,
	};
}

/* Return the effect of a run of a kernel on an id of an M1, as far as it was measured. Unknown kernels
 * have no effect per trigger. */
static struct sim_effect known_effect(uint64_t id, const char *kernel)
{
	struct sim_effect effect = { .noise_of = id };

	if (id == SIM_ID_CYCLES)
		return cycles(2, 0.77, 1);
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

/* ---- sim:hidden ---- */

/* Purpose of a drawn number; used in another argument of sim_hash() than those of load.c. */
enum hidden_draw {
	DRAW_KIND = 1000,
	DRAW_COUNTERS,
	DRAW_BASE,
	DRAW_ONCE,
	DRAW_SPREAD,
	DRAW_JITTER,
	DRAW_INTERRUPT,
	DRAW_EVENT,
	DRAW_RESPONDS,
	DRAW_K,
	DRAW_DIFFERS,
	DRAW_UNIT_CYCLES,
	DRAW_TRIGGER_CYCLES,
};

/* Shares in percent of the ids; all other ids never count. */
static const struct {
	enum sim_kind kind;
	unsigned share;
} hidden_kinds[] = {
	{ SIM_COUNTS, 30 },
	{ SIM_SPECULATES, 3 },
	{ SIM_CYCLES, 3 },
	{ SIM_SAME, 4 },
};

/* An id responds to about 2 of 30 kernels; some factors differ between core types. */
enum { RESPONDS_PERMILLE = 60, DIFFERS_PERMILLE = 100 };

/* Counter classes of events.c; the widest one is drawn most often. */
static const uint16_t counter_draw[] = {
	0x080, 0x0e0, 0x0e0, 0x0fc, SIM_COUNTERS_ANY, SIM_COUNTERS_ANY, SIM_COUNTERS_ANY, 0x054,
};

static const double k_draw[] = { 1, 1, 1, 1, 1, 2, 2, 0.5, 0.5, 3, 4 };

/* share of the cycles: every cycle or every second one */
static const double cycle_share[] = { 1, 0.5 };

static uint64_t sim_hidden_draw(uint64_t seed, uint64_t id, enum hidden_draw what)
{
	return sim_hash(seed, id, what, 0);
}

/* FNV-1a (Fowler, Noll, Vo) */
static uint64_t hash_name(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3;
	return hash;
}

static uint64_t draw_for(uint64_t seed, uint64_t id, enum hidden_draw what, const char *kernel)
{
	return sim_hash(seed, id, what, hash_name(kernel));
}

static enum sim_kind hidden_kind_of(uint64_t seed, uint64_t id)
{
	uint64_t drawn = sim_hidden_draw(seed, id, DRAW_KIND) % 100;

	if (id == SIM_ID_CYCLES)
		return SIM_CYCLES;
	if (id == SIM_ID_INSTRUCTIONS)
		return SIM_SAME;
	if (!id || id > UINT8_MAX)
		return SIM_NEVER;
	for (unsigned i = 0; i < ARRAY_SIZE(hidden_kinds); i++) {
		if (drawn < hidden_kinds[i].share)
			return hidden_kinds[i].kind;
		drawn -= hidden_kinds[i].share;
	}
	return SIM_NEVER;
}

struct sim_answer sim_hidden_id(uint64_t seed, uint64_t id)
{
	uint64_t drawn = sim_hidden_draw(seed, id, DRAW_COUNTERS);
	bool is_fixed = id == SIM_ID_CYCLES || id == SIM_ID_INSTRUCTIONS;

	return (struct sim_answer){
		.kind = hidden_kind_of(seed, id),
		.counters = is_fixed ? sim_event_counters(id)
				     : counter_draw[drawn % ARRAY_SIZE(counter_draw)],
	};
}

double sim_hidden_k(uint64_t seed, enum sim_type type, uint64_t id, const char *kernel)
{
	enum sim_kind kind = hidden_kind_of(seed, id);
	uint64_t which = draw_for(seed, id, DRAW_K, kernel);

	if ((kind != SIM_COUNTS && kind != SIM_SPECULATES) ||
	    draw_for(seed, id, DRAW_RESPONDS, kernel) % 1000 >= RESPONDS_PERMILLE)
		return 0;
	if (draw_for(seed, id, DRAW_DIFFERS, kernel) % 1000 < DIFFERS_PERMILLE)
		which += type;
	if (kind == SIM_SPECULATES) /* ½ plus the excess could be mistaken for a factor */
		return 1;
	return k_draw[which % ARRAY_SIZE(k_draw)];
}

/* Draw the cycles of a kernel by core type: no integers per unit, and the trigger takes longer. */
static struct sim_effect hidden_cycles(uint64_t seed, enum sim_type type, uint64_t id,
				       const char *kernel)
{
	uint64_t unit = draw_for(seed, type, DRAW_UNIT_CYCLES, kernel) % 800;
	uint64_t trigger = draw_for(seed, type, DRAW_TRIGGER_CYCLES, kernel) % 1900;
	double share = id == SIM_ID_CYCLES ? 1
					   : cycle_share[sim_hidden_draw(seed, id, DRAW_BASE) %
							 ARRAY_SIZE(cycle_share)];

	return cycles((double)(137 + unit) / 100, (double)(67 + trigger) / 100, share);
}

/* Return 1 to `most` for one of `one_in` numbers drawn, else 0. */
static double some(uint64_t drawn, unsigned one_in, unsigned most)
{
	return drawn % one_in ? 0 : 1 + (double)(drawn / one_in % most);
}

struct sim_effect sim_hidden_effect(uint64_t seed, enum sim_type type, uint64_t id,
				    const char *kernel)
{
	enum sim_kind kind = hidden_kind_of(seed, id);

	if (kind == SIM_NEVER)
		return (struct sim_effect){ 0 };
	if (kind == SIM_CYCLES)
		return hidden_cycles(seed, type, id, kernel);
	if (id == SIM_ID_INSTRUCTIONS)
		return (struct sim_effect){
			.once = 60, .per_unit = 4, .interrupted = 30000, .noise_of = id
		};
	return (struct sim_effect){
		.once = some(sim_hidden_draw(seed, id, DRAW_ONCE), 2, 200),
		.per_unit = some(sim_hidden_draw(seed, id, DRAW_BASE), kind == SIM_SAME ? 1 : 3, 4),
		.per_trigger = sim_hidden_k(seed, type, id, kernel),
		.surplus = kind == SIM_SPECULATES ? 0.6 : 0,
		.spread = some(sim_hidden_draw(seed, id, DRAW_SPREAD), 3, 10) / 1000,
		.jitter = some(sim_hidden_draw(seed, id, DRAW_JITTER), 2, 8),
		.interrupted = some(sim_hidden_draw(seed, id, DRAW_INTERRUPT), 2, 20000),
		.noise_of = id,
	};
}

const struct sim_event *sim_hidden_event(uint64_t seed, uint64_t id)
{
	if (id == SIM_ID_CYCLES || id == SIM_ID_INSTRUCTIONS)
		return sim_event_find(id);
	if (hidden_kind_of(seed, id) == SIM_NEVER)
		return NULL;
	return &sim_events[sim_hidden_draw(seed, id, DRAW_EVENT) % n_sim_events];
}

/* ---- runs ---- */

/* purpose of a number drawn for a run; the values differ from those of sim:hidden */
enum run_draw { RUN_SURPLUS = 2000, RUN_SPREAD, RUN_JITTER, RUN_INTERRUPT, RUN_EXTRA };

/* Share of runs with an interrupt, and with one that the operating system does not report, such as one
 * that the hypervisor or the firmware takes. */
enum { INTERRUPTED_PERMILLE = 30, UNREPORTED_PERMILLE = 5 };

/* Cycles that an unreported interrupt adds: a share of the run's own and a constant. */
static const double held_up_share = 0.33, held_up_cycles = 40000;

enum interrupt { NO_INTERRUPT, REPORTED, UNREPORTED };

static uint64_t sim_run_draw(const struct sim_run *run, enum run_draw what, uint64_t id)
{
	return sim_hash(run->seed, run->number, what, id);
}

/* Draw a number from 0 to 1. */
static double share(const struct sim_run *run, enum run_draw what, uint64_t id)
{
	return (double)(sim_run_draw(run, what, id) >> 11) / (double)(UINT64_C(1) << 53);
}

static enum interrupt interrupt_of(const struct sim_run *run)
{
	uint64_t drawn = sim_run_draw(run, RUN_INTERRUPT, 0) % 1000;

	if (drawn >= INTERRUPTED_PERMILLE)
		return NO_INTERRUPT;
	return drawn < UNREPORTED_PERMILLE ? UNREPORTED : REPORTED;
}

static struct sim_effect effect_of(const struct sim_run *run, uint64_t id)
{
	const char *kernel = run->workload->kernel;

	return run->is_hidden ? sim_hidden_effect(run->seed, run->type, id, kernel)
			      : known_effect(id, kernel);
}

/* Count the work itself, at user level. */
static double count_work(const struct sim_run *run, const struct sim_effect *effect)
{
	uint64_t id = effect->noise_of;
	double n = run->workload->n;
	double counts = effect->once + effect->per_unit * n;

	if (run->workload->is_trigger)
		counts += effect->per_trigger * n *
			  (1 + effect->surplus * share(run, RUN_SURPLUS, id));
	counts *= 1 + effect->spread * (2 * share(run, RUN_SPREAD, id) - 1);
	return counts + effect->jitter * share(run, RUN_JITTER, id);
}

uint64_t sim_run_count(const struct sim_run *run, uint64_t id, enum privilege privilege)
{
	const struct sim_effect effect = effect_of(run, id);
	enum interrupt interrupt = interrupt_of(run);
	double user = count_work(run, &effect), kernel = 0;

	if (interrupt) {
		/* its own work, and at user level the refill of caches */
		kernel = effect.interrupted * share(run, RUN_EXTRA, effect.noise_of);
		user += kernel;
	}
	if (interrupt == UNREPORTED && effect.is_time)
		user += held_up_share * user + held_up_cycles;
	return (privilege != PRIVILEGE_KERNEL ? (uint64_t)user : 0) +
	       (privilege != PRIVILEGE_USER ? (uint64_t)kernel : 0);
}

double sim_run_mean(const struct sim_run *run, uint64_t id)
{
	const struct sim_effect effect = effect_of(run, id);
	double n = run->workload->n;
	double counts = effect.once + effect.per_unit * n + effect.jitter / 2;

	if (run->workload->is_trigger)
		counts += effect.per_trigger * n * (1 + effect.surplus / 2);
	return counts;
}

unsigned sim_run_interrupts(const struct sim_run *run)
{
	return interrupt_of(run) == REPORTED ? 1 : 0;
}
