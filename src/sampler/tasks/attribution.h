/* attribution.h: whose counts are these: what a core's counters say at each switch, put together by task;
 * the collector's thread alone; private to sampler/ */
#ifndef SAMPLER_TASKS_ATTRIBUTION_H
#define SAMPLER_TASKS_ATTRIBUTION_H

#include "sampler/frame.h"

struct attribution;
struct core_tasks; /* of one core in the window that is open */
struct sample;
struct sampler;

/**
 * From now on samples are of this set. No task is known to have done anything in the windows that are open.
 *
 * @attribution  NULL: the first time
 * @set          with by_task
 * @was_off      nobody wanted tasks until now
 * @return       0 or -ENOMEM
 */
int attribution_start(struct attribution **attribution, struct sampler *sampler,
		      const struct set *set, bool was_off);

/** Release. NULL is accepted. */
void attribution_free(struct attribution *attribution);

/** What is kept of a core, as long as the attribution. */
struct core_tasks *attribution_core(struct attribution *attribution, unsigned core);

/** Take what the backend has recorded on all cores. Every 20 ms or so, or records are lost.
 * @now_ns  by the backend's clock, before the call */
void attribution_drain(struct attribution *attribution, uint64_t now_ns);

/** May the core's next sample be taken? false: not before attribution_drain was called once more. */
bool core_tasks_may_take(struct core_tasks *core);

/** A part of the window begins with this sample. */
void core_tasks_begin(struct core_tasks *core, const struct sample *sample);

/** It ends with this one: what lies between belongs to tasks. @prev  it began with */
void core_tasks_end(struct core_tasks *core, const struct sample *prev,
		    const struct sample *sample);

/**
 * Take back what was attributed behind this sample, the last one that is of the window, because there was no
 * room to wait for the next: it is of a later window, or of none. Of the present one no more is known then.
 */
void core_tasks_go_back(struct core_tasks *core, const struct sample *to);

/** The window begins anew. */
void core_tasks_clear(struct core_tasks *core);

/**
 * The tasks of a frame whose cores and counts are there; their next windows begin. The sums are made sure of:
 * what does not add up is [unattributed] as a whole.
 *
 * @return one reference; NULL without memory
 */
const struct frame_tasks *attribution_close(struct attribution *attribution,
					    const struct frame *frame);

/** How often sums did not add up: a bug, or a kernel that lies. */
uint64_t attribution_n_faults(const struct attribution *attribution);

#endif
