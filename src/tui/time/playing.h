/* playing.h: a recorded session on the screen: pace, pause, going to any moment, markers */
#ifndef TUI_TIME_PLAYING_H
#define TUI_TIME_PLAYING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tui/term/key.h"
#include "tui/screen/view.h"

struct tui;
struct frame;

struct playing {
	bool is_paused, is_at_end, loops;
	double speed;              /* seconds of the session a second */
	uint64_t wall_ns, from_ns; /* at that moment here it was that moment there; 0: start over */
	uint64_t begin_ns;         /* of the first frame's window */
	uint64_t first_number;     /* the first frame's */
	const struct frame *costing; /* the last one that knows m1top's own cost */
};

/** Keys of a recorded session, before those of key_table; ends with a NULL name. */
extern const struct key playing_keys[];

/** The keys worth knowing, as those of a view. */
extern const struct hint playing_hints[];

/** Begin; harmless when it is none, as is everything down to playing_stop. */
void playing_start(struct tui *tui);

/** Let go of what is held. */
void playing_stop(struct tui *tui);

/** Each frame, before the model takes it. */
void playing_frame(struct tui *tui, const struct frame *frame);

/**
 * Show what is due.
 *
 * @ret_next_ns  when to come again, on CLOCK_MONOTONIC; 0: not before something else happens
 * @return       has the picture changed?
 */
bool playing_turn(struct tui *tui, uint64_t now_ns, uint64_t *ret_next_ns);

/** Show the moment, and pause. @return 0 or -errno */
int playing_go(struct tui *tui, uint64_t t_ns);

/** "▸ 2×  12.4 s of 60.0 s" @return buf */
const char *playing_text(const struct tui *tui, char *buf, size_t size);

/** The frame whose cost is that of the picture. @return NULL: it is not known */
const struct frame *playing_cost(const struct tui *tui);

#endif
