#include "catalog/catalog.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "catalog/build.h"
#include "catalog/map.h"

/* The order of catalog.event. */
static int by_pmu_and_name(const void *a, const void *b)
{
	const struct catalog_event *one = a, *two = b;
	int r = strcmp(one->pmu, two->pmu);

	return r ? r : strcmp(one->name, two->name);
}

const struct catalog_event *catalog_event_find(const struct catalog *catalog, const char *name,
					       const char *pmu)
{
	const struct catalog_event wanted = { .name = name, .pmu = pmu };

	return bsearch(&wanted, catalog->event, catalog->n_events, sizeof(wanted), by_pmu_and_name);
}

void catalog_begin_folder(struct catalog_build *build)
{
	build->n_generic_metrics = build->n_metrics;
	build->n_generic_presets = build->n_presets;
	build->n_generic_parts = build->n_parts;
}

/* Of n things, drop each of the first `n_generic` that a later one has the name of.
 * @name_at  where its name is in a thing  @return how many stay */
static size_t keep_own(void *things, size_t n, size_t n_generic, size_t size, size_t name_at)
{
	char *thing = things;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		const char *name = *(char **)(thing + i * size + name_at);
		size_t own = i < n_generic ? n_generic : n;

		while (own < n && strcasecmp(*(char **)(thing + own * size + name_at), name) != 0)
			own++;
		if (own == n)
			memmove(thing + kept++ * size, thing + i * size, size);
	}
	return kept;
}

void catalog_drop_replaced(struct catalog_build *build)
{
	build->n_metrics = keep_own(build->metric, build->n_metrics, build->n_generic_metrics,
				    sizeof(*build->metric), offsetof(struct catalog_metric, name));
	build->n_presets = keep_own(build->preset, build->n_presets, build->n_generic_presets,
				    sizeof(*build->preset), offsetof(struct catalog_preset, name));
	build->n_parts = keep_own(build->part, build->n_parts, build->n_generic_parts,
				  sizeof(*build->part), offsetof(struct catalog_part, name));
}

/* Of one PMU; to what all cores have, cpu_core's and cpu_atom's of hybrid machines are the same. */
static bool is_same_event(const struct catalog_event *generic, const struct catalog_event *own)
{
	return (!strcmp(generic->pmu, own->pmu) ||
		(!generic->pmu[0] && !strncmp(own->pmu, "cpu_", 4))) &&
	       !strcasecmp(generic->name, own->name);
}

void catalog_drop_replaced_events(struct catalog_build *build, size_t n_generic)
{
	size_t kept = 0;

	for (size_t i = 0; i < build->n_events; i++) {
		const struct catalog_event event = build->event[i];
		bool is_replaced = false;

		for (size_t k = n_generic; i < n_generic && k < build->n_events; k++) {
			struct catalog_event *own = &build->event[k];

			if (!is_same_event(&event, own))
				continue;
			is_replaced = true;
			if (!own->short_name[0])
				own->short_name = event.short_name;
			if (!own->alias[0])
				own->alias = event.alias;
		}
		if (!is_replaced)
			build->event[kept++] = event;
	}
	build->n_events = kept;
}

static const void *moved(struct arena *arena, const void *items, size_t n, size_t size)
{
	void *copy = arena_alloc(arena, n * size);

	return copy && n ? memcpy(copy, items, n * size) : copy;
}

int catalog_finish(struct catalog_build *build, const char *cpu, struct catalog **ret)
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
		.part = moved(arena, build->part, build->n_parts, sizeof(*build->part)),
		.n_parts = build->n_parts,
		.refused = moved(arena, build->refused, build->n_refused, sizeof(*build->refused)),
		.n_refused = build->n_refused,
		.memory = arena,
	};
	if (build->is_out_of_memory || !catalog->cpu || !catalog->event || !catalog->metric ||
	    !catalog->preset || !catalog->part || !catalog->refused || catalog_index(catalog))
		return -ENOMEM;
	*ret = catalog;
	return 0;
}

/* Where a CPU's events are in a tree. */
struct cpu_folders {
	const char *dir;
	char path[N_MAP_KINDS][256]; /* "arm64/apple/m1"; "" for none */
	bool is_generic;             /* as map_row.is_generic, and where there are none */
};

static int find_cpu(const char *dir, const char *arch, const char *cpuid, struct cpu_folders *ret,
		    struct err *err)
{
	*ret = (struct cpu_folders){ .dir = dir, .is_generic = true };

	AUTO_FREE struct map_row *rows = NULL;
	char folder[PATH_MAX], path[PATH_MAX];
	size_t n;

	catalog_path(folder, dir, arch);

	int r = catalog_map_read(catalog_path(path, folder, "mapfile.csv"), &rows, &n, err);

	if (r)
		return r;

	const struct map_row *own = catalog_map_find(rows, n, cpuid, MAP_CORE);

	for (enum map_kind kind = 0; kind < N_MAP_KINDS && own; kind++) {
		const struct map_row *found = catalog_map_find(rows, n, cpuid, kind);

		if (found)
			snprintf(ret->path[kind], sizeof(ret->path[kind]), "%s/%s", arch,
				 found->folder);
	}
	ret->is_generic = !own || own->is_generic;
	return 0;
}

static int add_below(struct catalog_build *build, const char *dir, const char *folder,
		     struct err *err)
{
	char path[PATH_MAX];

	catalog_begin_folder(build);

	int r = catalog_add_folder(build, catalog_path(path, dir, folder), err);

	if (!r)
		catalog_drop_replaced(build);
	return r;
}

/* Linux's tree has no software and msr events; without ours there are none. */
static int add_own_common(struct catalog_build *build, struct err *err)
{
	char own[PATH_MAX];
	int r = catalog_find_dir(NULL, own, sizeof(own), NULL);

	if (!r)
		r = add_below(build, own, "common/common", err);
	return r == -ENOENT ? 0 : r;
}

static int is_visible_folder(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN);
}

/* Events of devices are in folders "sys", at most `depth` below; Compat says whose they are. */
static int add_devices(struct catalog_build *build, const char *folder, unsigned depth,
		       struct err *err)
{
	struct dirent **entry;
	int n = scandir(folder, &entry, is_visible_folder, alphasort);
	int r = 0;

	for (int i = 0; i < n; i++) {
		char path[PATH_MAX];

		catalog_path(path, folder, entry[i]->d_name);
		if (!r && !strcmp(entry[i]->d_name, "sys"))
			r = catalog_add_folder(build, path, err);
		else if (!r && depth)
			r = add_devices(build, path, depth - 1, err);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return r;
}

/* What Linux's tree has beside the folders of CPUs. */
static int add_arch(struct catalog_build *build, const char *dir, const char *arch, struct err *err)
{
	enum { VENDOR_AND_CPU = 2 };
	char path[PATH_MAX];
	int r = catalog_read_folder(build, catalog_path(path, dir, arch), catalog_keep_std, err);

	catalog_begin_folder(build);
	return r ? r : add_devices(build, path, VENDOR_AND_CPU, err);
}

static int add_cpu(struct catalog_build *build, const char *arch, const struct cpu_folders *cpu,
		   struct err *err)
{
	int r = add_arch(build, cpu->dir, arch, err);

	for (enum map_kind kind = 0; kind < N_MAP_KINDS && !r; kind++)
		if (cpu->path[kind][0])
			r = add_below(build, cpu->dir, cpu->path[kind], err);
	return r;
}

/* Trees without common/common or without this architecture are fine; having neither is not. */
static int add_tree(struct catalog_build *build, const char *dir, const char *arch,
		    const char *cpuid, struct cpu_folders *ret, struct err *err)
{
	int map = find_cpu(dir, arch, cpuid, ret, err);

	if (map && map != -ENOENT)
		return map;

	int r = add_below(build, dir, "common/common", err);

	if (r == -ENOENT && map)
		return err_set(err, ENOENT, "%s has no event data", dir);
	if (r == -ENOENT)
		r = add_own_common(build, err);
	return r || map ? r : add_cpu(build, arch, ret, err);
}

/* A model's own files over those of its family. @ret  stays where the tree does not have the CPU */
static int add_imported(struct catalog_build *build, const char *dir, const char *arch,
			const char *cpuid, struct cpu_folders *ret, struct err *err)
{
	struct cpu_folders cpu;
	size_t n_generic = build->n_events;
	int r = find_cpu(dir, arch, cpuid, &cpu, err);

	if (r || cpu.is_generic)
		return r == -ENOENT ? 0 : r;
	r = add_cpu(build, arch, &cpu, err);
	if (!r)
		catalog_drop_replaced_events(build, n_generic);
	*ret = cpu;
	return r;
}

static int finish(struct catalog_build *build, const struct cpu_folders *cpu, int r,
		  struct catalog **ret, struct err *err)
{
	if (!r)
		r = catalog_finish(build, cpu->path[MAP_CORE], ret);
	if (!r) {
		(*ret)->dir = arena_text(build->arena, cpu->dir, strlen(cpu->dir));
		(*ret)->is_generic = cpu->is_generic;
	}
	if (!r && !(*ret)->dir)
		r = -ENOMEM;
	catalog_build_fini(build);
	if (r)
		arena_free(build->arena);
	return r == -ENOMEM ? err_set(err, ENOMEM, "%s: out of memory", cpu->dir) : r;
}

int catalog_load_with(const char *dir, const char *imported, const char *arch, const char *cpuid,
		      struct catalog **ret, struct err *err)
{
	struct catalog_build build = { .arena = arena_new() };
	struct cpu_folders cpu = { .dir = dir };
	int r = build.arena ? 0 : -ENOMEM;

	if (!r)
		r = add_tree(&build, dir, arch, cpuid, &cpu, err);
	if (!r && imported[0] && cpu.is_generic)
		r = add_imported(&build, imported, arch, cpuid, &cpu, err);
	return finish(&build, &cpu, r, ret, err);
}

int catalog_load(const char *dir, const char *arch, const char *cpuid, struct catalog **ret,
		 struct err *err)
{
	return catalog_load_with(dir, "", arch, cpuid, ret, err);
}

int catalog_load_cpu(const char *dir, const char *arch, const char *cpuid, struct text *ret_files,
		     struct catalog **ret, struct err *err)
{
	struct catalog_build build = { .arena = arena_new(), .files = ret_files };
	struct cpu_folders cpu = { .dir = dir };
	int r = build.arena ? find_cpu(dir, arch, cpuid, &cpu, err) : -ENOMEM;

	if (!r && !cpu.path[MAP_CORE][0])
		r = err_set(err, ENOENT, "%s/%s/mapfile.csv: no row is for %s", dir, arch, cpuid);
	if (!r)
		r = add_cpu(&build, arch, &cpu, err);
	return finish(&build, &cpu, r, ret, err);
}

void catalog_free(struct catalog *catalog)
{
	if (catalog)
		arena_free(catalog->memory);
}
