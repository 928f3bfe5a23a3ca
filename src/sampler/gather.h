/* gather.h: the samples of one core put together to the window of one frame; private to sampler/ */
#ifndef SAMPLER_GATHER_H
#define SAMPLER_GATHER_H

#include "sampler/internal.h"

/**
 * Take one sample in: end a window's part, begin one anew, or note that the core is off.
 *
 * @type  of the core
 */
void gather_sample(struct gather *gather, const struct sample *sample,
		   const struct core_type *type);

/**
 * Write what was gathered into a frame's core and counts, and begin the next window.
 *
 * @start_ns  time 0 of the session
 */
void gather_close(struct gather *gather, uint64_t start_ns, struct frame_core *ret_core,
		  struct count *ret_count, unsigned n_slots);

#endif
