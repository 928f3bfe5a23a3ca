/* track.h: a figure of a row over a stretch of the past, one value a bin; kept from one drawing to
 * the next, so that only what is new is worked out */
#ifndef TUI_TRACK_H
#define TUI_TRACK_H

#include "tui/timeline.h"

/** `{ 0 }` is empty; to be released with track_fini. */
struct track {
	struct past_query query;
	struct bins bins;
	unsigned n_final;         /* the first so many will not change any more */
	struct past_value *value; /* [bin]; without a value where nothing was counted */
	size_t cap;
};

/** Release. NULL is accepted. */
void track_fini(struct track *track);

/**
 * Let it be of this query and these bins. Cells of the past that end in a bin are put together;
 * where none does, it is the one that goes on through the bin.
 *
 * @return 0 or -ENOMEM
 */
int track_fill(struct track *track, const struct past *past, const struct past_query *query,
	       const struct bins *bins);

#endif
