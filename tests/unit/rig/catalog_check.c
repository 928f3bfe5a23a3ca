/* catalog_check.c: all folders below a directory, each read strictly as catalog_load would read it */
#include "rig/catalog_check.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "catalog/build.h"
#include "catalog/map.h"

/* What one run of catalog_check carries along. */
struct check {
	const char *dir;
	catalog_judge_fn *judge;
	struct text *problems;
	int n_problems;
};

static bool has_alias(const struct catalog_event *event, const char *name)
{
	for (const char *const *alias = event->alias; *alias; alias++)
		if (!strcasecmp(*alias, name))
			return true;
	return false;
}

__attribute__((format(printf, 2, 3))) static void problem(struct check *check, const char *fmt, ...)
{
	va_list args;

	text_printf(check->problems, "%s/", check->dir);
	va_start(args, fmt);
	text_vprintf(check->problems, fmt, args);
	va_end(args);
	text_add(check->problems, "\n", 1);
	check->n_problems++;
}

static const struct catalog_event *find_event(const struct catalog_build *build, const char *name)
{
	for (size_t i = 0; i < build->n_events; i++)
		if (!strcasecmp(build->event[i].name, name) || has_alias(&build->event[i], name))
			return &build->event[i];
	return NULL;
}

/* Whose a folder is. */
enum owner { OF_ALL, OF_RELATIVES, OF_CPU };

/* "arm64/apple/common" for a folder that is the CPU's own; "" when it shares none */
struct folder {
	char path[PATH_MAX];
	char shared[PATH_MAX];
	enum owner owner;
};

/* A shared preset of which the CPU has its own. */
static bool is_replaced(const struct catalog_build *build, size_t number)
{
	for (size_t i = build->n_generic_presets; i < build->n_presets; i++)
		if (number < build->n_generic_presets &&
		    !strcasecmp(build->preset[i].name, build->preset[number].name))
			return true;
	return false;
}

static void check_preset(struct check *check, const struct catalog_build *build,
			 const struct folder *folder, size_t number)
{
	const struct catalog_preset *preset = &build->preset[number];
	bool is_shared = number < build->n_generic_presets;
	const char *in = is_shared ? folder->shared : folder->path;
	const char *of = is_shared ? " of " : "", *cpu = is_shared ? folder->path : "";
	size_t first = is_shared ? 0 : build->n_generic_presets, item = number - first;

	for (unsigned slot = 0; preset->event[slot]; slot++) {
		const char *name = preset->event[slot];
		const struct catalog_event *event = *name ? find_event(build, name) : NULL;

		if (*name && !event)
			problem(check,
				"%s/presets.json: $[%zu].Events[%u]: '%s' is not an event%s%s", in,
				item, slot, name, of, cpu);
		else if (slot > 63 || (event && event->counters && !(event->counters >> slot & 1)))
			problem(check,
				"%s/presets.json: $[%zu].Events[%u]: %s is not legal on this "
				"counter",
				in, item, slot, name);
	}
	for (size_t i = first; i < number; i++)
		if (!strcasecmp(build->preset[i].name, preset->name))
			problem(check, "%s: duplicate preset '%s'", folder->path, preset->name);
}

static void check_metrics(struct check *check, const struct catalog_build *build,
			  const struct folder *folder)
{
	for (size_t i = build->n_generic_metrics; i < build->n_metrics; i++)
		for (size_t j = i + 1; j < build->n_metrics; j++)
			if (!strcasecmp(build->metric[i].name, build->metric[j].name))
				problem(check, "%s: duplicate metric '%s'", folder->path,
					build->metric[i].name);
}

/* What is read before a folder; its own mistakes are told when it is checked itself. */
static void add_before(const struct check *check, struct catalog_build *build,
		       const struct folder *folder)
{
	char path[PATH_MAX];

	if (folder->owner != OF_ALL)
		catalog_add_folder(build, catalog_path(path, check->dir, "common/common"), NULL);
	if (folder->shared[0])
		catalog_add_folder(build, catalog_path(path, check->dir, folder->shared), NULL);
	catalog_begin_folder(build);
}

/* what is read of the folder, once it is known to be well-formed */
static int judge_folder(struct check *check, struct catalog_build *build,
			const struct folder *folder)
{
	struct catalog *catalog;
	char path[PATH_MAX];

	catalog_drop_replaced(build);

	int r = catalog_finish(build, catalog_path(path, check->dir, folder->path), &catalog);
	int n = r ? 0 : check->judge(catalog, check->problems);

	if (n > 0)
		check->n_problems += n;
	return n < 0 ? n : r;
}

/* one folder as catalog_load would read it, its own files strictly */
static int check_folder(struct check *check, const struct folder *folder, struct err *err)
{
	struct catalog_build build = { .arena = arena_new() };
	char path[PATH_MAX];

	if (!build.arena)
		return -ENOMEM;
	add_before(check, &build, folder);
	build.is_strict = true;
	build.problems = check->problems;

	size_t n_before = build.n_events + build.n_metrics;
	int n_problems = check->n_problems;
	int r = catalog_add_folder(&build, catalog_path(path, check->dir, folder->path), err);

	if (!r && build.n_events + build.n_metrics == n_before && !build.n_problems)
		problem(check, "%s: no events", folder->path);
	if (!r) {
		check_metrics(check, &build, folder);
		/* the events of a shared preset are each CPU's */
		for (size_t i = 0; i < build.n_presets && folder->owner != OF_RELATIVES; i++)
			if (!is_replaced(&build, i))
				check_preset(check, &build, folder, i);
	}
	check->n_problems += build.n_problems;
	if (!r && check->judge && check->n_problems == n_problems && folder->owner != OF_RELATIVES)
		r = judge_folder(check, &build, folder);
	catalog_build_fini(&build);
	arena_free(build.arena);
	return r;
}

static bool is_in_map(const struct map_row *rows, size_t n, const char *folder)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(rows[i].folder, folder))
			return true;
	return false;
}

/* the folder of a row, and beside it the shared one */
static void folder_of_row(struct folder *ret, const char *arch, const struct map_row *rows,
			  size_t n, const struct map_row *row)
{
	const struct map_row *shared =
		row->kind == MAP_SHARED ? NULL : catalog_map_find(rows, n, row->cpuid, MAP_SHARED);

	*ret = (struct folder){ .owner = row->kind == MAP_SHARED ? OF_RELATIVES : OF_CPU };
	catalog_path(ret->path, arch, row->folder);
	if (shared)
		catalog_path(ret->shared, arch, shared->folder);
}

static int check_mapped(struct check *check, const char *arch, const struct map_row *rows, size_t n,
			struct err *err)
{
	int r = 0;

	for (size_t i = 0; !r && i < n; i++) {
		struct folder folder;

		if (!strcmp(rows[i].folder, "-") || is_in_map(rows, i, rows[i].folder))
			continue;
		folder_of_row(&folder, arch, rows, n, &rows[i]);
		r = check_folder(check, &folder, err);
		if (r == -ENOENT || r == -ENOTDIR) {
			problem(check, "%s/mapfile.csv: no folder '%s'", arch, rows[i].folder);
			r = 0;
		}
	}
	return r;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Call `each` with every folder in dir/below; `below` "" for dir itself. */
typedef int folder_fn(struct check *check, const char *folder, void *context, struct err *err);

static int each_folder(struct check *check, const char *below, folder_fn *each, void *context,
		       struct err *err)
{
	char path[PATH_MAX];
	struct dirent **entry;
	struct stat st;

	catalog_path(path, check->dir, below);

	int n = scandir(path, &entry, is_visible, alphasort);
	int r = n < 0 ? err_set(err, errno, "%s: %s", path, strerror(errno)) : 0;

	for (int i = 0; i < n; i++) {
		char folder[PATH_MAX];

		catalog_path(folder, below, entry[i]->d_name);
		catalog_path(path, check->dir, folder);
		if (!r && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
			r = each(check, folder, context, err);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return r;
}

struct map {
	const struct map_row *rows;
	size_t n;
};

/* "arm64/apple/m1": does the map of arm64 lead to apple/m1? Devices have no CPU: arm64/arm/sys. */
static int check_is_mapped(struct check *check, const char *folder, void *context, struct err *err)
{
	const struct map *map = context;
	struct folder devices = { .owner = OF_CPU };

	if (!strcmp(strrchr(folder, '/'), "/sys")) {
		snprintf(devices.path, sizeof(devices.path), "%s", folder);
		return check_folder(check, &devices, err);
	}
	if (!is_in_map(map->rows, map->n, strchr(folder, '/') + 1))
		problem(check, "%s: no row of mapfile.csv names this folder", folder);
	return 0;
}

static int check_vendor(struct check *check, const char *folder, void *context, struct err *err)
{
	return each_folder(check, folder, check_is_mapped, context, err);
}

static int check_arch(struct check *check, const char *arch, void *context, struct err *err)
{
	AUTO_FREE struct map_row *rows = NULL;
	struct err reason = { 0 };
	struct map map = { 0 };
	char folder[PATH_MAX], path[PATH_MAX];

	(void)context;
	if (!strcmp(arch, "common"))
		return check_folder(check, &(struct folder){ .path = "common/common" }, err);
	catalog_path(folder, check->dir, arch);
	if (catalog_map_read(catalog_path(path, folder, "mapfile.csv"), &rows, &map.n, &reason)) {
		problem(check, "%s", reason.text + strlen(check->dir) + 1);
		return 0;
	}
	map.rows = rows;

	int r = check_mapped(check, arch, rows, map.n, err);

	return r ? r : each_folder(check, arch, check_vendor, &map, err);
}

int catalog_check(const char *dir, catalog_judge_fn *judge, struct text *ret, struct err *err)
{
	struct check check = { .dir = dir, .judge = judge, .problems = ret };
	int r = each_folder(&check, "", check_arch, NULL, err);

	return r ? r : check.n_problems;
}
