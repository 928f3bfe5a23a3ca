/* picker.h: choosing the event of a counter from a list with search */
#ifndef TUI_PICKER_H
#define TUI_PICKER_H

#include "pmu/set.h"
#include "tui/input.h"

struct tui;
struct overlay;

/** One event that could be put on the counter. */
struct choice {
	const struct catalog_event *event;
	bool fits;      /* it can be placed, moving others if need be */
	char moves[96]; /* what would move: "BR-MISP 5→6"; "" for nothing */
};

struct picker {
	unsigned slot;
	struct input search;
	struct choice *choice; /* of all events, by name */
	unsigned n_choices;
	unsigned *found; /* choices that the search leaves */
	unsigned n_found;
	unsigned n_unfit; /* that the search would leave if they could be placed */
	unsigned row, top;
	bool show_unfit; /* Tab */
};

extern const struct overlay picker_overlay;

/** Open it for the selected counter. @return 0 or -ENOMEM */
int picker_open(struct tui *tui);

/** Close it and release what it holds; harmless when it is closed. */
void picker_close(struct tui *tui);

enum picker_match { MATCH_NONE, MATCH_TEXT, MATCH_NAME };

/**
 * Does every word of a search stand in the event's names (name, short name, aliases), or else in
 * its text, topic or number? Case does not matter; no words match everything, by name.
 */
enum picker_match picker_match(const struct catalog_event *event, const char *search);

#endif
