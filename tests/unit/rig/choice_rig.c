/* choice_rig.c: a row of the list of events, by its name */
#include "rig/choice_rig.h"

#include <string.h>

const struct choice *find_choice(const struct event_list *list, const char *name)
{
	for (unsigned i = 0; i < list->n; i++)
		if (strcmp(list->choice[i].event->name, name) == 0)
			return &list->choice[i];
	fail_msg("no %s", name);
	return NULL;
}
