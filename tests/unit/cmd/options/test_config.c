/* test_config.c: what a configuration says, what is wrong in it and where, what W makes of it */
#include "rig/harness.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/options/config.h"
#include "cmd/verbs.h"
#include "tui/theme.h"

static struct config *config; /* too large for the stack */

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
		{ __LINE__, "{", "$: not valid JSON from line 1 on: the file is ignored" },
		{ __LINE__, "{\n\"by\": \"core\",\n}",
		  "$: not valid JSON from line 3 on: the file is ignored" },
		{ __LINE__, "{} x", "$: not valid JSON from line 1 on: the file is ignored" },
		{ __LINE__, "[]", "$: not an object" },
		{ __LINE__, "null", "$: not an object" },
		{ __LINE__, "{\"intervall\": 1}",
		  "$.intervall: no such key: did you mean \"interval\"?" },
		{ __LINE__, "{\"Interval\": 1}",
		  "$.Interval: no such key: did you mean \"interval\"?" },
		{ __LINE__, "{\"colour of the moon\": 1}", "$.colour of the moon: no such key" },
		{ __LINE__, "{\"\": 1}", "$.: no such key" },
		{ __LINE__, "{\"a\\nb\": 1}", "$.a?b: no such key" },
		{ __LINE__, "{\"interval\": \"1\"}", "$.interval: not a number" },
		{ __LINE__, "{\"interval\": null}", "$.interval: not a number" },
		{ __LINE__, "{\"interval\": -1}", "$.interval: must be more than 0" },
		{ __LINE__, "{\"interval\": 0}", "$.interval: must be more than 0" },
		{ __LINE__, "{\"interval\": 1e999}", "$.interval: must be more than 0" },
		{ __LINE__, "{\"interval\": 0.0001}", "$.interval: must be 0.001 to 3600 seconds" },
		{ __LINE__, "{\"interval\": 1, \"interval\": 2}",
		  "$.interval: given twice: the last one is used" },
		{ __LINE__, "{\"by\": \"thread\"}",
		  "$.by: must be core, physical-core, cluster, llc, node, socket, type, system or "
		  "device; in stat and replay also task, process, command, cgroup or function" },
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
		{ __LINE__, "{\"rotate\": \"branch\"}", "$.rotate: not an array" },
		{ __LINE__, "{\"rotate-every\": 0.5}",
		  "$.rotate-every: must be 1 to 86400 seconds" },
		{ __LINE__, "{\"metric-order\": \"alphabet\"}",
		  "$.metric-order: must be one of chosen, name, threshold" },
		{ __LINE__, "{\"history\": \"1k\"}",
		  "$.history: must be a size from 256k to 64G, such as 64M" },
		{ __LINE__, "{\"history\": 64}", "$.history: not a string" },
		{ __LINE__, "{\"keys\": []}", "$.keys: not an object" },
		{ __LINE__, "{\"keys\": {\"quit\": \"q\"}}", "$.keys.quit: not an array" },
		{ __LINE__, "{\"keys\": {\"qiut\": [\"q\"]}}",
		  "$.keys.qiut: no such action: did you mean quit?" },
		{ __LINE__, "{\"keys\": {\"quit\": [\"q\", 3]}}", "$.keys.quit[1]: not a string" },
		{ __LINE__, "{\"keys\": {\"quit\": [\"Q\", \"ctrl-q\"]}}",
		  "$.keys.quit[1]: \"ctrl-q\" is not a key: use a, C-x, F5, S-Left, Space, Enter, "
		  "PgUp …" },
		{ __LINE__, "{\"keys\": {\"quit\": [\"C-z\"]}}",
		  "$.keys.quit[0]: the terminal reserves Ctrl-z" },
		{ __LINE__, "{\"keys\": {\"quit\": [\"Q\"], \"undo\": [\"C-u\", \"Q\"]}}",
		  "$.keys.undo[1]: \"Q\" is already a key of quit" },
		{ __LINE__, "{\"keys\": {\"quit\": [\"q\", \"x\"]}}",
		  "$.keys.quit[1]: \"x\" is taken from clear: list its keys too" },
		{ __LINE__, "{\"keys\": {\"quit\": [\"q\"], \"quit\": [\"Q\"]}}",
		  "$.keys.quit: given twice: the last one is used" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct options options = { .n_words = 0 };
		char wanted[256];

		read_text(row[i].text);
		config_apply(config, VERB_LIVE, &options);
		snprintf(wanted, sizeof(wanted), "FILE: %s\n", row[i].says);
		if (strcmp(problems(), wanted) != 0)
			fail_msg("line %d: %s\nsays %swanted %s", row[i].line, row[i].text,
				 problems(), wanted);
		assert_int_equal(config->n_problems, 1);
		options_fini(&options);
	}
	read_text("{\"view\": \"Cores\"}");
	assert_non_null(strstr(problems(), "FILE: $.view: must be one of cores, tasks, "));
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
		config_apply(config, VERB_LIVE, &options);
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
	if (options_parse(verb_table, verb_table, argc, argv, &options, &err))
		fail_msg("%s", err.text);
	return options;
}

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const char all[] =
	"{\"interval\": 0.25, \"by\": \"cluster\", \"preset\": \"branch\", "
	"\"events\": [\"cycles\", \"PMC5=INST_BRANCH\"], "
	"\"metrics\": [\"IPC\", \"x=1000*A/B\"], \"theme\": \"high-contrast\", "
	"\"ascii\": true, \"budget\": 2.5, \"real-time\": false, \"view\": \"metrics\"}";

static void the_rest_is_used(void **state)
{
	(void)state;
	read_text("{\"by\": \"thread\", \"interval\": 0.25, \"what\": 1, \"keys\": "
		  "{\"quit\": [\"Q\", \"\"]}}");

	struct options options = { .n_words = 0 };
	bool is_taken;

	config_apply(config, VERB_LIVE, &options);
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
	config_apply(config, VERB_LIVE, &options);
	assert_string_equal(problems(), "");
	assert_int_equal(options.interval_ns, 250000000);
	assert_int_equal(options.by, BY_CLUSTER);
	assert_string_equal(options.preset, "branch");
	assert_string_equal(options.events, "cycles,PMC5=INST_BRANCH");
	assert_string_equal(options.metrics, "IPC,x=1000*A/B");
	assert_ptr_equal(options.theme, theme_find("high-contrast"));
	assert_true(options.ascii);
	assert_true(options.budget_pct == 2.5);
	assert_false(options.real_time);
	assert_true(config->chose_what);
	config_drop_counted(config, &options, &(struct err){ "no such thing" });
	assert_null(options.events);
	assert_null(options.preset);
	assert_null(options.metrics);
	assert_non_null(strstr(problems(), "$.preset: cannot be counted here: no such thing"));
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
		config_apply(config, VERB_LIVE, &options);
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
	config_apply(config, VERB_LIVE, &kept);
	assert_false(kept.color);
	assert_true(asked.color);
	options_fini(&kept);
}

static void every_option_that_wins_exists(void **state)
{
	(void)state;
	for (const struct setting *row = setting_table; row->name; row++) {
		assert_true(row - setting_table < SETTING_ROWS_MAX);
		assert_true(*row->what && *row->example);
		for (const char *name = row->options; name && *name;) {
			assert_non_null(option_find(name));
			name += strcspn(name, " ");
			name += strspn(name, " ");
		}
		if (row->options) /* the first takes the value */
			assert_true(!option_find(row->options)->arg == (row->kind == SETTING_FLAG));
	}
}

/* The example of each row is right, and is written as it was read. */
static void there_and_back(void **state)
{
	(void)state;
	for (const struct setting *row = setting_table; row->name; row++) {
		struct text text = { 0 }, again = { 0 };
		struct options options = { .n_words = 0 };

		text_printf(&text, "{\"%s\": %s}", row->name, row->example);
		read_text(text.bytes);
		config_apply(config, VERB_LIVE, &options);
		assert_string_equal(problems(), "");
		assert_int_equal(config_print(config, NULL, 0, &again, NULL), 0);
		text_clear(&text);
		text_printf(&text, "{\n\t\"%s\":\t%s\n}\n", row->name, row->example);
		assert_string_equal(again.bytes, text.bytes);
		options_fini(&options);
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
	struct options options =
		parse(WORDS("-e", "cycles,uncore/a=1,b=2/,PMC5=X", "-M", "IPC,x=f(A,B)", "--theme",
			    "colour-blind", "--history", "1.5M"));

	(void)state;
	read_text("{\"preset\": \"branch\"}");
	config_take(config, &options);
	assert_int_equal(config_take_counted(config, &options), 0);
	assert_string_equal(config->settings.preset, "");
	assert_int_equal(config->settings.events.n, 3);
	assert_string_equal(config->settings.events.item[1], "uncore/a=1,b=2/");
	assert_string_equal(config->settings.events.item[2], "PMC5=X");
	assert_int_equal(config->settings.metrics.n, 2);
	assert_string_equal(config->settings.metrics.item[1], "x=f(A,B)");
	assert_string_equal(config->settings.theme, "colour-blind");
	config_apply(config, VERB_LIVE, &options);
	for (const struct setting *row = setting_table; row->name; row++) /* the screen takes it */
		assert_int_equal(config->given >> (row - setting_table) & 1,
				 row->options && options_given(&options, row->options));
	assert_true(config->given);
	options_fini(&options);
}

static int set_up(void **state)
{
	(void)state;
	unsetenv("NO_COLOR");
	config = calloc(1, sizeof(*config));
	return config ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	config_close(config);
	free(config);
	return 0;
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
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
