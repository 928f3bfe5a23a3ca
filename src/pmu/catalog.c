#include "pmu/catalog.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "pmu/catalog_build.h"
#include "pmu/catalog_map.h"

static int by_pmu_and_name(const void *a, const void *b)
{
	const struct catalog_event *one = a, *two = b;
	int r = strcmp(one->pmu, two->pmu);

	return r ? r : strcmp(one->name, two->name);
}

static bool is_replaced(const struct catalog_build *build, size_t generic)
{
	for (size_t i = build->n_generic_metrics; i < build->n_metrics; i++)
		if (!strcasecmp(build->metric[generic].name, build->metric[i].name))
			return true;
	return false;
}

/* What was just read replaces what was there before under the same name. */
static void drop_replaced_metrics(struct catalog_build *build)
{
	size_t kept = 0;

	for (size_t i = 0; i < build->n_metrics; i++)
		if (i >= build->n_generic_metrics || !is_replaced(build, i))
			build->metric[kept++] = build->metric[i];
	build->n_metrics = kept;
}

static const void *moved(struct arena *arena, const void *items, size_t n, size_t size)
{
	void *copy = arena_alloc(arena, n * size);

	return copy && n ? memcpy(copy, items, n * size) : copy;
}

/* arrays into the arena; build->arena goes over to the catalogue */
static int finish(struct catalog_build *build, const char *cpu, struct catalog **ret)
{
	struct arena *arena = build->arena;
	struct catalog *catalog = arena_alloc(arena, sizeof(*catalog));

	if (build->n_events)
		qsort(build->event, build->n_events, sizeof(*build->event), by_pmu_and_name);
	if (!catalog)
		return -ENOMEM;
	*catalog = (struct catalog){
		.cpu = arena_text(arena, cpu, strlen(cpu)),
		.event = moved(arena, build->event, build->n_events, sizeof(*build->event)),
		.n_events = build->n_events,
		.metric = moved(arena, build->metric, build->n_metrics, sizeof(*build->metric)),
		.n_metrics = build->n_metrics,
		.preset = moved(arena, build->preset, build->n_presets, sizeof(*build->preset)),
		.n_presets = build->n_presets,
		.memory = arena,
	};
	if (!catalog->cpu || !catalog->event || !catalog->metric || !catalog->preset)
		return -ENOMEM;
	*ret = catalog;
	return 0;
}

/* Where a CPU's events are; "" for none. */
struct cpu_folders {
	char own[256];    /* "arm64/apple/m1" */
	char shared[256]; /* "arm64/apple/common" */
};

static int find_cpu(const char *dir, const char *arch, const char *cpuid, struct cpu_folders *ret,
		    struct err *err)
{
	AUTO_FREE struct map_row *rows = NULL;
	char folder[PATH_MAX], path[PATH_MAX];
	size_t n;

	catalog_path(folder, dir, arch);

	int r = catalog_map_read(catalog_path(path, folder, "mapfile.csv"), &rows, &n, err);

	if (r)
		return r;

	const char *own = catalog_map_find(rows, n, cpuid, false);
	const char *shared = own ? catalog_map_find(rows, n, cpuid, true) : NULL;

	if (own)
		snprintf(ret->own, sizeof(ret->own), "%s/%s", arch, own);
	if (shared)
		snprintf(ret->shared, sizeof(ret->shared), "%s/%s", arch, shared);
	return 0;
}

static int add_below(struct catalog_build *build, const char *dir, const char *folder,
		     struct err *err)
{
	char path[PATH_MAX];

	build->n_generic_metrics = build->n_metrics;

	int r = catalog_add_folder(build, catalog_path(path, dir, folder), err);

	if (!r)
		drop_replaced_metrics(build);
	return r;
}

/* Trees without common/common or without this architecture are fine; having neither is not. */
static int add_all(struct catalog_build *build, const char *dir, const char *arch,
		   const char *cpuid, struct cpu_folders *ret, struct err *err)
{
	int common = add_below(build, dir, "common/common", err);

	if (common && common != -ENOENT)
		return common;

	int r = find_cpu(dir, arch, cpuid, ret, err);

	if (r == -ENOENT)
		return common ? err_set(err, ENOENT, "%s holds no event data", dir) : 0;
	if (!r && ret->shared[0])
		r = add_below(build, dir, ret->shared, err);
	if (!r && ret->own[0])
		r = add_below(build, dir, ret->own, err);
	return r;
}

int catalog_load(const char *dir, const char *arch, const char *cpuid, struct catalog **ret,
		 struct err *err)
{
	struct catalog_build build = { .arena = arena_new() };
	struct cpu_folders cpu = { 0 };
	int r = build.arena ? 0 : -ENOMEM;

	if (!r)
		r = add_all(&build, dir, arch, cpuid, &cpu, err);
	if (!r)
		r = finish(&build, cpu.own, ret);
	catalog_build_fini(&build);
	if (r)
		arena_free(build.arena);
	return r == -ENOMEM ? err_set(err, ENOMEM, "%s: out of memory", dir) : r;
}

void catalog_free(struct catalog *catalog)
{
	if (catalog)
		arena_free(catalog->memory);
}

static bool has_alias(const struct catalog_event *event, const char *name)
{
	for (const char *const *alias = event->alias; *alias; alias++)
		if (!strcasecmp(*alias, name))
			return true;
	return false;
}

size_t catalog_lookup(const struct catalog *catalog, const char *name,
		      const struct catalog_event **ret, size_t max)
{
	size_t n = 0;

	for (int by_alias = 0; by_alias < 2 && !n; by_alias++) {
		for (size_t i = 0; i < catalog->n_events; i++) {
			const struct catalog_event *event = &catalog->event[i];

			if (by_alias ? !has_alias(event, name) : strcasecmp(event->name, name) != 0)
				continue;
			if (n < max)
				ret[n] = event;
			n++;
		}
	}
	return n;
}

const struct catalog_metric *catalog_metric_find(const struct catalog *catalog, const char *name)
{
	for (size_t i = 0; i < catalog->n_metrics; i++)
		if (!strcasecmp(catalog->metric[i].name, name))
			return &catalog->metric[i];
	return NULL;
}

const struct catalog_preset *catalog_preset_find(const struct catalog *catalog, const char *name)
{
	for (size_t i = 0; i < catalog->n_presets; i++)
		if (!strcasecmp(catalog->preset[i].name, name))
			return &catalog->preset[i];
	return NULL;
}
