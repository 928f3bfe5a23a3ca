#include "cmd/config/config.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/invoker.h"

enum { FILE_BYTES_MAX = 1 << 20 };

void config_problem(struct config *config, const char *place, const char *fmt, ...)
{
	char what[400], line[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	snprintf(line, sizeof(line), "%s%s%s", place, *place ? ": " : "", what);
	/* names are the file's: one line a problem all the same */
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
	for (unsigned i = 0; i < CONFIG_ROWS_MAX; i++)
		free(config->value[i]);
	*config = (struct config){ 0 };
}

/* What a flag's option says. */
static enum setting_flag said_by(const char *option)
{
	return strncmp(option, "no-", 3) == 0 ? SETTING_NO : SETTING_YES;
}

/* As the option takes it. @return allocated; NULL: the file does not say, or a flag that is off */
static char *value_text(const struct config_row *row, const struct settings *settings)
{
	const void *field = (const char *)settings + row->offset;
	const struct setting_list *list = field;
	struct text text = { 0 };

	switch (row->kind) {
	case CONFIG_NUMBER:
		if (*(const double *)field != 0)
			text_printf(&text, "%.17g", *(const double *)field);
		break;
	case CONFIG_TEXT:
		if (*(const char *)field)
			text_printf(&text, "%s", (const char *)field);
		break;
	case CONFIG_LIST:
		for (size_t i = 0; i < list->n; i++)
			text_printf(&text, "%s%s", i ? "," : "", list->item[i]);
		break;
	case CONFIG_FLAG:
		if (*(const enum setting_flag *)field == said_by(row->options))
			text_printf(&text, "said");
		break;
	}
	return text.bytes;
}

static void forget(const struct config_row *row, struct settings *settings)
{
	void *field = (char *)settings + row->offset;

	switch (row->kind) {
	case CONFIG_NUMBER: *(double *)field = 0; break;
	case CONFIG_TEXT: *(char *)field = '\0'; break;
	case CONFIG_LIST: setting_list_clear(field); break;
	case CONFIG_FLAG: *(enum setting_flag *)field = SETTING_UNSET; break;
	}
}

/* Is it about what is counted: -P, -e or -M? */
static bool is_counted(const struct config_row *row)
{
	return row->offset == offsetof(struct settings, preset) ||
	       row->offset == offsetof(struct settings, events) ||
	       row->offset == offsetof(struct settings, metrics);
}

static void apply_row(struct config *config, const struct config_row *row, struct options *options)
{
	char **value = &config->value[row - config_table];
	const struct option_row *option = option_find(row->options);
	struct err err = { "" };
	char place[48];

	if (options_given(options, row->options))
		return;
	*value = value_text(row, &config->settings);
	if (!*value)
		return;
	config->chose_what |= is_counted(row);
	if (!option_store(option, options, row->kind == CONFIG_FLAG ? NULL : *value, &err))
		return;
	snprintf(place, sizeof(place), "$.%s", row->name);
	config_problem(config, place, "%s", err.text);
	forget(row, &config->settings);
}

void config_apply(struct config *config, enum verb_bit verb, struct options *options)
{
	bool color = options->color;

	for (const struct config_row *row = config_table; row->name; row++)
		if (row->options && (verb == VERB_LIVE || !is_counted(row)))
			apply_row(config, row, options);
	/* a theme that is kept is not asked for as --theme is: NO_COLOR stands */
	options->color = color;
}

void config_drop_counted(struct config *config, struct options *options, const struct err *why)
{
	for (const struct config_row *row = config_table; row->name; row++) {
		char place[48];

		if (!is_counted(row) || !config->value[row - config_table])
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
	struct text text = { 0 };
	size_t n_old = 0;
	int rc = invoker_read(config->path, FILE_BYTES_MAX, &old, &n_old);

	if (rc && rc != -ENOENT)
		return err_set(err, -rc, "%s: %s", config->path, file_error(rc));
	rc = config_print(config, old, n_old, &text, err);
	if (!rc) {
		rc = invoker_replace(config->path, text.bytes, text.n);
		if (rc == -ELOOP)
			err_set(err, ELOOP, "%s is a symbolic link: use --config with its target",
				config->path);
		else if (rc == -EINVAL)
			err_set(err, EINVAL, "%s is not a regular file", config->path);
		else if (rc)
			err_set(err, -rc, "%s: %s", config->path, file_error(rc));
	}
	text_fini(&text);
	return rc;
}
