/* picker.h: choosing the event of a counter */
#ifndef TUI_OVERLAY_PICKER_H
#define TUI_OVERLAY_PICKER_H

#include "tui/model/event_list.h"

struct tui;

struct picker {
	unsigned slot;      /* that is chosen for: Tab goes on to another */
	bool is_of_devices; /* chosen for them: `slot` means nothing */
	struct event_list list;
};

/** Open it for the selected counter. */
void act_pick(struct tui *tui, int key);

/** The same with the events of devices, for none of the counters. */
void act_pick_device(struct tui *tui, int key);

#endif
