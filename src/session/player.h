/* player.h: a session file as a recording that a sampler plays: forwards, and from any moment */
#ifndef SESSION_PLAYER_H
#define SESSION_PLAYER_H

#include "sampler/sampler.h"
#include "session/reader.h"

struct player;

/** A mark of the session. */
struct player_mark {
	uint64_t t_ns;
	char *note;
};

/**
 * Open a session and read it once from end to end: its length, its marks, and whether it is valid. A file with an error
 * in it, or truncated by a crash, is played up to there.
 *
 * @path, @part, @events_dir  as in reader_open; not standard input
 * @metrics   as in metrics_select: also metrics that were not shown then; NULL: those requested then
 * @ret_said  a message about the file; "" if it is complete
 * @return    0 or as reader_open and metrics_select; -ENODATA without any sample
 */
int player_open(const char *path, unsigned part, const char *events_dir, const char *metrics,
		struct player **ret, struct err *ret_said, struct err *err);

/** Release, after the sampler. NULL is accepted. */
void player_close(struct player *player);

/** Get the reader of the file. */
struct reader *player_reader(struct player *player);

/** Get the selected metrics. */
const struct metrics_selection *player_selection(const struct player *player);

/** Get the backend and the recording for a sampler_config. */
struct backend *player_backend(struct player *player);
const struct recording *player_recording(const struct player *player);

/** Get the end of the last frame, ns. */
uint64_t player_length_ns(const struct player *player);

/** Get the end of the next frame, ns. @return UINT64_MAX at the end */
uint64_t player_next_ns(const struct player *player);

/**
 * Continue with the first frame that ends at t_ns or later.
 * @return 0 or -errno
 */
int player_seek(struct player *player, uint64_t t_ns, struct err *err);

/** Get the marks in order. @ret_n  their number */
const struct player_mark *player_marks(const struct player *player, size_t *ret_n);

#endif
