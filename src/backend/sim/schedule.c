#include "backend/sim/schedule.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"

#define ROUND_NS (8 * NS_PER_MS)

enum {
	TURNS_MAX = 4,     /* of a core's tasks in a round */
	SHORT_MAX = 256,   /* of those that live for one */
	BLOCK_ROUNDS = 64, /* the task that moves stays so long */
	THREADS = 4,       /* neighbours do the same work, and may be one process */
	LIVES = 64,        /* ids of a task that begins again under another one */

	SHELL = 900, /* where all come from that begin */
	FIRST_TID = 1000,
	FIRST_MORTAL = 100000,
	FIRST_SHORT = 4000000,
	SHORT_TIDS = 1 << 16,
};

/* what a number is drawn for; apart from those of load.c by its place in sim_hash() */
enum schedule_draw { DRAW_TURN = 3000, DRAW_DUTY, DRAW_SLEEPS, DRAW_LIFE };

enum habit { STAYS, RETURNS_AS_ANOTHER, RETURNS_AS_THE_SAME };

static const char shell_comm[] = "bash", short_comm[] = "true";

static uint64_t draw(const struct sim_schedule *schedule, uint64_t a, uint64_t b,
		     enum schedule_draw what)
{
	return sim_hash(schedule->seed, a, b, what);
}

/* ---- one task: 0 … n_tasks-1 ---- */

/* Everything but idling. */
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

/* Which of its lives a round is in. */
static uint32_t life_in(const struct sim_schedule *schedule, unsigned task, uint64_t round)
{
	uint64_t drawn = draw(schedule, task, 0, DRAW_LIFE);
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

/* ---- a core's round ---- */

static unsigned n_home(const struct sim_load *load)
{
	/* task 0 has no home */
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

/* Turns, one for the task that moves, the short ones, and idle time. */
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

static bool is_moving_task_here(const struct sim_load *load, uint64_t round)
{
	unsigned here = round / BLOCK_ROUNDS % 2 ? load->schedule->n_cores / 2 : 0;

	return load->cpu == here;
}

/* It waits for something in this round. */
static bool sleeps(const struct sim_schedule *schedule, unsigned task, uint64_t round)
{
	uint64_t duty_permille = 200 + draw(schedule, task, 0, DRAW_DUTY) % 801;

	return draw(schedule, task, round, DRAW_SLEEPS) % 1000 >= duty_permille;
}

static void run_task(const struct sim_load *load, uint64_t round, unsigned task,
		     struct sim_phase *ret)
{
	if (sleeps(load->schedule, task, round))
		return;
	identify(task, life_in(load->schedule, task, round), ret);
	sim_work_rates(load, work_of(task), task, ret);
}

static void run_short(const struct sim_load *load, uint64_t round, unsigned number,
		      struct sim_phase *ret)
{
	uint64_t n = (round * load->schedule->n_cores + load->cpu) * n_short(load) + number;

	ret->life = (uint32_t)(n / SHORT_TIDS);
	ret->pid = ret->tid = FIRST_SHORT + (uint32_t)(n % SHORT_TIDS);
	sim_work_rates(load, work_of(0), UINT32_MAX, ret);
}

void sim_schedule_slice(const struct sim_load *load, uint64_t t_ns, struct sim_phase *ret)
{
	uint64_t round = t_ns / ROUND_NS;
	unsigned i = slice_at(load, round, t_ns), n = n_turns(load);

	*ret = (struct sim_phase){
		.work = "idle",
		.from_ns = slice_begin(load, round, i),
		.to_ns = slice_begin(load, round, i + 1),
	};
	if (i < n)
		run_task(load, round, home_task(load, (unsigned)((round * n + i) % n_home(load))),
			 ret);
	else if (i == n && is_moving_task_here(load, round))
		run_task(load, round, 0, ret);
	else if (i > n && i < n_slices(load) - 1)
		run_short(load, round, i - n - 1, ret);
}

/* ---- what is told ---- */

static void tell(enum task_note_kind kind, const struct sim_phase *task, uint64_t t_ns,
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

void sim_schedule_begin(const struct sim_load *load, const struct sim_phase *slice,
			const struct switch_sink *sink)
{
	(void)load;
	if (!is_short(slice))
		return;
	tell(NOTE_FORK, slice, slice->from_ns, NULL, sink);
	tell(NOTE_NAME, slice, slice->from_ns + 1, short_comm, sink);
}

/* Tasks begin and end between two rounds; they call exec in their second one. */
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
		tell(NOTE_EXIT, &it, round * ROUND_NS - 1, NULL, sink);
		identify(task, life, &it);
		tell(NOTE_FORK, &it, round * ROUND_NS, NULL, sink);
	} else if (round > 1 && life != life_in(schedule, task, round - 2)) {
		identify(task, life, &it);
		tell(NOTE_NAME, &it, round * ROUND_NS, sim_work_comm(work_of(task)), sink);
	}
}

void sim_schedule_end(const struct sim_load *load, const struct sim_phase *slice,
		      const struct switch_sink *sink)
{
	if (is_short(slice))
		tell(NOTE_EXIT, slice, slice->to_ns - 1, NULL, sink);
	if (slice->to_ns % ROUND_NS)
		return;
	for (unsigned i = 0; i < n_home(load); i++)
		tell_of_round(load, slice->to_ns / ROUND_NS, home_task(load, i), sink);
}

const char *sim_schedule_comm(const struct sim_schedule *schedule, uint32_t tid)
{
	uint32_t task = tid - FIRST_TID;

	if (tid == SHELL)
		return shell_comm;
	if (tid >= FIRST_SHORT)
		return short_comm;
	if (tid >= FIRST_MORTAL)
		task = (tid - FIRST_MORTAL) / LIVES;
	return tid >= FIRST_TID && task < schedule->n_tasks ? sim_work_comm(work_of(task)) : NULL;
}
