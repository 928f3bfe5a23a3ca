/* place.h: events to where they are counted, as the user chooses; each says what has come of it */
#ifndef TUI_PLACE_H
#define TUI_PLACE_H

#include "pmu/set.h"

struct tui;

/**
 * Put an event on a counter, or where set_choose puts it, and show it: the picker's Enter.
 *
 * @slot    or SLOT_FREE
 * @name    as in -e
 * @return  0, or why not; then the status line says it
 */
int place_event(struct tui *tui, unsigned slot, const char *name);

/** Clear columns, as bits. @return likewise */
int place_nothing(struct tui *tui, uint64_t columns);

/** Count another set, of which the slot is what was changed. @return likewise */
int place_set(struct tui *tui, const struct set *next, unsigned slot);

/** What is done to a counter is to be seen: go to a view that shows counters. */
void place_show(struct tui *tui);

#endif
