/* picker.h: choosing the event of a counter */
#ifndef TUI_PICKER_H
#define TUI_PICKER_H

#include "pmu/set.h"
#include "tui/match.h"

struct tui;

/** One event that could be put on the counter. */
struct choice {
	const struct catalog_event *event;
	bool fits;      /* it can be placed, moving others if need be */
	char moves[96]; /* what would move: "BR-MISP 5→6"; "" for nothing */
};

struct picker {
	unsigned slot;
	struct choice *choice; /* of all events, by name */
	unsigned n_choices;
	bool show_unfit; /* Tab */
};

/** Open it for the selected counter. @return 0 or -ENOMEM */
int picker_open(struct tui *tui);

/** How a search means an event: by name, short name, aliases, or else by its text, topic, number. */
enum match picker_match(const struct catalog_event *event, const char *search);

#endif
