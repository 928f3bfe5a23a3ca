/* track.h: a figure of a row over a stretch of the history, one value a bin; kept from one drawing to
 * the next, so that only what is new is worked out */
#ifndef TUI_MODEL_TRACK_H
#define TUI_MODEL_TRACK_H

#include <stddef.h>
#include <stdint.h>

#include "sampler/history.h"

/** Equal stretches of time. They begin at multiples of their length, so that what has been drawn
 * moves and never changes. */
struct bins {
	uint64_t bin_ns;
	int64_t first; /* bin i lasts from (first + i) × bin_ns to the next one's begin */
	unsigned n;
};

/** `{ 0 }` is empty; to be released with track_fini. */
struct track {
	struct history_query query;
	struct bins bins;
	unsigned n_final;            /* the first so many will not change any more */
	struct history_value *value; /* [bin]; without a value where nothing was counted */
	size_t cap;
};

/** Release. NULL is accepted. */
void track_fini(struct track *track);

/** Forget what was worked out: the history is another. */
void track_clear(struct track *track);

/**
 * Let it be of this query and these bins. Cells of the history that end in a bin are put together;
 * where none does, it is the one that goes on through the bin.
 *
 * @return 0 or -ENOMEM
 */
int track_fill(struct track *track, const struct history *history,
	       const struct history_query *query, const struct bins *bins);

#endif
