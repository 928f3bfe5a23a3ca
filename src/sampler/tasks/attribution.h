/* attribution.h: attributes a core's counts to tasks, from the counter values at each switch, or
 * reads the user's own threads from /proc; collector thread only; private to sampler/ */
#ifndef SAMPLER_TASKS_ATTRIBUTION_H
#define SAMPLER_TASKS_ATTRIBUTION_H

#include "sampler/frame.h"

struct attribution;
struct backend;
struct core_tasks; /* state of one core in the open window */
struct sample;
struct sampler;

/**
 * Attribute samples of this set from now on. Counts of the open windows are unattributed.
 *
 * @attribution  NULL: the first time
 * @set          with by_task
 * @was_off      tasks were not counted until now
 * @return       0 or -ENOMEM
 */
int attribution_start(struct attribution **attribution, struct sampler *sampler,
		      const struct set *set, bool was_off);

/** Free it. NULL is accepted. */
void attribution_free(struct attribution *attribution);

/** Get the state of a core, valid as long as the attribution. */
struct core_tasks *attribution_core(struct attribution *attribution, unsigned core);

/** Take the records of all cores from the backend. Call it before a frame is closed and when the
 * backend has many records.
 * @now_ns  time before the call, on the backend's clock */
void attribution_drain(struct attribution *attribution, uint64_t now_ns);

/** Whether the core's next sample may be taken. false: only after the next attribution_drain. */
bool core_tasks_may_take(struct core_tasks *core);

/** Begin a part of the window with this sample. */
void core_tasks_begin(struct core_tasks *core, const struct sample *sample);

/** End the part with this sample and attribute its counts to tasks. @prev  its first sample */
void core_tasks_end(struct core_tasks *core, const struct sample *prev,
		    const struct sample *sample);

/**
 * Undo the attribution after this sample, the last one of the window: it was done early to make
 * room, but belongs to a later window or to none. The rest of the present window is then unknown.
 */
void core_tasks_go_back(struct core_tasks *core, const struct sample *to);

/** Get the time in the window that ends now in which the kernel had stopped the group that samples. */
uint64_t core_tasks_throttled_ns(struct core_tasks *core, uint64_t end_ns);

/** Reset the window. */
void core_tasks_clear(struct core_tasks *core);

/**
 * Set a frame's tasks and samples; the frame's cores and counts are complete. The next windows begin,
 * with periods by the rates of this one. Sums are verified: a core's mismatch makes all its counts
 * [unattributed]. Without memory there are none.
 */
void attribution_close(struct attribution *attribution, struct frame *frame);

/* ---- without rights: the user's own threads (own.c) */

struct own_tasks;

/**
 * Read the threads from now on: their times, page faults and context switches.
 *
 * @own  NULL: they were not read; NULL again without memory
 * @set  without by_task they are freed
 */
void own_tasks_start(struct own_tasks **own, struct sampler *sampler, const struct set *set);

/** Free them. NULL is accepted. */
void own_tasks_free(struct own_tasks *own);

/**
 * Read all and close a frame's tasks; its cores and counts are complete. What a thread did since the
 * last frame belongs to the core where it ran last. Threads that have ended since are missing.
 *
 * @return one reference; NULL without memory
 */
const struct frame_tasks *own_tasks_close(struct own_tasks *own, const struct frame *frame);

/* ---- times of threads on CPUs, ready without one, and asleep; of cgroups throttled (schedstat.c) */

struct schedstat;

/** Read threads and cgroups with each frame from now on, or stop it. @backend  NULL: no cgroups
 * @set  NULL, or without such a column: it is freed  @start_ns, @now_ns  start of the session; CLOCK_MONOTONIC */
void schedstat_start(struct schedstat **schedstat, struct backend *backend, const struct set *set,
		     uint64_t start_ns, uint64_t now_ns);

/** Free it. NULL is accepted. */
void schedstat_free(struct schedstat *schedstat);

/**
 * Set the times of a frame's tasks, and of each core as the sum of its tasks: without those, it has none. The times of a
 * thread, on the core where it ran longest, add up to the window, or to the part of it since the thread's birth; to
 * more if it has waited since before the window, as the kernel adds a wait when it ends.
 */
void schedstat_close(struct schedstat *schedstat, struct frame *frame, uint64_t now_ns);

#endif
