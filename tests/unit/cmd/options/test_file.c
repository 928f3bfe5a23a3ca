/* test_file.c: where the configuration is, with whose rights, and its document */
#include "rig/harness.h"

#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/options/config.h"
#include "tui/term/key.h"
#include "tui/keys.h"

static struct config *config; /* too large for the stack */
static char folder[] = "/tmp/m1top-config-XXXXXX", path[64];

static void put(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static char *got(void)
{
	static char bytes[4096];
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	bytes[fread(bytes, 1, sizeof(bytes) - 1, file)] = '\0';
	fclose(file);
	return bytes;
}

static void open_named(const char *name)
{
	const struct options options = { .config_file = name };
	struct err err = { "" };

	config_close(config);
	if (config_open(&options, config, &err))
		fail_msg("%s", err.text);
}

static void files(void **state)
{
	struct stat stat_before, stat_after;
	struct err err = { "" };

	(void)state;
	put("{\"by\": \"core\", \"mine\": 1}");
	chmod(path, 0640);
	open_named(path);
	assert_true(config->exists);
	assert_string_equal(config->settings.by, "core");
	snprintf(config->settings.by, sizeof(config->settings.by), "type");
	assert_int_equal(stat(path, &stat_before), 0);
	assert_int_equal(config_write(config, &err), 0);
	assert_string_equal(got(), "{\n\t\"by\":\t\"type\",\n\t\"mine\":\t1\n}\n");
	assert_int_equal(stat(path, &stat_after), 0);
	assert_true(stat_before.st_ino != stat_after.st_ino); /* another file in its place */
	assert_int_equal(stat_after.st_mode & 0777, 0640);

	/* what is no configuration is not written over */
	put("{\n\"by\": oops");
	assert_int_equal(config_write(config, &err), -EINVAL);
	assert_non_null(strstr(err.text, "line 2: fix it or move it away"));
	assert_string_equal(got(), "{\n\"by\": oops");
	unlink(path);

	open_named("/dev/null");
	assert_int_equal(config->n_problems, 0);
	assert_int_equal(config_write(config, &err), -EINVAL);
}

static void files_that_are_named_must_be_there(void **state)
{
	const struct options options = { .config_file = path };
	struct err err = { "" };

	(void)state;
	config_close(config);
	unlink(path);
	assert_int_equal(config_open(&options, config, &err), -ENOENT);
	assert_non_null(strstr(err.text, path));
}

static void never_through_a_link(void **state)
{
	char target[80];
	struct err err = { "" };

	(void)state;
	snprintf(target, sizeof(target), "%s/target", folder);
	put("{\"by\": \"core\"}");
	assert_int_equal(rename(path, target), 0);
	assert_int_equal(symlink(target, path), 0);
	open_named(path);
	assert_string_equal(config->settings.by, "core"); /* reading follows it */
	assert_int_equal(config_write(config, &err), -ELOOP);
	assert_non_null(strstr(err.text, "is a symbolic link"));
	assert_string_equal(got(), "{\"by\": \"core\"}");
	unlink(path);
	unlink(target);
}

/* Folders that are missing are made; the file is found there again. */
static void the_usual_place(void **state)
{
	const struct options options = { .config_file = NULL };
	char wanted[128], made[128];
	struct err err = { "" };

	(void)state;
	unsetenv("SUDO_UID");
	unsetenv("XDG_CONFIG_HOME");
	setenv("HOME", folder, 1);
	snprintf(wanted, sizeof(wanted), "%s/.config/m1top/config.json", folder);
	config_close(config);
	assert_int_equal(config_open(&options, config, &err), 0);
	assert_string_equal(config->path, wanted);
	assert_false(config->exists);
	config->settings.interval_s = 2;
	assert_int_equal(config_write(config, &err), 0);
	config_close(config);
	assert_int_equal(config_open(&options, config, &err), 0);
	assert_true(config->exists && config->settings.interval_s == 2);

	snprintf(made, sizeof(made), "%s/.config", folder);
	setenv("XDG_CONFIG_HOME", made, 1);
	config_close(config);
	assert_int_equal(config_open(&options, config, &err), 0);
	assert_string_equal(config->path, wanted);
	setenv("XDG_CONFIG_HOME", "relative", 1); /* the specification: to be ignored */
	config_close(config);
	assert_int_equal(config_open(&options, config, &err), 0);
	assert_string_equal(config->path, wanted);
	unsetenv("XDG_CONFIG_HOME");
	unlink(wanted);
	snprintf(made, sizeof(made), "%s/.config/m1top", folder);
	rmdir(made);
	snprintf(made, sizeof(made), "%s/.config", folder);
	rmdir(made);
}

/* Under sudo it is the caller's file, read and written with the invoker's rights. */
static void under_sudo(void **state)
{
	const struct options options = { .config_file = path };
	struct stat made;
	struct err err = { "" };

	(void)state;
	if (geteuid() != 0)
		skip();
	setenv("SUDO_UID", "65534", 1);
	setenv("SUDO_GID", "65534", 1);
	put("{}");
	chmod(path, 0600);
	config_close(config);
	assert_int_equal(config_open(&options, config, &err), -EACCES); /* root's own */
	unlink(path);
	snprintf(config->path, sizeof(config->path), "%s", path);
	assert_int_equal(config_write(config, &err), -EACCES); /* so is the folder */
	assert_int_equal(chown(folder, 65534, 65534), 0);
	assert_int_equal(config_write(config, &err), 0);
	assert_int_equal(stat(path, &made), 0);
	assert_int_equal(made.st_uid, 65534);
	assert_int_equal(made.st_gid, 65534);
	unlink(path);
	assert_int_equal(chown(folder, 0, 0), 0);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
}

static void print_settings(struct text *ret)
{
	for (const struct setting *row = setting_table; row->name; row++)
		text_printf(ret, "| `%s` | `%s` | %s |\n", row->name, row->example, row->what);
}

/* The keys that the table has for one of n actions of a row, each once. */
static void print_keys(const struct key *row, unsigned index, unsigned n, struct text *ret)
{
	char text[16], last[16] = "";

	for (unsigned i = index; i < KEYS_CODES && row->code[i]; i += n) {
		key_text(row->code[i], text, sizeof(text));
		if (strcmp(text, last) != 0)
			text_printf(ret, "%s`%s`", i > index ? " " : "", text);
		snprintf(last, sizeof(last), "%s", text);
	}
}

static void print_actions(struct text *ret)
{
	for (const struct key *row = key_table; row->name; row++) {
		char words[128], *rest, *word[16];
		unsigned n = 0;

		snprintf(words, sizeof(words), "%s", row->actions);
		for (char *at = strtok_r(words, " ", &rest); at; at = strtok_r(NULL, " ", &rest))
			word[n++] = at;
		text_printf(ret, "|");
		for (unsigned i = 0; i < n; i++)
			text_printf(ret, " `%s`", word[i]);
		text_printf(ret, " |");
		for (unsigned i = 0; i < n; i++) {
			text_printf(ret, "%s", i ? ", " : " ");
			print_keys(row, i, n, ret);
		}
		text_printf(ret, " | %s |\n", row->help);
	}
}

/* The document with the rows below a table's head in place of those it has. */
static void print_table(const char **at, const char *head, void (*print)(struct text *ret),
			struct text *ret)
{
	const char *rows = strstr(*at, head);

	if (!rows) {
		fail_msg("docs/config.md has no table that begins with\n%s", head);
		return;
	}
	rows += strlen(head);
	text_add(ret, *at, (size_t)(rows - *at));
	print(ret);
	while (*rows == '|')
		rows += strcspn(rows, "\n") + 1;
	*at = rows;
}

/* The tables of docs/config.md are those of the program: BLESS=1 makes them so. */
static void the_document_has_every_key(void **state)
{
	static char document[32768];
	const char *events = getenv("M1TOP_EVENTS"), *at = document;
	struct text wanted = { 0 };
	char name[PATH_MAX];

	(void)state;
	snprintf(name, sizeof(name), "%s/../docs/config.md", events ? events : "events");

	FILE *file = fopen(name, "r+");

	assert_non_null(file);
	document[fread(document, 1, sizeof(document) - 1, file)] = '\0';
	print_table(&at, "| key | example | what it is |\n|---|---|---|\n", print_settings,
		    &wanted);
	print_table(&at, "| action | keys | what it does |\n|---|---|---|\n", print_actions,
		    &wanted);
	text_printf(&wanted, "%s", at);
	if (getenv("BLESS")) {
		rewind(file);
		fputs(wanted.bytes, file);
		assert_int_equal(ftruncate(fileno(file), (off_t)wanted.n), 0);
	} else {
		assert_string_equal(document, wanted.bytes);
	}
	fclose(file);
	text_fini(&wanted);
}

static int set_up(void **state)
{
	(void)state;
	unsetenv("NO_COLOR");
	config = calloc(1, sizeof(*config));
	if (!config || !mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/config.json", folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	config_close(config);
	free(config);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files),
		cmocka_unit_test(files_that_are_named_must_be_there),
		cmocka_unit_test(never_through_a_link),
		cmocka_unit_test(the_usual_place),
		cmocka_unit_test(under_sudo),
		cmocka_unit_test(the_document_has_every_key),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
