/* picker.h: choosing the event of a counter */
#ifndef TUI_PICKER_H
#define TUI_PICKER_H

#include "tui/event_list.h"

struct tui;

struct picker {
	unsigned slot;      /* that is chosen for: Tab goes on to another */
	bool is_of_devices; /* chosen for them: `slot` means nothing */
	struct event_list list;
};

/** Open it for the selected counter. @return 0 or -ENOMEM */
int picker_open(struct tui *tui);

/** The same with the events of devices, for none of the counters. */
int picker_open_devices(struct tui *tui);

#endif
