/* arena_plain.c: a few lines to load from and store to, and random bits to decide by */
#include <string.h>

#include "discover/arena.h"

/** Two locked pages. */
static int map_pages(struct arena *arena, struct err *err)
{
	struct arena_map *map;
	int res = arena_map(arena, 2 * arena->geometry.page, true, &map, err);

	if (res == 0)
		arena_lock(arena, map);
	return res;
}

static void prepare_buffer(struct arena *arena, uint64_t n)
{
	static const uint64_t one = 1;

	(void)n;
	memset(arena->view.trigger, 0, arena->geometry.line);
	memcpy(arena->view.third, &one, sizeof(one));
}

static int make_buffer(struct arena *arena, struct err *err)
{
	int res = map_pages(arena, err);

	if (res)
		return res;
	arena->view.trigger = arena->view.control = arena->map[0].bytes;
	arena->view.third = arena->map[0].bytes + 4 * arena->geometry.line;
	prepare_buffer(arena, 0);
	return 0;
}

const struct arena_kind arena_buffer = {
	.what = "a buffer",
	.make = make_buffer,
	.prepare = prepare_buffer,
};

static int make_access(struct arena *arena, struct err *err)
{
	const struct access *access = &arena->kind->access;
	int res = map_pages(arena, err);

	if (res)
		return res;
	arena->view.control = arena->map[0].bytes + arena->geometry.page;
	arena->view.trigger = (uint8_t *)arena->view.control +
			      access->lines * (int)arena->geometry.line + access->bytes;
	return 0;
}

const struct arena_kind arena_unaligned = {
	.what = "an unaligned word",
	.make = make_access,
	.access = { .bytes = 1 },
};

const struct arena_kind arena_line_crossing = {
	.what = "a word in two lines",
	.make = make_access,
	.access = { .lines = 1, .bytes = -4 },
};

const struct arena_kind arena_page_crossing = {
	.what = "a word in two pages",
	.make = make_access,
	.access = { .bytes = -4 },
};

/** The bytes from `at` on, of which one is 1. */
static void draw_rare(struct arena *arena, uint8_t *at)
{
	unsigned n = arena->kind->one_in;

	memset(at, 0, n);
	at[arena_draw(arena) % n] = 1;
}

static void draw_word(struct arena *arena, uint8_t *at)
{
	uint64_t random = arena_draw(arena);

	memcpy(at, &random, sizeof(random));
}

/* New bits for each run: a processor learns those that come again. */
static void prepare_random(struct arena *arena, uint64_t n)
{
	bool is_rare = arena->kind->one_in;
	size_t step = is_rare ? arena->kind->one_in : sizeof(uint64_t);
	uint8_t *bytes = arena->view.trigger;

	for (uint64_t at = 0; at < n && at < ARENA_RANDOM_BYTES; at += step)
		if (is_rare)
			draw_rare(arena, bytes + at);
		else
			draw_word(arena, bytes + at);
}

static int make_random(struct arena *arena, struct err *err)
{
	struct arena_map *map;
	int res = arena_map(arena, 2 * ARENA_RANDOM_BYTES + arena->geometry.page, false, &map, err);

	if (res)
		return res;
	arena_lock(arena, map);
	arena->view.trigger = map->bytes;
	arena->view.control = map->bytes + ARENA_RANDOM_BYTES;
	arena->view.third = map->bytes + 2 * ARENA_RANDOM_BYTES;
	prepare_random(arena, ARENA_RANDOM_BYTES);
	return 0;
}

const struct arena_kind arena_random = {
	.what = "random bytes",
	.make = make_random,
	.prepare = prepare_random,
};

const struct arena_kind arena_rare = {
	.what = "bytes of which few are 1",
	.make = make_random,
	.prepare = prepare_random,
	.one_in = ARENA_RARE,
};
