/* sampler.h: when to read: core threads, the collector, and the frames they make */
#ifndef SAMPLER_SAMPLER_H
#define SAMPLER_SAMPLER_H

#include <pthread.h>

#include "backend/backend.h"
#include "sampler/queue.h"

#define INTERVAL_MIN_NS UINT64_C(1000000)       /* 1 ms */
#define INTERVAL_MAX_NS UINT64_C(3600000000000) /* 1 h */

struct sampler;

/** A recorded session, played in place of counting. Main thread. */
struct recording {
	void *data;
	uint64_t interval_ns, started_wall_ns; /* at its beginning */
	/* The next frame, with its reference. 0; -ENODATA at the end; -errno: where the file is wrong */
	int (*next)(void *data, const struct frame **ret, struct err *err);
};

struct sampler_config {
	/* Stays the caller's. Of a recording only its machine matters; its clock is virtual. */
	struct backend *backend;
	const struct recording *recording; /* NULL: count; likewise the caller's */
	const struct metrics *metrics;     /* likewise */
	uint64_t interval_ns;
	/* With intervals below 50 ms frames come in batches, at most this old: fewer wake-ups.
	 * 0: 50 ms, good for a screen. */
	uint64_t lag_ns;
};

/** Everything below is called from one thread, the main one, but for the queues' consumers. */

/** @return 0, -EINVAL for an interval out of range, -ENOMEM */
int sampler_new(const struct sampler_config *config, struct sampler **ret, struct err *err);

/** Stops first when it runs. Sets and metrics that frames point to die here. NULL is accepted. */
void sampler_free(struct sampler *sampler);

/**
 * A queue that gets every frame from now on; before or after sampler_start.
 *
 * @depth  frames
 * @return 0, -ENOMEM, -EBUSY beyond four consumers
 */
int sampler_subscribe(struct sampler *sampler, unsigned depth, struct queue **ret, struct err *err);

/** Put nothing more into a queue; what is in it stays for its consumer. */
void sampler_detach(struct sampler *sampler, struct queue *queue);

/** End a subscription and free the queue; its consumer must have stopped. */
void sampler_unsubscribe(struct sampler *sampler, struct queue *queue);

/**
 * Open the set on every core and start the threads. Frame 1 ends one interval from now.
 * A core that cannot be opened because it is offline is shown off.
 *
 * @return 0; what group_open said; -EINVAL: the interval is too short for the set's mux groups
 */
int sampler_start(struct sampler *sampler, const struct set *first, struct err *err);

/**
 * Count another set: groups are opened here, disabled; the core threads switch between two reads.
 * On failure the old set goes on undisturbed. A set without slots counts nothing and holds no
 * counter: others can have them, until a set is loaded again.
 *
 * @return as sampler_start
 */
int sampler_load(struct sampler *sampler, const struct set *next, struct err *err);

/** Another interval, from now on. @return 0; -EINVAL out of range, or too short to multiplex */
int sampler_set_interval(struct sampler *sampler, uint64_t interval_ns, struct err *err);

/**
 * From now on a thread's CPU time is not for frames, as when it answers clients: it counts in what
 * m1top uses, but not for the budget (`own_budget_share`), since no interval changes it. Before
 * sampler_start; at most two threads.
 */
void sampler_set_apart(struct sampler *sampler, pthread_t thread);

/** So much CPU time of such a thread was for frames after all. Any thread. */
void sampler_add_for_frames(struct sampler *sampler, uint64_t cpu_ns);

/** Close the open windows now, in a frame of their own, as for the end of a command. */
void sampler_cut(struct sampler *sampler);

/** Chores: close groups that no core reads any more, reopen those of cores that came back. Call
 * it on every turn of the main loop, at least once a second. */
void sampler_service(struct sampler *sampler);

/**
 * Virtual clock only: go on by one interval and publish its frame, in the calling thread.
 * With a real clock the collector does this by itself.
 *
 * @return 0, -ENODATA when the simulated machine has halted, or the recording has ended: when it
 *         ended for a reason, sampler_last_error says it
 */
int sampler_step(struct sampler *sampler);

/** Last read, threads joined, last frame published. Queues can still be drained afterwards. */
void sampler_stop(struct sampler *sampler);

/** The set that was loaded last. */
const struct set *sampler_set(const struct sampler *sampler);

/** The metrics that it gives. */
const struct metrics_bound *sampler_bound(const struct sampler *sampler);

/** What some core cannot count of that set, and why. @return "" when everything is counted */
const char *sampler_note(const struct sampler *sampler);

/** Why a core that came back cannot be counted, or a recording not be read on, once.
 * @ret  "" when there is nothing new */
void sampler_last_error(struct sampler *sampler, struct err *ret);

/** The interval now. */
uint64_t sampler_interval(const struct sampler *sampler);

/** Wall clock at time 0 of the session, ns since 1970. Virtual clock: a fixed day. */
uint64_t sampler_started_wall_ns(const struct sampler *sampler);

/** Time of the session now, on the clock that frames go by. */
uint64_t sampler_now_ns(const struct sampler *sampler);

/** Does every core count what was loaded last? Not so of one whose CPU has had no time for it yet. */
bool sampler_has_begun(const struct sampler *sampler);

/** Is it a recorded session? Then sets and intervals are what they were: -EOPNOTSUPP. */
bool sampler_is_recording(const struct sampler *sampler);

/** The backend that it reads. */
const struct backend *sampler_backend(const struct sampler *sampler);

#endif
