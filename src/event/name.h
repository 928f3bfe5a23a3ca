/* name.h: what events are called: synonyms, abbreviations, and names near a wrong one */
#ifndef EVENT_NAME_H
#define EVENT_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/** Is it the same generic event under two names (cycles, cpu-cycles)? Case does not matter. */
bool event_synonyms(const char *a, const char *b);

/**
 * The names of the generic event that `name` belongs to.
 *
 * @return NULL-terminated; an empty list when it is no generic event
 */
const char *const *event_synonyms_of(const char *name);

/** A name of at most 8 characters made from a long one: "context-switches" → "cont-swi". */
void event_abbreviate(const char *name, char *ret, size_t size);

/** The names nearest to a wrong one. `{ .wanted = name }` begins. */
struct near_names {
	const char *wanted;
	const char *name[5]; /* best first */
	unsigned distance[5];
	unsigned n;
};

/** Offer a name that exists; it must stay alive. Names too far away are dropped. */
void near_names_offer(struct near_names *near, const char *name);

/** Append "; near: a, b, c", or nothing when no name is near. */
void near_names_text(const struct near_names *near, struct text *text);

#endif
