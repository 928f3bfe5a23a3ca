/* frame.h: counts and metrics of all cores for one tick, computed once for screen, log, stat and serve */
#ifndef SAMPLER_FRAME_H
#define SAMPLER_FRAME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "metrics/metrics.h"
#include "sampler/tasks.h"

enum core_state {
	CORE_ON,
	CORE_LATE, /* no sample in time: no counts here; the window of the next frame is longer */
	CORE_OFF,  /* offline */
};

struct frame_core {
	enum core_state state;
	uint64_t t_ns;      /* end of the window: time of the read since the session's start */
	uint64_t window_ns; /* measured window, never nominal; 0: no window ended */
	uint32_t late_ns;   /* wake-up delay after the deadline; UINT32_MAX: longer than 4.29 s */
	/* of merged frames: ON, but late in the last one, whose part the next window has; its row is PARTIAL, `count` is not */
	bool lacks_last;
	float own_share; /* CPU time of the core's thread as a share of the window: 0.0002 = 0.02 % */
};

/** A set and the metrics bound to it, constant. References are held by the code that loaded it, by
 * frames and by the history's buckets; the last holder frees it. */
struct frame_set {
	struct set set;
	struct metrics_bound bound;
	atomic_uint refs;
};

/** Bind the metrics to a set; the result has one reference. @ret  untouched on failure  @return 0 or -ENOMEM */
int frame_set_new(const struct set *set, const struct metrics *metrics, unsigned n_types,
		  struct frame_set **ret);

/** Take another reference. @return of */
struct frame_set *frame_set_ref(struct frame_set *of);

/** Drop a reference. NULL is accepted. Any thread. */
void frame_set_unref(struct frame_set *of);

/** Readings of all sensors of the machine at one time, constant once published. Frames up to the next reading share
 * them. */
struct sensed {
	atomic_uint refs;
	uint64_t t_ns;  /* since the session's start */
	double value[]; /* by sensor, in the unit of its kind; NaN: missing */
};

/** Create readings with one reference. @return NULL without memory */
struct sensed *sensed_new(unsigned n);

/** Take another reference. NULL is accepted, also below. @return sensed */
const struct sensed *sensed_ref(const struct sensed *sensed);

/** Drop a reference. Any thread. */
void sensed_unref(const struct sensed *sensed);

/** Reason why ticks are missing before a frame. */
enum gap { GAP_NONE, GAP_MISSED, GAP_SUSPENDED };

/* The levels of machine_level, then those that are none. */
enum frame_by {
	BY_CORE = LEVEL_CORE,
	BY_PHYSICAL = LEVEL_PHYSICAL,
	BY_CLUSTER = LEVEL_CLUSTER,
	BY_LLC = LEVEL_LLC,
	BY_NODE = LEVEL_NODE,
	BY_SOCKET = LEVEL_SOCKET,
	BY_TYPE = LEVEL_TYPE,
	BY_SYSTEM,
	BY_DEVICE,
	N_FRAME_BY
};

/** Return the name of a grouping: that of its level, "system" or "device". */
const char *frame_by_name(enum frame_by by);

/** Find a grouping by name. @return N_FRAME_BY if there is none */
enum frame_by frame_by_find(const char *name);

/** Check that a machine's cores are known by this grouping: old sessions have no nodes and caches.
 * @return 0, or -ENOTSUP saying what is unknown */
int frame_by_check(const struct machine *machine, enum frame_by by, struct err *err);

/** Rows that sum several cores; the first reader computes them, then they are constant. NULL: not computed yet. */
struct frame_lazy {
	_Atomic(struct frame_rows *) rows[N_FRAME_BY];
};

/**
 * Counts of one interval, constant once published. Times are relative to the session's start.
 * A change of set or interval closes the open windows in an extra frame.
 */
struct frame {
	uint64_t number;      /* 1, 2, … */
	uint64_t t_ns;        /* time of its tick */
	uint64_t interval_ns; /* nominal interval at that time */
	enum gap gap;
	uint64_t n_missed;                 /* intervals skipped before this one */
	uint64_t n_dropped;                /* samples dropped since the session began */
	struct frame_set *of;              /* set and bound metrics */
	const struct set *set;             /* of->set */
	const struct metrics_bound *bound; /* of->bound */
	bool own_known; /* m1top's own cost is known: not in the first second, not in virtual time */
	float own_core_share; /* m1top's CPU time on the core it loads most, as a share of the window */
	float own_budget_share; /* part of own_core_share that depends on the interval: without answers to clients and names of code */
	float own_total_share;  /* m1top's CPU time as a share of one core's window */
	float own_wakeups_per_s; /* sum over all core threads */
	uint32_t late_max_ns;    /* longest delay of a wake-up at this tick */
	uint32_t late_p99_ns; /* 99th percentile of all wake-up delays in about the last second */
	unsigned n_cores, n_slots, n_metrics;
	struct frame_core *core;
	struct count *count;             /* [core × n_slots + slot] */
	struct reading *metric;          /* [core × n_metrics + column of `bound`] */
	const struct frame_tasks *tasks; /* NULL: no consumer requested tasks */
	const struct frame_hot *hot;     /* NULL: the set samples no event */
	const struct sensed *sensed;     /* newest readings; NULL: none */
	struct frame_lazy lazy;
	atomic_uint refs;
};

/** Create a frame with one reference; all fields except the set are zero. @return NULL without memory */
struct frame *frame_new(unsigned n_cores, struct frame_set *of);

/** Do the same, but leave counts and metrics to the caller. */
struct frame *frame_new_unset(unsigned n_cores, struct frame_set *of);

/** Take another reference. @return frame */
const struct frame *frame_ref(const struct frame *frame);

/** Drop a reference; the last one frees the frame. NULL is accepted. Any thread. */
void frame_unref(const struct frame *frame);

/** Get the longest window of all cores. */
uint64_t frame_window_ns(const struct frame *frame);

/** Get the types with a late core, as bits. @on  only these CPUs; NULL: all */
uint32_t frame_late_types(const struct frame *frame, const struct machine *machine,
			  const struct cpus *on);

/** Get the counts of one core, indexed by slot. */
const struct count *frame_counts(const struct frame *frame, unsigned core);

/** Get the metrics of one core, one per column of frame->bound. */
const struct reading *frame_metrics(const struct frame *frame, unsigned core);

/**
 * One row of a table: one core, or the sum of several cores of one type.
 * BY_PHYSICAL: the SMT siblings that share a physical core.
 * BY_LLC, BY_NODE, BY_SOCKET, BY_SYSTEM on a machine with several core types: one row per type; E
 * and P are never mixed.
 * BY_DEVICE: an uncore PMU that the set counts, summed over the cores of its cpumask; only that
 * device's columns have counts, and so the metrics are the device's.
 */
struct frame_row {
	enum frame_by by;
	unsigned index; /* number of core, physical core, cluster, … type; or as in set_devices */
	const struct pmu *device; /* BY_DEVICE; else NULL */
	const struct core_task
		*task; /* task whose counts these are, on one core type; NULL: all tasks */
	unsigned type; /* core type; for a device: type of the cores that count it */
	unsigned n_cores, n_on;
	enum core_state state;     /* ON if any core is on, else LATE if any is late, else OFF */
	bool is_earlier;           /* of the frame before: model_row */
	uint64_t t_ns, window_ns;  /* latest end, longest window */
	const struct count *count; /* by slot; memory of the frame, like bound and metric */
	const struct metrics_bound *bound; /* metrics of the set */
	const struct reading *metric;      /* one per column of `bound` */
};

/** Get a row's metric by number. @number -1: none  @return NONE if the set does not provide it */
struct reading frame_row_metric(const struct frame_row *row, int number);

/** Calculate the events of a slot per 1000 instructions, counted in its mux group at its privilege level.
 * @return UNDEFINED without such instructions */
struct reading frame_row_per_ki(const struct frame_row *row, const struct set *set, unsigned slot);

/** Sum the counts of a slot's event over all mux groups. @return NONE if an earlier slot counts the same */
struct count frame_row_event(const struct frame_row *row, const struct set *set, unsigned slot);

/** Get the grouping with identical rows on this machine: for BY_SYSTEM it is BY_TYPE, as for
 * BY_SOCKET if each type is in one socket; for BY_PHYSICAL without SMT it is BY_CORE; for BY_NODE and
 * BY_LLC what machine.same_level says. */
enum frame_by frame_by_same(const struct machine *machine, enum frame_by by);

/** Count the rows that a grouping has of its own. @return 0 if they are identical to another grouping's */
unsigned frame_n_own_rows(const struct machine *machine, enum frame_by by);

/** Get the row that a core belongs to. @by  not BY_DEVICE */
unsigned frame_row_of_core(const struct machine *machine, enum frame_by by, unsigned core);

/** Visit the cores of a row. @by  not BY_DEVICE */
#define frame_row_each(machine, by, row, core) \
	machine_row_each(machine, (by) <= BY_TYPE ? (by) : LEVEL_TYPE, row, core)

/** Get the first core of a row; all cores of a row have the same type. @by  not BY_DEVICE */
unsigned frame_first_core(const struct machine *machine, enum frame_by by, unsigned row);

/** Count the rows of the table for `by`. @set  set that is counted */
unsigned frame_n_rows(const struct machine *machine, const struct set *set, enum frame_by by);

/**
 * Get row i of the table; valid as long as the frame. Metrics of several cores are computed from
 * the summed counts, never averaged; PENDING if a core is late. The first reader's result is shared with all later readers.
 * Any thread. Without memory a row is LATE.
 *
 * @i  0 … frame_n_rows-1: cores in the machine's order, clusters, …, types, devices
 */
void frame_row(const struct frame *frame, const struct machine *machine,
	       const struct metrics *metrics, enum frame_by by, unsigned i, struct frame_row *ret);

/** Whether a core counts a slot in every window in which it answers: without that, a sum of several cores is PENDING. */
bool frame_core_has_slot(const struct machine *machine, const struct set *set, unsigned core,
			 unsigned slot);

/** Get the number that names a row of a level: that of the kernel, or of the cluster.
 * @return false: such rows have no number */
bool frame_row_number(const struct machine *machine, enum frame_by by, unsigned row, unsigned *ret);

/**
 * Name a row: "cpu4", "cpu4,12", "cluster 1", "node 0", "P", "all", "smmuv3_pmcg_2b442". By system, on a machine of
 * several types, a row is a type and has its name.
 *
 * @return buf
 */
const char *frame_row_name(const struct machine *machine, const struct frame_row *row, char *buf,
			   size_t size);

/**
 * Replace the counts of a frame's rows by sums over time and compute their metrics. No other thread
 * may have the frame.
 *
 * @by       result of frame_by_same, not BY_CORE
 * @count    [row × n_slots + slot]
 * @windows  by row: what the metrics are computed from
 * @return 0 or -ENOMEM
 */
int frame_set_rows(struct frame *frame, const struct machine *machine,
		   const struct metrics *metrics, enum frame_by by, const struct count *count,
		   const struct count_windows *windows);

#endif
