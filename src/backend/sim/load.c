#include "backend/sim/load.h"

#include <assert.h>
#include <stdbool.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "backend/sim/schedule.h"

/* retired instructions per 1000 cycles of each kind of code, on E and on P cores */
static const uint16_t ipc_milli[N_CODES][N_SIM_TYPES] = {
	[CODE_INTEGER] = { 2200, 4300 }, [CODE_CHASE] = { 250, 350 },
	[CODE_STREAM] = { 900, 1700 },   [CODE_BRANCHY] = { 1100, 2000 },
	[CODE_SIMD] = { 1700, 3600 },    [CODE_KERNEL] = { 800, 1400 },
};

/* E cores have smaller caches, TLBs and predictors */
static const uint16_t type_miss_permille[N_SIM_TYPES] = { [SIM_E] = 1250, [SIM_P] = 1000 };

/* highest clock. Source: the M1's operating points, rounded */
static const uint32_t type_khz[N_SIM_TYPES] = { [SIM_E] = 2060000, [SIM_P] = 3200000 };

struct load_range {
	uint16_t low, high;
};

/* what people run; shares in per mille */
struct load_work {
	const char *name;
	const char *comm;            /* of the program that does it */
	enum sim_code code;          /* its user part; the kernel part is CODE_KERNEL */
	struct load_range busy;      /* of the time: not waiting for an interrupt */
	struct load_range clock;     /* of the highest clock */
	struct load_range kernel;    /* of the active cycles */
	uint8_t weight[N_SIM_TYPES]; /* how often each core type gets it */
};

static const struct load_work works[SIM_WORKS] = {
	{ "idle", "systemd", CODE_BRANCHY, { 5, 30 }, { 300, 450 }, { 550, 750 }, { 4, 2 } },
	{ "light",
	  "gnome-shell",
	  CODE_INTEGER,
	  { 150, 350 },
	  { 450, 750 },
	  { 200, 350 },
	  { 3, 1 } },
	{ "integer", "stockfish", CODE_INTEGER, { 930, 1000 }, { 950, 1000 }, { 5, 20 }, { 2, 4 } },
	{ "memory", "mcf", CODE_CHASE, { 900, 1000 }, { 900, 1000 }, { 10, 40 }, { 2, 3 } },
	{ "stream", "rsync", CODE_STREAM, { 850, 1000 }, { 900, 1000 }, { 10, 30 }, { 1, 2 } },
	{ "branchy", "python3", CODE_BRANCHY, { 850, 1000 }, { 900, 1000 }, { 20, 60 }, { 2, 4 } },
	{ "simd", "ffmpeg", CODE_SIMD, { 900, 1000 }, { 950, 1000 }, { 5, 15 }, { 1, 4 } },
	{ "syscall", "nginx", CODE_BRANCHY, { 500, 850 }, { 700, 950 }, { 500, 700 }, { 3, 2 } },
};

/* phases begin at multiples of this, moved by at most the jitter: 0.5 to 4 s long */
#define PHASE_NS  UINT64_C(2250000000)
#define JITTER_NS UINT64_C(875000000)
/* of slices: how often a task has its turn */
#define PERIOD_NS UINT64_C(4000000)

/* ids of threads are their process's and the core's number */
enum { FIRST_PID = 10000, PIDS_APART = 10000 };

/* what a number is drawn for */
enum load_draw {
	DRAW_EDGE,
	DRAW_HOME,
	DRAW_STAY,
	DRAW_WORK,
	DRAW_BUSY,
	DRAW_CLOCK,
	DRAW_KERNEL,
	DRAW_MISS
};

/* the finaliser of SplitMix64 (Steele, Lea, Flood 2014) */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

uint64_t sim_hash(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
	return mix(mix(mix(mix(seed) ^ a) ^ b) ^ c);
}

static uint64_t draw(const struct sim_load *load, uint64_t phase, enum load_draw what)
{
	return sim_hash(load->seed, load->cpu, phase, what);
}

static uint64_t draw_from(const struct sim_load *load, uint64_t phase, enum load_draw what,
			  struct load_range range)
{
	return range.low + draw(load, phase, what) % (range.high - range.low + 1U);
}

static uint64_t phase_begin(const struct sim_load *load, uint64_t phase)
{
	if (phase == 0)
		return 0;
	return phase * PHASE_NS - JITTER_NS + draw(load, phase, DRAW_EDGE) % (2 * JITTER_NS + 1);
}

static uint64_t phase_at(const struct sim_load *load, uint64_t t_ns)
{
	uint64_t phase = t_ns / PHASE_NS;

	if (t_ns < phase_begin(load, phase))
		return phase - 1;
	return t_ns < phase_begin(load, phase + 1) ? phase : phase + 1;
}

static const struct load_work *work_by_weight(uint64_t drawn, enum sim_type type)
{
	unsigned total = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(works); i++)
		total += works[i].weight[type];
	assert(total > 0);
	drawn %= total;

	const struct load_work *work = works;

	for (; drawn >= work->weight[type]; work++)
		drawn -= work->weight[type];
	return work;
}

/* a core keeps coming back to one kind of work, so that it can be recognised on a screen */
static const struct load_work *phase_work(const struct sim_load *load, uint64_t phase)
{
	bool stays = draw(load, phase, DRAW_STAY) % 8 < 5;
	uint64_t drawn = stays ? draw(load, 0, DRAW_HOME) : draw(load, phase, DRAW_WORK);

	return work_by_weight(drawn, load->type);
}

static void phase_rates(const struct sim_load *load, uint64_t phase, const struct load_work *work,
			struct sim_phase *ret)
{
	/* more misses, slower code: from 0.8 times the misses at 1.1 times the IPC, and back */
	uint64_t miss = draw_from(load, phase, DRAW_MISS, (struct load_range){ 800, 1200 });
	uint64_t ipc = 1500 - miss / 2;
	uint64_t khz =
		type_khz[load->type] * draw_from(load, phase, DRAW_CLOCK, work->clock) / 1000;
	uint64_t busy = draw_from(load, phase, DRAW_BUSY, work->busy);
	uint64_t cycles = (khz << 32) / 1000000 * busy / 1000;

	ret->busy_permille = (uint32_t)busy;
	ret->miss_permille = (uint32_t)(miss * type_miss_permille[load->type] / 1000);
	ret->cycles_q32[SIM_KERNEL] =
		cycles * draw_from(load, phase, DRAW_KERNEL, work->kernel) / 1000;
	ret->cycles_q32[SIM_USER] = cycles - ret->cycles_q32[SIM_KERNEL];
	for (unsigned level = 0; level < N_SIM_LEVELS; level++)
		ret->inst_q32[level] = ret->cycles_q32[level] *
				       ipc_milli[ret->code[level]][load->type] / 1000 * ipc / 1000;
}

/* All the time, or not at all. */
static void run(struct sim_phase *phase, bool is_busy)
{
	for (unsigned level = 0; level < N_SIM_LEVELS; level++) {
		phase->cycles_q32[level] =
			is_busy ? phase->cycles_q32[level] * 1000 / phase->busy_permille : 0;
		phase->inst_q32[level] =
			is_busy ? phase->inst_q32[level] * 1000 / phase->busy_permille : 0;
	}
	phase->busy_permille = is_busy ? 1000 : 0;
}

void sim_work_rates(const struct sim_load *load, unsigned work, uint32_t who, struct sim_phase *ret)
{
	/* drawn for cores that there are not */
	const struct sim_load its = { .seed = load->seed,
				      .cpu = UINT32_MAX - who,
				      .type = load->type };

	ret->work = works[work].name;
	ret->code[SIM_USER] = works[work].code;
	ret->code[SIM_KERNEL] = CODE_KERNEL;
	phase_rates(&its, 0, &works[work], ret);
	run(ret, true);
}

const char *sim_work_comm(unsigned work)
{
	return works[work].comm;
}

/* A core works for a share of the time, and then waits: a period is a task's turn, and idle time. */
static void slice(const struct sim_load *load, const struct load_work *work, uint64_t t_ns,
		  struct sim_phase *phase)
{
	uint64_t period_ns = t_ns - t_ns % PERIOD_NS;
	uint64_t idle_ns = period_ns + PERIOD_NS * phase->busy_permille / 1000;
	bool is_busy = t_ns < idle_ns;
	uint64_t from_ns = is_busy ? period_ns : idle_ns;
	uint64_t to_ns = is_busy ? idle_ns : period_ns + PERIOD_NS;

	if (from_ns > phase->from_ns)
		phase->from_ns = from_ns;
	if (to_ns < phase->to_ns)
		phase->to_ns = to_ns;
	run(phase, is_busy);
	phase->pid = is_busy ? FIRST_PID + (uint32_t)(work - works) * PIDS_APART : 0;
	phase->tid = is_busy ? phase->pid + load->cpu : 0;
}

const char *sim_load_comm(uint32_t tid)
{
	uint32_t work = (tid - FIRST_PID) / PIDS_APART;

	return tid >= FIRST_PID && work < ARRAY_SIZE(works) ? works[work].comm : NULL;
}

void sim_load_phase(const struct sim_load *load, uint64_t t_ns, struct sim_phase *ret)
{
	if (load->schedule) {
		sim_schedule_slice(load, t_ns, ret);
		return;
	}

	uint64_t phase = phase_at(load, t_ns);
	const struct load_work *work = phase_work(load, phase);

	*ret = (struct sim_phase){
		.work = work->name,
		.from_ns = phase_begin(load, phase),
		.to_ns = phase_begin(load, phase + 1),
		.code = { [SIM_USER] = work->code, [SIM_KERNEL] = CODE_KERNEL },
	};
	phase_rates(load, phase, work, ret);
	if (load->is_sliced)
		slice(load, work, t_ns, ret);
}

static uint64_t rate_q32(const struct sim_phase *phase, const struct sim_event *event,
			 enum sim_level level)
{
	uint64_t ppm = event->ppm[phase->code[level]];

	switch (event->base) {
	case PER_CYCLE: return phase->cycles_q32[level] * ppm / 1000000;
	case PER_INST: return phase->inst_q32[level] * ppm / 1000000;
	case PER_MISS: return phase->inst_q32[level] * ppm / 1000000 * phase->miss_permille / 1000;
	}
	return 0;
}

/* floor(ns × rate / 2^32), exact: ns is below 2^32 because no phase is longer than 4 s */
static uint64_t events_after(uint64_t ns, uint64_t rate)
{
	return ns * (rate >> 32) + (ns * (rate & UINT32_MAX) >> 32);
}

static uint64_t level_count(const struct sim_phase *phase, const struct sim_event *event,
			    enum sim_level level, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t rate = rate_q32(phase, event, level);

	return events_after(to_ns - phase->from_ns, rate) -
	       events_after(from_ns - phase->from_ns, rate);
}

uint64_t sim_phase_count(const struct sim_phase *phase, const struct sim_event *event,
			 enum privilege privilege, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t n = 0;

	assert(phase->from_ns <= from_ns && from_ns <= to_ns && to_ns <= phase->to_ns);
	if (!event)
		return 0;
	if (privilege != PRIVILEGE_KERNEL)
		n += level_count(phase, event, SIM_USER, from_ns, to_ns);
	if (privilege != PRIVILEGE_USER)
		n += level_count(phase, event, SIM_KERNEL, from_ns, to_ns);
	return n;
}

uint64_t sim_load_count(const struct sim_load *load, uint64_t id, enum privilege privilege,
			uint64_t from_ns, uint64_t to_ns)
{
	const struct sim_event *event = sim_event_find(id);
	uint64_t n = 0;

	while (from_ns < to_ns) {
		struct sim_phase phase;

		sim_load_phase(load, from_ns, &phase);

		uint64_t end_ns = phase.to_ns < to_ns ? phase.to_ns : to_ns;

		n += sim_phase_count(&phase, event, privilege, from_ns, end_ns);
		from_ns = end_ns;
	}
	return n;
}

static uint64_t busy_after(const struct sim_phase *phase, uint64_t t_ns)
{
	return (t_ns - phase->from_ns) * phase->busy_permille / 1000;
}

uint64_t sim_phase_busy_ns(const struct sim_phase *phase, uint64_t from_ns, uint64_t to_ns)
{
	return busy_after(phase, to_ns) - busy_after(phase, from_ns);
}

/* ---- activity ---- */

static int probe(const struct activity_place *place, uint32_t *ret_events, struct err *err)
{
	(void)place;
	(void)err;
	*ret_events = ACTIVITY_BIT(ACTIVITY_CYCLES) | ACTIVITY_BIT(ACTIVITY_TIME) |
		      ACTIVITY_BIT(ACTIVITY_INSTRUCTIONS);
	return 0;
}

const struct activity_path sim_activity = {
	.name = "sim",
	.what = "the simulated workload's own figures",
	.probe = probe,
};

void sim_activity_add(const struct sim_phase *phase, uint64_t from_ns, uint64_t to_ns,
		      uint64_t *value)
{
	value[ACTIVITY_CYCLES] += sim_phase_count(phase, sim_event_find(SIM_ID_CYCLES),
						  PRIVILEGE_BOTH, from_ns, to_ns);
	value[ACTIVITY_TIME] += sim_phase_busy_ns(phase, from_ns, to_ns);
	value[ACTIVITY_INSTRUCTIONS] += sim_phase_count(phase, sim_event_find(SIM_ID_INSTRUCTIONS),
							PRIVILEGE_BOTH, from_ns, to_ns);
}
