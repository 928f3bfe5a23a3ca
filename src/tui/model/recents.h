/* recents.h: the events chosen last, by name: what a list begins with while nothing is typed */
#ifndef TUI_MODEL_RECENTS_H
#define TUI_MODEL_RECENTS_H

#include "event/event.h"

enum { RECENTS_MAX = 8 };

/** `{ 0 }` is empty. */
struct recents {
	char name[RECENTS_MAX][EVENT_NAME_MAX]; /* the newest first */
	unsigned n;
};

/** Put a name first; the oldest is forgotten, and an earlier place of the same name. */
void recents_add(struct recents *recents, const char *name);

/** How new a name is: RECENTS_MAX for the newest, 0 for one that is none of them. */
unsigned recents_rank(const struct recents *recents, const char *name);

/** All of them from outside, the newest first, as a configuration keeps them; those beyond
 * RECENTS_MAX and the overlong are left out. To be read, name[] is as good. */
void recents_set(struct recents *recents, const char *const *name, size_t n);

#endif
