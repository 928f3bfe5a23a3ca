#include "discover/arena.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "discover/random.h"

int arena_map(struct arena *arena, size_t size, bool is_small, struct arena_map **ret,
	      struct err *err)
{
	size_t page = arena->geometry.page;
	struct arena_map map = { .size = (size + page - 1) / page * page, .guard = page };
	uint8_t *all =
		mmap(NULL, map.size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (all == MAP_FAILED)
		return err_set(err, ENOMEM, "no memory for %zu KiB", map.size >> 10);
	map.bytes = all + page;
	if (mprotect(map.bytes, map.size, PROT_READ | PROT_WRITE)) {
		munmap(all, map.size + 2 * page);
		return err_set(err, ENOMEM, "no memory for %zu KiB", map.size >> 10);
	}
	/* A hint that a kernel without huge pages refuses, rightly. */
	(void)madvise(map.bytes, map.size, is_small ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
	*ret = &arena->map[arena->n_maps];
	arena->map[arena->n_maps++] = map;
	return 0;
}

/** The limit of locked memory as high as it may be, in KiB. */
static unsigned long long lock_limit_kib(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return 0;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_MEMLOCK, &limit);
	return limit.rlim_cur >> 10;
}

void arena_lock(struct arena *arena, const struct arena_map *map)
{
	for (size_t at = 0; at < map->size; at += arena->geometry.page)
		*(volatile uint8_t *)(map->bytes + at) = 0;
	if (mlock(map->bytes, map->size) == 0)
		return;
	unsigned long long limit_kib = lock_limit_kib();

	if (mlock(map->bytes, map->size))
		snprintf(arena->note, sizeof(arena->note),
			 "%zu KiB of memory not locked, %llu KiB are allowed (ulimit -l)",
			 map->size >> 10, limit_kib);
}

uint64_t arena_draw(struct arena *arena)
{
	return random_next(&arena->random);
}

int arena_new(const struct kernel *kernel, unsigned cpu, struct arena **ret, struct err *err)
{
	static const struct arena_kind none = { .what = "none" };
	struct arena *arena = aligned_alloc(64, (sizeof(*arena) + 63) / 64 * 64);
	int res = 0;

	if (!arena)
		return err_set(err, ENOMEM, "no memory");
	*arena = (struct arena){ .kind = kernel->arena ? kernel->arena : &none, .cpu = cpu };
	geometry_read("", cpu, &arena->geometry);
	arena->view.step = arena->geometry.page;
	if (arena->kind->make)
		res = arena->kind->make(arena, err);
	if (res) {
		err_prefix(err, -res, "memory of kernel %s (%s)", kernel->name, arena->kind->what);
		arena_free(arena);
		return res;
	}
	*ret = arena;
	return 0;
}

void arena_free(struct arena *arena)
{
	if (!arena)
		return;
	if (arena->kind->end)
		arena->kind->end(arena);
	for (unsigned i = 0; i < arena->n_maps; i++)
		munmap(arena->map[i].bytes - arena->map[i].guard,
		       arena->map[i].size + 2 * arena->map[i].guard);
	free(arena);
}

const char *arena_note(const struct arena *arena)
{
	return arena->note;
}

void arena_prepare(struct arena *arena, uint64_t n)
{
	if (arena->kind->prepare)
		arena->kind->prepare(arena, n);
}

void *arena_memory(struct arena *arena)
{
	return &arena->view;
}
