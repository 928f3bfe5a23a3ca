/* activity.h: actual frequency and utilisation of each core, as the pseudo PMU "activity" */
#ifndef PMU_ACTIVITY_H
#define PMU_ACTIVITY_H

#include "pmu/sample.h"

#define ACTIVITY_PMU "activity"

/** Events of the PMU, as perf config values. docs/activity.md describes their sources by path. */
enum activity_event {
	ACTIVITY_CYCLES, /* clock cycles while not idle */
	ACTIVITY_TIME,   /* time not idle, ns */
	ACTIVITY_INSTRUCTIONS,
	ACTIVITY_STALL, /* cycles stalled on memory */
	ACTIVITY_AUX,   /* first of 16 events chosen by the processor's maker */
	/* ns on a CPU, ready without one, neither: of tasks by schedstat_close; of a core when tasks are not counted: not idle,
	 * tasks that waited for it, idle */
	ACTIVITY_RUN = ACTIVITY_AUX + 16,
	ACTIVITY_WAIT,
	ACTIVITY_SLEEP,
	ACTIVITY_THROTTLED, /* ns in which the limit of a task's cgroup stopped it, of all CPUs; counted by cgroup alone */
	ACTIVITY_LIMIT, /* ns on CPUs that the limit allowed; not counted without one */
	N_ACTIVITY_EVENTS,
};

/** Source of the figures; activity.c has a table of them, best first. */
struct activity_path;

/** Access to the kernel and the module; replaced by tests. */
struct activity_io;

/** Paths used by the types of a machine, which owns them. */
struct activity;

/** State of one core, read in the core's thread. */
struct activity_core;

/** Access to the running machine. */
extern const struct activity_io activity_io;

/**
 * Choose the best path for every type, by its first online core, and add the PMU "activity" to the
 * machine. Also set whether the machine lacks the Secure state, which the module m1pmu knows. Main
 * thread, once cores and types are final and before anything points to a PMU.
 *
 * @root    "" or "/": the running machine
 * @return  0, also if nothing is known of any core and no PMU is added; or -ENOMEM
 */
int activity_find(struct machine *machine, const char *root, const struct activity_io *io);

/** Use one path, which must be usable, for all types of a simulated machine. */
int activity_give(struct machine *machine, const struct activity_path *path);

/**
 * Add the activity data of a type in a recorded session; its machine gets the PMU, too, for
 * metrics.
 *
 * @pmu     the PMU of that name, without events on the first call
 * @events  bits by enum activity_event
 * @return  0 or -ENOMEM
 */
int activity_recorded(struct machine *machine, struct pmu *pmu, unsigned type, const char *path,
		      uint32_t events);

/** Return "amu", "cppc", "cpufreq", "idle" or "sim"; NULL without a path or PMU. */
const char *activity_path_name(const struct machine *machine, unsigned type);

/** Return the events that a type counts, as bits by enum activity_event. */
uint32_t activity_events(const struct machine *machine, unsigned type);

/** Return why a type cannot count an event of the PMU; NULL if it can. */
const char *activity_refusal(const struct machine *machine, unsigned type, uint64_t event);

/** Let types that have times of tasks count the events of cgroups, too, if cgroups have a folder here. */
void activity_by_cgroup(struct machine *machine);

/** Return why no core counts an event that tasks may have; NULL: none. @event  enum activity_event */
const char *activity_core_refusal(const struct machine *machine, uint64_t event);

/**
 * Test whether the n-th path, best first, can be used for a type; for `doctor`.
 *
 * @ret_name, @ret_what  name of the path, and source of its figures
 * @return  0 yes; -ENOENT there are no more paths; -ENODEV not on this machine; else -errno, with
 *          the fix in err
 */
int activity_probe_path(const struct machine *machine, unsigned type, unsigned n,
			const char **ret_name, const char **ret_what, struct err *err);

/**
 * Test whether the path of its type can be used on this core; for `doctor`, if `activity` is not
 * NULL.
 *
 * @return 0; -errno with the reason: its events are not supported there
 */
int activity_probe_path_core(const struct machine *machine, unsigned core, struct err *err);

/** Events and the slots that count them. */
struct activity_slots {
	uint8_t n;
	uint8_t slot[SLOTS_MAX], event[SLOTS_MAX]; /* event: enum activity_event */
};

/**
 * Open the sources of the events on one core. Main thread.
 *
 * @ret    NULL if there are no events
 * @return 0; -errno naming the file
 */
int activity_core_open(const struct machine *machine, unsigned core,
		       const struct activity_slots *slots, struct activity_core **ret,
		       struct err *err);

/** Close; NULL is accepted, here and below. Main thread. */
void activity_core_close(struct activity_core *core);

/** Start and stop counting. The core's thread. */
void activity_core_enable(struct activity_core *core);
void activity_core_disable(struct activity_core *core);

/**
 * Fill in the slots that were opened, and no others. The core's thread.
 *
 * @enabled_ns  counting time of the group read with it, so that both have one window; 0: there is
 *              no group
 */
void activity_core_read(struct activity_core *core, uint64_t enabled_ns, struct sample *ret);

/* ---- /proc/stat and schedstat, read once for all cores: each read costs time for every CPU ---- */

struct activity_stat;

/**
 * Let cores leave the times that tasks waited for them, and without cpuidle their active time, to activity_stat_complete. Before groups are opened.
 *
 * @ret     NULL: this machine has no activity
 * @return  0 or -ENOMEM
 */
int activity_stat_new(const struct machine *machine, struct activity_stat **ret);

/** Free it. NULL is accepted, here and below. */
void activity_stat_free(struct activity_stat *stat);

/** Fill in the times that the core's thread left out. Collector; samples of a core in order of time. */
void activity_stat_complete(struct activity_stat *stat, unsigned core, struct sample *sample);

#endif
