/* lane.c: core threads: sleep, read, push; they never allocate, lock, log, open or close */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/clock.h"
#include "sampler/internal.h"

/* A system call for each look at its own CPU time: often enough for a share of a second. */
#define CPU_TIME_EVERY_NS (100 * NS_PER_MS)

static bool pin(unsigned cpu)
{
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
	char bits[CPUS_MAX / 8] = { 0 };

	CPU_SET_S(cpu, size, (cpu_set_t *)bits);
	return sched_setaffinity(0, size, (cpu_set_t *)bits) == 0;
}

static unsigned cpu_of(const struct lane *lane, const struct core_run *run)
{
	return lane->sampler->machine->core[run->core].cpu;
}

/* An unplugged CPU's threads are moved elsewhere by the kernel: whatever is read there is wrong. */
static bool has_moved(const struct lane *lane, const struct core_run *run)
{
	return lane->sampler->backend->pins && sched_getcpu() != (int)cpu_of(lane, run);
}

static bool came_back(const struct lane *lane, const struct core_run *run)
{
	struct backend *backend = lane->sampler->backend;

	if (backend->ops->core_online)
		return backend->ops->core_online(backend, run->core);
	return backend->pins && pin(cpu_of(lane, run));
}

static void push(struct lane *lane, struct core_run *run, enum sample_kind kind, uint64_t tick)
{
	struct sampler *sampler = lane->sampler;
	struct sample *sample = ring_claim(run->ring);

	if (!sample) {
		ring_drop(run->ring);
		return;
	}
	sample->t_ns = sampler_clock_ns(sampler);
	sample->tick = tick;
	sample->plan = lane->plan->number;
	sample->set = lane->plan->loaded->set.number;
	sample->first = lane->plan->loaded->set.first[run->turn];
	sample->stretch = run->stretch;
	sample->late_ns = run->late_ns;
	sample->wakeups = lane->wakeups;
	sample->cpu_ns = lane->cpu_ns;
	sample->n_slots = 0;
	if (!run->off && (has_moved(lane, run) || !run->group ||
			  sampler->backend->ops->group_read(run->group, sample)))
		run->off = true;
	sample->kind = (uint8_t)(run->off ? SAMPLE_OFF : kind);
	ring_commit(run->ring);
}

static void begin(struct lane *lane, struct core_run *run, unsigned turn, enum sample_kind kind,
		  uint64_t tick)
{
	run->turn = turn;
	run->stretch++;
	run->group = loaded_group(lane->sampler, lane->plan->loaded, run->core, turn);
	run->off = !run->group || lane->sampler->backend->ops->group_enable(run->group);
	push(lane, run, kind, tick);
}

/* The turn that a tick begins. */
static unsigned turn_from(const struct lane *lane, uint64_t tick)
{
	return (unsigned)(tick % lane->plan->n_turns);
}

/* All cores are in step, whatever ticks they missed: the turn follows from the tick. */
static void take_turn(struct lane *lane, struct core_run *run, uint64_t tick)
{
	unsigned turn = turn_from(lane, tick);

	if (run->off || turn == run->turn)
		return;
	/* a core that has gone meanwhile fails to begin, too */
	lane->sampler->backend->ops->group_disable(run->group);
	begin(lane, run, turn, SAMPLE_TURN, tick);
}

/*
 * A core that was off: once it is there again main opens its groups anew, then it counts on.
 * Returns true when its first window has just begun.
 */
static bool try_return(struct lane *lane, struct core_run *run, uint64_t tick)
{
	/* acquire: pairs with main's release after it stored the new group */
	int reopen = atomic_load_explicit(&run->reopen, memory_order_acquire);

	if (reopen == REOPEN_PROVIDED) {
		begin(lane, run, turn_from(lane, tick), SAMPLE_BASELINE, 0);
		atomic_store_explicit(&run->reopen, REOPEN_NO, memory_order_release);
		return true;
	}
	if (reopen == REOPEN_NO && came_back(lane, run))
		atomic_store_explicit(&run->reopen, REOPEN_WANTED, memory_order_release);
	return false;
}

static void read_core(struct lane *lane, struct core_run *run, uint64_t tick)
{
	if (run->off && tick != TICK_CLOSING && try_return(lane, run, tick))
		return;
	push(lane, run, SAMPLE_TICK, tick);
	if (tick != TICK_CLOSING)
		take_turn(lane, run, tick);
}

static void take_cpu_time(struct lane *lane, uint64_t now_ns)
{
	if (lane->sampler->backend->virtual_clock ||
	    (lane->cpu_ns && now_ns - lane->cpu_read_at_ns < CPU_TIME_EVERY_NS))
		return;
	lane->cpu_ns = clock_thread_cpu_ns();
	lane->cpu_read_at_ns = now_ns;
}

static void read_tick(struct lane *lane, uint64_t tick)
{
	uint64_t deadline_ns = plan_deadline_ns(lane->plan, tick);

	for (unsigned i = 0; i < lane->n_runs; i++) {
		uint64_t now_ns = sampler_clock_ns(lane->sampler);
		uint64_t late_ns = now_ns > deadline_ns ? now_ns - deadline_ns : 0;

		lane->run[i].late_ns = late_ns > UINT32_MAX ? UINT32_MAX : (uint32_t)late_ns;
		take_cpu_time(lane, now_ns);
		read_core(lane, &lane->run[i], tick);
	}
	lane->next_tick = tick + 1;
}

static void close_windows(struct lane *lane)
{
	for (unsigned i = 0; lane->plan && i < lane->n_runs; i++) {
		lane->run[i].late_ns = 0;
		read_core(lane, &lane->run[i], TICK_CLOSING);
	}
}

static void change_set(struct lane *lane, struct core_run *run)
{
	if (run->group)
		lane->sampler->backend->ops->group_disable(run->group);
	/* A core that asked for a reopening has just got a group of the new set instead. An exchange:
	 * main may provide at this moment, and closes what it replaced once it sees NO here: the
	 * group must not be loaded before. */
	atomic_exchange(&run->reopen, REOPEN_NO);
	begin(lane, run, 0, SAMPLE_BASELINE, 0);
}

static void switch_plan(struct lane *lane, const struct plan *next)
{
	const struct plan *last = lane->plan;

	close_windows(lane);
	lane->plan = next;
	lane->next_tick = 1;
	for (unsigned i = 0; !next->stop && i < lane->n_runs; i++) {
		if (!last || last->loaded != next->loaded)
			change_set(lane, &lane->run[i]);
		else
			take_turn(lane, &lane->run[i], 0);
	}
	/* release: main may close the old groups, the collector expects no more of the old plan */
	atomic_store_explicit(&lane->plan_seen, next->number, memory_order_release);
}

void lane_step(struct lane *lane, uint64_t tick)
{
	const struct plan *plan = atomic_load(&lane->sampler->plan);

	if (plan != lane->plan)
		switch_plan(lane, plan);
	if (tick)
		read_tick(lane, tick);
}

/* The tick that now belongs to: normally next_tick; later ones when some were missed. */
static uint64_t tick_now(const struct lane *lane, uint64_t now_ns)
{
	uint64_t tick =
		(now_ns - lane->plan->t0_ns) * lane->plan->n_turns / lane->plan->interval_ns;

	return tick > lane->next_tick ? tick : lane->next_tick;
}

static void settle(struct lane *lane)
{
	char name[16] = "m1top/";

	if (lane->sampler->backend->pins) {
		const struct core_run *run = &lane->run[0];
		unsigned cpu = cpu_of(lane, run);

		for (unsigned scale = 1000; scale; scale /= 10) {
			size_t n = strlen(name);

			if (cpu >= scale || scale == 1)
				name[n] = (char)('0' + cpu / scale % 10);
		}
		pin(cpu); /* offline: has_moved() will see it */
	}
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_TIMERSLACK, 1UL);
}

void *lane_main(void *data)
{
	struct lane *lane = data;
	struct sampler *sampler = lane->sampler;

	settle(lane);
	for (;;) {
		/* acquire: the plan and its groups are complete */
		const struct plan *plan =
			atomic_load_explicit(&sampler->plan, memory_order_acquire);

		if (plan != lane->plan)
			switch_plan(lane, plan);
		if (plan->stop)
			return NULL;

		uint64_t deadline_ns = plan_deadline_ns(plan, lane->next_tick);
		uint64_t now_ns = clock_now_ns();

		if (now_ns < deadline_ns) {
			sampler_wait(&sampler->wake, plan->number, deadline_ns);
			lane->wakeups++;
			continue;
		}
		read_tick(lane, tick_now(lane, now_ns));
	}
}
