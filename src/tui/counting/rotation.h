/* rotation.h: R: one preset after the other, on a timer that goes by the frames' clock */
#ifndef TUI_COUNTING_ROTATION_H
#define TUI_COUNTING_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

struct change;
struct tui;
struct frame;

enum { ROTATION_MIN_S = 1, ROTATION_MAX_S = 86400 };

struct rotation {
	bool is_on;
	uint64_t stay_ns;   /* a preset stays so long; 0: as long as it does by itself */
	int at;             /* the preset that is counted */
	uint64_t since_ns;  /* session time when the present preset's first window began */
	uint64_t passed_ns; /* until the last frame */
	unsigned n_frames;  /* of the present preset */
};

/** Begin with the next preset, or stop where it is. Says what happens. */
void act_rotate(struct tui *tui, int key);

/** The user has decided otherwise. @return what to add to the status line: "; rotation stopped" or
 * "" */
const char *rotation_stop(struct tui *tui);

/** What was counted when the user began it. @return NULL: none is running */
const struct change *rotation_before(const struct tui *tui);

/** Each frame: the next preset when it is time. */
void rotation_frame(struct tui *tui, const struct frame *frame);

/** The picture is no longer frozen: let it be of what is counted. @return 0 or -ENOMEM */
int rotation_thaw(struct tui *tui);

/** Until the next preset. @return 0 while none is running */
uint64_t rotation_left_ns(const struct tui *tui);

#endif
