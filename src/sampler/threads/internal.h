/* internal.h: structs and functions shared by the sampler's threads; private to sampler/ */
#ifndef SAMPLER_THREADS_INTERNAL_H
#define SAMPLER_THREADS_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "sampler/sampler.h"
#include "symbols/symbols.h"

enum {
	CONSUMERS_MAX = 4,
	APART_MAX = 2,
	CACHE_LINE = 128, /* two of 64 are fetched together */
	PAGE = 4096
};

#define TICK_CLOSING UINT64_MAX /* sample.tick of the read that closes a plan's last window */

/* A set with its groups opened on every core. Constant except `group`, which main replaces when a
 * core comes back or the same set is loaded again. Valid while a plan or a frame refers to it. */
struct active_set {
	struct frame_set *of;
	struct err note; /* events that a core cannot count, and why; "": none */
	/* Number of the plan that replaced it: its groups are closed as retired ones, and it can be
	 * loaded again once every core has seen that plan. 0: in use. */
	uint32_t retired_by;
	struct active_set *next;
	/* [mux × n_cores + core]; NULL: the core was offline */
	_Atomic(struct group *) group[];
};

/* Set and timing of reads: made by main, constant once published; main frees it when every thread
 * has seen a later one. */
struct plan {
	uint32_t number; /* 1, 2, … */
	uint64_t t0_ns;  /* time of tick 0, on the backend's clock */
	uint64_t interval_ns;
	unsigned n_mux;   /* number of mux groups; 1: not multiplexed */
	unsigned n_ticks; /* ticks per interval; each ends the run of a mux group */
	struct active_set *active;
	bool stop;         /* close the windows and end the threads */
	struct plan *next; /* previous plan; NULL: freed */
};

enum reopen { REOPEN_NO, REOPEN_WANTED, REOPEN_PROVIDED };

/* State of one core in its core thread. */
struct core_run {
	_Alignas(CACHE_LINE) unsigned core;
	struct ring *ring;
	unsigned n_slots;    /* maximum in a read */
	struct group *group; /* group that counts now; NULL: none */
	unsigned mux;        /* mux group that `group` belongs to */
	uint32_t epoch;      /* see struct sample */
	bool off;
	bool is_remote; /* read from another CPU because the thread may not run there */
	uint32_t late_ns;
	atomic_int reopen; /* enum reopen: core thread asks, main provides, core thread adopts */
	bool is_reported;  /* main only: the error of reopening was reported */
};

/* Thread for one core, or for several of a simulation. No two share a cache line: all write at the same time. */
struct core_thread {
	_Alignas(CACHE_LINE) struct sampler *sampler;
	pthread_t thread;
	unsigned number;
	uint32_t pid, tid;
	const struct plan *plan;
	uint64_t next_tick;
	uint32_t wakeups;
	uint64_t cpu_ns, cpu_read_at_ns;
	struct core_run *run; /* cores number, number + n_core_threads, … */
	unsigned n_runs;
	atomic_uint plan_seen; /* number of its current plan */
	/* futex: number of the newest plan. Threads that sleep on one word until the same time would all
	 * take the lock of its hash bucket at once. */
	atomic_uint wake;
};

/* Number of rounds that a mux group's error is made from: 95 of 100 rates differ less than the most different
 * of the 19 before. */
enum { SPREAD_ROUNDS = 19 };

/** Rates of one multiplexed column in its last rounds, per cycle or per ns. { 0 }: nothing counted yet. */
struct mux_spread {
	float rate[SPREAD_ROUNDS]; /* a ring */
	unsigned n;                /* rounds so far */
	unsigned n_new;            /* of them of the window */
	float most;                /* largest rate of all rounds */
	double base, squares;      /* sums of the window's bases and of their squares */
};

/* State of a core in the collector between frames. */
struct core_window {
	_Alignas(PAGE) struct ring *ring;
	struct core_tasks *tasks; /* NULL: no tasks requested */
	bool has_prev, off, fresh;
	uint64_t begin_ns, end_ns;
	uint32_t late_ns;
	struct column_set empty;          /* columns without an event on this core */
	uint64_t own_from_ns, own_cpu_ns; /* time of the last own_share */
	uint32_t own_wakeups;
	float own_share, own_wakeups_per_s;
	struct sample prev; /* first sample of the window */
	/* last: of a thousand cores, pages that no column needs are never touched; a usual set needs one */
	struct count sum[COLUMNS_MAX];         /* counts since the window began */
	struct mux_spread spread[COLUMNS_MAX]; /* for a multiplexed set */
};

/* Histogram of wake-up delays. Eight buckets per octave up to 2^32 ns: a percentile is at most 13 % too large. */
enum { SPREAD_STEPS = 8, SPREAD_BUCKETS = 33 * SPREAD_STEPS };

struct latency_histogram {
	uint32_t n;
	uint32_t bucket[SPREAD_BUCKETS];
};

/* State of the collector; in virtual time of the stepping thread. */
struct collector {
	pthread_t thread;
	const struct plan *plan;
	atomic_uint plan_seen;       /* number of its plan */
	int wake_fd;                 /* eventfd: there is a new plan, or the thread has to stop */
	struct core_window *window;  /* by core */
	struct attribution *tasks;   /* NULL: never requested */
	struct own_tasks *own;       /* NULL: not requested, or there are rights for `tasks` */
	struct schedstat *schedstat; /* NULL: the set has no such column */
	/* windows of tasks whose sums did not add up: a bug in m1top or the kernel; read by tests */
	uint64_t n_task_faults;
	uint64_t closed_tick;         /* tick of `plan` */
	_Atomic uint64_t unclosed_ns; /* since when there is no memory for a frame; 0: there is */
	uint64_t n_frames;
	const struct frame *last; /* the last one published; NULL: none yet */
	uint64_t suspended_ns;
	uint64_t own_from_ns, own_cpu_ns, own_apart_ns;
	bool own_known;
	float own_total_share, own_apart_share;
	struct latency_histogram lateness; /* delays in the current second */
	uint64_t lateness_from_ns;
	uint32_t late_p99_ns;
	uint64_t sensed_ns;          /* when the sensors were read */
	const struct sensed *sensed; /* NULL: there are none, or no memory */
	struct activity_stat *stat;  /* NULL: this machine has no activity */
};

struct sampler {
	struct backend *backend;
	const struct metrics *metrics;
	const struct machine *machine;
	_Atomic(struct symbols *) symbols; /* NULL: no set with samples was loaded yet */
	const struct recording *recording; /* NULL: no recording */
	const struct frame *played;        /* last frame of the recording; NULL: none yet */
	bool running;
	uint64_t start_ns, start_wall_ns; /* time 0 of the session */
	_Atomic uint64_t virtual_ns;      /* read by any thread */
	_Atomic(struct plan *) plan;      /* newest plan */
	struct plan last_plan;            /* plan that stops the threads */
	atomic_bool stop_collector;
	struct core_thread *core_thread;
	unsigned n_core_threads;
	atomic_uint n_ready;  /* core threads that wait for the first plan */
	struct core_run *run; /* grouped by core thread, see struct core_thread */
	unsigned ring_depth;
	char *rings;                /* memory of all rings */
	clockid_t apart[APART_MAX]; /* clocks of threads whose CPU time is not for frames … */
	unsigned n_apart;
	_Atomic uint64_t tasks_from_ns; /* end of the attribution's pause, by sampler_clock_ns */
	_Atomic uint64_t for_frames_ns; /* … except for this much */
	_Atomic uint64_t last_frame;    /* see sampler_set_last */
	uint64_t lag_ns;                /* maximum age of frames in a batch */
	bool real_time;                 /* see sampler_config */
	struct collector collector;
	struct active_set *active_sets; /* loaded and not freed yet */
	uint32_t n_sets;
	struct err last_error; /* see sampler_last_error; "": none */
	struct retired *retired;
	size_t n_retired, cap_retired;
	pthread_mutex_t consumers_lock; /* collector and main only, never a core thread */
	struct queue *consumer[CONSUMERS_MAX];
};

/** Get the time on the backend's clock. */
uint64_t sampler_clock_ns(const struct sampler *sampler);

/** Get the time of a tick. */
static inline uint64_t plan_deadline_ns(const struct plan *plan, uint64_t tick)
{
	return plan->t0_ns + tick * plan->interval_ns / plan->n_ticks;
}

/** Get the newest plan; main thread only. */
struct plan *plan_newest(const struct sampler *sampler);

/** Whether all core threads have switched to this plan or a later one; their earlier samples are in the rings. */
bool plan_is_on_cores(const struct sampler *sampler, uint32_t number);

/** Whether all threads have switched to this plan or a later one. */
bool plan_is_seen(const struct sampler *sampler, uint32_t number);

/** Get the group of a set's mux group on a core. @return NULL: none, the core was offline */
struct group *active_group(const struct sampler *sampler, const struct active_set *active,
			   unsigned core, unsigned mux);

/**
 * Run this thread, and those that it starts, before ordinary ones (SCHED_FIFO, lowest priority), if the
 * user may. Then drop RIGHT_REAL_TIME. A thread that uses 200 ms of CPU without a sleep gets SIGXCPU, which
 * it must not block, and is an ordinary one from then on.
 */
void real_time_begin(void);

/** Make this thread an ordinary one again; those that it has started stay. */
void real_time_end(void);

/** Whether all of them still run before ordinary ones. */
bool real_time_is_on(void);

/** Run a core thread. @data struct core_thread */
void *core_thread_main(void *data);

/** Run a core thread for the newest plan at the current time, in the calling thread: switch to a new
 * plan, or read tick number `tick`. Virtual clock only. */
void core_thread_step(struct core_thread *thread, uint64_t tick);

/** Advance by one tick, the end of one mux group. Virtual clock only. */
void sampler_step_mux(struct sampler *sampler);

/** Run the collector's thread. @data struct sampler */
void *collector_main(void *data);

/** Make the collector's thread look at the newest plan and stop_collector. Any thread. */
void collector_wake(const struct sampler *sampler);

/** Add a frame to every queue and drop the caller's reference. */
void collector_publish(struct sampler *sampler, const struct frame *frame);

/** Wake the consumers of published frames. */
void collector_wake_consumers(struct sampler *sampler);

/** Close every frame that is due; with `all`, all frames that have samples. */
void collector_drain(struct sampler *sampler, bool all);

/** Initialize the collector. @return 0 or -errno */
int collector_init(struct sampler *sampler);

/** Free the contents. */
void collector_fini(struct sampler *sampler);

/* ---- rings: one writer, one reader, lock-free ---- */

struct ring;

/**
 * Create a ring.
 *
 * @depth    capacity in entries, rounded up to a power of two
 * @size     bytes per entry; for samples sample_size() of the maximum number of slots
 * @return   NULL without memory
 */
struct ring *ring_new(unsigned depth, size_t size);

/** Do the same in the caller's memory: ring_bytes, aligned to 64. */
struct ring *ring_init(void *memory, unsigned depth, size_t size);

/** Get the size of a ring. */
size_t ring_bytes(unsigned depth, size_t size);

/** Free a ring of ring_new. NULL is accepted. */
void ring_free(struct ring *ring);

/** Get the place for the next entry; writer only. @return NULL if full */
void *ring_claim(struct ring *ring);

/** Publish the entry written to ring_claim's place. */
void ring_commit(struct ring *ring);

/** Count an entry that did not fit. */
void ring_drop(struct ring *ring);

/** Get the oldest entry, still in the ring; reader only. @return NULL if empty */
const void *ring_peek(const struct ring *ring);

/** Prefetch what ring_peek and ring_claim read. */
void ring_prefetch(const struct ring *ring);

/** Prefetch the oldest entry; if the ring is empty, the place for the next one. */
void ring_prefetch_entry(const struct ring *ring);

/** Get a lower bound of the number of entries; reader only. */
unsigned ring_n(const struct ring *ring);

/** Release the place of the oldest entry. */
void ring_release(struct ring *ring);

/** Get the number of dropped entries; any thread. */
uint64_t ring_dropped(const struct ring *ring);

/* ---- queues of frames, see sampler.h ---- */

/** Create a queue. @depth  capacity in frames, rounded up to a power of two  @return 0, -ENOMEM or -errno */
int queue_new(unsigned depth, struct queue **ret, struct err *err);

/** Free the queue and its frames. NULL is accepted. */
void queue_free(struct queue *queue);

/** Append a frame with a new reference; collector only. A full queue counts it as lost instead. */
void queue_push(struct queue *queue, const struct frame *frame);

/** Wake the consumer once for all pushed frames; collector only, at the end of a batch. */
void queue_wake(struct queue *queue);

/* ---- mux groups: order, number of runs in an interval, error of the scaled counts; pure ---- */

/** Get the number of runs of each mux group in an interval: 1 or more. */
unsigned mux_rounds(uint64_t interval_ns, unsigned n_mux);

/**
 * Get the mux group that counts from a tick on: each runs once in a round of n_mux ticks, the first
 * one of a round is random. So no group always has the same part of an interval.
 *
 * @seed  equal seeds, equal order
 */
unsigned mux_of_tick(uint64_t seed, uint64_t tick, unsigned n_mux);

/** Add a group's round. @base  cycles or ns in which delta was counted; 0: none */
void mux_spread_add(struct mux_spread *spread, uint64_t delta, uint64_t base);

/**
 * Estimate the error of a window's count, see struct count; then begin the next window.
 *
 * What a window missed may have any of the rates of the last rounds: the error is the difference that the
 * most distant of them would make. So it follows the work, also when few rounds differ from the others.
 */
double mux_spread_close(struct mux_spread *spread, const struct count *count,
			const struct mux_coverage *coverage);

/* ---- the collector's windows ---- */

/**
 * Take a sample: end a part of the window, begin a new one, or note that the core is off.
 *
 * @type     core type
 * @set      current set
 * @n_ticks  ticks per interval
 */
void core_window_sample(struct core_window *window, const struct sample *sample,
			const struct machine *machine, unsigned type, const struct set *set,
			unsigned n_ticks);

/**
 * Write the counts into a frame's core and begin the next window.
 *
 * @set        set that was counted
 * @type       core type
 * @start_ns   time 0 of the session
 * @ret_count  one for each column of the set
 */
void core_window_close(struct core_window *window, const struct set *set, unsigned type,
		       uint64_t start_ns, struct frame_core *ret_core, struct count *ret_count);

/** Add a value, ns. */
void latency_histogram_add(struct latency_histogram *histogram, uint32_t value_ns);

/** Get the upper bound of the bucket that contains the percentile. @pct 0..100  @return 0 if empty */
uint32_t latency_histogram_percentile(const struct latency_histogram *histogram, double pct);

#endif
