/* real_time.c: threads that run before those of other programs, so that a busy machine does not make them late */
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "base/rights.h"
#include "sampler/threads/internal.h"

static struct {
	struct rlimit before, bound; /* RLIMIT_RTTIME */
	rlim_t cpu_s;                /* RLIMIT_CPU, soft */
	bool is_bound, is_begun;
	atomic_bool is_on;
} real_time;

static bool is_ordinary(void)
{
	return sched_getscheduler(0) == SCHED_OTHER;
}

static void become_ordinary(void)
{
	sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){ 0 });
}

/* SIGXCPU, which the kernel sends for the thread that exceeds the limit; another thread may take it. Then
 * it comes again at the next clock tick. */
static void on_too_long(int signal)
{
	struct rlimit cpu;

	/* the kernel raises a limit of CPU time (ulimit -t) that is exceeded: end as without this handler */
	if (!getrlimit(RLIMIT_CPU, &cpu) && cpu.rlim_cur != real_time.cpu_s) {
		sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
		raise(signal);
		return;
	}
	if (!is_ordinary()) {
		become_ordinary();
		atomic_store(&real_time.is_on, false);
	}
	/* the kernel has raised this one by a second, too */
	setrlimit(RLIMIT_RTTIME, &real_time.bound);
}

/* @return false: the limits are unknown */
static bool read_limits(void)
{
	const rlim_t most_us = 200 * 1000;
	struct rlimit cpu;

	if (getrlimit(RLIMIT_CPU, &cpu) || getrlimit(RLIMIT_RTTIME, &real_time.before))
		return false;
	real_time.cpu_s = cpu.rlim_cur;
	real_time.bound = real_time.before; /* the hard limit stays: it could not be raised again */
	if (real_time.bound.rlim_cur > most_us)
		real_time.bound.rlim_cur = most_us;
	return true;
}

/* @return false: the thread would not be bound */
static bool bind_time(void)
{
	real_time.is_bound = (real_time.is_bound || read_limits()) &&
			     !setrlimit(RLIMIT_RTTIME, &real_time.bound);
	return real_time.is_bound;
}

void real_time_begin(void)
{
	const struct sigaction action = { .sa_handler = on_too_long, .sa_flags = SA_RESTART };
	const struct sched_param lowest = { .sched_priority = 1 };

	real_time.is_begun = is_ordinary() && bind_time() && !sigaction(SIGXCPU, &action, NULL) &&
			     !sched_setscheduler(0, SCHED_FIFO, &lowest);
	/* the user may have started m1top by chrt */
	atomic_store(&real_time.is_on, !is_ordinary());
	rights_drop(RIGHT_REAL_TIME);
}

void real_time_end(void)
{
	if (real_time.is_begun)
		become_ordinary();
	real_time.is_begun = false;
}

bool sampler_may_real_time(void)
{
	real_time_begin();
	real_time_end();
	return real_time_is_on();
}

bool real_time_is_on(void)
{
	return atomic_load(&real_time.is_on);
}

void sampler_restore_limit(void)
{
	if (real_time.is_bound)
		(void)setrlimit(RLIMIT_RTTIME, &real_time.before);
}
