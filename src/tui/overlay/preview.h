/* preview.h: the picker tries the event under its cursor: what would it count here? */
#ifndef TUI_OVERLAY_PREVIEW_H
#define TUI_OVERLAY_PREVIEW_H

#include <stdbool.h>
#include <stdint.h>

struct tui;
struct frame;
struct set;

struct preview {
	bool is_off;       /* the user wants none */
	int item;          /* of the picker: the cursor rests on it; -1: on none */
	uint64_t due_ns;   /* when to try it; 0: not */
	uint32_t set;      /* number of what is counted for it; 0: nothing is being tried */
	unsigned column;   /* of that set */
	unsigned n_frames; /* of that set */
};

/**
 * Each turn of the main loop: begin when the cursor has rested long enough, take it back when it
 * moves on or the picker closes.
 *
 * @return has the picture changed?
 */
bool preview_turn(struct tui *tui, uint64_t now_ns);

/** When preview_turn has something to do. @return 0: it waits for nothing */
uint64_t preview_due_ns(const struct tui *tui);

/** Each frame: the figure, when it is of what is being tried. */
void preview_frame(struct tui *tui, const struct frame *frame);

/** Is the frame of such a trial? */
bool preview_owns(const struct tui *tui, const struct frame *frame);

/** On and off; says so. */
void preview_toggle(struct tui *tui);

/** Why nothing is tried now. @return NULL: it is */
const char *preview_why_not(const struct tui *tui);

#endif
