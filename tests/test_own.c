/* test_own.c: kernels that a user brings, up to what a sweep makes of them. */
#include "perf_help.h"

#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "discover/own.h"
#include "discover/sweep.h"

static char folder[] = "/tmp/m1top-test-XXXXXX";

static const char *write_file(const char *name, const char *text)
{
	static char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, text, strlen(text)) < 0 || close(fd))
		fail_msg("%s", path);
	return path;
}

/* ---- programs ---- */

static void test_names(void **state)
{
	static const char *const bad[] = {
		"", "two words", "nop", "a/b", "ü", "a-name-of-more-than-31-characters"
	};
	struct own *own = NULL;
	struct err err;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
		err.text[0] = '\0';
		assert_int_equal(own_of_programs(bad[i], "true", "true", NULL, &own, &err),
				 -EINVAL);
		assert_true(*err.text);
		assert_null(own);
	}
	assert_int_equal(own_of_programs("My_own-1", "true", "true", NULL, &own, &err), 0);
	assert_string_equal(own->kernel.name, "My_own-1");
	assert_true(kernel_runs_here(&own->kernel));
	own_free(own);
}

static void test_programs_are_tried(void **state)
{
	struct own *own = NULL;
	struct err err = { "" };

	(void)state;
	assert_int_equal(own_of_programs(NULL, "true", "exit {n}2", NULL, &own, &err), -ECHILD);
	assert_string_equal(err.text, "exit 12: exit status 12");
	assert_null(own);
}

/* Is there such a process, no zombie? @word  of its command line */
static bool runs(const char *word)
{
	char command[128];

	snprintf(command, sizeof(command), "pgrep -f '^sleep %s$' >/dev/null", word);
	return system(command) == 0;
}

static bool ran; /* before it was stopped */

static void *stop_soon(void *stop)
{
	poll(NULL, 0, 300);
	ran = runs("361.7");
	atomic_store((atomic_bool *)stop, true);
	return NULL;
}

/* What is tried can be stopped, too, with what it has started. */
static void test_trial_is_stopped(void **state)
{
	atomic_bool stop = false;
	uint64_t from_ns = clock_now_ns();
	struct own *own = NULL;
	struct err err = { "" };
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, stop_soon, &stop), 0);
	assert_int_equal(own_of_programs(NULL, "sleep 361.7; true", "true", &stop, &own, &err),
			 -ECANCELED);
	pthread_join(thread, NULL);
	assert_true(clock_now_ns() - from_ns < 20 * NS_PER_S);
	poll(NULL, 0, 100);
	assert_true(ran);
	assert_false(runs("361.7"));
}

/* What is left in the background ends with each run, be it well or not. */
static void test_nothing_stays_behind(void **state)
{
	struct own *own = NULL;
	struct err err = { "" };

	(void)state;
	assert_int_equal(
		own_of_programs(NULL, "sleep 362.7 & true", "sleep 363.7 & true", NULL, &own, &err),
		0);
	own_free(own);
	assert_int_equal(own_of_programs(NULL, "sleep 364.7 & exit 3", "true", NULL, &own, &err),
			 -ECHILD);
	poll(NULL, 0, 100);
	assert_false(runs("362.7") || runs("363.7") || runs("364.7"));
}

/* A page of its own for each byte that dd moves: a buffer that it touches is as large as bs says. */
#define TOUCH(size) "dd if=/dev/zero of=/dev/null bs=" size " count=1 iflag=fullblock"

static struct findings sweep(struct backend *backend, const struct own *own, const char *ids)
{
	const struct sweep_request request = {
		.backend = backend, .own = own, .ids = ids, .is_quick = true
	};
	struct sweep *s = NULL;
	struct findings findings;
	struct err err = { "" };

	if (sweep_new(&request, &s, &err) || sweep_start(s, &err) || sweep_result(s, &err))
		fail_msg("%s", err.text);
	assert_int_equal(sweep_findings(s, &findings), 0);
	sweep_free(s);
	return findings;
}

/* Ctrl-C does not wait for a program that takes its time, nor for what that has started. */
static void test_stopped_meanwhile(void **state)
{
	struct backend *backend = need(state);
	struct own *own = NULL;
	struct sweep *s = NULL;
	struct err err = { "" };

	if (machine_has_core_pmu(&backend->machine))
		skip(); /* there the ids are those of its PMU */
	assert_int_equal(own_of_programs(NULL, "[ {n} = 1 ] || { sleep 60; true; }",
					 "[ {n} = 1 ] || sleep 60", NULL, &own, &err),
			 0);

	const struct sweep_request request = {
		.backend = backend, .own = own, .ids = "2", .is_quick = true
	};
	uint64_t from_ns = clock_now_ns();

	if (sweep_new(&request, &s, &err) || sweep_start(s, &err))
		fail_msg("%s", err.text);
	poll(NULL, 0, 500);
	sweep_stop(s);
	assert_int_equal(sweep_result(s, &err), -ECANCELED);
	assert_true(clock_now_ns() - from_ns < 20 * NS_PER_S);
	sweep_free(s);
	own_free(own);
}

static void test_sweep_of_programs(void **state)
{
	struct backend *backend = need(state);
	struct own *own = NULL;
	struct err err = { "" };
	char trigger[128];

	if (machine_has_core_pmu(&backend->machine))
		skip(); /* there the ids are those of its PMU */
	snprintf(trigger, sizeof(trigger), TOUCH("$((M1TOP_N * %ld))"), sysconf(_SC_PAGESIZE));
	if (own_of_programs("dd", trigger, TOUCH("{n}"), NULL, &own, &err))
		fail_msg("%s", err.text);

	struct findings findings = sweep(backend, own, "1-2"); /* task-clock, page-faults */
	const struct estimate *e = &findings.finding[1].estimate;

	assert_int_equal(findings.n_kernels, 1);
	assert_string_equal(findings.kernel[0], "dd");
	assert_int_equal(findings.n, 2);
	assert_int_equal(findings.finding[0].estimate.verdict, VERDICT_TIME);
	assert_near(findings.of_id[0].per_ns, 1, 0.03);
	assert_int_equal(e->verdict, VERDICT_CONSISTENT);
	assert_true(e->k == 1);
	assert_near(e->slope, 1, 0.01);
	findings_fini(&findings);
	own_free(own);
}

static void test_only_where_tasks_are_counted(void **state)
{
	struct backend_config config = { .name = "sim" };
	struct backend *backend = NULL;
	struct sweep *s = NULL;
	struct own *own = NULL;
	struct err err = { "" };

	(void)state;
	assert_int_equal(backend_open(&config, &backend, &err), 0);
	assert_int_equal(own_of_programs(NULL, "true", "true", NULL, &own, &err), 0);

	const struct sweep_request request = { .backend = backend, .own = own };

	assert_int_equal(sweep_new(&request, &s, &err), -ENOTSUP);
	assert_string_equal(err.text, "a simulated machine runs no code of yours");
	own_free(own);
	backend_close(backend);
}

/* ---- assembly ---- */

#define HEAD "\t.text\n\t.globl trigger, control\n"
#define CODE                                              \
	"#if defined(__x86_64__)\n"                       \
	"trigger:\n\tmov %rdi, (%rsi)\n\tret\n"           \
	"control:\n\tmovq $7, (%rsi)\n\tret\n"            \
	"#else\n"                                         \
	"trigger:\n\tstr x0, [x1]\n\tret\n"               \
	"control:\n\tmov x2, #7\n\tstr x2, [x1]\n\tret\n" \
	"#endif\n"

static void test_assembly(void **state)
{
	const char *path = write_file("it's {n}.S", HEAD CODE);
	uint64_t memory = 0;
	struct own *own = NULL;
	struct err err = { "" };

	(void)state;
	if (own_of_assembly("mine", path, NULL, &own, &err))
		fail_msg("%s", err.text);
	own->kernel.trigger(4711, &memory);
	assert_int_equal(memory, 4711);
	own->kernel.control(4711, &memory);
	assert_int_equal(memory, 7);
	assert_true(kernel_runs_here(&own->kernel));
	own_free(own);
}

static void test_assembly_errors(void **state)
{
	static const struct {
		const char *text, *said;
	} row[] = {
		{ HEAD "trigger:\n\tno_such_instruction\n", "bad.S:4:" },
		{ "\t.text\n\t.globl control\ncontrol:\n\tret\n",
		  "bad.S: there is no function \"trigger\"" },
		{ "\t.text\n\t.globl trigger\ntrigger:\n\tret\ncontrol:\n\tret\n",
		  "bad.S: there is no function \"control\"" },
		{ HEAD CODE "\t.data\n\t.quad nobody_has_this\n", "nobody_has_this" },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
		struct own *own = NULL;
		struct err err = { "" };

		assert_int_equal(
			own_of_assembly(NULL, write_file("bad.S", row[i].text), NULL, &own, &err),
			-EINVAL);
		if (!strstr(err.text, row[i].said))
			fail_msg("row %u: %s", i, err.text);
		assert_null(own);
	}
}

/* What crashes or never returns does so in a child. */
static void test_assembly_that_fails(void **state)
{
#if defined(__x86_64__)
	static const char invalid[] = "ud2", wild[] = "mov 0, %rax", endless[] = "jmp .";
#else
	static const char invalid[] = "udf #0", wild[] = "mov x2, #0\n\tldr x2, [x2]",
			  endless[] = "b .";
#endif
	static const struct {
		const char *trigger, *control, *said;
	} row[] = {
		{ invalid, "ret", "bad.S: its trigger, with n = 0, crashes: Illegal instruction" },
		{ "ret", wild, "bad.S: its control, with n = 0, crashes: Segmentation fault" },
		{ "ret", endless, "bad.S: its control, with n = 0, does not return within 2 s" },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
		struct own *own = NULL;
		struct err err = { "" };
		char text[256];

		snprintf(text, sizeof(text), HEAD "trigger:\n\t%s\ncontrol:\n\t%s\n",
			 row[i].trigger, row[i].control);
		assert_int_equal(own_of_assembly(NULL, write_file("bad.S", text), NULL, &own, &err),
				 -EINVAL);
		if (!strstr(err.text, row[i].said))
			fail_msg("row %u: %s", i, err.text);
		assert_null(own);
	}
}

/* Nothing that could be a library, and that is told of the file and not of $TMPDIR. */
static void test_no_assembly(void **state)
{
	struct own *own = NULL;
	struct err err = { "" };

	(void)state;
	assert_int_equal(own_of_assembly(NULL, write_file("empty", ""), NULL, &own, &err), -EINVAL);
	assert_null(strstr(err.text, "TMPDIR"));
	assert_non_null(strstr(err.text, "is it assembly with the functions trigger and control?"));
}

/* What could hold whoever opens it, or never end, is not opened for long. */
static void test_no_regular_file(void **state)
{
	static const char *const path[] = { "fifo", ".", "/dev/zero" };

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	for (unsigned i = 0; i < ARRAY_SIZE(path); i++) {
		struct own *own = NULL;
		struct err err = { "" };
		char says[64];

		snprintf(says, sizeof(says), "%s: not a regular file", path[i]);
		assert_int_equal(own_of_assembly(NULL, path[i], NULL, &own, &err), -EINVAL);
		assert_string_equal(err.text, says);
	}
	assert_int_equal(unlink("fifo"), 0);
}

static void test_endless_file(void **state)
{
	struct own *own = NULL;
	struct err err = { "" };

	(void)state;
	assert_int_equal(truncate(write_file("bad.S", ""), (off_t)1 << 40), 0);
	assert_int_equal(own_of_assembly(NULL, "bad.S", NULL, &own, &err), -EFBIG);
	assert_string_equal(err.text, "bad.S: more than 64 MiB");
}

/* The hash in a report is of what ran. */
static void test_changed_meanwhile(void **state)
{
	AUTO_FREE char *was = getenv("CC") ? strdup(getenv("CC")) : NULL;
	struct own *own = NULL;
	struct err err = { "" };

	(void)state;
	assert_int_equal(
		chmod(write_file("compiler", "#!/bin/sh\necho >>bad.S\nexec cc \"$@\"\n"), 0700),
		0);
	write_file("bad.S", HEAD CODE);
	setenv("CC", "./compiler", 1);
	assert_int_equal(own_of_assembly(NULL, "bad.S", NULL, &own, &err), -EINVAL);
	assert_string_equal(err.text, "bad.S: changed while it was compiled: try again");
	assert_null(own);
	if (was)
		setenv("CC", was, 1);
	else
		unsetenv("CC");
}

/* ---- where it came from ---- */

static void test_origins(void **state)
{
	static const struct own_origin own = { .name = "own",
					       .trigger = "seq {n}",
					       .control = "it's" };
	struct own_origin named = own, file, same;
	struct text text = { 0 };
	char path[64], says[160];

	(void)state;
	own_origin_options(&own, &text);
	assert_string_equal(text.bytes, " --trigger 'seq {n}' --control 'it'\\''s'");
	snprintf(named.name, sizeof(named.name), "other");
	assert_false(own_origin_differs(&own, &named));
	named = own;
	assert_false(own_origin_differs(&own, &named));
	snprintf(named.control, sizeof(named.control), "true");
	assert_true(own_origin_differs(&own, &named));

	snprintf(path, sizeof(path), "%s", write_file("bad.S", "one"));
	assert_int_equal(own_origin_of_assembly("asm", path, &file, NULL), 0);
	text_clear(&text);
	own_origin_options(&file, &text);
	snprintf(says, sizeof(says), " --name asm --asm %s", path);
	assert_string_equal(text.bytes, says);
	assert_int_equal(own_origin_of_assembly("asm", path, &same, NULL), 0);
	assert_false(own_origin_differs(&file, &same));
	write_file("bad.S", "two");
	assert_int_equal(own_origin_of_assembly("asm", path, &same, NULL), 0);
	assert_true(own_origin_differs(&file, &same));
	text_fini(&text);
}

/* A report says what the user's kernel was, and goes on with that one alone. */
static void test_resumed_with_another(void **state)
{
	static const struct {
		const char *trigger, *said; /* NULL: it goes on */
	} row[] = {
		{ "true 1", NULL },
		{ "true 2", "its kernel \"own\" is another: --trigger 'true 1' --control true" },
		{ NULL, "its kernel \"own\" is yours: give it again: --trigger 'true 1' "
			"--control true" },
	};
	struct backend *backend = need(state);
	struct own *own = NULL;
	struct err err = { "" };

	if (machine_has_core_pmu(&backend->machine))
		skip(); /* there the ids are those of its PMU */
	assert_int_equal(own_of_programs(NULL, "true 1", "true", NULL, &own, &err), 0);

	struct findings old = sweep(backend, own, "5");

	assert_string_equal(old.own.trigger, "true 1");
	own_free(own);
	for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
		struct sweep_request request = { .backend = backend, .old = &old };
		struct sweep *s = NULL;
		int rc;

		own = NULL;
		if (row[i].trigger)
			assert_int_equal(
				own_of_programs(NULL, row[i].trigger, "true", NULL, &own, &err), 0);
		request.own = own;
		rc = sweep_new(&request, &s, &err);
		assert_int_equal(rc, row[i].said ? -EINVAL : 0);
		if (row[i].said)
			assert_string_equal(err.text, row[i].said);
		sweep_free(s);
		own_free(own);
	}
	findings_fini(&old);
}

static void test_no_file(void **state)
{
	struct own *own = NULL;
	struct err err = { "" };

	(void)state;
	assert_int_equal(own_of_assembly(NULL, "/nowhere/k.S", NULL, &own, &err), -ENOENT);
	assert_string_equal(err.text, "/nowhere/k.S: No such file or directory");
}

/* Nothing of what was compiled stays: last, after all the others. */
static void test_leaves_nothing(void **state)
{
	glob_t found;

	(void)state;
	assert_int_equal(glob("m1top-*", 0, NULL, &found), GLOB_NOMATCH);
	globfree(&found);
}

static int make_folder(void **state)
{
	(void)state;
	return !mkdtemp(folder) || setenv("TMPDIR", folder, 1) || chdir(folder);
}

static int remove_folder(void **state)
{
	(void)state;
	unlink("bad.S");
	unlink("compiler");
	unlink("empty");
	unlink("it's {n}.S");
	return chdir("/") || rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_programs_are_tried),
		cmocka_unit_test(test_trial_is_stopped),
		cmocka_unit_test(test_nothing_stays_behind),
		cmocka_unit_test_setup_teardown(test_sweep_of_programs, setup_real, teardown_real),
		cmocka_unit_test_setup_teardown(test_stopped_meanwhile, setup_real, teardown_real),
		cmocka_unit_test(test_only_where_tasks_are_counted),
		cmocka_unit_test(test_assembly),
		cmocka_unit_test(test_assembly_errors),
		cmocka_unit_test(test_assembly_that_fails),
		cmocka_unit_test(test_no_assembly),
		cmocka_unit_test(test_no_regular_file),
		cmocka_unit_test(test_endless_file),
		cmocka_unit_test(test_changed_meanwhile),
		cmocka_unit_test(test_origins),
		cmocka_unit_test_setup_teardown(test_resumed_with_another, setup_real,
						teardown_real),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
