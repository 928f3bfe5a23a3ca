/* test_config.c: the configuration: what is read, what is wrong and where, what W writes */
#include "harness.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/config.h"
#include "tui/key_name.h"
#include "tui/keys.h"
#include "tui/theme.h"

static struct config *config; /* too large for the stack */
static char folder[] = "/tmp/m1top-config-XXXXXX", path[64];

static void read_text(const char *text)
{
	config_close(config);
	snprintf(config->path, sizeof(config->path), "FILE");
	config_parse(config, text, strlen(text));
}

static const char *problems(void)
{
	return config->problems.bytes ? config->problems.bytes : "";
}

static void what_is_wrong_and_where(void **state)
{
	static const struct {
		int line;
		const char *text, *says; /* without "FILE: " and the end of the line */
	} row[] = {
		{ __LINE__, "{", "$: not valid JSON from line 1 on: nothing of it is used" },
		{ __LINE__, "{\n\"by\": \"core\",\n}",
		  "$: not valid JSON from line 3 on: nothing of it is used" },
		{ __LINE__, "{} x", "$: not valid JSON from line 1 on: nothing of it is used" },
		{ __LINE__, "[]", "$: not an object" },
		{ __LINE__, "null", "$: not an object" },
		{ __LINE__, "{\"intervall\": 1}",
		  "$.intervall: there is no such key: did you mean \"interval\"?" },
		{ __LINE__, "{\"Interval\": 1}",
		  "$.Interval: there is no such key: did you mean \"interval\"?" },
		{ __LINE__, "{\"colour of the moon\": 1}",
		  "$.colour of the moon: there is no such key" },
		{ __LINE__, "{\"\": 1}", "$.: there is no such key" },
		{ __LINE__, "{\"a\\nb\": 1}", "$.a?b: there is no such key" },
		{ __LINE__, "{\"interval\": \"1\"}", "$.interval: not a number" },
		{ __LINE__, "{\"interval\": null}", "$.interval: not a number" },
		{ __LINE__, "{\"interval\": -1}", "$.interval: must be more than 0" },
		{ __LINE__, "{\"interval\": 0}", "$.interval: must be more than 0" },
		{ __LINE__, "{\"interval\": 1e999}", "$.interval: must be more than 0" },
		{ __LINE__, "{\"interval\": 0.0001}", "$.interval: must be 0.001 to 3600 seconds" },
		{ __LINE__, "{\"interval\": 1, \"interval\": 2}",
		  "$.interval: given twice: the last one holds" },
		{ __LINE__, "{\"by\": \"thread\"}",
		  "$.by: must be core, cluster, type, system or device" },
		{ __LINE__, "{\"by\": \"\"}", "$.by: empty" },
		{ __LINE__, "{\"by\": [\"core\"]}", "$.by: not a string" },
		{ __LINE__, "{\"budget\": 500}", "$.budget: must be 0.01 to 100 percent" },
		{ __LINE__, "{\"theme\": \"pink\"}",
		  "$.theme: must be one of default, high-contrast, colour-blind, monochrome" },
		{ __LINE__, "{\"ascii\": \"yes\"}", "$.ascii: neither true nor false" },
		{ __LINE__, "{\"ascii\": 1}", "$.ascii: neither true nor false" },
		{ __LINE__, "{\"events\": \"cycles\"}", "$.events: not an array" },
		{ __LINE__, "{\"events\": [\"cycles\", 7]}", "$.events[1]: not a string" },
		{ __LINE__, "{\"events\": [\"\"]}", "$.events[0]: empty" },
		{ __LINE__, "{\"figures\": \"rates\"}",
		  "$.figures: must be one of rate, count, per-1000-instructions" },
		{ __LINE__, "{\"keys\": []}", "$.keys: not an object" },
		{ __LINE__, "{\"keys\": {\"quit\": \"q\"}}", "$.keys.quit: not an array" },
		{ __LINE__, "{\"keys\": {\"qiut\": [\"q\"]}}",
		  "$.keys.qiut: there is no such action: did you mean quit?" },
		{ __LINE__, "{\"keys\": {\"quit\": [\"q\", 3]}}", "$.keys.quit[1]: not a string" },
		{ __LINE__, "{\"keys\": {\"quit\": [\"Q\", \"ctrl-q\"]}}",
		  "$.keys.quit[1]: \"ctrl-q\" is no key: a, C-x, F5, S-Left, Space, Enter, PgUp "
		  "…" },
		{ __LINE__, "{\"keys\": {\"quit\": [\"C-z\"]}}",
		  "$.keys.quit[0]: the terminal keeps Ctrl-z for itself" },
		{ __LINE__, "{\"keys\": {\"quit\": [\"Q\"], \"undo\": [\"C-u\", \"Q\"]}}",
		  "$.keys.undo[1]: \"Q\" is a key of quit already" },
		{ __LINE__, "{\"keys\": {\"quit\": [\"q\", \"x\"]}}",
		  "$.keys.quit[1]: \"x\" is taken from clear: say its keys as well" },
		{ __LINE__, "{\"keys\": {\"quit\": [\"q\"], \"quit\": [\"Q\"]}}",
		  "$.keys.quit: given twice: the last one holds" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct options options = { .n_words = 0 };
		char wanted[256];

		read_text(row[i].text);
		config_apply(config, &options);
		snprintf(wanted, sizeof(wanted), "FILE: %s\n", row[i].says);
		if (strcmp(problems(), wanted) != 0)
			fail_msg("line %d: %s\nsays %swanted %s", row[i].line, row[i].text,
				 problems(), wanted);
		assert_int_equal(config->n_problems, 1);
		if (options.events)
			free(options.events);
	}
	read_text("{\"view\": \"Cores\"}");
	assert_non_null(strstr(problems(), "FILE: $.view: must be one of cores, metrics, "));
}

static void nothing_is_no_mistake(void **state)
{
	static const char *const text[] = {
		"", " \n", "{}", "{ }\n", "{\"keys\": {}}", "{\"events\": []}"
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(text); i++) {
		struct options options = { .budget_pct = 5 };

		read_text(text[i]);
		config_apply(config, &options);
		assert_string_equal(problems(), "");
		assert_false(config->chose_what);
		assert_int_equal(options.interval_ns, 0);
		assert_true(options.budget_pct == 5);
	}
}

static struct options parse(const char *const *words)
{
	char *argv[16];
	int argc = 0;
	struct options options;
	struct err err = { "" };

	argv[argc++] = (char *)"m1top";
	for (; words && *words; words++)
		argv[argc++] = (char *)*words;
	argv[argc] = NULL;
	if (options_parse(verb_table, argc, argv, &options, &err))
		fail_msg("%s", err.text);
	return options;
}

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const char all[] = "{\"interval\": 0.25, \"by\": \"cluster\", \"preset\": \"branch\", "
			  "\"events\": [\"cycles\", \"PMC5=INST_BRANCH\"], "
			  "\"metrics\": [\"IPC\", \"x=1000*A/B\"], \"theme\": \"high-contrast\", "
			  "\"ascii\": true, \"budget\": 2.5, \"view\": \"metrics\"}";

static void the_rest_is_used(void **state)
{
	(void)state;
	read_text("{\"by\": \"thread\", \"interval\": 0.25, \"what\": 1, \"keys\": "
		  "{\"quit\": [\"Q\", \"\"]}}");

	struct options options = { .n_words = 0 };
	bool is_taken;

	config_apply(config, &options);
	assert_int_equal(config->n_problems, 3);
	assert_int_equal(options.interval_ns, 250000000);
	assert_false(options.has_by);
	assert_int_equal(keymap_code(&config->keymap, 'Q', &is_taken), 'q');
}

static void the_file_fills_in(void **state)
{
	struct options options = parse(NULL);

	(void)state;
	read_text(all);
	config_apply(config, &options);
	assert_string_equal(problems(), "");
	assert_int_equal(options.interval_ns, 250000000);
	assert_int_equal(options.by, BY_CLUSTER);
	assert_string_equal(options.preset, "branch");
	assert_string_equal(options.events, "cycles,PMC5=INST_BRANCH");
	assert_string_equal(options.metrics, "IPC,x=1000*A/B");
	assert_ptr_equal(options.theme, theme_find("high-contrast"));
	assert_true(options.ascii);
	assert_true(options.budget_pct == 2.5);
	assert_true(config->chose_what);
	config_drop_counted(config, &options, &(struct err){ "no such thing" });
	assert_null(options.events);
	assert_null(options.preset);
	assert_null(options.metrics);
	assert_non_null(strstr(problems(), "$: \"preset\" cannot be counted here: no such thing"));
}

static void the_command_line_wins(void **state)
{
	static const struct {
		int line;
		const char *word[3];
		uint64_t interval_ns;
		enum frame_by by;
		const char *preset, *events, *metrics, *theme;
		double budget_pct;
	} row[] = {
		{ __LINE__,
		  { "-I", "20" },
		  20000000,
		  BY_CLUSTER,
		  "branch",
		  "cycles,PMC5=INST_BRANCH",
		  "IPC,x=1000*A/B",
		  "high-contrast",
		  2.5 },
		{ __LINE__,
		  { "-d", "2" },
		  2000000000,
		  BY_CLUSTER,
		  "branch",
		  "cycles,PMC5=INST_BRANCH",
		  "IPC,x=1000*A/B",
		  "high-contrast",
		  2.5 },
		/* what is counted is one thing */
		{ __LINE__,
		  { "-e", "tsc" },
		  250000000,
		  BY_CLUSTER,
		  NULL,
		  "tsc",
		  NULL,
		  "high-contrast",
		  2.5 },
		{ __LINE__,
		  { "-M", "CPI" },
		  250000000,
		  BY_CLUSTER,
		  NULL,
		  NULL,
		  "CPI",
		  "high-contrast",
		  2.5 },
		{ __LINE__,
		  { "--by=core" },
		  250000000,
		  BY_CORE,
		  "branch",
		  "cycles,PMC5=INST_BRANCH",
		  "IPC,x=1000*A/B",
		  "high-contrast",
		  2.5 },
		{ __LINE__,
		  { "--theme", "default" },
		  250000000,
		  BY_CLUSTER,
		  "branch",
		  "cycles,PMC5=INST_BRANCH",
		  "IPC,x=1000*A/B",
		  "default",
		  2.5 },
		{ __LINE__,
		  { "--budget", "7" },
		  250000000,
		  BY_CLUSTER,
		  "branch",
		  "cycles,PMC5=INST_BRANCH",
		  "IPC,x=1000*A/B",
		  "high-contrast",
		  7 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct options options = parse(row[i].word);
		bool was_given = options.events;

		print_message("line %d\n", row[i].line);
		read_text(all);
		config_apply(config, &options);
		assert_int_equal(options.interval_ns, row[i].interval_ns);
		assert_int_equal(options.by, row[i].by);
		assert_string_equal(options.preset ? options.preset : "-",
				    row[i].preset ? row[i].preset : "-");
		assert_string_equal(options.events ? options.events : "-",
				    row[i].events ? row[i].events : "-");
		assert_string_equal(options.metrics ? options.metrics : "-",
				    row[i].metrics ? row[i].metrics : "-");
		assert_ptr_equal(options.theme, theme_find(row[i].theme));
		assert_true(options.budget_pct == row[i].budget_pct);
		assert_true(was_given == !strcmp(row[i].word[0], "-e"));
		options_fini(&options);
	}
}

/* NO_COLOR stands against a theme that is kept, not against one that is asked for now. */
static void no_colour(void **state)
{
	(void)state;
	setenv("NO_COLOR", "1", 1);

	struct options kept = parse(NULL), asked = parse(WORDS("--theme", "default"));

	unsetenv("NO_COLOR");
	read_text(all);
	config_apply(config, &kept);
	assert_false(kept.color);
	assert_true(asked.color);
	options_fini(&kept);
}

static void every_option_that_wins_exists(void **state)
{
	(void)state;
	for (const struct config_row *row = config_table; row->name; row++) {
		assert_true(row - config_table < CONFIG_ROWS_MAX);
		assert_true(*row->what && *row->example);
		for (const char *name = row->options; name && *name;) {
			assert_non_null(option_find(name));
			name += strcspn(name, " ");
			name += strspn(name, " ");
		}
		if (row->options) /* the first takes the value */
			assert_true(!option_find(row->options)->arg == (row->kind == CONFIG_FLAG));
	}
}

/* The example of each row is right, and is written as it was read. */
static void there_and_back(void **state)
{
	(void)state;
	for (const struct config_row *row = config_table; row->name; row++) {
		struct text text = { 0 }, again = { 0 };
		struct options options = { .n_words = 0 };

		text_printf(&text, "{\"%s\": %s}", row->name, row->example);
		read_text(text.bytes);
		config_apply(config, &options);
		assert_string_equal(problems(), "");
		assert_int_equal(config_print(config, NULL, 0, &again, NULL), 0);
		text_clear(&text);
		text_printf(&text, "{\n\t\"%s\":\t%s\n}\n", row->name, row->example);
		assert_string_equal(again.bytes, text.bytes);
		free(options.events);
		text_fini(&text);
		text_fini(&again);
	}
}

static void writing_keeps_what_it_does_not_know(void **state)
{
	static const char old[] = "{\"mine\": {\"a\": [1, 2]}, \"by\": \"core\", \"preset\": "
				  "\"branch\", \"keys\": {\"quit\": [\"Q\"]}}";
	struct text text = { 0 };

	(void)state;
	read_text(old);
	config->settings.preset[0] = '\0';
	snprintf(config->settings.by, sizeof(config->settings.by), "type");
	config->settings.interval_s = 0.1;
	assert_int_equal(config_print(config, old, strlen(old), &text, NULL), 0);
	assert_string_equal(text.bytes, "{\n\t\"mine\":\t{\n\t\t\"a\":\t[1, 2]\n\t},\n\t\"by\":\t"
					"\"type\",\n\t\"keys\":\t{\n\t\t\"quit\":\t[\"Q\"]\n\t},\n"
					"\t\"interval\":\t0.1\n}\n");
	text_fini(&text);
}

static void the_command_line_is_kept(void **state)
{
	struct options options = parse(WORDS("-e", "cycles,uncore/a=1,b=2/,PMC5=X", "-M",
					     "IPC,x=f(A,B)", "--theme", "colour-blind"));

	(void)state;
	read_text("{\"preset\": \"branch\"}");
	assert_int_equal(config_take(config, &options), 0);
	assert_string_equal(config->settings.preset, "");
	assert_int_equal(config->settings.events.n, 3);
	assert_string_equal(config->settings.events.item[1], "uncore/a=1,b=2/");
	assert_string_equal(config->settings.events.item[2], "PMC5=X");
	assert_int_equal(config->settings.metrics.n, 2);
	assert_string_equal(config->settings.metrics.item[1], "x=f(A,B)");
	assert_string_equal(config->settings.theme, "colour-blind");
	options_fini(&options);
}

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
	assert_non_null(strstr(err.text, "line 2: mend it or move it away"));
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

/* Under sudo it is the caller's file, read and written with the caller's rights. */
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

static void expect_in(const char *document, const char *line)
{
	if (!strstr(document, line))
		fail_msg("docs/config.md lacks the line\n%s", line);
}

static unsigned count_rows(const char *document, const char *heading)
{
	const char *at = strstr(document, heading);
	const char *end = at ? strstr(at, "\n## ") : NULL;
	unsigned n = 0;

	assert_non_null(at);
	for (; (at = strstr(at, "\n| `")) && (!end || at < end); at++)
		n++;
	return n;
}

static char *read_document(void)
{
	static char document[32768];
	char name[PATH_MAX];
	const char *events = getenv("M1TOP_EVENTS");

	snprintf(name, sizeof(name), "%s/../docs/config.md", events ? events : "events");

	FILE *file = fopen(name, "r");

	if (!file)
		fail_msg("%s is missing", name);
	document[fread(document, 1, sizeof(document) - 1, file)] = '\0';
	fclose(file);
	return document;
}

/* The tables of docs/config.md are these. */
static void the_document_has_every_key(void **state)
{
	const char *document = read_document();
	unsigned n = 0;

	(void)state;
	for (const struct config_row *row = config_table; row->name; row++, n++) {
		struct text line = { 0 };

		text_printf(&line, "\n| `%s` | `%s` | %s |\n", row->name, row->example, row->what);
		expect_in(document, line.bytes);
		text_fini(&line);
	}
	assert_int_equal(count_rows(document, "\n## What can be set\n"), n);
}

/* The keys that the table has for an action. */
static void default_keys(const struct key *row, unsigned index, unsigned n, struct text *ret)
{
	const char *last = "";
	char text[16];

	for (unsigned i = index; i < KEYS_CODES && row->code[i]; i += n) {
		static char shown[16];

		key_text(row->code[i], text, sizeof(text));
		if (strcmp(text, last) != 0)
			text_printf(ret, "%s`%s`", ret->n ? " " : "", text);
		snprintf(shown, sizeof(shown), "%s", text);
		last = shown;
	}
}

static void the_document_has_every_action(void **state)
{
	const char *document = read_document();
	unsigned n_all = 0;

	(void)state;
	for (const struct key *row = key_table; row->name; row++) {
		char words[128], *rest, *word[16];
		unsigned n = 0;

		snprintf(words, sizeof(words), "%s", row->actions);
		for (char *at = strtok_r(words, " ", &rest); at; at = strtok_r(NULL, " ", &rest))
			word[n++] = at;
		for (unsigned i = 0; i < n; i++, n_all++) {
			struct text keys = { 0 }, line = { 0 };

			default_keys(row, i, n, &keys);
			text_printf(&line, "\n| `%s` | %s |", word[i], keys.bytes);
			expect_in(document, line.bytes);
			text_fini(&keys);
			text_fini(&line);
		}
	}
	assert_int_equal(count_rows(document, "\n## Keys\n"), n_all);
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
		cmocka_unit_test(what_is_wrong_and_where),
		cmocka_unit_test(nothing_is_no_mistake),
		cmocka_unit_test(the_rest_is_used),
		cmocka_unit_test(the_file_fills_in),
		cmocka_unit_test(the_command_line_wins),
		cmocka_unit_test(no_colour),
		cmocka_unit_test(every_option_that_wins_exists),
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(writing_keeps_what_it_does_not_know),
		cmocka_unit_test(the_command_line_is_kept),
		cmocka_unit_test(files),
		cmocka_unit_test(files_that_are_named_must_be_there),
		cmocka_unit_test(never_through_a_link),
		cmocka_unit_test(the_usual_place),
		cmocka_unit_test(under_sudo),
		cmocka_unit_test(the_document_has_every_key),
		cmocka_unit_test(the_document_has_every_action),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
