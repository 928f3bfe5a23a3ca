/* player.h: a session file as a recording that a sampler plays: forwards, and from any time */
#ifndef SESSION_PLAYER_H
#define SESSION_PLAYER_H

#include "pmu/backend.h"
#include "sampler/sampler.h"
#include "session/reader.h"

/** A mark of the session. */
struct player_mark {
	uint64_t t_ns;
	char *note;
};

/** A recording. Only the player writes it. */
struct player {
	struct backend backend;     /* a machine with a name; it counts nothing */
	struct recording recording; /* with the backend, for a sampler_config */
	struct reader *reader;
	struct metrics_selection selection;
	const struct frame *next; /* read ahead, not played yet; NULL at the end */
	uint64_t end_ns;          /* end of the last frame */
	struct player_mark *mark; /* in order of time */
	size_t n_marks;

	/* private */
	struct backend_ops ops;
	uint64_t played_ns; /* end of the last frame that was played */
	struct seek_point *place;
	size_t cap_marks, n_places, cap_places;
};

/**
 * Open a session and read it once from end to end: its length, its marks, and whether it is valid. A file with an error
 * in it, or truncated by a crash, is played up to there.
 *
 * @path, @part, @events_dir  as in reader_open; not standard input
 * @metrics   as in metrics_select: also metrics that were not shown then; NULL: those requested then
 * @ret_reason  why it ends early; "": it is complete
 * @return    0 or as reader_open and metrics_select; -ENODATA without any sample
 */
int player_open(const char *path, unsigned part, const char *events_dir, const char *metrics,
		struct player **ret, struct err *ret_reason, struct err *err);

/** Release, after the sampler. NULL is accepted. */
void player_close(struct player *player);

/**
 * Continue with the first frame that ends at t_ns or later.
 * @return 0 or -errno
 */
int player_seek(struct player *player, uint64_t t_ns, struct err *err);

#endif
