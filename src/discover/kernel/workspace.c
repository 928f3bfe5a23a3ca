#include "discover/kernel/workspace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "discover/kernel/random.h"

int workspace_map(struct workspace *workspace, size_t size, bool is_small,
		  struct workspace_map **ret, struct err *err)
{
	size_t page = workspace->geometry.page;
	struct workspace_map map = { .size = (size + page - 1) / page * page, .guard = page };
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
	*ret = &workspace->map[workspace->n_maps];
	workspace->map[workspace->n_maps++] = map;
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

void workspace_lock(struct workspace *workspace, const struct workspace_map *map)
{
	for (size_t at = 0; at < map->size; at += workspace->geometry.page)
		*(volatile uint8_t *)(map->bytes + at) = 0;
	if (mlock(map->bytes, map->size) == 0)
		return;
	unsigned long long limit_kib = lock_limit_kib();

	if (mlock(map->bytes, map->size))
		snprintf(workspace->note, sizeof(workspace->note),
			 "%zu KiB of memory could not be locked, the limit is %llu KiB (ulimit -l)",
			 map->size >> 10, limit_kib);
}

uint64_t workspace_draw(struct workspace *workspace)
{
	return random_next(&workspace->random);
}

int workspace_new(const struct kernel *kernel, unsigned cpu, struct workspace **ret,
		  struct err *err)
{
	static const struct workspace_kind none = { .what = "none" };
	struct workspace *workspace = aligned_alloc(64, (sizeof(*workspace) + 63) / 64 * 64);
	int res = 0;

	if (!workspace)
		return err_set(err, ENOMEM, "no memory");
	*workspace = (struct workspace){ .kind = kernel->workspace ? kernel->workspace : &none,
					 .cpu = cpu };
	geometry_read("", cpu, &workspace->geometry);
	workspace->view.step = workspace->geometry.page;
	if (workspace->kind->make)
		res = workspace->kind->make(workspace, err);
	if (res) {
		err_prefix(err, -res, "memory of kernel %s (%s)", kernel->name,
			   workspace->kind->what);
		workspace_free(workspace);
		return res;
	}
	*ret = workspace;
	return 0;
}

void workspace_free(struct workspace *workspace)
{
	if (!workspace)
		return;
	if (workspace->kind->end)
		workspace->kind->end(workspace);
	for (unsigned i = 0; i < workspace->n_maps; i++)
		munmap(workspace->map[i].bytes - workspace->map[i].guard,
		       workspace->map[i].size + 2 * workspace->map[i].guard);
	free(workspace);
}

const char *workspace_note(const struct workspace *workspace)
{
	return workspace->note;
}

void workspace_prepare(struct workspace *workspace, uint64_t n)
{
	if (workspace->kind->prepare)
		workspace->kind->prepare(workspace, n);
}

void *workspace_memory(struct workspace *workspace)
{
	return &workspace->view;
}
