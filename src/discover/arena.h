/* arena.h: the kinds of memory that kernels walk, and what the files that lay them out share */
#ifndef DISCOVER_ARENA_H
#define DISCOVER_ARENA_H

#include "discover/geometry.h"
#include "discover/kernel.h"

enum { ARENA_MAPS = 3, ARENA_RANDOM_BYTES = 1 << 17, ARENA_RARE = 512, ARENA_FRESH_PAGES = 1024 };

struct arena_map {
	uint8_t *bytes; /* between two guards that nobody may touch */
	size_t size, guard;
};

/** How many nodes a ring has, and how far apart: by a cache's lines. */
struct ring_shape {
	enum cache_name cache;
	unsigned times, part; /* nodes: times/part of the lines that the cache holds */
	bool is_by_page;      /* one line in each page; else line beside line */
	bool is_code;
};

/** Where an access of 8 bytes begins, counted from the middle of two pages. */
struct access {
	int lines, bytes;
};

struct arena_kind {
	const char *what;
	/** Map and lay out; arena.c releases the maps, also after a failure. @return 0 or -errno */
	int (*make)(struct arena *arena, struct err *err);
	void (*prepare)(struct arena *arena, uint64_t n); /* NULL: nothing to put back */
	void (*end)(struct arena *arena); /* NULL: nothing but maps; called after a failure too */
	struct ring_shape ring;
	struct access access;
	unsigned one_in; /* of so many bytes one is 1, at random, the others 0; 0: all are random */
};

struct arena {
	struct arena_view view; /* first: what kernels are given */
	const struct arena_kind *kind;
	struct geometry geometry;
	unsigned cpu;
	struct arena_map map[ARENA_MAPS];
	unsigned n_maps;
	uint64_t random; /* state of the generator */
	void *own;       /* the kind's, see its file */
	char note[160];
};

/**
 * view.trigger = view.control: a line of zeroes, put back before each run; view.third: a line whose
 * first word is 1. For load, store, atomics, pairs.
 */
extern const struct arena_kind arena_buffer;

/** view.trigger: an address that crosses what the name says (8 bytes long); view.control: an aligned one. */
extern const struct arena_kind arena_unaligned, arena_line_crossing, arena_page_crossing;

/**
 * view.trigger: ARENA_RANDOM_BYTES random bytes, new ones for each run; view.control: as many zeroes;
 * view.third: a line of zeroes to store to. Rare: one of ARENA_RARE bytes is 1, the others are 0.
 */
extern const struct arena_kind arena_random, arena_rare;

/**
 * view.trigger: a node of a ring in random order, whose first word is the address of the next. Each
 * run begins where the last one ended. view.control: a node of a short ring that stays in the
 * first-level cache and TLB.
 */
extern const struct arena_kind arena_l1d, arena_l2, arena_dtlb;

/**
 * The same of code: nodes to jump to, with n in the first argument's register. Each counts it down and
 * goes on to the next, or returns when it was 0: n jumps, n + 1 nodes. See code.h.
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

/** view.third: a struct partner, a thread of the same CPU that answers. */
extern const struct arena_kind arena_partner;

/** Pipes, read end first. */
struct partner {
	int question[2], answer[2]; /* a byte written to question comes back by answer */
	int self[2];                /* nobody else's */
};

/**
 * Memory of whole pages between two guard pages, readable and writable, not yet touched.
 *
 * @is_small  no huge pages; else they are welcome
 * @return    0 or -ENOMEM
 */
int arena_map(struct arena *arena, size_t size, bool is_small, struct arena_map **ret,
	      struct err *err);

/** Touch every page of a map and lock it; where it cannot be locked the arena's note says so. */
void arena_lock(struct arena *arena, const struct arena_map *map);

/** A random number, the same sequence in each arena. */
uint64_t arena_draw(struct arena *arena);

#endif
