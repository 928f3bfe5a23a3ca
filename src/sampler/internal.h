/* internal.h: what the sampler's threads share; private to sampler/ */
#ifndef SAMPLER_INTERNAL_H
#define SAMPLER_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "sampler/mux.h"
#include "sampler/ring.h"
#include "sampler/sampler.h"
#include "sampler/latency_histogram.h"

enum { CONSUMERS_MAX = 4, APART_MAX = 2 };

#define TICK_CLOSING UINT64_MAX /* sample.tick: the read that closes a plan's last window */

/* A set with its groups opened on every core. Constant but for `group`, which main replaces when
 * a core comes back or the same set is loaded again. Lives as long as a plan or a frame is of it. */
struct active_set {
	struct frame_set *of;
	struct err note; /* what a core cannot count of it, and why; "" when all is counted */
	/* The plan that took its place: its groups are closed with the retired ones, and it can be
	 * loaded again once every core has seen that plan. 0: it is counted. */
	uint32_t retired_by;
	struct active_set *next;
	/* [mux × n_cores + core]; NULL: the core was offline */
	_Atomic(struct group *) group[];
};

/* What to read and when: made by main, constant once published; freed by it when every thread has seen
 * a later one. */
struct plan {
	uint32_t number; /* 1, 2, … */
	uint64_t t0_ns;  /* backend clock at tick 0 */
	uint64_t interval_ns;
	unsigned n_mux;   /* mux groups: 1 when nothing is multiplexed */
	unsigned n_ticks; /* in an interval: each ends the run of a mux group */
	struct active_set *active;
	bool stop;         /* close the windows and end */
	struct plan *next; /* the plan before; NULL: freed */
};

enum reopen { REOPEN_NO, REOPEN_WANTED, REOPEN_PROVIDED };

/* One core as its thread sees it. */
struct core_run {
	unsigned core;
	struct ring *ring;
	struct group *group; /* being counted now; NULL: none */
	unsigned mux;        /* whose group it is */
	uint32_t epoch;      /* see struct sample */
	bool off;
	uint32_t late_ns;
	atomic_int reopen; /* enum reopen: core thread asks, main provides, core thread adopts */
	bool is_told;      /* main's: why it cannot be reopened */
};

/* A core thread: one core, or with a simulation several. */
struct core_thread {
	struct sampler *sampler;
	pthread_t thread;
	unsigned number;
	uint32_t pid, tid;
	const struct plan *plan;
	uint64_t next_tick;
	uint32_t wakeups;
	uint64_t cpu_ns, cpu_read_at_ns;
	struct core_run *run; /* cores number, number + n_core_threads, … */
	unsigned n_runs;
	atomic_uint plan_seen; /* number of the plan it has switched to */
};

/* What the collector keeps of a core between frames. */
struct core_window {
	struct ring *ring;
	struct sample prev; /* where the window began */
	bool has_prev, off, fresh;
	uint64_t begin_ns, end_ns;
	uint32_t late_ns;
	uint64_t empty; /* columns of this set, as bits, with nothing on this core */
	uint64_t own_from_ns, own_cpu_ns; /* where own_share was last worked out */
	uint32_t own_wakeups;
	float own_share, own_wakeups_per_s;
	struct count sum[COLUMNS_MAX];         /* since the window began */
	struct mux_spread spread[COLUMNS_MAX]; /* of a multiplexed set */
	struct core_tasks *tasks;              /* NULL: nobody wants to know */
};

/* The collector's state; in virtual time the stepping thread's. */
struct collector {
	pthread_t thread;
	const struct plan *plan;
	atomic_uint plan_seen;      /* its number */
	struct core_window *window; /* by core */
	struct attribution *tasks;  /* NULL: nobody has asked yet */
	uint64_t closed_tick;       /* of `plan` */
	uint64_t n_frames;
	uint64_t suspended_ns;
	uint64_t own_from_ns, own_cpu_ns, own_apart_ns;
	bool own_known;
	float own_total_share, own_apart_share;
	struct latency_histogram lateness; /* of this second */
	uint64_t lateness_from_ns;
	uint32_t late_p99_ns;
};

struct retired {
	unsigned core;
	struct group *group;
	uint32_t plan;  /* safe once the core's thread has seen this plan, … */
	bool by_task;   /* … and the collector as well */
	bool is_reopen; /* … a group that was replaced once it has adopted the new one */
};

struct sampler {
	struct backend *backend;
	const struct metrics *metrics;
	const struct machine *machine;
	const struct recording *recording; /* NULL: counts */
	const struct frame *played;        /* of it: the last frame; NULL: none yet */
	bool running;
	uint64_t start_ns, start_wall_ns; /* time 0 of the session */
	_Atomic uint64_t virtual_ns;      /* read by any thread */
	_Atomic(struct plan *) plan;      /* the newest */
	struct plan last_plan;            /* the one that stops */
	atomic_uint wake;                 /* futex: the newest plan's number */
	atomic_bool stop_collector;
	struct core_thread *core_thread;
	unsigned n_core_threads;
	struct core_run *run; /* by core thread, see struct core_thread */
	unsigned ring_depth;
	clockid_t apart[APART_MAX]; /* CPU time of threads that is not for frames … */
	unsigned n_apart;
	_Atomic uint64_t for_frames_ns; /* … but for this much */
	uint64_t lag_ns;                /* how long frames of short ticks may wait for each other */
	struct collector collector;
	struct active_set *active_sets; /* loaded, and not forgotten yet */
	uint32_t n_sets;
	struct err last_error; /* see sampler_last_error; "": none */
	struct retired *retired;
	size_t n_retired, cap_retired;
	pthread_mutex_t consumers_lock; /* collector and main only: never a core thread */
	struct queue *consumer[CONSUMERS_MAX];
};

/** The backend's clock. */
uint64_t sampler_clock_ns(const struct sampler *sampler);

/** When a tick is due. */
static inline uint64_t plan_deadline_ns(const struct plan *plan, uint64_t tick)
{
	return plan->t0_ns + tick * plan->interval_ns / plan->n_ticks;
}

/** The plan published last; main thread only. */
struct plan *plan_newest(const struct sampler *sampler);

/** Have all threads gone over to this plan or a later one? */
bool plan_is_seen(const struct sampler *sampler, uint32_t number);

/** Free the plans before the newest one that all threads have seen; main thread only. */
void plan_forget_seen(struct sampler *sampler);

/** The most slots that a read of a core has. */
unsigned groups_n_slots(const struct sampler *sampler, unsigned core);

/**
 * Open a set on every core, all its mux groups, disabled. A core that is offline stays without.
 *
 * @return 0; what group_open said, then nothing is left open
 */
int groups_load(struct sampler *sampler, const struct set *set, struct active_set **ret,
		struct err *err);

/** What counts a set's mux group on a core. @return NULL: nothing, the core was offline */
struct group *active_group(const struct sampler *sampler, const struct active_set *active,
			   unsigned core, unsigned mux);

/** Close a set's groups as soon as every core has gone over to the newest plan. */
void groups_retire(struct sampler *sampler, struct active_set *active);

/** Close every group and forget every set; no core thread runs any more. */
void groups_fini(struct sampler *sampler);

/** Sleep until t_ns on CLOCK_MONOTONIC or until `wake` is no longer `seen`. Slack 1 ns. */
void sampler_wait(atomic_uint *wake, unsigned seen, uint64_t t_ns);

/** Wake everybody who waits. */
void sampler_wake(atomic_uint *wake);

/** Body of a core thread. @data struct core_thread */
void *core_thread_main(void *data);

/** Take the core thread's reads for the newest plan at the present moment, in the calling thread: the
 * switch to a new plan, or its tick number `tick`. Virtual clock only. */
void core_thread_step(struct core_thread *thread, uint64_t tick);

/** Virtual clock only: go on by one tick, the end of one mux group. */
void sampler_step_mux(struct sampler *sampler);

/** Body of the collector's thread. @data struct sampler */
void *collector_main(void *data);

/** Give a frame, and the caller's reference, to every queue. */
void collector_publish(struct sampler *sampler, const struct frame *frame);

/** Wake who waits for frames that were published. */
void collector_wake_consumers(struct sampler *sampler);

/** Close every frame that is due; with `all`, whatever there is. */
void collector_drain(struct sampler *sampler, bool all);

/** First state. @return 0 or -ENOMEM */
int collector_init(struct sampler *sampler);

/** Release. */
void collector_fini(struct sampler *sampler);

#endif
