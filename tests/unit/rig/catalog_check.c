/* catalog_check.c: all folders below a directory, each read strictly as catalog_load would read it */
#include "rig/catalog_check.h"

#include <cjson/cJSON.h>
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
#include "base/num.h"
#include "pmu/catalog/build.h"
#include "pmu/catalog.h"

/* State of one run of catalog_check. */
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

/* Add a mistake that names its file. */
static void add_line(struct check *check, const char *text)
{
	text_printf(check->problems, "%s\n", text);
	check->n_problems++;
}

/* A catalogue that is read strictly. */
struct strict_build {
	struct catalog_build build; /* first: catalog_row_fn gets only this pointer */
	struct check *check;
};

/* Add a mistake of an object, as catalog_problem reports it. @field  NULL for the object as a whole */
__attribute__((format(printf, 4, 5))) static void row_problem(struct check *check,
							      const struct catalog_row *row,
							      const char *field, const char *fmt,
							      ...)
{
	va_list args;

	text_printf(check->problems, "%s: $[%zu]%s%s: ", row->file, row->item, field ? "." : "",
		    field ? field : "");
	va_start(args, fmt);
	text_vprintf(check->problems, fmt, args);
	va_end(args);
	text_add(check->problems, "\n", 1);
	check->n_problems++;
}

/* Check that fields that depend on each other are complete. */
static void check_shape(struct check *check, const struct catalog_row *row)
{
	bool is_event = catalog_row_has(row, FIELD_EVENT_NAME);
	bool is_metric = catalog_row_has(row, FIELD_METRIC_NAME);
	bool is_preset = catalog_row_has(row, FIELD_PRESET_NAME);
	bool is_part = catalog_row_has(row, FIELD_PART_NAME);

	if (is_event + is_metric + is_preset + is_part != 1)
		row_problem(check, row, NULL,
			    "needs one of EventName, MetricName, PresetName and PartName");
	else if (is_metric && !catalog_row_has(row, FIELD_METRIC_EXPR))
		row_problem(check, row, "MetricExpr", "missing");
	else if (is_preset && !row->list[FIELD_EVENTS])
		row_problem(check, row, "Events", "missing");
	else if (is_part && !row->list[FIELD_METRICS])
		row_problem(check, row, "Metrics", "missing");
	else if (!catalog_row_has(row, FIELD_BRIEF))
		row_problem(check, row, "BriefDescription", "missing");
	if (is_event && !catalog_row_has(row, FIELD_EVENT_CODE) &&
	    !catalog_row_has(row, FIELD_CONFIG_CODE))
		row_problem(check, row, NULL, "EventCode or ConfigCode is missing");
}

/* Whether a Counter is a list with at least one counter. */
static bool allows_counter(const char *text)
{
	while (num_bit_range(&text) && *text == ',') {
		text++;
		text += strspn(text, " ");
	}
	return !*text;
}

static void check_values(struct check *check, const struct catalog_row *row)
{
	const char *counter = row->value[FIELD_COUNTER], *name = row->value[FIELD_SHORT_NAME];

	for (enum catalog_field i = 0; i < N_FIELDS; i++)
		if (catalog_fields[i].term && row->value[i] && strchr(row->value[i], ','))
			row_problem(check, row, catalog_fields[i].name, "'%s' is not a number",
				    row->value[i]);
	if (counter && (!*counter || !allows_counter(counter)) && strncmp(counter, "Fixed", 5) != 0)
		row_problem(check, row, "Counter", "'%s' allows no counter", counter);
	if (name && strlen(name) > 8)
		row_problem(check, row, "ShortName", "'%s' is longer than 8", name);
}

/* Report names that another event already has; two events may share an alias. */
static void check_names(struct check *check, const struct catalog_build *build,
			const struct catalog_row *row)
{
	const struct catalog_event *event = &build->event[build->n_events - 1];
	int before = check->n_problems;

	for (const struct catalog_event *other = build->event; other < event; other++) {
		if (check->n_problems > before)
			return;
		if (!strcasecmp(event->name, other->name))
			row_problem(check, row, "EventName", "'%s' is already defined in %s",
				    event->name, other->topic);
		else if (has_alias(other, event->name))
			row_problem(check, row, "EventName", "'%s' is an alias of %s", event->name,
				    other->name);
		else if (has_alias(event, other->name))
			row_problem(check, row, "Aliases", "'%s' is the name of another event",
				    other->name);
	}
	if (check->n_problems == before && has_alias(event, event->name))
		row_problem(check, row, "Aliases", "'%s' is the event's own name", event->name);
}

/* Add an object as catalog_add_row does, and look closer. */
static int add_strictly(struct catalog_build *build, const struct catalog_row *row, struct err *err)
{
	struct check *check = ((struct strict_build *)build)->check;
	size_t n_events = build->n_events, n_refused = build->n_refused;
	struct err why = { "" };

	check_shape(check, row);
	check_values(check, row);

	int r = catalog_add_row(build, row, &why);

	if (r == -EINVAL)
		add_line(check, why.text);
	else if (r)
		return err_set(err, -r, "%s", why.text);
	if (build->n_refused > n_refused)
		add_line(check, build->refused[n_refused]);
	if (build->n_events > n_events)
		check_names(check, build, row);
	return 0;
}

static bool is_field(const char *name)
{
	for (enum catalog_field i = 0; i < N_FIELDS; i++)
		if (!strcmp(catalog_fields[i].name, name))
			return true;
	return false;
}

/* Report fields that the reader would ignore, and those that it would overwrite. */
static void check_fields(struct check *check, const char *path)
{
	AUTO_FREE char *text = NULL;
	size_t n;
	struct catalog_row row = { .file = path };
	int rc = catalog_read_text(path, &text, &n, NULL);
	cJSON *file = rc || !text ? NULL : cJSON_Parse(text);

	for (const cJSON *object = file ? file->child : NULL; object; object = object->next) {
		for (const cJSON *value = object->child; value; value = value->next) {
			const cJSON *earlier = object->child;

			while (value->string && earlier->string &&
			       strcmp(earlier->string, value->string) != 0)
				earlier = earlier->next;
			if (value->string && !is_field(value->string))
				row_problem(check, &row, value->string, "unknown field");
			else if (value->string && earlier != value)
				row_problem(check, &row, value->string, "given twice");
		}
		row.item++;
	}
	cJSON_Delete(file);
}

static int is_json(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return entry->d_name[0] != '.' && n > 5 && !strcmp(entry->d_name + n - 5, ".json");
}

/* Read a folder as catalog_add_folder does; a file that cannot be parsed is a mistake, too. */
static int add_folder_strictly(struct strict_build *strict, const char *folder, struct err *err)
{
	struct dirent **entry;
	struct err why = { "" };
	int n = scandir(folder, &entry, is_json, alphasort);

	for (int i = 0; i < n; i++) {
		char path[PATH_MAX];

		check_fields(strict->check, catalog_path(path, folder, entry[i]->d_name));
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);

	int r = catalog_read_folder(&strict->build, folder, add_strictly, &why);

	if (r != -EINVAL)
		return r ? err_set(err, -r, "%s", why.text) : 0;
	add_line(strict->check, why.text);
	return 0;
}

static const struct catalog_event *find_event(const struct catalog_build *build, const char *name)
{
	for (size_t i = 0; i < build->n_events; i++)
		if (!strcasecmp(build->event[i].name, name) || has_alias(&build->event[i], name))
			return &build->event[i];
	return NULL;
}

/* Owner of a folder. */
enum owner { OF_ALL, OF_RELATIVES, OF_CPU };

/* A folder of event data. */
struct folder {
	char path[PATH_MAX];
	char shared[PATH_MAX]; /* e.g. "arm64/apple/common" for a folder of one CPU; "": none */
	enum owner owner;
};

/* Whether it is a shared preset that the CPU replaces by its own. */
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

/* Read what precedes a folder; mistakes there are reported when that folder is checked. */
static void add_before(const struct check *check, struct catalog_build *build,
		       const struct folder *folder)
{
	char path[PATH_MAX];

	if (folder->owner != OF_ALL)
		catalog_add_folder(build, catalog_path(path, check->dir, "common/common"), NULL);
	catalog_begin_folder(build);
	if (folder->shared[0])
		catalog_add_folder(build, catalog_path(path, check->dir, folder->shared), NULL);
	catalog_drop_replaced(build);
	catalog_begin_folder(build);
}

/* Let the judge look at a well-formed folder. */
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

/* Check one folder: read it as catalog_load does, its own files strictly. */
static int check_folder(struct check *check, const struct folder *folder, struct err *err)
{
	struct strict_build strict = { .build.arena = arena_new(), .check = check };
	struct catalog_build *build = &strict.build;
	char path[PATH_MAX];

	if (!build->arena)
		return -ENOMEM;
	add_before(check, build, folder);

	size_t n_before = build->n_events + build->n_metrics;
	int n_problems = check->n_problems;
	int r = add_folder_strictly(&strict, catalog_path(path, check->dir, folder->path), err);

	if (!r && build->n_events + build->n_metrics == n_before && check->n_problems == n_problems)
		problem(check, "%s: no events", folder->path);
	if (!r) {
		check_metrics(check, build, folder);
		/* events of a shared preset differ by CPU */
		for (size_t i = 0; i < build->n_presets && folder->owner != OF_RELATIVES; i++)
			if (!is_replaced(build, i))
				check_preset(check, build, folder, i);
	}
	if (!r && check->judge && check->n_problems == n_problems && folder->owner != OF_RELATIVES)
		r = judge_folder(check, build, folder);
	catalog_build_fini(build);
	arena_free(build->arena);
	return r;
}

static bool is_in_map(const struct map_row *rows, size_t n, const char *folder)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(rows[i].folder, folder))
			return true;
	return false;
}

/* Find the folder of a row and the shared folder beside it. */
static void folder_of_row(struct folder *ret, const char *arch, const struct map_row *rows,
			  size_t n, const struct map_row *row)
{
	const struct map_row *shared =
		row->kind == MAPFILE_SHARED ? NULL
					    : catalog_map_find(rows, n, row->cpuid, MAPFILE_SHARED);

	*ret = (struct folder){ .owner = row->kind == MAPFILE_SHARED ? OF_RELATIVES : OF_CPU };
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

/* Check that the map of arm64 has a row for arm64/apple/m1. Devices have no CPU: arm64/arm/sys. */
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
