/* internal.h: internal interface of the sweep; included only by its files */
#ifndef DISCOVER_SWEEP_INTERNAL_H
#define DISCOVER_SWEEP_INTERNAL_H

#include <pthread.h>

#include "discover/sweep.h"

struct sweep {
	struct backend *backend;
	struct event_table *events;
	struct target target[TYPES_MAX];
	const struct kernel *kernel[KERNELS_MAX]; /* in the order of findings.kernel */
	atomic_bool stop;
	pthread_t thread;
	bool is_started;
	int result;
	struct err err;

	/* its own thread changes them under the mutex and may read them without it */
	pthread_mutex_t mutex;
	struct findings findings;
	struct sweep_progress progress;
	uint64_t began_ns;  /* start time; 0: not started */
	double began_share; /* share done by an earlier part; below 0: unknown */
};

/** Measure everything. @return as sweep_result */
int sweep_measure(struct sweep *sweep, struct err *err);

/** Report the progress. @share  of the type */
void sweep_report_progress(struct sweep *sweep, unsigned type, const char *kernel, double share);

#endif
