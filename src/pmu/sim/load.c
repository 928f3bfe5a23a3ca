#include "pmu/sim/load.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"

/* retired instructions per 1000 cycles, by kind of code, on E and P cores */
static const uint16_t ipc_milli[N_CODES][N_SIM_TYPES] = {
	[CODE_INTEGER] = { 2200, 4300 }, [CODE_CHASE] = { 250, 350 },
	[CODE_STREAM] = { 900, 1700 },   [CODE_BRANCHY] = { 1100, 2000 },
	[CODE_SIMD] = { 1700, 3600 },    [CODE_KERNEL] = { 800, 1400 },
};

/* E cores have smaller caches, TLBs and predictors */
static const uint16_t type_miss_permille[N_SIM_TYPES] = { [SIM_E] = 1250, [SIM_P] = 1000 };

/* highest clock, kHz. Source: the M1's operating points, rounded */
static const uint32_t type_khz[N_SIM_TYPES] = { [SIM_E] = 2060000, [SIM_P] = 3200000 };

struct load_range {
	uint16_t low, high;
};

/* Kind of work; shares in per mille. */
struct load_work {
	const char *comm;            /* name of a program that does this work */
	enum sim_code code;          /* at user level; the kernel level has CODE_KERNEL */
	struct load_range busy;      /* of the time; the rest waits for an interrupt */
	struct load_range clock;     /* of the highest clock */
	struct load_range kernel;    /* of the active cycles */
	uint8_t weight[N_SIM_TYPES]; /* relative frequency by core type */
};

enum { SIM_WORKS = 8 };

/* kind 0 is nearly idle */
static const struct load_work works[SIM_WORKS] = {
	{ "systemd", CODE_BRANCHY, { 5, 30 }, { 300, 450 }, { 550, 750 }, { 4, 2 } },
	{ "gnome-shell", CODE_INTEGER, { 150, 350 }, { 450, 750 }, { 200, 350 }, { 3, 1 } },
	{ "stockfish", CODE_INTEGER, { 930, 1000 }, { 950, 1000 }, { 5, 20 }, { 2, 4 } },
	{ "mcf", CODE_CHASE, { 900, 1000 }, { 900, 1000 }, { 10, 40 }, { 2, 3 } },
	{ "rsync", CODE_STREAM, { 850, 1000 }, { 900, 1000 }, { 10, 30 }, { 1, 2 } },
	{ "python3", CODE_BRANCHY, { 850, 1000 }, { 900, 1000 }, { 20, 60 }, { 2, 4 } },
	{ "ffmpeg", CODE_SIMD, { 900, 1000 }, { 950, 1000 }, { 5, 15 }, { 1, 4 } },
	{ "nginx", CODE_BRANCHY, { 500, 850 }, { 700, 950 }, { 500, 700 }, { 3, 2 } },
};

/* Usual mean length of phases. They begin at its multiples, plus or minus 7/18 of it: they last 0.5 to 4 s. */
#define PHASE_NS  UINT64_C(2250000000)
/* period of slices: one turn of a task, then idle time */
#define PERIOD_NS UINT64_C(4000000)

/* a thread's id is its process's id plus the CPU number */
enum { FIRST_PID = 10000, PIDS_APART = 10000 };

/* purpose of a drawn number */
enum load_draw {
	DRAW_EDGE,
	DRAW_HOME,
	DRAW_STAY,
	DRAW_WORK,
	DRAW_BUSY,
	DRAW_CLOCK,
	DRAW_KERNEL,
	DRAW_MISS,
	DRAW_IDLE
};

static uint64_t load_mix(uint64_t x)
{
	return random_next(&x);
}

uint64_t sim_hash(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
	return load_mix(load_mix(load_mix(load_mix(seed) ^ a) ^ b) ^ c);
}

static uint64_t sim_load_draw(const struct sim_load *load, uint64_t phase, enum load_draw what)
{
	return sim_hash(load->seed, load->cpu, phase, what);
}

static uint64_t draw_from(const struct sim_load *load, uint64_t phase, enum load_draw what,
			  struct load_range range)
{
	return range.low + sim_load_draw(load, phase, what) % (range.high - range.low + 1U);
}

static uint64_t phase_ns(const struct sim_load *load)
{
	if (load->shape.period_us)
		return load->shape.period_us * NS_PER_US / 2;
	return load->shape.phase_us ? load->shape.phase_us * NS_PER_US : PHASE_NS;
}

static uint64_t phase_begin(const struct sim_load *load, uint64_t phase)
{
	uint64_t jitter_ns = load->shape.period_us ? 0 : phase_ns(load) / 18 * 7;

	if (phase == 0)
		return 0;
	return phase * phase_ns(load) - jitter_ns +
	       sim_load_draw(load, phase, DRAW_EDGE) % (2 * jitter_ns + 1);
}

static uint64_t phase_at(const struct sim_load *load, uint64_t t_ns)
{
	uint64_t phase = t_ns / phase_ns(load);

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

/* Return the work of a phase: mostly the core's usual one, so that cores are recognisable on a screen. */
static const struct load_work *phase_work(const struct sim_load *load, uint64_t phase)
{
	const struct sim_shape *shape = &load->shape;
	const struct load_work *home =
		work_by_weight(sim_load_draw(load, 0, DRAW_HOME), load->type);
	uint64_t kind = shape->same ? phase / shape->same : phase;

	if (shape->period_us)
		return &works[((size_t)(home - works) + phase % 2 * SIM_WORKS / 2) % SIM_WORKS];
	if (sim_load_draw(load, kind, DRAW_IDLE) % 100 < shape->idle_pct)
		return &works[0];
	if (sim_load_draw(load, kind, DRAW_STAY) % 8 < 5)
		return home;
	return work_by_weight(sim_load_draw(load, kind, DRAW_WORK), load->type);
}

static void phase_rates(const struct sim_load *load, uint64_t phase, const struct load_work *work,
			struct sim_phase *ret)
{
	/* more misses, lower IPC: from 0.8 × misses at 1.1 × IPC to 1.2 × misses at 0.9 × IPC */
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

/* Scale the rates of a phase to a core that is always busy, or idle. */
static void load_run(struct sim_phase *phase, bool is_busy)
{
	for (unsigned level = 0; level < N_SIM_LEVELS; level++) {
		phase->cycles_q32[level] =
			is_busy ? phase->cycles_q32[level] * 1000 / phase->busy_permille : 0;
		phase->inst_q32[level] =
			is_busy ? phase->inst_q32[level] * 1000 / phase->busy_permille : 0;
	}
	phase->busy_permille = is_busy ? 1000 : 0;
}

/* Fill in the rates of a kind of work while a task runs. @who  task; rates differ a little by task */
static void work_rates(const struct sim_load *load, unsigned work, uint32_t who,
		       struct sim_phase *ret)
{
	/* a CPU number that no core has, to draw numbers for a task */
	const struct sim_load its = { .seed = load->seed,
				      .cpu = UINT32_MAX - who,
				      .type = load->type };

	ret->code[SIM_USER] = works[work].code;
	ret->code[SIM_KERNEL] = CODE_KERNEL;
	phase_rates(&its, 0, &works[work], ret);
	load_run(ret, true);
}

/* ---- schedule ---- */

#define ROUND_NS (8 * NS_PER_MS)

enum {
	TURNS_MAX = 4,     /* turns of a core's own tasks per round */
	SHORT_MAX = 256,   /* short tasks of a core per round */
	MOVE_ROUNDS = 128, /* rounds until a task that moves between cgroups goes to the next */
	BLOCK_ROUNDS = 64, /* rounds until the moving task changes to the other core */
	THREADS = 4,       /* consecutive tasks with the same work; may be threads of one process */
	LIVES = 64,        /* number of ids of a task that restarts under another id */

	SHELL = 900, /* parent of every task that starts */
	FIRST_TID = 1000,
	FIRST_MORTAL = 100000,
	FIRST_SHORT = 4000000,
	SHORT_TIDS = 1 << 16,
};

/* purpose of a drawn number; the values differ from those above */
enum schedule_draw { DRAW_TURN = 3000, DRAW_DUTY, DRAW_SLEEPS, DRAW_LIFE };

enum habit { STAYS, RETURNS_AS_ANOTHER, RETURNS_AS_THE_SAME };

static const char shell_comm[] = "bash", short_comm[] = "true";

/* ---- schedule: one task, 0 … n_tasks-1 ---- */

/* Return a task's kind of work: all but kind 0, which is nearly idle. */
static unsigned work_of(unsigned task)
{
	return 1 + task / THREADS % (SIM_WORKS - 1);
}

static bool is_threaded(unsigned task)
{
	return task / THREADS % 2;
}

static enum habit habit_of(unsigned task)
{
	if (!task || is_threaded(task) || task % 4 < 2)
		return STAYS;
	return task % 4 == 2 ? RETURNS_AS_ANOTHER : RETURNS_AS_THE_SAME;
}

/* Return the number of a task's life in a round; it changes when the task restarts. */
static uint32_t life_in(const struct sim_schedule *schedule, unsigned task, uint64_t round)
{
	uint64_t drawn = sim_hash(schedule->seed, task, 0, DRAW_LIFE);
	uint64_t n_rounds = 30 + drawn % 70;

	return habit_of(task) == STAYS ? 0 : (uint32_t)((round + drawn / 70 % 100) / n_rounds);
}

static void identify(unsigned task, uint32_t life, struct sim_phase *ret)
{
	ret->life = life;
	ret->tid = FIRST_TID + task;
	if (habit_of(task) == RETURNS_AS_ANOTHER)
		ret->tid = FIRST_MORTAL + task * LIVES + life % LIVES;
	ret->pid = is_threaded(task) ? FIRST_TID + task - task % THREADS : ret->tid;
}

/* ---- schedule: a core's round ---- */

static unsigned n_home(const struct sim_load *load)
{
	/* task 0 moves and has no home core */
	unsigned n = load->schedule->n_tasks - 1, n_cores = load->schedule->n_cores;

	return n / n_cores + (load->cpu < n % n_cores);
}

static unsigned home_task(const struct sim_load *load, unsigned number)
{
	return 1 + load->cpu + number * load->schedule->n_cores;
}

static unsigned n_turns(const struct sim_load *load)
{
	unsigned n = n_home(load);

	return n < TURNS_MAX ? n : TURNS_MAX;
}

static unsigned n_short(const struct sim_load *load)
{
	uint64_t in_rounds = load->schedule->n_short * ROUND_NS;
	uint64_t whole = load->schedule->n_cores * NS_PER_S;
	uint64_t n = (in_rounds + whole - 1) / whole;

	return n < SHORT_MAX ? (unsigned)n : SHORT_MAX;
}

/* Count the slices of a round: turns, the moving task, short tasks and idle time. */
static unsigned n_slices(const struct sim_load *load)
{
	return n_turns(load) + 1 + n_short(load) + 1;
}

static uint64_t slice_begin(const struct sim_load *load, uint64_t round, unsigned i)
{
	uint64_t step_ns = ROUND_NS / n_slices(load);
	uint64_t drawn = sim_hash(load->seed, load->cpu, round, DRAW_TURN + ((uint64_t)i << 16));

	if (i == n_slices(load))
		return (round + 1) * ROUND_NS;
	return round * ROUND_NS + i * step_ns + (i ? drawn % (step_ns / 2) : 0);
}

static unsigned slice_at(const struct sim_load *load, uint64_t round, uint64_t t_ns)
{
	uint64_t i = (t_ns - round * ROUND_NS) / (ROUND_NS / n_slices(load));

	if (i >= n_slices(load))
		return n_slices(load) - 1;
	return t_ns < slice_begin(load, round, (unsigned)i) ? (unsigned)i - 1 : (unsigned)i;
}

/* Return the id of the cgroup of a task, or of a kind of short ones. */
static uint32_t cgroup_in(const struct sim_schedule *schedule, uint64_t task, uint64_t round)
{
	uint64_t moved = task % 8 == 5 ? round / MOVE_ROUNDS : 0;

	return schedule->n_cgroups
		       ? SIM_CGROUP + (uint32_t)((task / THREADS + moved) % schedule->n_cgroups)
		       : 0;
}

static void run_task(const struct sim_load *load, uint64_t round, unsigned task,
		     struct sim_phase *ret)
{
	uint64_t seed = load->schedule->seed;
	uint64_t duty_permille = 200 + sim_hash(seed, task, 0, DRAW_DUTY) % 801;

	if (sim_hash(seed, task, round, DRAW_SLEEPS) % 1000 >= duty_permille)
		return; /* it sleeps */
	identify(task, life_in(load->schedule, task, round), ret);
	ret->cgroup = cgroup_in(load->schedule, task, round);
	work_rates(load, work_of(task), task, ret);
}

static void run_short(const struct sim_load *load, uint64_t round, unsigned number,
		      struct sim_phase *ret)
{
	uint64_t n = (round * load->schedule->n_cores + load->cpu) * n_short(load) + number;

	ret->life = (uint32_t)(n / SHORT_TIDS);
	ret->pid = ret->tid = FIRST_SHORT + (uint32_t)(n % SHORT_TIDS);
	ret->cgroup = cgroup_in(load->schedule, n * THREADS, 0);
	work_rates(load, work_of(0), UINT32_MAX, ret);
}

/* Find the slice of a schedule at t_ns: its task, begin and end. */
static void schedule_slice(const struct sim_load *load, uint64_t t_ns, struct sim_phase *ret)
{
	uint64_t round = t_ns / ROUND_NS;
	unsigned i = slice_at(load, round, t_ns), n = n_turns(load);
	unsigned moving_task_at = round / BLOCK_ROUNDS % 2 ? load->schedule->n_cores / 2 : 0;

	*ret = (struct sim_phase){
		.from_ns = slice_begin(load, round, i),
		.to_ns = slice_begin(load, round, i + 1),
	};
	if (i < n)
		run_task(load, round, home_task(load, (unsigned)((round * n + i) % n_home(load))),
			 ret);
	else if (i == n && load->cpu == moving_task_at)
		run_task(load, round, 0, ret);
	else if (i > n && i < n_slices(load) - 1)
		run_short(load, round, i - n - 1, ret);
}

/* ---- phases and slices ---- */

/* Narrow a phase to the slice at t_ns: in each period a task's turn, then idle time. */
static void load_slice(const struct sim_load *load, uint64_t t_ns, struct sim_phase *phase)
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
	load_run(phase, is_busy);
	phase->pid = is_busy ? FIRST_PID + phase->work * PIDS_APART : 0;
	phase->tid = is_busy ? phase->pid + load->cpu : 0;
}

static void whole_phase(const struct sim_load *load, uint64_t t_ns, struct sim_phase *ret)
{
	uint64_t phase = phase_at(load, t_ns);
	const struct load_work *work = phase_work(load, phase);

	*ret = (struct sim_phase){
		.from_ns = phase_begin(load, phase),
		.to_ns = phase_begin(load, phase + 1),
		.code = { [SIM_USER] = work->code, [SIM_KERNEL] = CODE_KERNEL },
		.work = (uint32_t)(work - works),
	};
	phase_rates(load, phase, work, ret);
}

void sim_load_next(const struct sim_load *load, uint64_t t_ns, struct sim_phase *whole,
		   struct sim_phase *ret)
{
	if (load->schedule) {
		schedule_slice(load, t_ns, ret);
		return;
	}
	if (t_ns >= whole->to_ns)
		whole_phase(load, t_ns, whole);
	*ret = *whole;
	if (load->is_sliced)
		load_slice(load, t_ns, ret);
}

void sim_load_phase(const struct sim_load *load, uint64_t t_ns, struct sim_phase *ret)
{
	struct sim_phase whole = { 0 };

	sim_load_next(load, t_ns, &whole, ret);
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
	if (!event || !phase->busy_permille)
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

uint64_t sim_phase_busy_ns(const struct sim_phase *phase, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t busy = phase->busy_permille;

	return (to_ns - phase->from_ns) * busy / 1000 - (from_ns - phase->from_ns) * busy / 1000;
}

/* ---- records of tasks ---- */

static void schedule_tell(enum task_note_kind kind, const struct sim_phase *task, uint64_t t_ns,
			  const char *comm, const struct switch_sink *sink)
{
	struct task_note note = { .kind = kind,
				  .pid = task->pid,
				  .tid = task->tid,
				  .parent_pid = SHELL,
				  .parent_tid = SHELL,
				  .t_ns = t_ns };

	snprintf(note.comm, sizeof(note.comm), "%s", comm ? comm : "");
	sink->take_note(sink->data, &note);
}

static bool is_short(const struct sim_phase *slice)
{
	return slice->tid >= FIRST_SHORT;
}

void sim_schedule_begin(const struct sim_phase *slice, const struct switch_sink *sink)
{
	if (!is_short(slice))
		return;
	schedule_tell(NOTE_FORK, slice, slice->from_ns, NULL, sink);
	schedule_tell(NOTE_NAME, slice, slice->from_ns + 1, short_comm, sink);
}

/* Record a task's end, start and exec. Tasks start and end between two rounds, and call exec after their
 * first round. */
static void tell_of_round(const struct sim_load *load, uint64_t round, unsigned task,
			  const struct switch_sink *sink)
{
	const struct sim_schedule *schedule = load->schedule;
	uint32_t life = life_in(schedule, task, round);
	struct sim_phase it = { 0 };

	if (habit_of(task) == STAYS)
		return;
	if (life != life_in(schedule, task, round - 1)) {
		identify(task, life - 1, &it);
		schedule_tell(NOTE_EXIT, &it, round * ROUND_NS - 1, NULL, sink);
		identify(task, life, &it);
		schedule_tell(NOTE_FORK, &it, round * ROUND_NS, NULL, sink);
	} else if (round > 1 && life != life_in(schedule, task, round - 2)) {
		identify(task, life, &it);
		schedule_tell(NOTE_NAME, &it, round * ROUND_NS, works[work_of(task)].comm, sink);
	}
}

void sim_schedule_end(const struct sim_load *load, const struct sim_phase *slice,
		      const struct switch_sink *sink)
{
	if (is_short(slice))
		schedule_tell(NOTE_EXIT, slice, slice->to_ns - 1, NULL, sink);
	if (slice->to_ns % ROUND_NS)
		return;
	for (unsigned i = 0; i < n_home(load); i++)
		tell_of_round(load, slice->to_ns / ROUND_NS, home_task(load, i), sink);
}

/* Paths as of a server, a desktop and containers in turn. */
void sim_schedule_cgroups(const struct sim_schedule *schedule, const struct switch_sink *sink)
{
	static const struct {
		const char *before, *after;
		int digits;
	} form[] = {
		{ "/system.slice/web\\x2d", ".service", 1 },
		{ "/user.slice/user-1000.slice/app.slice/app-", ".scope", 1 },
		{ "/kubepods.slice/kubepods-burstable.slice/cri-containerd-", ".scope", 64 },
		{ "/system.slice/docker-", ".scope", 64 },
	};
	char path[160];

	for (unsigned i = 0; i < schedule->n_cgroups; i++) {
		unsigned kind = i % ARRAY_SIZE(form);

		/* an id in which also the first digits differ */
		snprintf(path, sizeof(path), "%s%x%.*x%s", form[kind].before, i,
			 form[kind].digits - snprintf(NULL, 0, "%x", i), 0, form[kind].after);
		sink->take_note(sink->data, &(struct task_note){ .kind = NOTE_CGROUP,
								 .cgroup = SIM_CGROUP + i,
								 .path = path });
	}
}

const char *sim_load_comm(const struct sim_schedule *schedule, uint32_t tid)
{
	uint32_t task = tid - FIRST_TID, work = (tid - FIRST_PID) / PIDS_APART;

	if (!schedule->n_tasks)
		return tid >= FIRST_PID && work < ARRAY_SIZE(works) ? works[work].comm : NULL;
	if (tid == SHELL)
		return shell_comm;
	if (tid >= FIRST_SHORT)
		return short_comm;
	if (tid >= FIRST_MORTAL)
		task = (tid - FIRST_MORTAL) / LIVES;
	return tid >= FIRST_TID && task < schedule->n_tasks ? works[work_of(task)].comm : NULL;
}

/* ---- activity ---- */

static int probe(const struct activity_place *place UNUSED, uint32_t *ret_events,
		 struct err *err UNUSED)
{
	*ret_events = ACTIVITY_BIT(ACTIVITY_CYCLES) | ACTIVITY_BIT(ACTIVITY_TIME) |
		      ACTIVITY_BIT(ACTIVITY_INSTRUCTIONS);
	return 0;
}

const struct activity_path sim_activity = {
	.name = "sim",
	.what = "the simulated workload's own figures",
	.probe = probe,
};
