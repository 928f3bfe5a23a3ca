#include "tui/model/recents.h"

#include <stdio.h>
#include <string.h>

static unsigned place_of(const struct recents *recents, const char *name)
{
	unsigned at = 0;

	while (at < recents->n && strcasecmp(recents->name[at], name) != 0)
		at++;
	return at;
}

void recents_add(struct recents *recents, const char *name)
{
	unsigned at = place_of(recents, name);
	char first[EVENT_NAME_MAX];

	/* `name` may be one of ours */
	snprintf(first, sizeof(first), "%s", name);
	if (at == recents->n && recents->n < RECENTS_MAX)
		recents->n++;
	if (at == RECENTS_MAX)
		at--;
	memmove(recents->name[1], recents->name[0], at * sizeof(recents->name[0]));
	memcpy(recents->name[0], first, sizeof(first));
}

unsigned recents_rank(const struct recents *recents, const char *name)
{
	unsigned at = place_of(recents, name);

	return at < recents->n ? RECENTS_MAX - at : 0;
}

void recents_set(struct recents *recents, const char *const *name, size_t n)
{
	*recents = (struct recents){ .n = 0 };
	for (size_t i = n < RECENTS_MAX ? n : RECENTS_MAX; i-- > 0;)
		if (*name[i] && strlen(name[i]) < EVENT_NAME_MAX)
			recents_add(recents, name[i]);
}
