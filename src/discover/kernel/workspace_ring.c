/* workspace_ring.c: rings in random order that do not fit what shall be missed, of words and of code */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "discover/kernel/workspace.h"
#include "discover/kernel/code.h"

enum { SHORT_RING = 8 };

struct pointer_ring {
	uint64_t at, n_last; /* where the last run began, and how far it went */
	uint64_t n;
	uint8_t *node[]; /* in their order */
};

static struct pointer_ring *ring_new(uint64_t n)
{
	struct pointer_ring *ring = calloc(1, sizeof(*ring) + n * sizeof(*ring->node));

	if (ring)
		ring->n = n;
	return ring;
}

/** Place node i: line beside line, or one in each page, there another line than its neighbours. */
static void place(struct pointer_ring *ring, uint8_t *bytes, size_t line, size_t page)
{
	for (uint64_t i = 0; i < ring->n; i++)
		ring->node[i] = page ? bytes + i * page + i * line % page : bytes + i * line;
}

static void shuffle(struct workspace *workspace, struct pointer_ring *ring)
{
	for (uint64_t i = ring->n - 1; i > 0; i--) {
		uint64_t other = workspace_draw(workspace) % (i + 1);
		uint8_t *node = ring->node[i];

		ring->node[i] = ring->node[other];
		ring->node[other] = node;
	}
}

/** Each node leads to the next, the last to the first. */
static void link_nodes(const struct pointer_ring *ring, bool is_code)
{
	for (uint64_t i = 0; i < ring->n; i++) {
		uint8_t *next = ring->node[(i + 1) % ring->n];

		if (is_code)
			code_node(ring->node[i], next);
		else
			memcpy(ring->node[i], &next, sizeof(next));
	}
}

static int make_runnable(const struct workspace_map *map, struct err *err)
{
	if (mprotect(map->bytes, map->size, PROT_READ | PROT_EXEC))
		return err_set(err, EACCES, "generated code is not allowed to run here");
	__builtin___clear_cache((char *)map->bytes, (char *)map->bytes + map->size);
	return 0;
}

/** A short ring in the map's first page. @return a node of it; NULL without memory */
static uint8_t *make_short(struct workspace *workspace, const struct workspace_map *map,
			   bool is_code)
{
	struct pointer_ring *ring = ring_new(SHORT_RING);
	uint8_t *node;

	if (!ring)
		return NULL;
	place(ring, map->bytes, workspace->geometry.line, 0);
	shuffle(workspace, ring);
	link_nodes(ring, is_code);
	node = ring->node[0];
	free(ring);
	return node;
}

static int make_ring(struct workspace *workspace, struct err *err)
{
	const struct ring_shape *shape = &workspace->kind->ring;
	size_t page = workspace->geometry.page, line = workspace->geometry.line;
	uint64_t n = workspace->geometry.size[shape->cache] / line * shape->times / shape->part;
	struct workspace_map *map;
	struct pointer_ring *ring;
	int res;

	if (shape->is_code && !code_is_known())
		return err_set(err, ENOTSUP, "no code is generated for this architecture");
	res = workspace_map(workspace, page + n * (shape->is_by_page ? page : line),
			    shape->is_by_page, &map, err);
	if (res)
		return res;
	workspace_lock(workspace, map);
	workspace->own = ring = ring_new(n);
	workspace->view.control = make_short(workspace, map, shape->is_code);
	if (!ring || !workspace->view.control)
		return err_set(err, ENOMEM, "no memory for %llu nodes", (unsigned long long)n);
	place(ring, map->bytes + page, line, shape->is_by_page ? page : 0);
	shuffle(workspace, ring);
	link_nodes(ring, shape->is_code);
	workspace->view.trigger = ring->node[0];
	return shape->is_code ? make_runnable(map, err) : 0;
}

/* Begin where the last run ended: the nodes ahead are those that were visited longest ago. */
static void prepare_ring(struct workspace *workspace, uint64_t n)
{
	struct pointer_ring *ring = workspace->own;

	ring->at = (ring->at + ring->n_last) % ring->n;
	ring->n_last = n;
	workspace->view.trigger = ring->node[ring->at];
}

static void end_ring(struct workspace *workspace)
{
	free(workspace->own);
}

#define RING .make = make_ring, .prepare = prepare_ring, .end = end_ring

/* As large that little of it can be left of the last round, and small enough for the next level. */
const struct workspace_kind workspace_l1d = {
	.what = "lines that cover four times the first-level data cache",
	RING,
	.ring = { .cache = CACHE_L1D, .times = 4, .part = 1 },
};

const struct workspace_kind workspace_l2 = {
	.what = "lines that cover four times the second-level cache",
	RING,
	.ring = { .cache = CACHE_L2, .times = 4, .part = 1 },
};

/* More pages than any first-level TLB holds (M1: 128 and 160), and no more lines than half the cache. */
const struct workspace_kind workspace_dtlb = {
	.what = "a line in each of many pages",
	RING,
	.ring = { .cache = CACHE_L1D, .times = 1, .part = 2, .is_by_page = true },
};

const struct workspace_kind workspace_l1i = {
	.what = "code that covers four times the first-level instruction cache",
	RING,
	.ring = { .cache = CACHE_L1I, .times = 4, .part = 1, .is_code = true },
};

const struct workspace_kind workspace_itlb = {
	.what = "code in each of many pages",
	RING,
	.ring = { .cache = CACHE_L1I, .times = 1, .part = 2, .is_by_page = true, .is_code = true },
};
