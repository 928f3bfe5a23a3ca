/* frame_sum.h: frames of one set added up into one, for the end of stat */
#ifndef SESSION_FRAME_SUM_H
#define SESSION_FRAME_SUM_H

#include "sampler/frame.h"

/**
 * Add a frame to a sum, core by core and column by column. What was not counted in some window, or
 * got lost, makes the sum an estimate: scaled by the time that was counted.
 *
 * @sum    NULL: begin one
 * @return the sum, a frame of the caller's; NULL without memory, then the old one is still there
 */
struct frame *frame_sum_add(struct frame *sum, const struct frame *frame);

/** Work out its metrics, from the summed counts. */
void frame_sum_end(struct frame *sum, const struct machine *machine, const struct metrics *metrics);

#endif
