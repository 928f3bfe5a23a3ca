/* sampler.h: core threads, the collector and the frames that they make */
#ifndef SAMPLER_SAMPLER_H
#define SAMPLER_SAMPLER_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/backend.h"
#include "sampler/frame.h"

/* ---- sampling ---- */

#define INTERVAL_MIN_NS UINT64_C(1000000)       /* 1 ms */
#define INTERVAL_MAX_NS UINT64_C(3600000000000) /* 1 h */

struct sampler;
struct queue;

/** Recorded session that is played instead of counting. Main thread. */
struct recording {
	void *data;
	uint64_t interval_ns, started_wall_ns; /* interval at its start, wall clock of its start */
	/* Get the next frame with a reference. @return 0; -ENODATA at the end; -errno with the file's fault in err */
	int (*next)(void *data, const struct frame **ret, struct err *err);
};

struct sampler_config {
	/* Stays the caller's. With a recording only its machine is used; its clock is virtual. */
	struct backend *backend;
	const struct recording *recording; /* NULL: count; stays the caller's */
	const struct metrics *metrics;     /* stay the caller's */
	uint64_t interval_ns;
	/* Maximum age of frames in a batch; intervals below 50 ms are batched to save wake-ups. 0:
	 * 50 ms, suitable for a screen. */
	uint64_t lag_ns;
	bool real_time; /* core threads and collector run before ordinary threads if the user may */
};

/** All functions below are called from the main thread, except those of queue consumers. */

/** Create a sampler. @return 0, -EINVAL for an interval out of range, -ENOMEM */
int sampler_new(const struct sampler_config *config, struct sampler **ret, struct err *err);

/** Stop if running and free all, including the sets and metrics that frames point to. NULL is accepted. */
void sampler_free(struct sampler *sampler);

/**
 * Create a queue that receives every frame from now on; before or after sampler_start.
 *
 * @depth  capacity, frames
 * @return 0, -ENOMEM, -EBUSY beyond four consumers
 */
int sampler_subscribe(struct sampler *sampler, unsigned depth, struct queue **ret, struct err *err);

/** Stop adding frames to a queue; the frames in it stay for its consumer. */
void sampler_detach(struct sampler *sampler, struct queue *queue);

/** End a subscription and free the queue; its consumer must have stopped. */
void sampler_unsubscribe(struct sampler *sampler, struct queue *queue);

/**
 * Open the set on every core and start the threads. Frame 1 ends one interval after all of them are ready. A core that
 * cannot be opened because it is offline is shown as off.
 *
 * @return 0; the error of group_open; -EINVAL: the interval is too short for the set's mux groups
 */
int sampler_start(struct sampler *sampler, const struct set *first, struct err *err);

/**
 * Count another set: its groups are opened here, disabled; the core threads switch between two
 * reads. On failure the old set continues undisturbed. A set without slots counts nothing and
 * releases the counters for other tools until another set is loaded.
 *
 * @return as sampler_start
 */
int sampler_load(struct sampler *sampler, const struct set *next, struct err *err);

/** Change the interval from now on. @return 0; -EINVAL if out of range or too short for multiplexing */
int sampler_set_interval(struct sampler *sampler, uint64_t interval_ns, struct err *err);

/**
 * Exclude a thread's CPU time from the budget (`own_budget_share`), for example a thread that
 * answers clients: m1top's total includes it, but no interval changes it. Before sampler_start; at
 * most two threads.
 */
void sampler_exclude_thread(struct sampler *sampler, pthread_t thread);

/** Add CPU time of such a thread that was spent on frames after all. Any thread. */
void sampler_add_for_frames(struct sampler *sampler, uint64_t cpu_ns);

/**
 * Have the frame with this number wait for all cores, at most a second, as nobody takes a later one: a core that has
 * missed its tick is read after it. 0: none.
 */
void sampler_set_last(struct sampler *sampler, uint64_t number);

/** Close the open windows now in an extra frame, for example at the end of a command. */
void sampler_cut(struct sampler *sampler);

/** Close groups that no core reads any more and reopen those of cores that came back. Call it in
 * every iteration of the main loop, at least once a second. */
void sampler_service(struct sampler *sampler);

/**
 * Advance by one interval and publish its frame, in the calling thread. Virtual clock only: with a
 * real clock the collector does this by itself.
 *
 * @return 0; -ENODATA when the simulated machine has halted or the recording has ended: if it ended
 *         with an error, sampler_last_error has it
 */
int sampler_step(struct sampler *sampler);

/** Take the last read, join the threads, publish the last frame. Queues can still be drained afterwards. */
void sampler_stop(struct sampler *sampler);

/** Get the set that was loaded last. */
const struct set *sampler_set(const struct sampler *sampler);

/** Get the metrics bound to that set. */
const struct metrics_bound *sampler_bound(const struct sampler *sampler);

/** Get the current interval. */
uint64_t sampler_interval(const struct sampler *sampler);

/** Get the wall clock at time 0 of the session, ns since 1970. Virtual clock: a fixed day. */
uint64_t sampler_started_wall_ns(const struct sampler *sampler);

/** Get the current time of the session, on the clock of the frames. */
uint64_t sampler_now_ns(const struct sampler *sampler);

/** Whether every core counts the set that was loaded last. A busy CPU can delay its core. */
bool sampler_has_begun(const struct sampler *sampler);

/** Whether its threads do not run before ordinary ones although they were to: the user may not, or one took too long. */
bool sampler_lacks_real_time(const struct sampler *sampler);

/** Whether the user may let them run before ordinary ones. Drops the right to do so. */
bool sampler_may_real_time(void);

/** Restore the limit of CPU time that m1top was started with; in a child, before exec. */
void sampler_restore_limit(void);

/** Whether it plays a recorded session. Then changes of set and interval return -EOPNOTSUPP. */
bool sampler_is_recording(const struct sampler *sampler);

/** Get the names of code. @return NULL until a set with samples was loaded */
struct symbols *sampler_symbols(const struct sampler *sampler);

/** Get its backend. */
const struct backend *sampler_backend(const struct sampler *sampler);

/* ---- queues: frames from the collector to one consumer; frames lost to a full queue are counted ---- */

/**
 * Remove the oldest frame; consumer only. The caller owns its reference.
 *
 * @ret_lost  frames lost just before this one because the queue was full (may be NULL)
 * @return    NULL if empty
 */
const struct frame *queue_pop(struct queue *queue, uint64_t *ret_lost);

/** Get the number of frames lost after the last queued one; queue_pop reports losses only with a
 * later frame. */
uint64_t queue_lost(const struct queue *queue);

/** Get a descriptor that is readable when frames were pushed; the consumer clears it with queue_clear. */
int queue_fd(const struct queue *queue);

/**
 * Make queue_fd unreadable; call before draining.
 *
 * @return number of queued frames. A consumer that takes only these terminates, however fast more
 *         arrive.
 */
unsigned queue_clear(struct queue *queue);

/* ---- intervals: parsing, steps, text ---- */

/** Parse an interval that a user typed, like "20 ms": a number with s, ms, us or no unit.
 * @return 0 or -EINVAL; the range is not checked */
int interval_parse(const char *text, uint64_t *ret_ns);

/** Get the next (step 1) or previous (-1) interval on the ladder. */
uint64_t interval_next(uint64_t now_ns, int step);

/** Format an interval: "1.0 s", "20 ms". @return buf */
const char *interval_text(uint64_t interval_ns, char *buf, size_t size);

/** Format a duration: "12.4 s", "3 min 05 s", "1 h 03 min". @return buf */
const char *duration_text(uint64_t duration_ns, char *buf, size_t size);

#endif
