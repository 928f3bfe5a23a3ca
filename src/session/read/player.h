/* player.h: a session file as a recording that a sampler plays: forwards, and to any moment */
#ifndef SESSION_READ_PLAYER_H
#define SESSION_READ_PLAYER_H

#include "sampler/sampler.h"
#include "session/read/reader.h"

struct player;

/** A marker of the session. */
struct player_mark {
	uint64_t t_ns;
	char *note;
};

/**
 * Open a session and read it once from end to end: its length, its marks, and whether it is sound.
 * A file with a mistake in it, or cut by a crash, is played up to there.
 *
 * @path, @part, @events_dir  as in reader_open; not standard input
 * @metrics   as in metrics_select: also those that were not shown then; NULL: those that were
 *            asked for
 * @ret_said  what the user must know of the file; "" when it is whole
 * @return    0 or as reader_open and metrics_select; -ENODATA without any sample
 */
int player_open(const char *path, unsigned part, const char *events_dir, const char *metrics,
		struct player **ret, struct err *ret_said, struct err *err);

/** Release; the sampler has gone before. NULL is accepted. */
void player_close(struct player *player);

/** What it reads. */
struct reader *player_reader(struct player *player);

/** The metrics that were asked for. */
const struct metrics_selection *player_selection(const struct player *player);

/** For sampler_config. */
struct backend *player_backend(struct player *player);
const struct recording *player_recording(const struct player *player);

/** When the last frame ends. */
uint64_t player_length_ns(const struct player *player);

/** When the next frame ends. @return UINT64_MAX at the end */
uint64_t player_next_ns(const struct player *player);

/** The frame that comes next shall be the first one that ends at t_ns or later.
 * @return 0 or -errno */
int player_seek(struct player *player, uint64_t t_ns, struct err *err);

/** The markers, in their order. @ret_n  how many */
const struct player_mark *player_marks(const struct player *player, size_t *ret_n);

#endif
