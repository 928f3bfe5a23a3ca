/* setup.h: objects that every counting verb needs, connected and released together */
#ifndef CMD_SHARED_SETUP_H
#define CMD_SHARED_SETUP_H

#include "cmd/options.h"
#include "cmd/shared/armed.h"
#include "metrics/planner.h"
#include "sampler/notices.h"

struct setup {
	struct backend *backend;
	struct task_target *target; /* NULL: the machine; the caller sets the id of a TARGET_EXEC */
	size_t n_targets, cap_targets;
	struct event_table *events;
	struct metrics metrics;
	struct metrics_selection selection; /* -M; empty without -M */
	struct planner_request plain;       /* request without events and metrics */
	struct set first;
	struct sampler *sampler; /* not started */
	struct messages messages;
	uint64_t n_printed; /* number of messages printed by setup_tell */
	struct watch *watch;
	struct armed armed; /* --on */
};

/**
 * Open the backend of the options on the CPUs of the options.
 *
 * @return 0 or as backend_open
 */
int setup_backend(const struct options *options, struct backend **ret, struct err *err);

/** Open perf instead, which builds the machine without opening a counter. @return as setup_backend */
int setup_perf(const struct options *options, struct backend **ret, struct err *err);

/** Whether functions of some tasks are wanted and no whole CPUs may be counted: then the event is opened for these tasks. */
bool setup_needs_tasks_alone(const struct options *options);

/**
 * Open the backend, select the metrics, make the first set from -e, -P and -M, the sampler and the
 * watch.
 *
 * @lag_ns  as in struct sampler_config
 * @ret     large: not for the stack
 * @return  0 or a negative errno with a message for the user; then nothing is left open
 */
int setup_open(const struct options *options, uint64_t lag_ns, struct setup *ret, struct err *err);

/** Refuse times of tasks that cannot be counted without --by task. @return 0; -EINVAL naming the first event and what to type */
int setup_refuse_times(const struct options *options, const struct setup *setup, struct err *err);

/**
 * Drop root's rights except those that the options need: continue as the user who called sudo, with
 * the rights to open counters again. Before the first thread is started.
 *
 * @backend  opened; NULL: nothing is counted
 * @more     more rights, bits of enum right
 * @return   0 or -errno
 */
int setup_keep_rights(const struct options *options, const struct backend *backend, unsigned more,
		      struct err *err);

/** Add the message that the machine is simulated, if it is. */
void setup_note_simulated(struct setup *setup);

/** Print new messages to stderr. */
void setup_tell(struct setup *setup);

/** Check that counting can continue. @return 0; -EIO with the reason if it never will */
int setup_ended(const struct setup *setup, struct err *err);

/** Whether all of these tasks have ended. They are looked up by id. */
bool targets_have_ended(const struct task_target *target, size_t n);

/** Release all in reverse order; hardware is then in its original state. */
void setup_close(struct setup *setup);

#endif
