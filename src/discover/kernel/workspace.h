/* workspace.h: the kinds of memory that kernels walk, and what the files that lay them out share */
#ifndef DISCOVER_KERNEL_WORKSPACE_H
#define DISCOVER_KERNEL_WORKSPACE_H

#include "discover/kernel/geometry.h"
#include "discover/kernel/kernel.h"

enum {
	WORKSPACE_MAPS = 3,
	WORKSPACE_RANDOM_BYTES = 1 << 17,
	WORKSPACE_RARE = 512,
	WORKSPACE_FRESH_PAGES = 1024
};

struct workspace_map {
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

struct workspace_kind {
	const char *what;
	/** Map and lay out; workspace.c releases the maps, also after a failure. @return 0 or -errno */
	int (*make)(struct workspace *workspace, struct err *err);
	void (*prepare)(struct workspace *workspace, uint64_t n); /* NULL: nothing to put back */
	void (*end)(struct workspace
			    *workspace); /* NULL: nothing but maps; called after a failure too */
	struct ring_shape ring;
	struct access access;
	unsigned one_in; /* of so many bytes one is 1, at random, the others 0; 0: all are random */
};

struct workspace {
	struct workspace_view view; /* first: what kernels are given */
	const struct workspace_kind *kind;
	struct geometry geometry;
	unsigned cpu;
	struct workspace_map map[WORKSPACE_MAPS];
	unsigned n_maps;
	uint64_t random; /* state of the generator */
	void *own;       /* the kind's, see its file */
	char note[160];
};

/**
 * view.trigger = view.control: a line of zeroes, put back before each run; view.third: a line whose
 * first word is 1. For load, store, atomics, pairs.
 */
extern const struct workspace_kind workspace_buffer;

/** view.trigger: an address that crosses what the name says (8 bytes long); view.control: an aligned one. */
extern const struct workspace_kind workspace_unaligned, workspace_line_crossing,
	workspace_page_crossing;

/**
 * view.trigger: WORKSPACE_RANDOM_BYTES random bytes, new ones for each run; view.control: as many zeroes,
 * written again for each run like them; view.third: a line of zeroes to store to. Rare: one of WORKSPACE_RARE
 * bytes is 1, the others are 0.
 */
extern const struct workspace_kind workspace_random, workspace_rare;

/**
 * view.trigger: a node of a ring in random order, whose first word is the address of the next. Each
 * run begins where the last one ended. view.control: a node of a short ring that stays in the
 * first-level cache and TLB.
 */
extern const struct workspace_kind workspace_l1d, workspace_l2, workspace_dtlb;

/**
 * The same of code: nodes to jump to, with n in the first argument's register. Each counts it down and
 * goes on to the next, or returns when it was 0: n jumps, n + 1 nodes. See code.h.
 */
extern const struct workspace_kind workspace_l1i, workspace_itlb;

/**
 * view.third: generated code to call, an instruction that does nothing and a return; view.trigger:
 * where that instruction may be written, with what is there; view.control: the same in memory that
 * is never run.
 */
extern const struct workspace_kind workspace_rewrite;

/**
 * view.trigger: WORKSPACE_FRESH_PAGES pages that are not there before a run; view.control: as many that
 * are; view.step: bytes of a page.
 */
extern const struct workspace_kind workspace_fresh_pages;

/** view.third: a struct partner, a thread of the same CPU that answers. */
extern const struct workspace_kind workspace_partner;

/** Pipes, read end first. */
struct partner {
	int question[2], answer[2]; /* a byte written to question comes back by answer */
	int self[2];                /* private to the workspace */
};

/**
 * Memory of whole pages between two guard pages, readable and writable, not yet touched.
 *
 * @is_small  no huge pages; else they are welcome
 * @return    0 or -ENOMEM
 */
int workspace_map(struct workspace *workspace, size_t size, bool is_small,
		  struct workspace_map **ret, struct err *err);

/** Touch every page of a map and lock it; where it cannot be locked the workspace's note says so. */
void workspace_lock(struct workspace *workspace, const struct workspace_map *map);

/** A random number, the same sequence in each workspace. */
uint64_t workspace_draw(struct workspace *workspace);

#endif
