/* playing.h: playback of a recorded session: pace, pause, jumps to any time, markers */
#ifndef TUI_HISTORY_PLAYING_H
#define TUI_HISTORY_PLAYING_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/term/label.h"
#include "tui/term/key.h"
#include "tui/screen/view.h"

struct tui;
struct frame;

struct playing {
	bool is_paused, is_at_end, loops;
	double speed;                /* session seconds per second */
	uint64_t wall_ns, from_ns;   /* monotonic and session time of the same instant; 0: unset */
	uint64_t begin_ns;           /* start of the first frame's window */
	uint64_t first_number;       /* number of the first frame */
	const struct frame *costing; /* last frame that has m1top's own cost */
};

/** Keys of a recorded session, found before those of key_table; ends with a NULL name. */
extern const struct key playing_keys[];

/** Key hints for the last line of the screen. */
extern const struct hint playing_hints[];

/** Begin playback. Does nothing without a recorded session, like every function down to playing_stop. */
void playing_start(struct tui *tui);

/** Release what playback holds. */
void playing_stop(struct tui *tui);

/** Take in a frame; call for each one before the model takes it. */
void playing_frame(struct tui *tui, const struct frame *frame);

/**
 * Show the frames that are due.
 *
 * @ret_next_ns  time of the next call, on CLOCK_MONOTONIC; 0: none needed
 * @return       whether the screen must be drawn again
 */
bool playing_turn(struct tui *tui, uint64_t now_ns, uint64_t *ret_next_ns);

/** Show the frame of a time in the history, which must not be empty; in a recorded session pause there. */
void playing_go(struct tui *tui, uint64_t t_ns);

/** Format the state of playback: "▸ 2×  12.4 s of 60.0 s". */
struct label playing_text(const struct tui *tui);

/** Return the frame that has the cost of the shown one. @return NULL: unknown */
const struct frame *playing_cost(const struct tui *tui);

#endif
