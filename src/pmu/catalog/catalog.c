/* catalog.c: reading of the folders that make a catalogue, and look-up by name */
#include "pmu/catalog.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/cleanup.h"
#include "pmu/catalog/build.h"

/* Compare events in the order of catalog.event. */
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

/* Name of an event or metric; names sort before aliases. */
struct catalog_name {
	const char *name;
	const void *thing;
	bool is_alias;
};

static int by_name(const void *a, const void *b)
{
	const struct catalog_name *one = a, *two = b;
	int r = ascii_casecmp(one->name, two->name);

	if (!r)
		r = one->is_alias - two->is_alias;
	return r ? r : (one->thing > two->thing) - (one->thing < two->thing);
}

static size_t count_names(const char *const *alias)
{
	size_t n = 0;

	while (alias[n])
		n++;
	return n + 1;
}

static void put_names(struct catalog_name **at, const char *name, const char *const *alias,
		      const void *thing)
{
	*(*at)++ = (struct catalog_name){ name, thing, false };
	for (; *alias; alias++)
		*(*at)++ = (struct catalog_name){ *alias, thing, true };
}

int catalog_index(struct catalog *catalog)
{
	size_t n_events = 0, n_metrics = 0;

	for (size_t i = 0; i < catalog->n_events; i++)
		n_events += count_names(catalog->event[i].alias);
	for (size_t i = 0; i < catalog->n_metrics; i++)
		n_metrics += count_names(catalog->metric[i].alias);

	struct catalog_name *events =
		arena_alloc(catalog->memory, (n_events + n_metrics) * sizeof(*events));
	struct catalog_name *metrics, *at = events;

	if (!events)
		return -ENOMEM;
	metrics = events + n_events;
	for (size_t i = 0; i < catalog->n_events; i++)
		put_names(&at, catalog->event[i].name, catalog->event[i].alias, &catalog->event[i]);
	for (size_t i = 0; i < catalog->n_metrics; i++)
		put_names(&at, catalog->metric[i].name, catalog->metric[i].alias,
			  &catalog->metric[i]);
	qsort(events, n_events, sizeof(*events), by_name);
	qsort(metrics, n_metrics, sizeof(*metrics), by_name);
	catalog->event_names = (struct catalog_names){ events, n_events };
	catalog->metric_names = (struct catalog_names){ metrics, n_metrics };
	return 0;
}

/* Find the first entry not before `name`. */
static size_t first_of(const struct catalog_names *names, const char *name)
{
	size_t low = 0, high = names->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ascii_casecmp(names->name[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const struct catalog_names *names, size_t at, const char *name)
{
	return at < names->n && ascii_casecmp(names->name[at].name, name) == 0;
}

size_t catalog_lookup(const struct catalog *catalog, const char *name,
		      const struct catalog_event **ret, size_t max)
{
	const struct catalog_names *names = &catalog->event_names;
	size_t first = first_of(names, name), n = 0;

	for (size_t i = first; is_at(names, i, name); i++) {
		bool is_redescribed = i > first && names->name[i].thing == names->name[i - 1].thing;

		if (names->name[i].is_alias != names->name[first].is_alias)
			break;
		if (is_redescribed)
			continue;
		if (n < max)
			ret[n] = names->name[i].thing;
		n++;
	}
	return n;
}

const struct catalog_metric *catalog_metric_find(const struct catalog *catalog, const char *name)
{
	size_t at = first_of(&catalog->metric_names, name);

	return is_at(&catalog->metric_names, at, name) ? catalog->metric_names.name[at].thing
						       : NULL;
}

const struct catalog_metric *catalog_metric_exact(const struct catalog *catalog, const char *name)
{
	const struct catalog_names *names = &catalog->metric_names;

	for (size_t i = first_of(names, name); is_at(names, i, name); i++)
		if (strcmp(names->name[i].name, name) == 0)
			return names->name[i].thing;
	return NULL;
}

bool catalog_is_variant(const char *group)
{
	return strcmp(group, "XScale") == 0;
}

const struct catalog_preset *catalog_preset_find(const struct catalog *catalog, const char *name)
{
	for (size_t i = 0; i < catalog->n_presets; i++)
		if (!ascii_casecmp(catalog->preset[i].name, name))
			return &catalog->preset[i];
	return NULL;
}

void catalog_begin_folder(struct catalog_build *build)
{
	build->n_generic_metrics = build->n_metrics;
	build->n_generic_presets = build->n_presets;
	build->n_generic_parts = build->n_parts;
}

/* Drop each of the first `n_generic` of n things whose name a later one has.
 * @name_at  offset of the name in a thing
 * @return   number of things kept */
static size_t keep_own(void *things, size_t n, size_t n_generic, size_t size, size_t name_at)
{
	char *thing = things;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		const char *name = *(char **)(thing + i * size + name_at);
		size_t own = i < n_generic ? n_generic : n;

		while (own < n &&
		       ascii_casecmp(*(char **)(thing + own * size + name_at), name) != 0)
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

/* Whether both are one event of the same PMU; a generic core event also equals that of cpu_core or
 * cpu_atom. */
static bool is_same_event(const struct catalog_event *generic, const struct catalog_event *own)
{
	return (!strcmp(generic->pmu, own->pmu) ||
		(!generic->pmu[0] && !strncmp(own->pmu, "cpu_", 4))) &&
	       !ascii_casecmp(generic->name, own->name);
}

/* Drop each of the first `n_generic` events that a later one replaces by name; the later one inherits short
 * name and aliases if it has none. */
static void catalog_drop_replaced_events(struct catalog_build *build, size_t n_generic)
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

/* Folders of a CPU's events in a tree. */
struct cpu_folders {
	const char *dir;
	char path[N_MAPFILE_KINDS][256]; /* "arm64/apple/m1"; "" for none */
	bool is_generic;                 /* as map_row.is_generic, or there is no row */
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

	const struct map_row *own = catalog_map_find(rows, n, cpuid, MAPFILE_CORE);

	for (enum map_kind kind = 0; kind < N_MAPFILE_KINDS && own; kind++) {
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

static int is_visible_folder(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN);
}

/* Add device events from folders named "sys", at most `depth` levels down; Compat selects the
 * device. */
static int add_devices(struct catalog_build *build, const char *folder, unsigned depth,
		       struct err *err)
{
	AUTO_ENTRIES struct entries list = { 0 };
	int r = 0;

	list.n = scandir(folder, &list.entry, is_visible_folder, alphasort);
	for (int i = 0; i < list.n && !r; i++) {
		char path[PATH_MAX];

		catalog_path(path, folder, list.entry[i]->d_name);
		if (!strcmp(list.entry[i]->d_name, "sys"))
			r = catalog_add_folder(build, path, err);
		else if (depth)
			r = add_devices(build, path, depth - 1, err);
	}
	return r;
}

static int add_cpu(struct catalog_build *build, const char *arch, const struct cpu_folders *cpu,
		   struct err *err)
{
	enum { VENDOR_AND_CPU = 2 };
	char path[PATH_MAX];
	int r = catalog_read_folder(build, catalog_path(path, cpu->dir, arch), catalog_keep_std,
				    err);

	/* data outside the CPU folders, as in Linux's tree */
	catalog_begin_folder(build);
	if (!r)
		r = add_devices(build, path, VENDOR_AND_CPU, err);
	for (enum map_kind kind = 0; kind < N_MAPFILE_KINDS && !r; kind++)
		if (cpu->path[kind][0])
			r = add_below(build, cpu->dir, cpu->path[kind], err);
	return r;
}

/* Add a tree; one of common/common and this architecture may be missing, but not both. */
static int add_tree(struct catalog_build *build, const char *dir, const char *arch,
		    const char *cpuid, struct cpu_folders *ret, struct err *err)
{
	char own[PATH_MAX];
	int map = find_cpu(dir, arch, cpuid, ret, err);

	if (map && map != -ENOENT)
		return map;

	int r = add_below(build, dir, "common/common", err);

	if (r == -ENOENT && map)
		return err_set(err, ENOENT, "%s has no event data", dir);
	if (r == -ENOENT) {
		/* a Linux tree has no software and msr events; ours may be absent */
		r = catalog_find_dir(NULL, own, sizeof(own), NULL);
		if (!r)
			r = add_below(build, own, "common/common", err);
		r = r == -ENOENT ? 0 : r;
	}
	return r || map ? r : add_cpu(build, arch, ret, err);
}

/* Add a model's own files, which replace those of its family. @ret  unchanged if the tree lacks
 * the CPU */
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

static int catalog_end(struct catalog_build *build, const struct cpu_folders *cpu, int r,
		       struct catalog **ret, struct err *err)
{
	if (!r)
		r = catalog_finish(build, cpu->path[MAPFILE_CORE], ret);
	if (!r) {
		(*ret)->dir = arena_text(build->arena, cpu->dir, strlen(cpu->dir));
		(*ret)->is_generic = cpu->is_generic;
		r = (*ret)->dir ? 0 : -ENOMEM;
	}
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
	return catalog_end(&build, &cpu, r, ret, err);
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

	if (!r && !cpu.path[MAPFILE_CORE][0])
		r = err_set(err, ENOENT, "%s/%s/mapfile.csv: no row is for %s", dir, arch, cpuid);
	if (!r)
		r = add_cpu(&build, arch, &cpu, err);
	return catalog_end(&build, &cpu, r, ret, err);
}

void catalog_free(struct catalog *catalog)
{
	if (catalog)
		arena_free(catalog->memory);
}
