/* The configuration as JSON: the only file here that knows how it is written. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/config/config.h"
#include "event/name.h"
#include "tui/keys.h"

enum { PLACE_MAX = 96, ITEM_MAX = PLACE_MAX + 16 };

static const struct config_row *find_row(const char *name)
{
	for (const struct config_row *row = config_table; row->name; row++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

static void unknown_key(struct config *config, const char *place, const char *name)
{
	struct near_names near = { .wanted = name };

	near_names_offer(&near, "keys");
	for (const struct config_row *row = config_table; row->name; row++)
		near_names_offer(&near, row->name);
	if (near.n)
		config_problem(config, place, "no such key: did you mean \"%s\"?", near.name[0]);
	else
		config_problem(config, place, "no such key");
}

static void take_number(struct config *config, const struct config_row *row, const char *place,
			const cJSON *value, double *ret)
{
	struct err err = { "" };
	char text[40];

	snprintf(text, sizeof(text), "%.17g", cJSON_IsNumber(value) ? value->valuedouble : 0);
	if (!cJSON_IsNumber(value))
		config_problem(config, place, "not a number");
	else if (!isfinite(value->valuedouble) || value->valuedouble <= 0)
		config_problem(config, place, "must be more than 0");
	else if (row->check && row->check(text, &err) < 0)
		config_problem(config, place, "%s", err.text);
	else
		*ret = value->valuedouble;
}

static void take_text(struct config *config, const struct config_row *row, const char *place,
		      const cJSON *value, char *ret)
{
	struct err err = { "" };

	if (!cJSON_IsString(value))
		config_problem(config, place, "not a string");
	else if (!*value->valuestring)
		config_problem(config, place, "empty");
	else if (strlen(value->valuestring) >= SETTING_TEXT_MAX)
		config_problem(config, place, "longer than %d bytes", SETTING_TEXT_MAX - 1);
	else if (row->check && row->check(value->valuestring, &err) < 0)
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

static void take_flag(struct config *config, const char *place, const cJSON *value,
		      enum setting_flag *ret)
{
	if (!cJSON_IsBool(value))
		config_problem(config, place, "neither true nor false");
	else
		*ret = cJSON_IsTrue(value) ? SETTING_YES : SETTING_NO;
}

static void take_value(struct config *config, const struct config_row *row, const char *place,
		       const cJSON *value)
{
	void *field = (char *)&config->settings + row->offset;

	switch (row->kind) {
	case CONFIG_NUMBER: take_number(config, row, place, value, field); break;
	case CONFIG_TEXT: take_text(config, row, place, value, field); break;
	case CONFIG_LIST: take_list(config, place, value, field); break;
	case CONFIG_FLAG: take_flag(config, place, value, field); break;
	}
}

/* "quit": ["q", "C-c"] */
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

/* Keys that the table has for actions which nobody mentions. */
static void tell_losers(struct config *config, const cJSON *keys)
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
		tell_losers(config, value);
}

static void take_object(struct config *config, const cJSON *object)
{
	for (const cJSON *value = object->child; value; value = value->next) {
		const struct config_row *row = find_row(value->string);
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

static unsigned line_of(const char *bytes, const char *at)
{
	unsigned line = 1;

	for (; bytes < at; bytes++)
		line += *bytes == '\n';
	return line;
}

/* @return an object; NULL where it is none, and `ret_line` where that shows; 0: it is other JSON */
static cJSON *parse(const char *bytes, size_t n, unsigned *ret_line)
{
	const char *at = bytes, *end = bytes + n;
	cJSON *value = cJSON_ParseWithLengthOpts(bytes, n, &at, 0);

	*ret_line = 0;
	if (value && skip_blanks(at, end) == end && cJSON_IsObject(value))
		return value;
	if (!value || skip_blanks(at, end) < end)
		*ret_line = line_of(bytes, at < end ? at : end);
	cJSON_Delete(value);
	return NULL;
}

void config_parse(struct config *config, const char *bytes, size_t n)
{
	unsigned line;

	config->keymap.table = key_table;
	/* nothing at all is no mistake: --config /dev/null */
	if (skip_blanks(bytes, bytes + n) == bytes + n)
		return;

	cJSON *object = parse(bytes, n, &line);

	if (object)
		take_object(config, object);
	else if (line)
		config_problem(config, "$", "not valid JSON from line %u on: the file is ignored",
			       line);
	else
		config_problem(config, "$", "not an object");
	cJSON_Delete(object);
}

static cJSON *print_list(const struct setting_list *list)
{
	return list->n ? cJSON_CreateStringArray((const char *const *)list->item, (int)list->n)
		       : NULL;
}

/* @return NULL: nothing to say */
static cJSON *print_value(const struct config_row *row, const struct settings *settings)
{
	const void *field = (const char *)settings + row->offset;
	const enum setting_flag *flag = field;

	switch (row->kind) {
	case CONFIG_NUMBER:
		return *(const double *)field != 0 ? cJSON_CreateNumber(*(const double *)field)
						   : NULL;
	case CONFIG_TEXT:
		return *(const char *)field ? cJSON_CreateString((const char *)field) : NULL;
	case CONFIG_LIST: return print_list(field);
	case CONFIG_FLAG:
		return *flag != SETTING_UNSET ? cJSON_CreateBool(*flag == SETTING_YES) : NULL;
	}
	return NULL;
}

/* In its old place, or at the end. */
static bool put(cJSON *object, const char *name, cJSON *value)
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
	cJSON *object = is_blank(old, n_old) ? cJSON_CreateObject() : parse(old, n_old, &line);
	bool is_done = object;

	if (!object && !is_blank(old, n_old))
		return err_set(err, EINVAL,
			       "%s is not a valid JSON object, line %u: fix it or move it away",
			       config->path, line);
	for (const struct config_row *row = config_table; row->name && is_done; row++)
		is_done = put(object, row->name, print_value(row, &config->settings));

	char *printed = is_done ? cJSON_Print(object) : NULL;

	if (printed)
		text_printf(ret, "%s\n", printed);
	cJSON_free(printed);
	cJSON_Delete(object);
	return printed && !ret->failed ? 0 : err_set(err, ENOMEM, "out of memory");
}
