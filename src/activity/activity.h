/* activity.h: each core's real frequency and utilisation, as the pseudo PMU "activity" */
#ifndef ACTIVITY_ACTIVITY_H
#define ACTIVITY_ACTIVITY_H

#include "machine/sample.h"

#define ACTIVITY_PMU "activity"

/** Its events: perf's config word of them. docs/activity.md says what each path makes them of. */
enum activity_event {
	ACTIVITY_CYCLES, /* clock cycles while not idle */
	ACTIVITY_TIME,   /* ns not idle */
	ACTIVITY_INSTRUCTIONS,
	ACTIVITY_STALL, /* cycles stalled on memory */
	ACTIVITY_AUX,   /* the first of 16 that the processor's maker chose */
	N_ACTIVITY_EVENTS = ACTIVITY_AUX + 16,
};

/** A way to learn what a core does; best first in a table of activity.c. */
struct activity_path;

/** How the kernel and the module are reached; tests put others in their place. */
struct activity_io;

/** The paths that the types of a machine use; the machine owns and frees it. */
struct activity;

/** What of one core is read in its thread. */
struct activity_core;

/** This machine's. */
extern const struct activity_io activity_io;

/**
 * Choose the best path for every type, by its first core that is online, and give the machine the
 * PMU "activity"; and say whether it lacks the Secure state, which the module m1pmu knows, too. Main
 * thread, once cores and types are final, before anybody points to a PMU.
 *
 * @root   "" or "/": the running machine
 * @return 0, also where nothing is known of any core: then there is no such PMU; or -ENOMEM
 */
int activity_find(struct machine *machine, const char *root, const struct activity_io *io);

/** The same with one path for all types, whose probe says yes: a simulated machine's. */
int activity_give(struct machine *machine, const struct activity_path *path);

/**
 * What a recorded session says of a type: its machine has the PMU too, for metrics.
 *
 * @pmu     of that name, without events the first time
 * @events  bits by enum activity_event
 * @return  0 or -ENOMEM
 */
int activity_recorded(struct machine *machine, struct pmu *pmu, unsigned type, const char *path,
		      uint32_t events);

/** "amu", "cppc", "cpufreq", "idle", "sim". @return NULL: none, no such PMU */
const char *activity_path_name(const struct machine *machine, unsigned type);

/** The events that a type counts, as bits by enum activity_event. */
uint32_t activity_events(const struct machine *machine, unsigned type);

/** Why a type cannot count an event of the PMU. @return NULL when it can */
const char *activity_refusal(const struct machine *machine, unsigned type, uint64_t event);

/**
 * Ask the n-th path, best first, whether it can be used for a type; for `doctor`.
 *
 * @ret_name, @ret_what  what it is called, and what it makes the figures of
 * @return  0 yes; -ENOENT there are no more; -ENODEV not on this machine; else -errno: what would
 *          fix it is in err
 */
int activity_ask(const struct machine *machine, unsigned type, unsigned n, const char **ret_name,
		 const char **ret_what, struct err *err);

/**
 * Can the path of its type be used on this core? For `doctor`, where `activity` is not NULL.
 *
 * @return 0; -errno with the reason: its events are not supported there
 */
int activity_ask_core(const struct machine *machine, unsigned core, struct err *err);

/** Which events are counted in which slots. */
struct activity_slots {
	uint8_t n;
	uint8_t slot[SLOTS_MAX], event[SLOTS_MAX]; /* event: enum activity_event */
};

/**
 * Open what the events are read from on one core. Main thread.
 *
 * @ret    NULL when there are none
 * @return 0; -errno naming the file
 */
int activity_core_open(const struct machine *machine, unsigned core,
		       const struct activity_slots *slots, struct activity_core **ret,
		       struct err *err);

/** Main thread. NULL is accepted, here and below. */
void activity_core_close(struct activity_core *core);

/** Begin and end counting. The core's thread. */
void activity_core_enable(struct activity_core *core);
void activity_core_disable(struct activity_core *core);

/**
 * Fill in the slots that were opened, and no others. The core's thread.
 *
 * @enabled_ns  how long what is read beside it has counted, so that both have one window; 0: there
 *              is nothing beside it
 */
void activity_core_read(struct activity_core *core, uint64_t enabled_ns, struct sample *ret);

#endif
