/* workspace.h: kinds of kernel memory, and the helpers shared by their layouts */
#ifndef DISCOVER_KERNEL_WORKSPACE_H
#define DISCOVER_KERNEL_WORKSPACE_H

#include "discover/kernel.h"
#include <stddef.h>

enum cache_name { CACHE_L1D, CACHE_L1I, CACHE_L2, N_CACHES };

struct geometry {
	size_t page;
	size_t line;           /* line size of the caches, the largest if they differ */
	size_t size[N_CACHES]; /* bytes */
};

/**
 * Read <root>/sys/devices/system/cpu/cpuN/cache. Unknown sizes default to the largest in use (Apple
 * M1's performance cores), so that a miss stays a miss.
 */
void geometry_read(const char *root, unsigned cpu, struct geometry *ret);

enum {
	WORKSPACE_MAPS = 3,
	WORKSPACE_RANDOM_BYTES = 1 << 17,
	WORKSPACE_RARE = 512,
	WORKSPACE_FRESH_PAGES = 1024
};

struct workspace_map {
	uint8_t *bytes; /* between two inaccessible guard pages */
	size_t size, guard;
};

/** Number and distance of a ring's nodes, by a cache's lines. */
struct ring_shape {
	enum cache_name cache;
	unsigned times, part; /* number of nodes: times/part of the cache's lines */
	bool is_by_page;      /* one line in each page; otherwise adjacent lines */
	bool is_code;
};

/** Offset of an 8-byte access from the boundary of two pages. */
struct access {
	int lines, bytes;
};

struct workspace_kind {
	const char *what;
	/** Map and lay out. workspace.c unmaps, also after a failure. @return 0 or -errno */
	int (*make)(struct workspace *workspace, struct err *err);
	void (*prepare)(struct workspace *workspace, uint64_t n); /* NULL: nothing to restore */
	void (*end)(struct workspace
			    *workspace); /* NULL: only maps to free; also called after a failure */
	struct ring_shape ring;
	struct access access;
	unsigned one_in; /* one of this many bytes is 1, the others 0; 0: all are random */
};

struct workspace {
	struct workspace_view view; /* first: kernels get a pointer to it */
	const struct workspace_kind *kind;
	struct geometry geometry;
	unsigned cpu;
	struct workspace_map map[WORKSPACE_MAPS];
	unsigned n_maps;
	uint64_t random; /* state of the generator */
	void *own;       /* private to the kind */
	char note[160];
};

/**
 * view.trigger = view.control: a line of zeroes, restored before each run; view.third: a line whose
 * first word is 1. For load, store, atomics, pairs.
 */
extern const struct workspace_kind workspace_buffer;

/** view.trigger: an 8-byte access that crosses what the name says; view.control: an aligned one. */
extern const struct workspace_kind workspace_unaligned, workspace_line_crossing,
	workspace_page_crossing;

/**
 * view.trigger: WORKSPACE_RANDOM_BYTES random bytes, new for each run; view.control: as many
 * zeroes, also rewritten for each run; view.third: a line of zeroes to store to. Rare: one of
 * WORKSPACE_RARE bytes is 1, the others are 0.
 */
extern const struct workspace_kind workspace_random, workspace_rare;

/**
 * view.trigger: a node of a ring in random order, whose first word is the address of the next. Each
 * run starts where the last one ended. view.control: a node of a short ring that stays in the
 * first-level cache and TLB.
 */
extern const struct workspace_kind workspace_l1d, workspace_l2, workspace_dtlb;

/**
 * Rings of code: nodes to jump to, with n in the first argument's register. Each node decrements it
 * and continues with the next one, or returns if it was 0: n jumps, n + 1 nodes.
 */
extern const struct workspace_kind workspace_l1i, workspace_itlb;

/**
 * view.third: generated function to call, a nop and a return; view.trigger: writable address of the
 * nop, with its contents; view.control: the same in memory that is never executed.
 */
extern const struct workspace_kind workspace_rewrite;

/**
 * view.trigger: WORKSPACE_FRESH_PAGES pages not mapped before a run; view.control: as many mapped
 * ones; view.step: page size, bytes.
 */
extern const struct workspace_kind workspace_fresh_pages;

/** view.third: a struct partner, a thread on the same CPU that answers. */
extern const struct workspace_kind workspace_partner;

/** Pipes, read end first. */
struct partner {
	int question[2], answer[2]; /* a byte written to question is returned through answer */
	int self[2];                /* private to the workspace */
};

/**
 * Map whole pages between two guard pages, readable and writable, not touched yet.
 *
 * @is_small  without huge pages; otherwise they are preferred
 * @return    0 or -ENOMEM
 */
int workspace_map(struct workspace *workspace, size_t size, bool is_small,
		  struct workspace_map **ret, struct err *err);

#endif
