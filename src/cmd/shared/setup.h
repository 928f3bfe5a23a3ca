/* setup.h: the parts that every counting verb wires together, and their taking apart */
#ifndef CMD_SHARED_SETUP_H
#define CMD_SHARED_SETUP_H

#include "cmd/options/options.h"
#include "metrics/planner/planner.h"
#include "sampler/watch.h"

struct setup {
	struct backend *backend;
	struct task_target
		*target; /* NULL: the machine; else the backend is of these tasks, and the
				     * caller fills in the id of a TARGET_EXEC */
	size_t n_targets;
	struct event_table *events;
	struct metrics metrics;
	struct metrics_selection selection; /* -M; empty without it */
	struct planner_request plain; /* how sets are planned here, without anything asked for */
	struct set first;
	struct sampler *sampler; /* not started */
	struct messages messages;
	uint64_t n_told; /* of these, by setup_tell */
	struct watch *watch;
};

/**
 * Open the backend that the options name, on the CPUs that they name.
 *
 * @return 0 or as backend_open
 */
int setup_backend(const struct options *options, struct backend **ret, struct err *err);

/**
 * Open the backend, select the metrics, make the first set of what -e, -P and -M ask for, the
 * sampler and the watch.
 *
 * @lag_ns  as in struct sampler_config
 * @ret     large: not for the stack
 * @return  0 or a negative errno with what to tell the user; then nothing is left open
 */
int setup_open(const struct options *options, uint64_t lag_ns, struct setup *ret, struct err *err);

/**
 * Give up root's rights but for those that the options need from here on: the user who called sudo
 * goes on, with what it takes to open counters again. Before the first thread is started.
 *
 * @backend  opened; NULL: nothing is counted
 * @more     of enum right
 * @return   0 or -errno
 */
int setup_keep_rights(const struct options *options, const struct backend *backend, unsigned more,
		      struct err *err);

/** Add the message that the machine is simulated, if it is. */
void setup_note_simulated(struct setup *setup);

/** Print the messages that are new to stderr. */
void setup_tell(struct setup *setup);

/** Nothing more can be counted, however long one waits. @return 0; -EIO with the reason */
int setup_ended(const struct setup *setup, struct err *err);

/** Take apart in reverse order: hardware is back as found afterwards. */
void setup_close(struct setup *setup);

#endif
