#include "backend/sim/hidden.h"

#include "base/cleanup.h"

/* what a number is drawn for; apart from those of load.c by their place in sim_hash() */
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

/* percent of the ids; the rest never counts anything */
static const struct {
	enum sim_kind kind;
	unsigned share;
} kinds[] = {
	{ SIM_COUNTS, 30 },
	{ SIM_SPECULATES, 3 },
	{ SIM_CYCLES, 3 },
	{ SIM_SAME, 4 },
};

/* an id responds to about 2 of 30 kernels, whatever they are */
enum { RESPONDS_PERMILLE = 60, DIFFERS_PERMILLE = 100 };

/* Counter classes, as events.c has them, the widest class the most often. */
static const uint16_t counter_draw[] = {
	0x080, 0x0e0, 0x0e0, 0x0fc, SIM_COUNTERS_ANY, SIM_COUNTERS_ANY, SIM_COUNTERS_ANY, 0x054,
};

static const double k_draw[] = { 1, 1, 1, 1, 1, 2, 2, 0.5, 0.5, 3, 4 };

/* of the cycles: on every one, or on every other */
static const double cycle_share[] = { 1, 0.5 };

static uint64_t draw(uint64_t seed, uint64_t id, enum hidden_draw what)
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

static enum sim_kind kind_of(uint64_t seed, uint64_t id)
{
	uint64_t drawn = draw(seed, id, DRAW_KIND) % 100;

	if (id == SIM_ID_CYCLES)
		return SIM_CYCLES;
	if (id == SIM_ID_INSTRUCTIONS)
		return SIM_SAME;
	if (!id || id > UINT8_MAX)
		return SIM_NEVER;
	for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (drawn < kinds[i].share)
			return kinds[i].kind;
		drawn -= kinds[i].share;
	}
	return SIM_NEVER;
}

static uint16_t counters_of(uint64_t seed, uint64_t id)
{
	if (id == SIM_ID_CYCLES || id == SIM_ID_INSTRUCTIONS)
		return sim_event_counters(id);
	return counter_draw[draw(seed, id, DRAW_COUNTERS) % ARRAY_SIZE(counter_draw)];
}

struct sim_answer sim_hidden_id(uint64_t seed, uint64_t id)
{
	return (struct sim_answer){ .kind = kind_of(seed, id), .counters = counters_of(seed, id) };
}

double sim_hidden_k(uint64_t seed, enum sim_type type, uint64_t id, const char *kernel)
{
	enum sim_kind kind = kind_of(seed, id);
	uint64_t which = draw_for(seed, id, DRAW_K, kernel);

	if ((kind != SIM_COUNTS && kind != SIM_SPECULATES) ||
	    draw_for(seed, id, DRAW_RESPONDS, kernel) % 1000 >= RESPONDS_PERMILLE)
		return 0;
	if (draw_for(seed, id, DRAW_DIFFERS, kernel) % 1000 < DIFFERS_PERMILLE)
		which += type;
	if (kind == SIM_SPECULATES) /* what comes on top of ½ could be taken for a factor */
		return 1;
	return k_draw[which % ARRAY_SIZE(k_draw)];
}

/* The time of a kernel, in cycles of its core type: no whole numbers, and the trigger is slower. */
static struct sim_effect cycles_effect(uint64_t seed, enum sim_type type, uint64_t id,
				       const char *kernel)
{
	uint64_t unit = draw_for(seed, type, DRAW_UNIT_CYCLES, kernel) % 800;
	uint64_t trigger = draw_for(seed, type, DRAW_TRIGGER_CYCLES, kernel) % 1900;
	double share = id == SIM_ID_CYCLES
			       ? 1
			       : cycle_share[draw(seed, id, DRAW_BASE) % ARRAY_SIZE(cycle_share)];

	return (struct sim_effect){
		.once = 300 * share,
		.per_unit = (double)(137 + unit) / 100 * share,
		.per_trigger = (double)(67 + trigger) / 100 * share,
		.spread = 0.005,
		.interrupted = 20000 * share,
		.noise_of = SIM_ID_CYCLES,
		.is_time = true,
	};
}

static struct sim_effect instructions_effect(void)
{
	return (struct sim_effect){
		.once = 60,
		.per_unit = 4,
		.interrupted = 30000,
		.noise_of = SIM_ID_INSTRUCTIONS,
	};
}

/* One in so many has it at all. */
static double some(uint64_t drawn, unsigned one_in, unsigned most)
{
	return drawn % one_in ? 0 : 1 + (double)(drawn / one_in % most);
}

struct sim_effect sim_hidden_effect(uint64_t seed, enum sim_type type, uint64_t id,
				    const char *kernel)
{
	enum sim_kind kind = kind_of(seed, id);

	if (kind == SIM_NEVER)
		return (struct sim_effect){ 0 };
	if (kind == SIM_CYCLES)
		return cycles_effect(seed, type, id, kernel);
	if (id == SIM_ID_INSTRUCTIONS)
		return instructions_effect();
	return (struct sim_effect){
		.once = some(draw(seed, id, DRAW_ONCE), 2, 200),
		.per_unit = some(draw(seed, id, DRAW_BASE), kind == SIM_SAME ? 1 : 3, 4),
		.per_trigger = sim_hidden_k(seed, type, id, kernel),
		.surplus = kind == SIM_SPECULATES ? 0.6 : 0,
		.spread = some(draw(seed, id, DRAW_SPREAD), 3, 10) / 1000,
		.jitter = some(draw(seed, id, DRAW_JITTER), 2, 8),
		.interrupted = some(draw(seed, id, DRAW_INTERRUPT), 2, 20000),
		.noise_of = id,
	};
}

const struct sim_event *sim_hidden_event(uint64_t seed, uint64_t id)
{
	if (id == SIM_ID_CYCLES || id == SIM_ID_INSTRUCTIONS)
		return sim_event_find(id);
	if (kind_of(seed, id) == SIM_NEVER)
		return NULL;
	return &sim_events[draw(seed, id, DRAW_EVENT) % n_sim_events];
}
