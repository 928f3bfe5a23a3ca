/* arena.h: the kinds of memory that kernels walk, and what the files that lay them out share */
#ifndef DISCOVER_ARENA_H
#define DISCOVER_ARENA_H

#include <sys/types.h>

#include "discover/geometry.h"
#include "discover/kernel.h"

enum { ARENA_MAPS = 4, ARENA_RANDOM_BYTES = 1 << 17, ARENA_FRESH_PAGES = 1024 };

struct arena_map {
	uint8_t *bytes; /* between two pages that nobody may touch */
	size_t size;
};

struct partner;

struct arena {
	struct arena_view view; /* first: what kernels are given */
	const struct arena_kind *kind;
	struct geometry geometry;
	unsigned cpu;
	struct arena_map map[ARENA_MAPS];
	unsigned n_maps;
	uint64_t n_nodes; /* of a ring */
	uint64_t random;  /* state of the generator */
	struct partner *partner;
	char note[160];
};

/** How many nodes a ring has, and how far apart: by a cache's lines. */
struct ring_shape {
	enum cache_name cache;
	unsigned times, part; /* nodes: times/part of the lines that the cache holds */
	bool is_by_page;      /* one line in each page; else line beside line */
};

struct arena_kind {
	const char *what;
	/** Map and lay out; arena.c releases the maps, also after a failure. @return 0 or -errno */
	int (*make)(struct arena *arena, struct err *err);
	void (*prepare)(struct arena *arena, uint64_t n); /* NULL: nothing to put back */
	void (*end)(struct arena *arena);                 /* NULL: nothing but maps to release */
	struct ring_shape ring;
	size_t offset; /* of the trigger's access, before the end of a `unit` of memory */
};

/**
 * view.trigger = view.control = two pages of zeroes but for the second line, whose first word is 1.
 *
 * For load, store, atomics, pairs.
 */
extern const struct arena_kind arena_buffer;

/** view.trigger: an address that crosses what the name says (8 bytes long); view.control: an aligned one. */
extern const struct arena_kind arena_unaligned, arena_line_crossing, arena_page_crossing;

/**
 * view.trigger: ARENA_RANDOM_BYTES random bytes, new ones for each run; view.control: as many zeroes;
 * view.third: a line of zeroes to store to.
 */
extern const struct arena_kind arena_random;

/**
 * view.trigger: a node of a ring in random order, each line's (or page's line's) first word the
 * address of the next; view.control: a node of a short ring that stays in the first-level cache and TLB.
 */
extern const struct arena_kind arena_l1d, arena_l2, arena_dtlb;

/**
 * The same in generated code: an entry to jump to, with n in the first argument's register. Each node
 * counts it down and goes on to the next, or returns when it was 0: n jumps, n + 1 nodes.
 */
extern const struct arena_kind arena_l1i, arena_itlb;

/**
 * view.third: generated code to call, an instruction that does nothing and a return; view.trigger:
 * where that instruction may be written, with what is there; view.control: the same in memory that
 * is never run.
 */
extern const struct arena_kind arena_rewrite;

/**
 * view.trigger: ARENA_FRESH_PAGES pages that are not there before a run; view.control: as many that
 * are; view.step: bytes of a page.
 */
extern const struct arena_kind arena_fresh_pages;

/** A thread on the same CPU that answers: for the context switch in C (kernel_switch.c). */
extern const struct arena_kind arena_partner;

/**
 * Memory of whole pages between two guard pages, readable and writable, small pages, not yet touched.
 *
 * @return 0 or -ENOMEM
 */
int arena_map(struct arena *arena, size_t size, struct arena_map **ret, struct err *err);

/** Touch every page of a map and lock it; where it cannot be locked the arena's note says so. */
void arena_touch(struct arena *arena, const struct arena_map *map);

/** A random number, the same sequence in each arena. */
uint64_t arena_draw(struct arena *arena);

#endif
