/* picker.h: choosing the event of a counter */
#ifndef TUI_PICKER_H
#define TUI_PICKER_H

#include "tui/event_list.h"

struct tui;

struct picker {
	unsigned slot; /* that is chosen for: Tab goes on to another */
	struct event_list list;
};

/** Open it for the selected counter. @return 0 or -ENOMEM */
int picker_open(struct tui *tui);

#endif
