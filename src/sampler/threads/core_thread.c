/* core_thread.c: core threads sleep, read and push; they never allocate, lock, log, open or close */
#include <assert.h>
#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "sampler/threads/internal.h"

/* Sleep until t_ns on CLOCK_MONOTONIC or until `wake` differs from `seen`. Slack 1 ns. */
static void sampler_wait(atomic_uint *wake, unsigned seen, uint64_t t_ns)
{
	struct timespec until = { .tv_sec = (time_t)(t_ns / NS_PER_S),
				  .tv_nsec = (long)(t_ns % NS_PER_S) };

	/* FUTEX_WAIT_BITSET takes an absolute CLOCK_MONOTONIC time. An early return (EINTR, or
	 * EAGAIN when `wake` has changed) is harmless: every caller checks plan and clock again. */
	syscall(SYS_futex, wake, FUTEX_WAIT_BITSET_PRIVATE, seen, &until, NULL,
		FUTEX_BITSET_MATCH_ANY);
}

/* Period of reading the thread's CPU time, which costs a system call. */
#define CPU_TIME_EVERY_NS (100 * NS_PER_MS)

static unsigned core_thread_cpu_of(const struct core_thread *thread, const struct core_run *run)
{
	return thread->sampler->machine->core[run->core].cpu;
}

/*
 * Pin the thread to its CPU. In a cpuset without that CPU the kernel refuses with the same errno as
 * for an offline CPU; then the group is read from another CPU.
 * @return whether the core can be read
 */
static bool pin(const struct core_thread *thread, struct core_run *run)
{
	struct backend *backend = thread->sampler->backend;

	run->is_remote = false;
	if (!backend->pins || cpus_pin(core_thread_cpu_of(thread, run)) == 0)
		return true;
	run->is_remote =
		backend->reads_from_any_cpu && backend->ops->core_online(backend, run->core);
	return run->is_remote;
}

/* Whether the kernel has moved the thread away from an unplugged CPU: its reads are then wrong. */
static bool has_moved(const struct core_thread *thread, struct core_run *run)
{
	if (!thread->sampler->backend->pins || run->is_remote ||
	    sched_getcpu() == (int)core_thread_cpu_of(thread, run))
		return false;
	pin(thread, run);
	return !run->is_remote;
}

static bool came_back(const struct core_thread *thread, struct core_run *run)
{
	struct backend *backend = thread->sampler->backend;

	if (backend->ops->core_online && !backend->ops->core_online(backend, run->core))
		return false;
	return pin(thread, run);
}

static void push(struct core_thread *thread, struct core_run *run, enum sample_kind kind,
		 uint64_t tick)
{
	struct sampler *sampler = thread->sampler;
	struct sample *sample = ring_claim(run->ring);

	if (!sample) {
		ring_drop(run->ring);
		return;
	}
	sample->t_ns = sampler_clock_ns(sampler);
	sample->tick = tick;
	sample->plan = thread->plan->number;
	sample->set = thread->plan->active->of->set.number;
	sample->first = thread->plan->active->of->set.first[run->mux];
	sample->epoch = run->epoch;
	sample->late_ns = run->late_ns;
	sample->wakeups = thread->wakeups;
	sample->cpu_ns = thread->cpu_ns;
	sample->n_slots = 0;
	sample->rooted = 0;
	run->off = run->off || !run->group || has_moved(thread, run);
	/* in a remote read the running task is unknown */
	sample->at = (struct switch_point){
		.pid = run->is_remote ? 0 : thread->pid,
		.tid = run->is_remote ? (uint32_t)TID_GONE : thread->tid,
	};
	run->off = run->off || sampler->backend->ops->group_read(run->group, sample);
	sample->kind = (uint8_t)(run->off ? SAMPLE_OFF : kind);
	assert(sample->n_slots <= run->n_slots);
	ring_commit(run->ring);
}

static void core_thread_begin(struct core_thread *thread, struct core_run *run, unsigned mux,
			      enum sample_kind kind, uint64_t tick)
{
	run->mux = mux;
	run->epoch++;
	run->group = active_group(thread->sampler, thread->plan->active, run->core, mux);
	run->off = !run->group || thread->sampler->backend->ops->group_enable(run->group);
	push(thread, run, kind, tick);
}

unsigned mux_of_tick(uint64_t seed, uint64_t tick, unsigned n_mux)
{
	uint64_t state =
		seed + tick / n_mux * 0x9e3779b97f4a7c15; /* the next number for each round */

	return (unsigned)((tick + random_below(&state, n_mux)) % n_mux);
}

/* Get the mux group that a tick begins. */
static unsigned mux_from(const struct core_thread *thread, uint64_t tick)
{
	return mux_of_tick(thread->plan->t0_ns, tick, thread->plan->n_mux);
}

/* Switch to the tick's mux group, which depends on the tick alone: all cores are in step whatever ticks they missed. */
static void rotate(struct core_thread *thread, struct core_run *run, uint64_t tick)
{
	unsigned mux = mux_from(thread, tick);

	if (run->off || mux == run->mux)
		return;
	/* if the core has gone offline, begin fails, too */
	thread->sampler->backend->ops->group_disable(run->group);
	core_thread_begin(thread, run, mux, SAMPLE_MUX, tick);
}

/*
 * Restart a core that was off: once it is online, main reopens its groups, then counting continues.
 * @return whether its first window has just begun
 */
static bool try_return(struct core_thread *thread, struct core_run *run, uint64_t tick)
{
	/* acquire: pairs with main's release after it stored the new group */
	int reopen = atomic_load_explicit(&run->reopen, memory_order_acquire);

	if (reopen == REOPEN_PROVIDED) {
		core_thread_begin(thread, run, mux_from(thread, tick), SAMPLE_BASELINE, 0);
		atomic_store_explicit(&run->reopen, REOPEN_NO, memory_order_release);
		return true;
	}
	if (reopen == REOPEN_NO && came_back(thread, run))
		atomic_store_explicit(&run->reopen, REOPEN_WANTED, memory_order_release);
	return false;
}

static void core_thread_read_core(struct core_thread *thread, struct core_run *run, uint64_t tick)
{
	if (run->off && tick != TICK_CLOSING && try_return(thread, run, tick))
		return;
	push(thread, run, SAMPLE_TICK, tick);
	if (tick != TICK_CLOSING)
		rotate(thread, run, tick);
}

static void take_cpu_time(struct core_thread *thread, uint64_t now_ns)
{
	if (thread->sampler->backend->virtual_clock ||
	    (thread->cpu_ns && now_ns - thread->cpu_read_at_ns < CPU_TIME_EVERY_NS))
		return;
	thread->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	thread->cpu_read_at_ns = now_ns;
}

static void read_tick(struct core_thread *thread, uint64_t tick)
{
	uint64_t deadline_ns = plan_deadline_ns(thread->plan, tick);

	for (unsigned i = 0; i < thread->n_runs; i++) {
		uint64_t now_ns = sampler_clock_ns(thread->sampler);
		uint64_t late_ns = now_ns > deadline_ns ? now_ns - deadline_ns : 0;

		if (i + 4 < thread->n_runs)
			ring_prefetch(thread->run[i + 4].ring);
		if (i + 2 < thread->n_runs)
			ring_prefetch_entry(thread->run[i + 2].ring);
		thread->run[i].late_ns = late_ns > UINT32_MAX ? UINT32_MAX : (uint32_t)late_ns;
		take_cpu_time(thread, now_ns);
		core_thread_read_core(thread, &thread->run[i], tick);
	}
	thread->next_tick = tick + 1;
}

static void close_windows(struct core_thread *thread)
{
	for (unsigned i = 0; thread->plan && i < thread->n_runs; i++) {
		thread->run[i].late_ns = 0;
		core_thread_read_core(thread, &thread->run[i], TICK_CLOSING);
	}
}

static void change_set(struct core_thread *thread, struct core_run *run)
{
	if (run->group)
		thread->sampler->backend->ops->group_disable(run->group);
	/* The requested reopening is obsolete: the new set has its own group. Exchange: main may
	 * be providing one now, and closes the replaced group when it sees NO here, so the
	 * group must not be loaded before. */
	atomic_exchange(&run->reopen, REOPEN_NO);
	core_thread_begin(thread, run, mux_from(thread, 0), SAMPLE_BASELINE, 0);
}

static void switch_plan(struct core_thread *thread, const struct plan *next)
{
	const struct plan *last = thread->plan;

	close_windows(thread);
	thread->plan = next;
	thread->next_tick = 1;
	for (unsigned i = 0; !next->stop && i < thread->n_runs; i++) {
		if (!last || last->active != next->active)
			change_set(thread, &thread->run[i]);
		else
			rotate(thread, &thread->run[i], 0);
	}
	/* release: main may close the old groups; the collector expects no more samples of the old plan */
	atomic_store_explicit(&thread->plan_seen, next->number, memory_order_release);
}

void core_thread_step(struct core_thread *thread, uint64_t tick)
{
	const struct plan *plan = atomic_load(&thread->sampler->plan);

	if (plan != thread->plan)
		switch_plan(thread, plan);
	if (tick)
		read_tick(thread, tick);
}

/* Get the tick of the current time: next_tick, or a later one if some were missed. */
static uint64_t tick_now(const struct core_thread *thread, uint64_t now_ns)
{
	uint64_t tick =
		(now_ns - thread->plan->t0_ns) * thread->plan->n_ticks / thread->plan->interval_ns;

	return tick > thread->next_tick ? tick : thread->next_tick;
}

static void settle(struct core_thread *thread)
{
	char name[16] = "m1top/";

	if (thread->sampler->backend->pins) {
		const struct core_run *run = &thread->run[0];
		unsigned cpu = core_thread_cpu_of(thread, run);

		for (unsigned scale = 1000; scale; scale /= 10) {
			size_t n = strlen(name);

			if (cpu >= scale || scale == 1)
				name[n] = (char)('0' + cpu / scale % 10);
		}
		pin(thread, &thread->run[0]); /* offline: has_moved() detects it */
	}
	thread->pid = (uint32_t)getpid();
	thread->tid = (uint32_t)gettid();
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_TIMERSLACK, 1UL);
}

void *core_thread_main(void *data)
{
	struct core_thread *thread = data;
	struct sampler *sampler = thread->sampler;

	settle(thread);
	/* release: the main thread publishes the first plan when all are ready */
	atomic_fetch_add_explicit(&sampler->n_ready, 1, memory_order_release);
	while (!atomic_load_explicit(&thread->wake, memory_order_acquire))
		sampler_wait(&thread->wake, 0, clock_now_ns() + NS_PER_S);
	for (;;) {
		/* before the plan: once the plan is there, the word of this thread may still be the last one's */
		unsigned seen = atomic_load_explicit(&thread->wake, memory_order_acquire);
		/* acquire: the plan and its groups are complete */
		const struct plan *plan =
			atomic_load_explicit(&sampler->plan, memory_order_acquire);

		if (plan != thread->plan)
			switch_plan(thread, plan);
		if (plan->stop)
			return NULL;

		uint64_t deadline_ns = plan_deadline_ns(plan, thread->next_tick);
		uint64_t now_ns = clock_now_ns();

		if (now_ns < deadline_ns) {
			sampler_wait(&thread->wake, seen, deadline_ns);
			thread->wakeups++;
			continue;
		}
		read_tick(thread, tick_now(thread, now_ns));
	}
}
