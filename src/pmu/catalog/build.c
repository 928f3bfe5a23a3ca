/* build.c: a catalogue under construction: its memory, its files and their mistakes */
#include "pmu/catalog/build.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/utf8.h"

enum { BLOCK_BYTES = 32 * 1024 };

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	alignas(max_align_t) char bytes[];
};

struct arena {
	struct arena_block *newest;
};

struct arena *arena_new(void)
{
	return calloc(1, sizeof(struct arena));
}

void *arena_alloc(struct arena *arena, size_t size)
{
	size_t rounded = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	struct arena_block *block = arena->newest;

	if (!block || block->size - block->used < rounded) {
		size_t room = rounded > BLOCK_BYTES ? rounded : BLOCK_BYTES;

		block = calloc(1, sizeof(*block) + room);
		if (!block)
			return NULL;
		block->size = room;
		block->next = arena->newest;
		arena->newest = block;
	}

	void *place = block->bytes + block->used;

	block->used += rounded;
	return place;
}

const char *arena_text(struct arena *arena, const char *text, size_t n)
{
	char *copy;

	if (!n)
		return "";
	copy = arena_alloc(arena, n + 1);
	return copy ? memcpy(copy, text, n) : NULL;
}

void arena_free(struct arena *arena)
{
	if (!arena)
		return;
	for (struct arena_block *block = arena->newest, *next; block; block = next) {
		next = block->next;
		free(block);
	}
	free(arena);
}

static int text_is_utf8(const char *path, const char *bytes, size_t n, struct err *err)
{
	unsigned line = 1;

	for (const char *at = bytes; at < bytes + n;) {
		const char *from = at;

		line += *at == '\n';
		if ((signed char)*at > 0)
			at++;
		else if (!*at || (utf8_next(&at) == UTF8_REPLACEMENT &&
				  strncmp(from, "\xef\xbf\xbd", 3) != 0)) /* U+FFFD itself */
			return err_set(err, EINVAL, "%s:%u: not UTF-8", path, line);
	}
	return 0;
}

int catalog_read_text(const char *path, char **ret, size_t *ret_n, struct err *err)
{
	AUTO_FREE char *bytes = NULL;
	size_t n;
	int r = file_read(path, FILE_BYTES_MAX, &bytes, &n);

	if (r == -EFBIG)
		return err_set(err, EFBIG, "%s: larger than %d MiB", path, FILE_BYTES_MAX >> 20);
	if (r)
		return err_set(err, -r, "%s: %s", path, file_error(r));
	r = text_is_utf8(path, bytes, n, err);
	if (r)
		return r;
	*ret = bytes;
	*ret_n = n;
	bytes = NULL;
	return 0;
}

bool catalog_row_has(const struct catalog_row *row, enum catalog_field field)
{
	return row->value[field] && row->value[field][0];
}

const char *catalog_keep_text(struct catalog_build *build, const char *text, size_t n)
{
	const char *copy = arena_text(build->arena, text, n);

	build->is_out_of_memory |= !copy;
	return copy ? copy : "";
}

int catalog_refuse(struct catalog_build *build, const struct catalog_row *row,
		   enum catalog_field field, const char *why)
{
	const char *event = row->value[FIELD_EVENT_NAME];
	struct err line;

	err_set(&line, EINVAL, "%s: $[%zu].%s: %s (%s)", row->file, row->item,
		catalog_fields[field].name, why, event ? event : row->value[field]);
	if (ARRAY_RESERVE(build->refused, build->cap_refused, build->n_refused))
		return -ENOMEM;
	build->refused[build->n_refused++] = catalog_keep_text(build, line.text, strlen(line.text));
	return 1;
}

const char *catalog_path(char *ret, const char *a, const char *b)
{
	int n = snprintf(ret, PATH_MAX, "%s%s%s", a, a[0] && b[0] ? "/" : "", b);

	if (n < 0 || n >= PATH_MAX)
		ret[0] = '\0';
	return ret;
}

void catalog_build_fini(struct catalog_build *build)
{
	free(build->event);
	free(build->metric);
	free(build->preset);
	free(build->part);
	free(build->std);
	free(build->refused);
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

/* Read one "Key": value of an object. */
static int take_value(struct catalog_build *build, struct catalog_row *row, const cJSON *value,
		      struct err *err)
{
	const char *name = value->string;
	size_t field = 0;

	while (field < N_FIELDS && (catalog_fields[field].name[0] != name[0] ||
				    strcmp(catalog_fields[field].name, name) != 0))
		field++;
	if (field == N_FIELDS)
		return 0;
	if (catalog_fields[field].is_list) {
		if (!is_string_array(value))
			return catalog_problem(row, value->string, err, "not an array of strings");
		return take_list(build, value, &row->list[field]);
	}
	if (!cJSON_IsString(value))
		return catalog_problem(row, value->string, err, "not a string");
	/* converters write "null" for a missing value */
	if (strcmp(value->valuestring, "null") != 0)
		row->value[field] = value->valuestring;
	return 0;
}

static int take_object(struct catalog_build *build, struct catalog_row *row, const cJSON *object,
		       catalog_row_fn *take, struct err *err)
{
	if (!cJSON_IsObject(object))
		return catalog_problem(row, "", err, "not an object");
	for (const cJSON *value = object->child; value; value = value->next) {
		int r = take_value(build, row, value, err);

		if (r)
			return r;
	}
	return take(build, row, err);
}

/* File being read: an array of objects, one of which is in memory at a time. */
struct json_reading {
	const char *path;
	const char *text, *end; /* end: the terminating NUL */
	const char *at;
	size_t item;
};

static int syntax_problem(const struct json_reading *file, struct err *err)
{
	return err_set(err, EINVAL, "%s:%u: not valid JSON from here", file->path,
		       text_line_of(file->text, file->at));
}

/* Parse a value and advance past it. @return NULL if invalid, with the place in `at` */
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

static int take_next(struct catalog_build *build, struct json_reading *file, catalog_row_fn *take,
		     struct err *err)
{
	struct catalog_row row = { .file = file->path, .item = file->item++ };
	cJSON *value = next_value(file);

	if (!value)
		return syntax_problem(file, err);

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
			return r;
		is_more = skip(file, ',');
		if (!is_more && !skip(file, ']'))
			return syntax_problem(file, err);
	}
	return *file->at ? syntax_problem(file, err) : 0;
}

/* Report a file that is not an array of objects. */
static int take_other(struct json_reading *file, struct err *err)
{
	cJSON *value = next_value(file);
	bool is_valid = value && !file->at[strspn(file->at, " \t\r\n")];

	cJSON_Delete(value);
	return is_valid ? err_set(err, EINVAL, "%s: $: not an array", file->path)
			: syntax_problem(file, err);
}

int catalog_read_file(struct catalog_build *build, const char *path, catalog_row_fn *take,
		      struct err *err)
{
	AUTO_FREE char *text = NULL;
	size_t n = 0;

	if (build->files)
		text_add(build->files, path, strlen(path) + 1);

	int r = catalog_read_text(path, &text, &n, err);

	if (r || !text)
		return r;

	struct json_reading file = { .path = path, .text = text, .end = text + n, .at = text };

	file.at += strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* UTF-8 byte order mark */
	return skip(&file, '[') ? take_array(build, &file, take, err) : take_other(&file, err);
}

/* Whether a file holds events. Linux's metricgroups.json holds descriptions of groups. */
static int is_event_file(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && dot && !strcmp(dot, ".json") &&
	       strcmp(entry->d_name, "metricgroups.json") != 0;
}

int catalog_read_folder(struct catalog_build *build, const char *folder, catalog_row_fn *take,
			struct err *err)
{
	AUTO_ENTRIES struct entries list = { 0 };
	char path[PATH_MAX];
	int r = 0;

	list.n = scandir(folder, &list.entry, is_event_file, alphasort);
	if (list.n < 0)
		return err_set(err, errno, "%s: %s", folder, strerror(errno));
	for (int i = 0; i < list.n && !r; i++)
		r = catalog_read_file(build, catalog_path(path, folder, list.entry[i]->d_name),
				      take, err);
	return r;
}

int catalog_add_folder(struct catalog_build *build, const char *folder, struct err *err)
{
	return catalog_read_folder(build, folder, catalog_add_row, err);
}
