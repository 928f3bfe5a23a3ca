/* workspace_plain.c: a few lines to load from and store to, and random bits to decide by */
#include <string.h>

#include "discover/kernel/workspace.h"

/** Two locked pages. */
static int map_pages(struct workspace *workspace, struct err *err)
{
	struct workspace_map *map;
	int res = workspace_map(workspace, 2 * workspace->geometry.page, true, &map, err);

	if (res == 0)
		workspace_lock(workspace, map);
	return res;
}

static void prepare_buffer(struct workspace *workspace, uint64_t n)
{
	static const uint64_t one = 1;

	(void)n;
	memset(workspace->view.trigger, 0, workspace->geometry.line);
	memcpy(workspace->view.third, &one, sizeof(one));
}

static int make_buffer(struct workspace *workspace, struct err *err)
{
	int res = map_pages(workspace, err);

	if (res)
		return res;
	workspace->view.trigger = workspace->view.control = workspace->map[0].bytes;
	workspace->view.third = workspace->map[0].bytes + 4 * workspace->geometry.line;
	prepare_buffer(workspace, 0);
	return 0;
}

const struct workspace_kind workspace_buffer = {
	.what = "a buffer",
	.make = make_buffer,
	.prepare = prepare_buffer,
};

static int make_access(struct workspace *workspace, struct err *err)
{
	const struct access *access = &workspace->kind->access;
	int res = map_pages(workspace, err);

	if (res)
		return res;
	workspace->view.control = workspace->map[0].bytes + workspace->geometry.page;
	workspace->view.trigger = (uint8_t *)workspace->view.control +
				  access->lines * (int)workspace->geometry.line + access->bytes;
	return 0;
}

const struct workspace_kind workspace_unaligned = {
	.what = "an unaligned word",
	.make = make_access,
	.access = { .bytes = 1 },
};

const struct workspace_kind workspace_line_crossing = {
	.what = "a word in two lines",
	.make = make_access,
	.access = { .lines = 1, .bytes = -4 },
};

const struct workspace_kind workspace_page_crossing = {
	.what = "a word in two pages",
	.make = make_access,
	.access = { .bytes = -4 },
};

static void draw_rare(struct workspace *workspace, uint8_t *trigger, uint8_t *control)
{
	unsigned n = workspace->kind->one_in;

	memset(trigger, 0, n);
	memset(control, 0, n);
	trigger[workspace_draw(workspace) % n] = 1;
}

static void draw_word(struct workspace *workspace, uint8_t *trigger, uint8_t *control)
{
	uint64_t random = workspace_draw(workspace);

	memcpy(trigger, &random, sizeof(random));
	memset(control, 0, sizeof(random));
}

/*
 * New bits for each run: a processor learns those that come again. The control's zeroes are written too,
 * side by side with them, so that what the caches have of either is the same.
 */
static void prepare_random(struct workspace *workspace, uint64_t n)
{
	bool is_rare = workspace->kind->one_in;
	size_t step = is_rare ? workspace->kind->one_in : sizeof(uint64_t);
	uint8_t *trigger = workspace->view.trigger, *control = workspace->view.control;

	for (uint64_t at = 0; at < n && at < WORKSPACE_RANDOM_BYTES; at += step)
		if (is_rare)
			draw_rare(workspace, trigger + at, control + at);
		else
			draw_word(workspace, trigger + at, control + at);
}

static int make_random(struct workspace *workspace, struct err *err)
{
	struct workspace_map *map;
	int res = workspace_map(workspace, 2 * WORKSPACE_RANDOM_BYTES + workspace->geometry.page,
				false, &map, err);

	if (res)
		return res;
	workspace_lock(workspace, map);
	workspace->view.trigger = map->bytes;
	workspace->view.control = map->bytes + WORKSPACE_RANDOM_BYTES;
	workspace->view.third = map->bytes + 2 * WORKSPACE_RANDOM_BYTES;
	prepare_random(workspace, WORKSPACE_RANDOM_BYTES);
	return 0;
}

const struct workspace_kind workspace_random = {
	.what = "random bytes",
	.make = make_random,
	.prepare = prepare_random,
};

const struct workspace_kind workspace_rare = {
	.what = "bytes, few of them 1",
	.make = make_random,
	.prepare = prepare_random,
	.one_in = WORKSPACE_RARE,
};
