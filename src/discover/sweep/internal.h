/* internal.h: what the files of the sweep share; nobody else includes it */
#ifndef DISCOVER_SWEEP_INTERNAL_H
#define DISCOVER_SWEEP_INTERNAL_H

#include <pthread.h>

#include "discover/sweep/sweep.h"
#include "discover/sweep/target.h"

struct sweep {
	struct backend *backend;
	struct event_table *events;
	struct target target[TYPES_MAX];
	const struct kernel *kernel[KERNELS_MAX]; /* as findings.kernel has their names */
	atomic_bool stop;
	pthread_t thread;
	bool is_started;
	int result;
	struct err err;

	/* Its own thread changes them under the mutex, and may look at them without. */
	pthread_mutex_t mutex;
	struct findings findings;
	struct sweep_progress progress;
	uint64_t began_ns;  /* 0: not yet */
	double began_share; /* what was done by an earlier one; below 0: not known yet */
};

/** Fill in what a request means: targets, kernels, empty or old findings. Errors of sweep_new */
int sweep_prepare(struct sweep *sweep, const struct sweep_request *request, struct err *err);

/** Write down what is swept: the machine, its kernel, now. */
void sweep_describe(struct sweep *sweep, const char *backend);

/** Is an old sweep of this machine and its types? @return 0; -EINVAL saying what is another */
int sweep_check_same(const struct sweep *sweep, const struct findings *old, struct err *err);

/** Measure until all is done. @return as sweep_result */
int sweep_measure(struct sweep *sweep, struct err *err);

/** Has somebody asked for the end? */
bool sweep_is_stopped(const struct sweep *sweep);

/** Say what is being done. @share  of the type */
void sweep_tell(struct sweep *sweep, unsigned type, const char *kernel, double share);

#endif
