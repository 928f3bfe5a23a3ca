#include "cmd/options/config.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/invoker.h"
#include "pmu/event.h"
#include "tui/keys.h"
#include "tui/theme.h"

/* Split a list of the command line into the configuration's items. */

static int config_split(const char *text, char open, char close, struct setting_list *ret)
{
	int rc = 0;

	while (text && *text && !rc) {
		size_t n = text_item_length(text, open, close);
		AUTO_FREE char *item = strndup(text, n);

		rc = item ? setting_list_add(ret, item) : -ENOMEM;
		text += n;
		text += *text == ',';
	}
	return rc;
}

int config_take_counted(struct config *config, const struct options *options)
{
	struct settings *settings = &config->settings;

	if (!options_given(options, "event preset metrics"))
		return 0;
	snprintf(settings->preset, sizeof(settings->preset), "%s",
		 options->preset ? options->preset : "");
	setting_list_clear(&settings->events);
	setting_list_clear(&settings->metrics);

	int rc = config_split(options->events, '/', '/', &settings->events);

	return rc ? rc : config_split(options->metrics, '(', ')', &settings->metrics);
}

void config_take(struct config *config, const struct options *options)
{
	struct settings *settings = &config->settings;
	bool no_color = options_given(options, "no-color") && !options->color;

	snprintf(settings->theme, sizeof(settings->theme), "%s",
		 (no_color ? theme_monochrome() : options->theme)->name);
	if (options_given(options, "no-real-time"))
		settings->real_time = SETTING_NO;
}

static void config_problem(struct config *config, const char *place, const char *fmt, ...);

/* JSON format of the configuration: only this file knows it. */

enum { PLACE_MAX = 96, ITEM_MAX = PLACE_MAX + 16 };

static const struct setting *find_row(const char *name)
{
	for (const struct setting *row = setting_table; row->name; row++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

static void unknown_key(struct config *config, const char *place, const char *name)
{
	struct near_names near = { .wanted = name };

	near_names_offer(&near, "keys");
	for (const struct setting *row = setting_table; row->name; row++)
		near_names_offer(&near, row->name);
	if (near.n)
		config_problem(config, place, "no such key: did you mean \"%s\"?", near.name[0]);
	else
		config_problem(config, place, "no such key");
}

static void config_take_number(struct config *config, const struct setting *row, const char *place,
			       const cJSON *value, double *ret)
{
	struct err err = { "" };
	char text[40];

	snprintf(text, sizeof(text), "%.17g", cJSON_IsNumber(value) ? value->valuedouble : 0);
	if (!cJSON_IsNumber(value))
		config_problem(config, place, "not a number");
	else if (!isfinite(value->valuedouble) || value->valuedouble <= 0)
		config_problem(config, place, "must be more than 0");
	else if (setting_check(row, text, &err) < 0)
		config_problem(config, place, "%s", err.text);
	else
		*ret = value->valuedouble;
}

static void take_text(struct config *config, const struct setting *row, const char *place,
		      const cJSON *value, char *ret)
{
	struct err err = { "" };

	if (!cJSON_IsString(value))
		config_problem(config, place, "not a string");
	else if (!*value->valuestring)
		config_problem(config, place, "empty");
	else if (strlen(value->valuestring) >= SETTING_TEXT_MAX)
		config_problem(config, place, "longer than %d bytes", SETTING_TEXT_MAX - 1);
	else if (setting_check(row, value->valuestring, &err) < 0)
		config_problem(config, place, "%s", err.text);
	else
		memcpy(ret, value->valuestring, strlen(value->valuestring) + 1);
}

static void take_list(struct config *config, const char *place, const cJSON *value,
		      struct setting_list *ret)
{
	int i = 0;

	if (!cJSON_IsArray(value)) {
		config_problem(config, place, "not an array");
		return;
	}
	for (const cJSON *item = value->child; item; item = item->next, i++) {
		char at[ITEM_MAX];

		snprintf(at, sizeof(at), "%.*s[%d]", PLACE_MAX, place, i);
		if (!cJSON_IsString(item))
			config_problem(config, at, "not a string");
		else if (!*item->valuestring)
			config_problem(config, at, "empty");
		else if (setting_list_add(ret, item->valuestring) < 0)
			config_problem(config, at, "out of memory");
	}
}

static void take_value(struct config *config, const struct setting *row, const char *place,
		       const cJSON *value)
{
	void *field = (char *)&config->settings + row->offset;

	switch (row->kind) {
	case SETTING_NUMBER: config_take_number(config, row, place, value, field); break;
	case SETTING_TEXT: take_text(config, row, place, value, field); break;
	case SETTING_LIST: take_list(config, place, value, field); break;
	case SETTING_FLAG:
		if (!cJSON_IsBool(value))
			config_problem(config, place, "neither true nor false");
		else
			*(enum setting_flag *)field =
				cJSON_IsTrue(value) ? SETTING_YES : SETTING_NO;
		break;
	}
}

/* Apply an action's keys: "quit": ["q", "C-c"]. */
static void take_action(struct config *config, const char *place, const cJSON *keys)
{
	struct err err = { "" };
	int code, i = 0;

	if (keymap_action(&config->keymap, keys->string, &code, &err) < 0 ||
	    (!cJSON_IsArray(keys) && err_set(&err, EINVAL, "not an array") < 0) ||
	    keymap_change(&config->keymap, code, &err) < 0) {
		config_problem(config, place, "%s", err.text);
		return;
	}
	for (const cJSON *key = keys->child; key; key = key->next, i++) {
		char at[ITEM_MAX];

		snprintf(at, sizeof(at), "%.*s[%d]", PLACE_MAX, place, i);
		if (!cJSON_IsString(key))
			config_problem(config, at, "not a string");
		else if (keymap_bind(&config->keymap, code, key->valuestring, &err) < 0)
			config_problem(config, at, "%s", err.text);
	}
}

/* Report keys taken from actions that the file does not configure. */
static void report_lost_keys(struct config *config, const cJSON *keys)
{
	int i = 0;

	for (const cJSON *key = keys->child; cJSON_IsArray(keys) && key; key = key->next, i++) {
		char at[ITEM_MAX], name[32];
		const char *loser = NULL;

		if (cJSON_IsString(key))
			loser = keymap_loser(&config->keymap, key->valuestring, name, sizeof(name));
		snprintf(at, sizeof(at), "$.keys.%.64s[%d]", keys->string, i);
		if (loser)
			config_problem(config, at, "\"%s\" is taken from %s: list its keys too",
				       key->valuestring, loser);
	}
}

static bool is_given_twice(const cJSON *value)
{
	for (const cJSON *at = value->next; at; at = at->next)
		if (strcmp(at->string, value->string) == 0)
			return true;
	return false;
}

static void take_keys(struct config *config, const cJSON *keys)
{
	if (!cJSON_IsObject(keys)) {
		config_problem(config, "$.keys", "not an object");
		return;
	}
	for (const cJSON *value = keys->child; value; value = value->next) {
		char place[PLACE_MAX];

		snprintf(place, sizeof(place), "$.keys.%.64s", value->string);
		if (is_given_twice(value))
			config_problem(config, place, "given twice: the last one is used");
		else
			take_action(config, place, value);
	}
	for (const cJSON *value = keys->child; value; value = value->next)
		report_lost_keys(config, value);
}

static void take_object(struct config *config, const cJSON *object)
{
	for (const cJSON *value = object->child; value; value = value->next) {
		const struct setting *row = find_row(value->string);
		char place[PLACE_MAX];

		snprintf(place, sizeof(place), "$.%.64s", value->string);
		if (is_given_twice(value))
			config_problem(config, place, "given twice: the last one is used");
		else if (row)
			take_value(config, row, place, value);
		else if (strcmp(value->string, "keys") == 0)
			take_keys(config, value);
		else
			unknown_key(config, place, value->string);
	}
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && strchr(" \t\r\n", *at))
		at++;
	return at;
}

/* Parse a JSON object. @return NULL on failure; `ret_line`: line of the syntax error, or 0 for JSON
 * that is no object */
static cJSON *config_parse_text(const char *bytes, size_t n, unsigned *ret_line)
{
	const char *at = bytes, *end = bytes + n;
	cJSON *value = cJSON_ParseWithLengthOpts(bytes, n, &at, 0);

	*ret_line = 0;
	if (value && skip_blanks(at, end) == end && cJSON_IsObject(value))
		return value;
	if (!value || skip_blanks(at, end) < end)
		*ret_line = text_line_of(bytes, at < end ? at : end);
	cJSON_Delete(value);
	return NULL;
}

void config_parse(struct config *config, const char *bytes, size_t n)
{
	unsigned line;

	config->keymap.table = key_table;
	/* an empty file is valid: --config /dev/null */
	if (skip_blanks(bytes, bytes + n) == bytes + n)
		return;

	cJSON *object = config_parse_text(bytes, n, &line);

	if (object)
		take_object(config, object);
	else if (line)
		config_problem(config, "$", "not valid JSON from line %u on: the file is ignored",
			       line);
	else
		config_problem(config, "$", "not an object");
	cJSON_Delete(object);
}

/* Convert a setting to JSON. @return NULL: not set */
static cJSON *print_value(const struct setting *row, const struct settings *settings)
{
	const void *field = (const char *)settings + row->offset;
	const enum setting_flag *flag = field;
	const struct setting_list *list = field;

	switch (row->kind) {
	case SETTING_NUMBER:
		return *(const double *)field != 0 ? cJSON_CreateNumber(*(const double *)field)
						   : NULL;
	case SETTING_TEXT:
		return *(const char *)field ? cJSON_CreateString((const char *)field) : NULL;
	case SETTING_LIST:
		return list->n ? cJSON_CreateStringArray((const char *const *)list->item,
							 (int)list->n)
			       : NULL;
	case SETTING_FLAG:
		return *flag != SETTING_UNSET ? cJSON_CreateBool(*flag == SETTING_YES) : NULL;
	}
	return NULL;
}

/* Set a member, in its old place or at the end. */
static bool config_put(cJSON *object, const char *name, cJSON *value)
{
	if (!value) {
		cJSON_DeleteItemFromObjectCaseSensitive(object, name);
		return true;
	}
	if (cJSON_GetObjectItemCaseSensitive(object, name))
		return cJSON_ReplaceItemInObjectCaseSensitive(object, name, value);
	return cJSON_AddItemToObject(object, name, value);
}

static bool is_blank(const char *bytes, size_t n)
{
	return !bytes || skip_blanks(bytes, bytes + n) == bytes + n;
}

int config_print(const struct config *config, const char *old, size_t n_old, struct text *ret,
		 struct err *err)
{
	unsigned line = 0;
	cJSON *object =
		is_blank(old, n_old) ? cJSON_CreateObject() : config_parse_text(old, n_old, &line);
	bool is_done = object;

	if (!object && !is_blank(old, n_old))
		return err_set(err, EINVAL,
			       "%s is not a valid JSON object, line %u: fix it or move it away",
			       config->path, line);
	for (const struct setting *row = setting_table; row->name && is_done; row++)
		is_done = config_put(object, row->name, print_value(row, &config->settings));

	char *printed = is_done ? cJSON_Print(object) : NULL;

	if (printed)
		text_printf(ret, "%s\n", printed);
	cJSON_free(printed);
	cJSON_Delete(object);
	return printed && !ret->failed ? 0 : err_set(err, ENOMEM, "out of memory");
}

enum { FILE_BYTES_MAX = 1 << 20 };

/* Add a problem at a place in the file: "$.keys.quit[1]". */
__attribute__((format(printf, 3, 4))) static void config_problem(struct config *config,
								 const char *place, const char *fmt,
								 ...)
{
	char what[400], line[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	snprintf(line, sizeof(line), "%s%s%s", place, *place ? ": " : "", what);
	/* names come from the file; a problem must stay on one line */
	for (char *at = line; *at; at++)
		if ((unsigned char)*at < ' ')
			*at = '?';
	text_printf(&config->problems, "%s: %s\n", config->path, line);
	config->n_problems++;
}

static int find_path(const struct options *options, char *ret, size_t size)
{
	const char *folder = getenv("XDG_CONFIG_HOME");
	char home[PATH_MAX];
	int n;

	if (options->config_file) {
		n = snprintf(ret, size, "%s", options->config_file);
	} else if (folder && folder[0] == '/') {
		n = snprintf(ret, size, "%s/m1top/config.json", folder);
	} else {
		if (invoker_home(home, sizeof(home)) < 0)
			return -ENOENT;
		n = snprintf(ret, size, "%s/.config/m1top/config.json", home);
	}
	return (size_t)n < size ? 0 : -ENAMETOOLONG;
}

static int read_file(const struct options *options, struct config *config, struct err *err)
{
	AUTO_FREE char *bytes = NULL;
	size_t n;
	int rc = invoker_read(config->path, FILE_BYTES_MAX, &bytes, &n);

	config->exists = rc != -ENOENT;
	if (!rc)
		config_parse(config, bytes, n);
	else if (options->config_file)
		return err_set(err, -rc, "%s: %s", config->path, file_error(rc));
	else if (config->exists)
		config_problem(config, "", "cannot be read: %s", file_error(rc));
	return 0;
}

int config_open(const struct options *options, struct config *ret, struct err *err)
{
	*ret = (struct config){ 0 };
	if (find_path(options, ret->path, sizeof(ret->path)) < 0) {
		ret->path[0] = '\0';
		return 0;
	}

	int rc = read_file(options, ret, err);

	if (rc)
		config_close(ret);
	return rc;
}

void config_close(struct config *config)
{
	if (!config)
		return;
	settings_fini(&config->settings);
	text_fini(&config->problems);
	for (unsigned i = 0; i < SETTING_ROWS_MAX; i++)
		free(config->value[i]);
	*config = (struct config){ 0 };
}

/* Whether the setting is --on, which only sessions that count have; its items may contain commas. */
static bool config_is_on(const struct setting *row)
{
	return row->offset == offsetof(struct settings, on);
}

/* Format a setting as its option takes it. @return allocated; NULL: not set, or a flag that is off */
static char *value_text(const struct setting *row, const struct settings *settings)
{
	const void *field = (const char *)settings + row->offset;
	const struct setting_list *list = field;
	struct text text = { 0 };

	switch (row->kind) {
	case SETTING_NUMBER:
		if (*(const double *)field != 0)
			text_printf(&text, "%.17g", *(const double *)field);
		break;
	case SETTING_TEXT:
		if (*(const char *)field)
			text_printf(&text, "%s", (const char *)field);
		break;
	case SETTING_LIST:
		for (size_t i = 0; i < list->n; i++)
			text_printf(&text, "%s%s",
				    !i                  ? ""
				    : config_is_on(row) ? "\n"
							: ",",
				    list->item[i]);
		break;
	case SETTING_FLAG:
		if (*(const enum setting_flag *)field ==
		    (strncmp(row->options, "no-", 3) == 0 ? SETTING_NO : SETTING_YES))
			text_printf(&text, "given");
		break;
	}
	return text.bytes;
}

static void forget(const struct setting *row, struct settings *settings)
{
	void *field = (char *)settings + row->offset;

	switch (row->kind) {
	case SETTING_NUMBER: *(double *)field = 0; break;
	case SETTING_TEXT: *(char *)field = '\0'; break;
	case SETTING_LIST: setting_list_clear(field); break;
	case SETTING_FLAG: *(enum setting_flag *)field = SETTING_UNSET; break;
	}
}

/* Whether the setting selects what is counted: -P, -e or -M. */
static bool config_is_counted(const struct setting *row)
{
	return row->offset == offsetof(struct settings, preset) ||
	       row->offset == offsetof(struct settings, events) ||
	       row->offset == offsetof(struct settings, metrics);
}

static void apply_row(struct config *config, const struct setting *row, struct options *options)
{
	char **value = &config->value[row - setting_table];
	const struct option_row *option = option_find(row->options);
	struct err err = { "" };
	char place[48];

	if (options_given(options, row->options)) {
		config->given |= UINT32_C(1) << (row - setting_table);
		return;
	}
	*value = value_text(row, &config->settings);
	if (!*value)
		return;
	config->chose_what |= config_is_counted(row);
	if (!option_store(option, options, row->kind == SETTING_FLAG ? NULL : *value, &err))
		return;
	snprintf(place, sizeof(place), "$.%s", row->name);
	config_problem(config, place, "%s", err.text);
	forget(row, &config->settings);
}

void config_apply(struct config *config, enum verb_bit verb, struct options *options)
{
	bool color = options->color;

	for (const struct setting *row = setting_table; row->name; row++)
		if (row->options &&
		    (verb == VERB_LIVE || !(config_is_counted(row) || config_is_on(row))))
			apply_row(config, row, options);
	/* a configured theme is weaker than --theme: NO_COLOR wins */
	options->color = color;
}

void config_drop_counted(struct config *config, struct options *options, const struct err *why)
{
	for (const struct setting *row = setting_table; row->name; row++) {
		char place[48];

		if (!config_is_counted(row) || !config->value[row - setting_table])
			continue;
		snprintf(place, sizeof(place), "$.%s", row->name);
		config_problem(config, place, "cannot be counted here: %s", why->text);
	}
	options_fini(options);
	config->chose_what = false;
}

void config_tell(const struct config *config, struct messages *messages)
{
	const char *line = config->problems.bytes;

	for (; line && *line; line += strcspn(line, "\n") + 1)
		messages_add(messages, MESSAGE_WARNING, "%.*s", (int)strcspn(line, "\n"), line);
}

int config_write(const struct config *config, struct err *err)
{
	AUTO_FREE char *old = NULL;
	AUTO_TEXT struct text text = { 0 };
	size_t n_old = 0;
	int rc = invoker_read(config->path, FILE_BYTES_MAX, &old, &n_old);

	if (rc && rc != -ENOENT)
		return err_set(err, -rc, "%s: %s", config->path, file_error(rc));
	rc = config_print(config, old, n_old, &text, err);
	if (rc)
		return rc;
	rc = invoker_replace(config->path, text.bytes, text.n);
	if (rc == -ELOOP)
		return err_set(err, ELOOP, "%s is a symbolic link: use --config with its target",
			       config->path);
	if (rc == -EINVAL)
		return err_set(err, EINVAL, "%s is not a regular file", config->path);
	return rc ? err_set(err, -rc, "%s: %s", config->path, file_error(rc)) : 0;
}
