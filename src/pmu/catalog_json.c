#include "pmu/catalog_build.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static int find_field(const char *name)
{
	for (int i = 0; i < N_FIELDS; i++)
		if (!strcmp(catalog_fields[i].name, name))
			return i;
	return -1;
}

static bool is_string_array(const cJSON *value)
{
	if (!cJSON_IsArray(value))
		return false;
	for (const cJSON *item = value->child; item; item = item->next)
		if (!cJSON_IsString(item))
			return false;
	return true;
}

static int take_list(struct catalog_build *build, const cJSON *array, const char *const **ret)
{
	size_t n = (size_t)cJSON_GetArraySize(array);
	const char **list = arena_alloc(build->arena, (n + 1) * sizeof(*list));

	if (!list)
		return -ENOMEM;
	*ret = list;
	for (const cJSON *item = array->child; item; item = item->next) {
		*list = arena_text(build->arena, item->valuestring, strlen(item->valuestring));
		if (!*list++)
			return -ENOMEM;
	}
	return 0;
}

/* one "Key": value of an object */
static int take_value(struct catalog_build *build, struct catalog_row *row, const cJSON *value,
		      struct err *err)
{
	int field = find_field(value->string);

	if (field < 0) {
		if (!build->is_strict)
			return 0;
		return catalog_problem(build, row, value->string, err, "unknown field");
	}
	if (catalog_fields[field].is_list) {
		if (!is_string_array(value))
			return catalog_problem(build, row, value->string, err,
					       "not an array of strings");
		return take_list(build, value, &row->list[field]);
	}
	if (!cJSON_IsString(value))
		return catalog_problem(build, row, value->string, err, "not a string");
	if (row->value[field] && build->is_strict)
		return catalog_problem(build, row, value->string, err, "given twice");
	row->value[field] = value->valuestring;
	return 0;
}

static int take_object(struct catalog_build *build, struct catalog_row *row, const cJSON *object,
		       struct err *err)
{
	if (!cJSON_IsObject(object))
		return catalog_problem(build, row, NULL, err, "not an object");
	for (const cJSON *value = object->child; value; value = value->next) {
		int r = take_value(build, row, value, err);

		if (r)
			return r;
	}
	return catalog_add_row(build, row, err);
}

static int take_array(struct catalog_build *build, const char *path, const cJSON *array,
		      struct err *err)
{
	size_t item = 0;

	if (!cJSON_IsArray(array)) {
		char text[PATH_MAX + 32];

		snprintf(text, sizeof(text), "%s: $: not an array", path);
		return catalog_file_problem(build, err, text);
	}
	for (const cJSON *object = array->child; object; object = object->next) {
		struct catalog_row row = { .file = path, .item = item };
		int r = take_object(build, &row, object, err);

		if (r)
			return r;
		item++;
	}
	return 0;
}

static int syntax_problem(struct catalog_build *build, const char *path, const char *text,
			  const char *end, struct err *err)
{
	char what[PATH_MAX + 64];
	unsigned line = 1;

	for (const char *at = text; end && at < end && *at; at++)
		line += *at == '\n';
	snprintf(what, sizeof(what), "%s:%u: not valid JSON from here", path, line);
	return catalog_file_problem(build, err, what);
}

static int add_file(struct catalog_build *build, const char *path, struct err *err)
{
	AUTO_FREE char *text = NULL;
	struct err reason = { 0 };
	size_t n;
	int r = catalog_read_text(path, &text, &n, &reason);

	if (r == -EINVAL)
		return catalog_file_problem(build, err, reason.text);
	if (r)
		return err_set(err, -r, "%s", reason.text);

	const char *end = NULL;
	cJSON *root = cJSON_ParseWithLengthOpts(text, n + 1, &end, 1);

	if (!root)
		return syntax_problem(build, path, text, end, err);
	r = take_array(build, path, root, err);
	cJSON_Delete(root);
	return r;
}

/* metricgroups.json of Linux holds descriptions of groups, and no array */
static int is_event_file(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && dot && !strcmp(dot, ".json") &&
	       strcmp(entry->d_name, "metricgroups.json") != 0;
}

int catalog_add_folder(struct catalog_build *build, const char *folder, struct err *err)
{
	struct dirent **entry;
	int n = scandir(folder, &entry, is_event_file, alphasort);

	if (n < 0)
		return err_set(err, errno, "%s: %s", folder, strerror(errno));

	int r = 0;

	for (int i = 0; i < n; i++) {
		char path[PATH_MAX];

		if (!r)
			r = add_file(build, catalog_path(path, folder, entry[i]->d_name), err);
		free(entry[i]);
	}
	free(entry);
	return r;
}
