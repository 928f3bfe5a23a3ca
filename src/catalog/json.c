#include "catalog/build.h"

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
		if (catalog_fields[i].name[0] == name[0] && !strcmp(catalog_fields[i].name, name))
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
	/* so converters write what they have no value for */
	if (build->is_strict || strcmp(value->valuestring, "null") != 0)
		row->value[field] = value->valuestring;
	return 0;
}

static int take_object(struct catalog_build *build, struct catalog_row *row, const cJSON *object,
		       catalog_row_fn *take, struct err *err)
{
	if (!cJSON_IsObject(object))
		return catalog_problem(build, row, NULL, err, "not an object");
	for (const cJSON *value = object->child; value; value = value->next) {
		int r = take_value(build, row, value, err);

		if (r)
			return r;
	}
	return take(build, row, err);
}

/* A file being read: an array of objects, of which one is in memory at a time. */
struct json_reading {
	const char *path;
	const char *text, *end; /* end points at the terminating NUL */
	const char *at;
	size_t item;
};

static int syntax_problem(struct catalog_build *build, const struct json_reading *file,
			  const char *place, struct err *err)
{
	char what[PATH_MAX + 64];
	unsigned line = 1;

	for (const char *at = file->text; at < place && *at; at++)
		line += *at == '\n';
	snprintf(what, sizeof(what), "%s:%u: not valid JSON from here", file->path, line);
	return catalog_file_problem(build, err, what);
}

/* Moves behind a value. @return NULL for no JSON, with the place in `at` */
static cJSON *next_value(struct json_reading *file)
{
	return cJSON_ParseWithLengthOpts(file->at, (size_t)(file->end - file->at), &file->at, 0);
}

static bool skip(struct json_reading *file, char c)
{
	file->at += strspn(file->at, " \t\r\n");
	if (*file->at != c)
		return false;
	file->at++;
	file->at += strspn(file->at, " \t\r\n");
	return true;
}

/* @return 0; 1 when the rest cannot be read, which was told; or an error */
static int take_next(struct catalog_build *build, struct json_reading *file, catalog_row_fn *take,
		     struct err *err)
{
	struct catalog_row row = { .file = file->path, .item = file->item++ };
	cJSON *value = next_value(file);

	if (!value)
		return syntax_problem(build, file, file->at, err) ? -EINVAL : 1;

	int r = take_object(build, &row, value, take, err);

	cJSON_Delete(value);
	return r;
}

static int take_array(struct catalog_build *build, struct json_reading *file, catalog_row_fn *take,
		      struct err *err)
{
	bool is_more = !skip(file, ']');

	while (is_more) {
		int r = take_next(build, file, take, err);

		if (r)
			return r < 0 ? r : 0;
		is_more = skip(file, ',');
		if (!is_more && !skip(file, ']'))
			return syntax_problem(build, file, file->at, err);
	}
	return *file->at ? syntax_problem(build, file, file->at, err) : 0;
}

/* Whatever it is, it is no array of objects. */
static int take_other(struct catalog_build *build, struct json_reading *file, struct err *err)
{
	cJSON *value = next_value(file);
	char what[PATH_MAX + 32];

	if (!value || file->at[strspn(file->at, " \t\r\n")]) {
		cJSON_Delete(value);
		return syntax_problem(build, file, file->at, err);
	}
	cJSON_Delete(value);
	snprintf(what, sizeof(what), "%s: $: not an array", file->path);
	return catalog_file_problem(build, err, what);
}

int catalog_read_file(struct catalog_build *build, const char *path, catalog_row_fn *take,
		      struct err *err)
{
	AUTO_FREE char *text = NULL;
	struct err reason = { 0 };
	size_t n;

	if (build->files)
		text_add(build->files, path, strlen(path) + 1);

	int r = catalog_read_text(path, &text, &n, &reason);

	if (r == -EINVAL)
		return catalog_file_problem(build, err, reason.text);
	if (r)
		return err_set(err, -r, "%s", reason.text);

	struct json_reading file = { .path = path, .text = text, .end = text + n, .at = text };

	file.at += strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* the mark of a UTF-8 file */
	return skip(&file, '[') ? take_array(build, &file, take, err)
				: take_other(build, &file, err);
}

/* metricgroups.json of Linux holds descriptions of groups, and no array */
static int is_event_file(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && dot && !strcmp(dot, ".json") &&
	       strcmp(entry->d_name, "metricgroups.json") != 0;
}

int catalog_read_folder(struct catalog_build *build, const char *folder, catalog_row_fn *take,
			struct err *err)
{
	struct dirent **entry;
	int n = scandir(folder, &entry, is_event_file, alphasort);

	if (n < 0)
		return err_set(err, errno, "%s: %s", folder, strerror(errno));

	int r = 0;

	for (int i = 0; i < n; i++) {
		char path[PATH_MAX];

		if (!r)
			r = catalog_read_file(build, catalog_path(path, folder, entry[i]->d_name),
					      take, err);
		free(entry[i]);
	}
	free(entry);
	return r;
}

int catalog_add_folder(struct catalog_build *build, const char *folder, struct err *err)
{
	return catalog_read_folder(build, folder, catalog_add_row, err);
}
