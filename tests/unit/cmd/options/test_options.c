/* test_options.c: the option table parses what it promises and refuses the rest by name */
#include "rig/harness.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/verbs.h"

enum { WORDS_MAX = 32 };

/* Words of a command line, blanks between. */
static int parse(const char *line, struct options *ret, struct err *err)
{
	static char copy[256], *argv[WORDS_MAX + 1];
	int argc = 0;
	char *rest;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok_r(copy, " ", &rest); word && argc < WORDS_MAX;
	     word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	argv[argc] = NULL;

	const struct verb *verb = verb_find(verb_table, argv[0]);

	return options_parse(verb_table, verb ? verb : verb_table, argc, argv, ret, err);
}

static struct options parsed(const char *line)
{
	struct options options;
	struct err err = { "" };

	if (parse(line, &options, &err))
		fail_msg("%s: %s", line, err.text);
	return options;
}

static void refused(void **state)
{
	(void)state;
	static const struct {
		int line;
		const char *command, *says;
	} row[] = {
		{ __LINE__, "stat -d 0", "-d 0: must be 0.001 to 3600 seconds" },
		{ __LINE__, "stat -d 3601", "-d 3601: must be 0.001 to 3600 seconds" },
		{ __LINE__, "stat -d 1,5", "-d 1,5: must be 0.001 to 3600 seconds" },
		{ __LINE__, "stat -d nan", "-d nan: must be 0.001 to 3600 seconds" },
		{ __LINE__, "stat -d 100kg", "-d 100kg: must be 0.001 to 3600 seconds" },
		{ __LINE__, "stat -d true", "it is not that of perf stat: -P counts" },
		{ __LINE__, "stat -n true", "it is not that of perf stat: -e task-clock" },
		{ __LINE__, "stat --pre sync true", "stat has no option --pre: " },
		{ __LINE__, "stat --topdown", "stat has no option --topdown: -P slots" },
		{ __LINE__, "stat -I 0", "-I 0: must be 1 to 3600000 milliseconds" },
		{ __LINE__, "stat -I -5", "-I -5: must be 1 to 3600000 milliseconds" },
		{ __LINE__, "stat -n 0", "-n 0: must be a number, 1 or more" },
		{ __LINE__, "stat -n 1x", "-n 1x: must be a number, 1 or more" },
		{ __LINE__, "stat -C 3-1", "-C 3-1: " },
		{ __LINE__, "stat --budget 0", "--budget 0: must be 0.01 to 100 percent" },
		{ __LINE__, "stat --budget 101", "--budget 101: must be 0.01 to 100 percent" },
		{ __LINE__, "stat --by thread",
		  "must be core, physical-core, cluster, llc, node, socket, type, system or "
		  "device" },
		{ __LINE__, "stat --format xml", "must be one of table, csv, perf, json" },
		{ __LINE__, "stat --backend :a=b", "needs a name" },
		{ __LINE__, "stat -M ,", "-M ,: needs at least one metric" },
		{ __LINE__, "m1top --metrics=", "needs at least one metric" },
		{ __LINE__, "stat -d", "option -d needs a value" },
		{ __LINE__, "stat --interval", "option --interval needs a value" },
		{ __LINE__, "stat --demo=yes", "option --demo takes no value" },
		{ __LINE__, "stat -Z", "unknown option -Z" },
		{ __LINE__, "stat --intervals 3", "did you mean --interval?" },
		{ __LINE__, "stat --nothing-like-it", "unknown option --nothing-like-it" },
		{ __LINE__, "list -n 3", "list has no option -n" },
		{ __LINE__, "list --count 3", "list has no option --count" },
		{ __LINE__, "m1top --format csv", "the live screen has no option --format" },
		{ __LINE__, "doctor sleep 1", "doctor: unexpected \"sleep\"" },
		{ __LINE__, "stat --", "a command is missing after --" },
		{ __LINE__, "m1top -p", "option -p needs a value" },
		{ __LINE__, "m1top -D", "the live screen has no option -D; -d is --interval" },
		{ __LINE__, "stat -r 0 true", "-r 0: must be a number of runs, 1 to 100" },
		{ __LINE__, "list events a b", "list: unexpected \"b\"" },
		{ __LINE__, "m1top docter", "no such verb: \"docter\"; did you mean doctor?" },
		{ __LINE__, "m1top xyzzy", "no such verb: \"xyzzy\"" },
		{ __LINE__, "doctor -- true", "doctor does not run a command" },
		{ __LINE__, "doctor -e cycles", "-e, -P and --quick need --selfcheck" },
		{ __LINE__, "doctor --preset L1D", "-e, -P and --quick need --selfcheck" },
		{ __LINE__, "doctor --quick", "-e, -P and --quick need --selfcheck" },
		{ __LINE__, "stat -j -x ;", "-x and -j cannot be combined" },
		{ __LINE__, "stat -x ; --format csv", "-x needs --format perf" },
		{ __LINE__, "stat -j --format csv", "-j means --format json" },
		{ __LINE__, "stat --repeat=3", "-r needs a command: m1top stat -r 5" },
		{ __LINE__, "stat -G x",
		  "stat has no option -G: --by cgroup has a row for each cgroup" },
		{ __LINE__, "stat -p 1 -C 0", "-p and -t count tasks, -a and -C the machine" },
		{ __LINE__, "list --repeat 3", "list has no option --repeat" },
		{ __LINE__, "list --summary", "list has no option --summary" },
		{ __LINE__, "stat --timeout 9", "must be a number of milliseconds, 10 or more" },
		{ __LINE__, "stat -D -2", "must be a number of milliseconds, or -1" },
		{ __LINE__, "stat --delay -1", "-D -1 needs --control" },
		{ __LINE__, "stat --control x", "must be fifo:PATH[,PATH] or fd:N[,N]" },
		{ __LINE__, "stat --log-fd 3 -o f", "-o and --log-fd cannot be combined" },
		{ __LINE__, "stat --append", "--append and --force need -o FILE" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct options options;
		struct err err = { "" };
		int rc = parse(row[i].command, &options, &err);

		if (rc != -EINVAL || !strstr(err.text, row[i].says))
			fail_msg("line %d: %d, \"%s\"", row[i].line, rc, err.text);
	}
}

static void defaults(void **state)
{
	(void)state;
	struct options options = parsed("stat");

	assert_null(options.events);
	assert_null(options.metrics);
	assert_int_equal(options.interval_ns, 0);
	assert_int_equal(options.count, 0);
	assert_int_equal(options.by, BY_CORE);
	assert_int_equal(options.output_mode, SINK_NEW);
	assert_int_equal(options.privilege, PRIVILEGE_BOTH);
	assert_true(options.budget_pct > 4.99 && options.budget_pct < 5.01);
	assert_string_equal(options.backend, "");
	assert_null(options.command);
	assert_int_equal(options.n_words, 0);
	options_fini(&options);
}

/* -- or not: the first word ends the options of stat. */
static void command(void **state)
{
	(void)state;
	static const char *const line[] = { "stat -n 2 -- sleep -n 1", "stat -n 2 sleep -n 1" };

	for (size_t i = 0; i < ARRAY_SIZE(line); i++) {
		struct options options = parsed(line[i]);

		assert_int_equal(options.count, 2);
		assert_non_null(options.command);
		assert_string_equal(options.command[0], "sleep");
		assert_string_equal(options.command[1], "-n");
		assert_string_equal(options.command[2], "1");
		assert_null(options.command[3]);
		options_fini(&options);
	}
}

static void values(void **state)
{
	(void)state;
	struct options options = parsed("stat -e a,b --event c -M IPC,x=max(a,b) --metrics CPI -d "
					"0.25 -n 7 -C 0-2,5 --by type -o f --append "
					"--backend sim:cores=8,seed=7");

	assert_string_equal(options.events, "a,b,c");
	assert_string_equal(options.metrics, "IPC,x=max(a,b),CPI");
	assert_int_equal(options.interval_ns, 250000000);
	assert_int_equal(options.count, 7);
	assert_string_equal(options.cpus, "0-2,5");
	assert_int_equal(options.by, BY_TYPE);
	assert_string_equal(options.output, "f");
	assert_int_equal(options.output_mode, SINK_APPEND);
	assert_string_equal(options.backend, "sim");
	assert_string_equal(options.backend_options, "cores=8,seed=7");
	options_fini(&options);

	options = parsed("stat -I 1.5 -x, --user --kernel");

	assert_int_equal(options.interval_ns, 1500000);
	assert_string_equal(options.sep, ",");
	assert_int_equal(options.privilege, PRIVILEGE_BOTH);
	options_fini(&options);

	options = parsed("stat -a -A --per-core -D 250 --timeout 1500 --log-fd 3 --summary "
			 "--metric-only --control fd:4,5");
	assert_int_equal(options.by, BY_PHYSICAL);
	assert_true(options.has_by);
	assert_int_equal(options.delay_ns, 250000000);
	assert_int_equal(options.timeout_ns, 1500000000);
	assert_int_equal(options.log_fd, 3);
	assert_true(options.summary && options.metric_only);
	assert_string_equal(options.control, "fd:4,5");
	options_fini(&options);

	options = parsed("stat --interval-count 3 --interval-print 20 --all-user --per-cluster "
			 "--json-output -D -1 --control fifo:x");
	assert_int_equal(options.count, 3);
	assert_int_equal(options.interval_ns, 20000000);
	assert_int_equal(options.privilege, PRIVILEGE_USER);
	assert_int_equal(options.by, BY_CLUSTER);
	assert_true(options.json);
	assert_true(options.delay_ns == UINT64_MAX);
	options_fini(&options);

	options = parsed("stat --kernel --demo");
	assert_int_equal(options.privilege, PRIVILEGE_KERNEL);
	assert_string_equal(options.backend, "sim");
	assert_null(options.backend_options);
	options_fini(&options);
}

static void command_is_left_alone(void **state)
{
	(void)state;
	struct options options = parsed("stat -n 2 -- ls -n --help x");

	assert_int_equal(options.count, 2);
	assert_string_equal(options.command[0], "ls");
	assert_string_equal(options.command[1], "-n");
	assert_string_equal(options.command[2], "--help");
	assert_string_equal(options.command[3], "x");
	assert_null(options.command[4]);
	options_fini(&options);
}

static void words_between_options(void **state)
{
	(void)state;
	struct options options = parsed("list events --demo branch -j");

	assert_int_equal(options.n_words, 2);
	assert_string_equal(options.word[0], "events");
	assert_string_equal(options.word[1], "branch");
	assert_true(options.json);
	options_fini(&options);
}

static void no_color(void **state)
{
	(void)state;
	static const struct {
		const char *env, *line;
		bool color;
	} row[] = {
		{ NULL, "m1top", true },
		{ "", "m1top", true },
		{ "1", "m1top", false },
		{ NULL, "m1top --no-color", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		if (row[i].env)
			setenv("NO_COLOR", row[i].env, 1);
		else
			unsetenv("NO_COLOR");

		struct options options = parsed(row[i].line);

		assert_int_equal(options.color, row[i].color);
		options_fini(&options);
	}
	unsetenv("NO_COLOR");
}

static void ascii_follows_the_locale(void **state)
{
	(void)state;
	struct options options;

	setlocale(LC_CTYPE, "C");
	options = parsed("m1top");
	assert_true(options.ascii);
	options_fini(&options);
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip();
	options = parsed("m1top");
	assert_false(options.ascii);
	options_fini(&options);
	options = parsed("m1top --ascii");
	assert_true(options.ascii);
	options_fini(&options);
}

static void exit_statuses(void **state)
{
	(void)state;
	static const int row[][2] = {
		{ 0, 0 },       { -EACCES, 3 }, { -EPERM, 3 },    { -ENODEV, 4 }, { -EINVAL, 2 },
		{ -ENOENT, 2 }, { -ENOSPC, 2 }, { -ENOTUNIQ, 2 }, { -EEXIST, 2 }, { -ELOOP, 2 },
		{ -EIO, 1 },    { -EMFILE, 1 }, { -ENOMEM, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++)
		assert_int_equal(options_exit_status(row[i][0]), row[i][1]);
}

/* Two rows of a verb with one letter, or a letter of getopt's own, would shadow each other silently. */
static void table_is_sound(void **state)
{
	(void)state;
	for (const struct option_row *row = option_table; row->name; row++) {
		assert_true(row < option_table + OPTION_ROWS_MAX);
		assert_true(row->verbs != 0);
		assert_true(strlen(row->what) > 0 && row->what[strlen(row->what) - 1] != '.');
		assert_null(strchr(":?-;+", row->letter ? row->letter : 'x'));
		for (const struct option_row *other = row + 1; other->name; other++) {
			if (!(row->verbs & other->verbs))
				continue;
			assert_string_not_equal(row->name, other->name);
			assert_true(!row->letter || row->letter != other->letter);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused),
		cmocka_unit_test(defaults),
		cmocka_unit_test(command),
		cmocka_unit_test(values),
		cmocka_unit_test(command_is_left_alone),
		cmocka_unit_test(words_between_options),
		cmocka_unit_test(no_color),
		cmocka_unit_test(ascii_follows_the_locale),
		cmocka_unit_test(exit_statuses),
		cmocka_unit_test(table_is_sound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
