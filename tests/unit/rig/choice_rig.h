/* choice_rig.h: a row of the list of events, by its name */
#ifndef CHOICE_RIG_H
#define CHOICE_RIG_H

#include "rig/harness.h"
#include "tui/model/event_list.h"

/** Find a row by the name of its event; fail the test if there is none. */
const struct choice *find_choice(const struct event_list *list, const char *name);

#endif
