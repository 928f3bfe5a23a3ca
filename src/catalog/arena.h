/* arena.h: memory that is given back all at once; owns every text of a catalogue */
#ifndef CATALOG_ARENA_H
#define CATALOG_ARENA_H

#include <stddef.h>

struct arena;

/** An empty arena. @return NULL when there is no memory */
struct arena *arena_new(void);

/** Zeroed bytes that live as long as the arena, aligned for any type. @return NULL: no memory */
void *arena_alloc(struct arena *arena, size_t size);

/** A copy of the first n bytes of a text, terminated. @return NULL: no memory */
const char *arena_text(struct arena *arena, const char *text, size_t n);

/** Release everything. NULL is accepted. */
void arena_free(struct arena *arena);

#endif
