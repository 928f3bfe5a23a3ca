/* sweep.h: all ids by all kernels on every core type, on a thread of its own, to be looked at meanwhile */
#ifndef DISCOVER_SWEEP_SWEEP_H
#define DISCOVER_SWEEP_SWEEP_H

#include "discover/findings/findings.h"
#include "discover/custom/custom.h"

/** What to sweep. */
struct sweep_request {
	struct backend *backend;     /* the sweep's alone until it is freed */
	const char *backend_text;    /* as --backend takes it */
	const char *ids;             /* "0x00-0xff,0x95"; NULL: all, or what the old one had */
	const char *kernels;         /* "load,store"; NULL: all that run here, or as the old one */
	const struct custom *custom; /* runs as well, and alone without `kernels`; NULL */
	unsigned repeats;            /* 0: as many as usual */
	uint64_t seed;               /* 0: the usual one */
	bool is_quick;               /* fewer and shorter runs */
	bool only_masks;             /* run no kernel: the counters of every id */
	const struct findings *old;  /* to go on from; NULL: begin */
};

struct sweep_progress {
	double share;                 /* of all that is to do, 0 … 1 */
	uint64_t left_ns;             /* UINT64_MAX: not known yet */
	char type[16];                /* what is being done */
	char kernel[KERNEL_NAME_MAX]; /* "": counters are looked for */
	bool is_over;                 /* the thread has ended: sweep_result says how */
	size_t version;               /* another number: there is more to see */
};

struct sweep;

/**
 * @return 0; -EINVAL for ids or kernels that are none, or an old sweep of another machine or own kernel; -ENODEV
 *         without a core PMU for what is asked for, or with nothing to count; -ENOTSUP a kernel
 *         that does not run here; -ENOMEM
 */
int sweep_new(const struct sweep_request *request, struct sweep **ret, struct err *err);

/** Begin, on a thread of its own. Signals are blocked there as they are here. @return 0 or -errno */
int sweep_start(struct sweep *sweep, struct err *err);

/** Ask it to end soon. Any thread. */
void sweep_stop(struct sweep *sweep);

/** Where it stands. Any thread. */
void sweep_look(struct sweep *sweep, struct sweep_progress *ret);

/** Does its thread still run? Any thread. */
bool sweep_runs(struct sweep *sweep);

/** What was found so far, decided. Any thread. @ret  findings_fini  @return 0 or -ENOMEM */
int sweep_findings(struct sweep *sweep, struct findings *ret, struct err *err);

/** Wait for its end. @return 0; -ECANCELED it was stopped; what went wrong, with the text */
int sweep_result(struct sweep *sweep, struct err *err);

/** Stop it and release. NULL is accepted. */
void sweep_free(struct sweep *sweep);

#endif
