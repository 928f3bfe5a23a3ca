/* rotation.h: rotation through presets (key R), timed by the frames' clock */
#ifndef TUI_COUNTERS_ROTATION_H
#define TUI_COUNTERS_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

struct change;
struct tui;
struct frame;

enum { ROTATION_MIN_S = 1, ROTATION_MAX_S = 86400 };

struct rotation {
	bool is_on;
	uint64_t stay_ns;   /* stay of a preset; 0: default */
	int at;             /* index of the counted preset */
	uint64_t since_ns;  /* session time when the current preset's first window began */
	uint64_t passed_ns; /* time from since_ns to the last frame */
	unsigned n_frames;  /* frames of the current preset */
};

/** Get how long a preset stays. */
uint64_t rotation_stay_ns(const struct tui *tui);

/** Start with the next preset, or stop at the current one. Reports the result. */
void act_rotate(struct tui *tui, int key);

/** Stop the rotation, because the user changed the set.
 * @return end of the status message: "; rotation stopped" or "" */
const char *rotation_stop(struct tui *tui);

/** Take note of a frame, and switch to the next preset when it is due. */
void rotation_frame(struct tui *tui, const struct frame *frame);

/** Get the time until the next preset, ns. @return 0 if no rotation is on */
uint64_t rotation_left_ns(const struct tui *tui);

#endif
