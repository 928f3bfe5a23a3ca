/* runner.h: runs of a kernel on one core while a set counts, and what disturbed them */
#ifndef DISCOVER_RUN_RUNNER_H
#define DISCOVER_RUN_RUNNER_H

#include <stdatomic.h>

#include "discover/kernel/kernel.h"
#include "backend/backend.h"

/** Why a run is thrown away. */
enum disturbance {
	UNDISTURBED,
	DISTURBED_MIGRATED,    /* it ended on another CPU */
	DISTURBED_SWITCHED,    /* somebody else ran in between */
	DISTURBED_INTERRUPTED, /* the CPU took interrupts */
	DISTURBED_LOST,        /* a counter did not run all the time */
	DISTURBED_SLOW,        /* far more cycles than its repeats */
	N_DISTURBANCES,
};

struct run {
	uint64_t count[SLOTS_MAX]; /* by slot of the set; exact differences */
	uint8_t state[SLOTS_MAX];  /* enum raw_state */
	uint64_t ns;               /* the window; of programs, the time that they ran */
	enum disturbance disturbance;
};

/** A core taken for experiments. One thread: the one that opened it, which is pinned meanwhile. */
struct runner;

/** Could a thread be pinned to a core now? Not to one that is offline or not ours. */
bool runner_may_use(struct backend *backend, unsigned core);

/** Pin the calling thread to a core, where the backend's machine is real. @return 0; -ENODEV offline */
int runner_open(struct backend *backend, unsigned core, struct runner **ret, struct err *err);

/** A program of the user's is killed when another thread sets this. NULL: nobody does */
void runner_stop_on(struct runner *runner, const atomic_bool *stop);

/** Unpin, close what was loaded. NULL is accepted. */
void runner_close(struct runner *runner);

/** Count this from now on, in place of what was counted; it stays the caller's, and where it is. Errors as backend_ops.group_open */
int runner_load(struct runner *runner, const struct set *set, struct err *err);

/** Does what is loaded run? Some sets are taken and never do: somebody else holds a counter, say. */
bool runner_counts(struct runner *runner);

/** Run this kernel from now on; one run is made to warm up. @return 0 or as workspace_new */
int runner_use(struct runner *runner, const struct kernel *kernel, struct err *err);

/**
 * One run of `n` triggers or as much of the control.
 *
 * @return 0, also when it was disturbed; -ENODEV the core has gone; as program_run, see
 *         runner_last_error
 */
int runner_run(struct runner *runner, bool is_trigger, uint64_t n, struct run *ret);

/** How long runs of trigger and control take with all that belongs to them, about; nothing is counted. */
uint64_t runner_cost_ns(struct runner *runner, uint64_t n);

/** What to know about the memory of the kernel in use; "" when all is as it should be. */
const char *runner_note(const struct runner *runner);

/** Why a program could not be run. @return "" when there is nothing to say */
const char *runner_last_error(const struct runner *runner);

/** How many triggers a run of n really has: a kernel runs whole units. */
double runner_triggers(const struct kernel *kernel, uint64_t n);

#endif
