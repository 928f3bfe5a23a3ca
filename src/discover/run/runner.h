/* runner.h: runs of a kernel on one core while a set counts, and their disturbances */
#ifndef DISCOVER_RUN_RUNNER_H
#define DISCOVER_RUN_RUNNER_H

#include <stdatomic.h>

#include "discover/estimate.h"
#include "discover/kernel.h"
#include "pmu/backend.h"

struct run {
	uint64_t count[SLOTS_MAX]; /* by slot of the set; exact differences */
	uint8_t state[SLOTS_MAX];  /* enum raw_state */
	uint64_t ns;               /* duration of the window; for programs, their running time */
	enum disturbance disturbance;
};

/** Whether another thread has set the flag. @stop  NULL: never */
static inline bool is_stopped(const atomic_bool *stop)
{
	/* relaxed: no other data depend on it */
	return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

/** Core used for experiments, by the thread that opened it, which is pinned meanwhile. */
struct runner;

/** Whether a thread can be pinned to a core now; false if it is offline or not allowed. */
bool runner_may_use(struct backend *backend, unsigned core);

/** Pin the calling thread to a core, if the machine is real. @return 0; -ENODEV if it is offline */
int runner_open(struct backend *backend, unsigned core, struct runner **ret, struct err *err);

/** Let another thread kill the user's program by setting `stop`. NULL: never */
void runner_stop_on(struct runner *runner, const atomic_bool *stop);

/** Unpin and close the loaded set; NULL is accepted. */
void runner_close(struct runner *runner);

/** Load a set in place of the last one; it stays the caller's and must not move. Errors as
 * backend_ops.group_open */
int runner_load(struct runner *runner, const struct set *set, struct err *err);

/** Whether the loaded set runs. Some sets are accepted but never run, e.g. if another process holds
 * a counter. */
bool runner_counts(struct runner *runner);

/** Select the kernel and run it once to warm up. @return 0 or as workspace_new */
int runner_use(struct runner *runner, const struct kernel *kernel, struct err *err);

/**
 * Run `n` triggers, or as much of the control.
 *
 * @return 0, also if disturbed; -ENODEV if the core has gone; as program_run, see runner_last_error
 */
int runner_run(struct runner *runner, bool is_trigger, uint64_t n, struct run *ret);

/** Estimate how long runs of trigger and control take, with all overhead; nothing is counted. */
uint64_t runner_cost_ns(struct runner *runner, uint64_t n);

/** Return a remark on the memory of the kernel in use; "" if there is none. */
const char *runner_note(const struct runner *runner);

/** Return why a program could not be run; "" if there was no error. */
const char *runner_last_error(const struct runner *runner);

/** Return the actual triggers of a run of n: a kernel runs whole units. */
double runner_triggers(const struct kernel *kernel, uint64_t n);

/**
 * Sum up a CPU's column; lines without a column per CPU (ERR, MIS) are ignored.
 *
 * @return 0; -ENODEV if the CPU has no column
 */
int interrupts_sum(const char *text, unsigned cpu, uint64_t *ret);

#endif
