/* sweep.h: measurement of all ids with all kernels on every core type; check of the counters */
#ifndef DISCOVER_SWEEP_H
#define DISCOVER_SWEEP_H

#include "discover/findings.h"
#include "pmu/event.h"

/* ---- target on one core type: its PMU, ids as events, labels */

struct target {
	const struct core_type *type;
	unsigned index;        /* index of the type */
	unsigned core;         /* core that runs the kernels */
	const struct pmu *pmu; /* core PMU of the type, else the kernel's software events */
	bool is_core;
	uint64_t choosable; /* counters an event can be put on; 0: unknown, the driver chooses */
	struct event cycles;
	bool has_cycles; /* cycles are counted with all other events */
};

/** Make the target of a core type. @return 0; -ENODEV without core PMU or software events */
int target_make(struct event_table *events, unsigned type, struct target *ret, struct err *err);

/** Get the ids that are tried by default. @return 0; as raw_id_all */
int target_ids(const struct target *target, struct ids *ret, struct err *err);

/** Check an id. @return 0; -EINVAL if there is no such id */
int target_check_id(const struct target *target, uint64_t id, struct err *err);

/** Make an event of an id, on the counters of the mask. @return 0 or as pmu_encode */
int target_event(const struct target *target, uint64_t id, const struct mask *mask,
		 enum privilege privilege, struct event *ret, struct err *err);

/** Return the levels to count in: user if the PMU can tell, unless the kernel enters the operating system. */
enum privilege target_privilege(const struct target *target, const struct kernel *kernel);

/** Return the counters for an id, as in struct event. */
uint64_t target_counters(const struct target *target, const struct mask *mask);

/* ---- sweep of all ids with all kernels on every core type; its progress can be read meanwhile */

/** Parameters of a sweep. */
struct sweep_request {
	struct backend *backend;     /* used by the sweep alone until it is freed */
	const char *backend_text;    /* argument of --backend */
	const char *ids;             /* "0x00-0xff,0x95"; NULL: all, or those of `old` */
	const char *kernels;         /* "load,store"; NULL: all that run here, or those of `old` */
	const struct custom *custom; /* user's kernel, run alone without `kernels`; NULL */
	unsigned repeats;            /* 0: default */
	uint64_t seed;               /* 0: default */
	bool is_quick;               /* fewer and shorter runs */
	bool only_masks;             /* run no kernels, only find the counters of every id */
	const struct findings *old;  /* findings to continue from; NULL: start */
};

struct sweep_progress {
	double share;                 /* share of the total work, 0 … 1 */
	uint64_t left_ns;             /* UINT64_MAX: unknown */
	char type[16];                /* current core type */
	char kernel[KERNEL_NAME_MAX]; /* current kernel; "": finding counters */
	bool is_over;                 /* the thread has ended; see sweep_result */
	size_t version;               /* changes when there is new data */
};

struct sweep;

/**
 * Create a sweep.
 *
 * @return 0; -EINVAL for invalid ids or kernels, or old findings of another machine or user's
 *         kernel; -ENODEV without the required core PMU or with nothing to count; -ENOTSUP for a
 *         kernel that does not run here; -ENOMEM
 */
int sweep_new(const struct sweep_request *request, struct sweep **ret, struct err *err);

/** Start the thread, which inherits the signal mask. @return 0 or -errno */
int sweep_start(struct sweep *sweep, struct err *err);

/** Request that it ends soon. Any thread. */
void sweep_stop(struct sweep *sweep);

/** Get the progress. Any thread. */
void sweep_get_progress(struct sweep *sweep, struct sweep_progress *ret);

/** Whether its thread is running. Any thread. */
bool sweep_runs(struct sweep *sweep);

/** Get a copy of the findings so far, decided. Any thread. @ret  findings_fini  @return 0 or -ENOMEM */
int sweep_findings(struct sweep *sweep, struct findings *ret, struct err *err);

/** Wait for its end. @return 0; -ECANCELED if stopped; other errors with their text */
int sweep_result(struct sweep *sweep, struct err *err);

/** Stop and free the sweep; NULL is accepted. */
void sweep_free(struct sweep *sweep);

/* ---- check of the counters with kernels whose counts are known */

enum { SELFCHECK_ROWS = 16 };

/** Deviation worth reporting for a piece of plain code; the architecture only demands a "reasonable
 * degree of inaccuracy". */
#define SELFCHECK_LIMIT_PCT 1.0

enum selfcheck_state {
	SELFCHECK_MEASURED,
	SELFCHECK_NO_EVENT,  /* no event of this core type is known to count it */
	SELFCHECK_NO_KERNEL, /* the processor cannot run it, or there was no memory */
	SELFCHECK_NOT_COUNTED,
	SELFCHECK_DISTURBED, /* never undisturbed for long enough */
};

/** Kernel and a count of what it does, on one core type. */
struct selfcheck {
	const char *kernel;
	const char *what; /* "instructions" */
	char event[128];  /* event that counts it here; "" */
	enum selfcheck_state state;
	char why[160];          /* reason if it was not measured; may be "" */
	double measured, truth; /* both minus an empty run, to cancel the cost of the reads */
};

/** Called before each row. */
typedef void selfcheck_progress_fn(const void *context, unsigned done, unsigned all);

/**
 * Count every row on the last core of a type.
 *
 * @events  table of the backend's machine
 * @ret     room for SELFCHECK_ROWS
 * @return  number of rows; -ENODEV if the core is offline; -EACCES
 */
int selfcheck_counts(struct backend *backend, struct event_table *events, unsigned type,
		     selfcheck_progress_fn *progress, const void *context, struct selfcheck *ret,
		     struct err *err);

/** Compute the deviation from the true count, in per cent. */
double selfcheck_off_pct(const struct selfcheck *row);

/** Whether the deviation exceeds SELFCHECK_LIMIT_PCT. */
bool selfcheck_is_off(const struct selfcheck *row);

#endif
