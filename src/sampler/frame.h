/* frame.h: all cores in one tick: what screen, log, stat and serve read, worked out once */
#ifndef SAMPLER_FRAME_H
#define SAMPLER_FRAME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "metrics/metrics.h"
#include "sampler/tasks/tasks.h"

enum core_state {
	CORE_ON,
	CORE_LATE, /* no sample in time: nothing here, the next frame has the longer window */
	CORE_OFF,  /* offline */
};

struct frame_core {
	enum core_state state;
	uint64_t t_ns;      /* of the read, since the session began: the end of the window */
	uint64_t window_ns; /* measured, never nominal; 0: no window ended */
	uint32_t late_ns;   /* wake-up after the deadline; UINT32_MAX: longer than 4.29 s */
	float own_share;    /* CPU time of the core's thread over the window: 0.0002 = 0.02 % */
};

/** What is counted and the metrics on it, constant. Whoever loaded it, its frames and the history's
 * buckets hold it; the last of them frees it. */
struct frame_set {
	struct set set;
	struct metrics_bound bound;
	atomic_uint refs;
};

/** Bind the metrics to a set; one reference. @ret  stays untouched on failure  @return 0 or -ENOMEM */
int frame_set_new(const struct set *set, const struct metrics *metrics, unsigned n_types,
		  struct frame_set **ret);

/** Another reference. @return of */
struct frame_set *frame_set_ref(struct frame_set *of);

/** Give up a reference. NULL is accepted. Any thread. */
void frame_set_unref(struct frame_set *of);

/** Why ticks are missing before this frame. */
enum gap { GAP_NONE, GAP_MISSED, GAP_SUSPENDED };

enum frame_by {
	BY_CORE,
	BY_PHYSICAL,
	BY_CLUSTER,
	BY_SOCKET,
	BY_TYPE,
	BY_SYSTEM,
	BY_DEVICE,
	N_FRAME_BY
};

/** "core", "physical-core", "cluster", "socket", "type", "system", "device". */
extern const char *const frame_by_name[N_FRAME_BY];

/** Rows of several cores: made by whoever asks first, then constant; NULL: nobody has. */
struct frame_lazy {
	_Atomic(struct frame_rows *) rows[N_FRAME_BY];
};

/**
 * Constant once published. Times count from the session's beginning.
 * One frame an interval; a change of set or interval closes the open windows in a frame of its own.
 */
struct frame {
	uint64_t number;      /* 1, 2, … */
	uint64_t t_ns;        /* when it was due */
	uint64_t interval_ns; /* nominal, at the time */
	enum gap gap;
	uint64_t n_missed;                 /* intervals skipped before this one */
	uint64_t n_dropped;                /* samples dropped since the session began */
	struct frame_set *of;              /* what was counted */
	const struct set *set;             /* of->set */
	const struct metrics_bound *bound; /* of->bound */
	bool own_known; /* m1top's own cost was measured: not in the first second or virtual time */
	float own_core_share; /* m1top's CPU time on the core that it loads most, over the window */
	float own_budget_share; /* of that, what an interval can change: without answers to clients */
	float own_total_share;   /* m1top's CPU time over one core's window */
	float own_wakeups_per_s; /* of all core threads together */
	uint32_t late_max_ns;    /* of this tick */
	uint32_t late_p99_ns;    /* of every core's wake-ups in the last second or so */
	unsigned n_cores, n_slots, n_metrics;
	struct frame_core *core;
	struct count *count;             /* [core × n_slots + slot] */
	struct reading *metric;          /* [core × n_metrics + column of `bound`] */
	const struct frame_tasks *tasks; /* NULL: nobody wants to know */
	struct frame_lazy lazy;
	atomic_uint refs;
};

/** A new frame with one reference, everything zero but for what it counts. @return NULL without memory */
struct frame *frame_new(unsigned n_cores, struct frame_set *of);

/** Another reference. @return frame */
const struct frame *frame_ref(const struct frame *frame);

/** Give up a reference; the last one frees. NULL is accepted. Any thread. */
void frame_unref(const struct frame *frame);

/** The longest of its cores' windows. */
uint64_t frame_window_ns(const struct frame *frame);

/** Counts of one core, by slot. */
const struct count *frame_counts(const struct frame *frame, unsigned core);

/** Metrics of one core, one a column of frame->bound. */
const struct reading *frame_metrics(const struct frame *frame, unsigned core);

/**
 * One line of a picture: a core, or several of one type summed.
 * BY_PHYSICAL: the SMT siblings that share a physical core.
 * BY_SOCKET, BY_SYSTEM on a machine of several types: one row a type; E and P are never mixed.
 * BY_DEVICE: an uncore PMU that the set counts, summed over the cores of its cpumask; its row has
 * counts in that device's columns only, and so the metrics are the device's.
 */
struct frame_row {
	enum frame_by by;
	unsigned index; /* core, physical core, cluster, … type number; device, as in set_devices */
	const struct pmu *device; /* BY_DEVICE; else NULL */
	const struct core_task
		*task; /* what it did, on one type of core; NULL: all that they did */
	unsigned type; /* core type; of a device the one that counts it */
	unsigned n_cores, n_on;
	enum core_state state;     /* ON when any is on, else LATE when any is late, else OFF */
	uint64_t t_ns, window_ns;  /* the latest end, the longest window */
	const struct count *count; /* by slot; the frame's, as are bound and metric */
	const struct metrics_bound *bound; /* which metrics there are */
	const struct reading *metric;      /* one a column of `bound` */
};

/** A row's metric by number. @number -1: none  @return NONE when the set does not have it */
struct reading frame_row_metric(const struct frame_row *row, int number);

/** Whose rows these are on this machine, number by number: BY_SYSTEM has those of BY_TYPE, and so has
 * BY_SOCKET where each type is in one; BY_PHYSICAL has those of BY_CORE without SMT. */
enum frame_by frame_by_same(const struct machine *machine, enum frame_by by);

/** How many rows of its own a grouping has. @return 0 where they are another one's */
unsigned frame_n_own_rows(const struct machine *machine, enum frame_by by);

/** The row that a core is added to. @by  not BY_DEVICE */
unsigned frame_row_of_core(const struct machine *machine, enum frame_by by, unsigned core);

/** The first core of a row; all of them are of its type. @by  not BY_DEVICE */
unsigned frame_first_core(const struct machine *machine, enum frame_by by, unsigned row);

/** How many rows a picture by `by` has. @set  what is counted */
unsigned frame_n_rows(const struct machine *machine, const struct set *set, enum frame_by by);

/**
 * Row number i of the picture; valid as long as the frame. Metrics of several cores are worked out
 * from the summed counts, never averaged. All readers of a frame share what is worked out by the
 * first: any thread. Without memory a row is LATE.
 *
 * @i  0 … frame_n_rows-1: cores in the machine's order, clusters, …, types, devices
 */
void frame_row(const struct frame *frame, const struct machine *machine,
	       const struct metrics *metrics, enum frame_by by, unsigned i, struct frame_row *ret);

/**
 * Other counts for the rows of a frame that nobody else has yet, and their metrics: sums over time.
 *
 * @by     as frame_by_same says, not BY_CORE
 * @count  [row × n_slots + slot]
 * @return 0 or -ENOMEM
 */
int frame_set_rows(struct frame *frame, const struct machine *machine,
		   const struct metrics *metrics, enum frame_by by, const struct count *count);

/** Release the rows; frame_unref does it. NULL is not accepted. */
void frame_free_rows(struct frame *frame);

#endif
