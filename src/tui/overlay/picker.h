/* picker.h: choosing the event of a counter, with a preview of its rate */
#ifndef TUI_OVERLAY_PICKER_H
#define TUI_OVERLAY_PICKER_H

#include "tui/model/event_list.h"

struct tui;
struct frame;

struct picker {
	unsigned slot;      /* slot to choose for; Tab moves on to another */
	bool is_of_devices; /* choose events of devices: `slot` is unused */
	struct event_list list;
};

/** Preview: the rate of the event under the cursor is measured. */
struct preview {
	bool is_off;       /* previews are turned off by the user */
	int item;          /* item of the picker under the cursor; -1: none */
	uint64_t due_ns;   /* when preview_turn starts the preview; 0: none is due */
	uint32_t set;      /* number of the set that is counted for it; 0: no preview is running */
	unsigned column;   /* column of the event in that set */
	unsigned n_frames; /* frames of that set without a figure */
	unsigned n_late;   /* frames of that set in which the row was late or lost */
};

/** Open it for the selected counter. */
void act_pick(struct tui *tui, int key);

/** Open it with the events of devices, for no counter. */
void act_pick_device(struct tui *tui, int key);

/**
 * Start a preview when the cursor has rested long enough, end it when the cursor moves on or the picker
 * closes. Call in each turn of the main loop.
 *
 * @return whether the screen must be drawn again
 */
bool preview_turn(struct tui *tui, uint64_t now_ns);

/** Take in a frame; one of the running preview has its figure. */
void preview_frame(struct tui *tui, const struct frame *frame);

/** Whether the frame is of a preview. */
bool preview_owns(const struct tui *tui, const struct frame *frame);

/** Return the reason for having no preview now. @return NULL: previews are on */
const char *preview_why_not(const struct tui *tui);

#endif
