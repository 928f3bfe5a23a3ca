#include "catalog/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 32 * 1024 };

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	alignas(max_align_t) char bytes[];
};

struct arena {
	struct arena_block *newest;
};

struct arena *arena_new(void)
{
	return calloc(1, sizeof(struct arena));
}

static struct arena_block *block_for(struct arena *arena, size_t size)
{
	struct arena_block *block = arena->newest;

	if (block && block->size - block->used >= size)
		return block;

	size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;

	block = calloc(1, sizeof(*block) + room);
	if (!block)
		return NULL;
	block->size = room;
	block->next = arena->newest;
	arena->newest = block;
	return block;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	size_t rounded = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	struct arena_block *block = block_for(arena, rounded);

	if (!block)
		return NULL;

	void *place = block->bytes + block->used;

	block->used += rounded;
	return place;
}

const char *arena_text(struct arena *arena, const char *text, size_t n)
{
	char *copy;

	if (!n)
		return "";
	copy = arena_alloc(arena, n + 1);
	return copy ? memcpy(copy, text, n) : NULL;
}

void arena_free(struct arena *arena)
{
	if (!arena)
		return;
	for (struct arena_block *block = arena->newest, *next; block; block = next) {
		next = block->next;
		free(block);
	}
	free(arena);
}
