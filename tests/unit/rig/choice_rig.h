/* choice_rig.h: a row of the list of events, by its name */
#ifndef CHOICE_RIG_H
#define CHOICE_RIG_H

#include "rig/harness.h"

#include <string.h>

#include "tui/model/event_list.h"

static inline const struct choice *find_choice(const struct event_list *list, const char *name)
{
	for (unsigned i = 0; i < list->n; i++)
		if (strcmp(list->choice[i].event->name, name) == 0)
			return &list->choice[i];
	fail_msg("no %s", name);
	return NULL;
}

#endif
