/* frame_sum.h: frames of one set added up into one, for the end of stat */
#ifndef SESSION_FORMAT_FRAME_SUM_H
#define SESSION_FORMAT_FRAME_SUM_H

#include "sampler/frame.h"

/** `{ .by = BY_TYPE }` is empty. */
struct frame_sum {
	enum frame_by by;    /* whose rows are added up, beside the cores */
	struct frame *frame; /* the cores' sums; NULL: nothing yet */
	struct count *row;   /* [row × n_slots + slot]; NULL by core */
	unsigned n_rows;
};

/**
 * Add a frame, core by core and row by row, as count_add_window does. A frame of another set is left
 * out.
 *
 * @return 0 or -ENOMEM
 */
int frame_sum_add(struct frame_sum *sum, const struct frame *frame, const struct machine *machine,
		  const struct metrics *metrics);

/** Work out metrics from the summed counts: then sum->frame is as any frame. @return 0 or -ENOMEM */
int frame_sum_end(struct frame_sum *sum, const struct machine *machine,
		  const struct metrics *metrics);

/** Release. NULL is accepted. */
void frame_sum_fini(struct frame_sum *sum);

#endif
