/* events_view.h: the Events view: its list, search and selection */
#ifndef TUI_VIEW_EVENTS_VIEW_H
#define TUI_VIEW_EVENTS_VIEW_H

#include "tui/widget/cursor.h"
#include "tui/model/event_list.h"
#include "tui/widget/input.h"

struct tui;

/** `{ 0 }` is before it was ever shown. */
struct events_view {
	struct event_list list;
	struct found found;
	struct input search;
	bool is_flat;       /* one list by name; else by topic, as long as nothing is searched */
	struct cursor line; /* headings of topics are lines, too, and never selected */
	unsigned n_lines;
	struct events_line {
		bool is_heading; /* of the item's group */
		unsigned item;
	} * all;
};

/** Release. */
void events_view_fini(struct events_view *view);

/** All there is to say of an event, over `n_lines` from y on; what matters most stands first. */
void event_detail_draw(const struct tui *tui, const struct choice *choice, int y, int n_lines);

#endif
