/* core_window.h: the samples of one core put together to the window of one frame; private to sampler/ */
#ifndef SAMPLER_CORE_WINDOW_H
#define SAMPLER_CORE_WINDOW_H

#include "sampler/internal.h"

/**
 * Take one sample in: end a window's part, begin a new one, or note that the core is off.
 *
 * @type     core type
 * @set      that frames are made of now
 * @n_ticks  in an interval
 */
void core_window_sample(struct core_window *window, const struct sample *sample,
			const struct machine *machine, unsigned type, const struct set *set,
			unsigned n_ticks);

/**
 * Write what was counted into a frame's core and counts, and begin the next window.
 *
 * @set        what was counted
 * @type       core type
 * @start_ns   time 0 of the session
 * @ret_count  one for each column of the set
 */
void core_window_close(struct core_window *window, const struct set *set, unsigned type,
		       uint64_t start_ns, struct frame_core *ret_core, struct count *ret_count);

#endif
