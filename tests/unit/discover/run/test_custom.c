/* test_custom.c: programs that a user brings, up to what a sweep makes of them */
#include "rig/perf_help.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "discover/custom.h"
#include "discover/sweep.h"

static void test_names(void **state)
{
	static const char *const bad[] = {
		"", "two words", "nop", "a/b", "ü", "a-name-of-more-than-31-characters"
	};
	struct custom *custom = NULL;
	struct err err;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
		err.text[0] = '\0';
		assert_int_equal(custom_of_programs(bad[i], "true", "true", NULL, &custom, &err),
				 -EINVAL);
		assert_true(*err.text);
		assert_null(custom);
	}
	assert_int_equal(custom_of_programs("My_own-1", "true", "true", NULL, &custom, &err), 0);
	assert_string_equal(custom->kernel.name, "My_own-1");
	assert_true(kernel_runs_here(&custom->kernel));
	custom_free(custom);
}

static void test_programs_are_tried(void **state)
{
	struct custom *custom = NULL;
	struct err err = { "" };

	(void)state;
	assert_int_equal(custom_of_programs(NULL, "true", "exit {n}2", NULL, &custom, &err),
			 -ECHILD);
	assert_string_equal(err.text, "exit 12: exit status 12");
	assert_null(custom);
}

/* Is there such a process, no zombie? @word  of its command line; in brackets it does not find grep itself */
static bool runs(const char *word)
{
	char command[128];

	snprintf(command, sizeof(command), "grep -qszx '[%c]%s' /proc/[0-9]*/cmdline", *word,
		 word + 1);
	return system(command) == 0;
}

/* Wait until it runs, or no longer does. @return false when it was waited for in vain */
static bool comes_to_run(const char *word, bool is_running)
{
	for (unsigned i = 0; i < 1000; i++) {
		if (runs(word) == is_running)
			return true;
		poll(NULL, 0, 100);
	}
	return false;
}

static bool ran; /* before it was stopped */

static void *stop_once_it_runs(void *stop)
{
	ran = comes_to_run("361.7", true);
	atomic_store((atomic_bool *)stop, true);
	return NULL;
}

/* What is tried can be stopped, too, with what it has started. */
static void test_trial_is_stopped(void **state)
{
	atomic_bool stop = false;
	struct custom *custom = NULL;
	struct err err = { "" };
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, stop_once_it_runs, &stop), 0);
	assert_int_equal(
		custom_of_programs(NULL, "sleep 361.7; true", "true", &stop, &custom, &err),
		-ECANCELED);
	pthread_join(thread, NULL);
	assert_true(ran);
	assert_true(comes_to_run("361.7", false));
}

/* What is left in the background ends with each run, be it well or not. */
static void test_nothing_stays_behind(void **state)
{
	struct custom *custom = NULL;
	struct err err = { "" };

	(void)state;
	assert_int_equal(custom_of_programs(NULL, "sleep 362.7 & true", "sleep 363.7 & true", NULL,
					    &custom, &err),
			 0);
	custom_free(custom);
	assert_int_equal(
		custom_of_programs(NULL, "sleep 364.7 & exit 3", "true", NULL, &custom, &err),
		-ECHILD);
	assert_true(comes_to_run("362.7", false));
	assert_true(comes_to_run("363.7", false));
	assert_true(comes_to_run("364.7", false));
}

/* A page of its own for each byte that dd moves: a buffer that it touches is as large as bs says. */
#define TOUCH(size) "dd if=/dev/zero of=/dev/null bs=" size " count=1 iflag=fullblock"

static struct findings sweep(struct backend *backend, const struct custom *custom, const char *ids)
{
	const struct sweep_request request = {
		.backend = backend, .custom = custom, .ids = ids, .is_quick = true
	};
	struct sweep *s = NULL;
	struct findings findings;
	struct err err = { "" };

	if (sweep_new(&request, &s, &err) || sweep_start(s, &err) || sweep_result(s, &err))
		fail_msg("%s", err.text);
	assert_int_equal(sweep_findings(s, &findings, NULL), 0);
	sweep_free(s);
	return findings;
}

/* Ctrl-C does not wait for a program that takes its time, nor for what that has started. */
static void test_stopped_meanwhile(void **state)
{
	struct backend *backend = need_backend(state);
	struct custom *custom = NULL;
	struct sweep *s = NULL;
	struct err err = { "" };

	if (machine_has_core_pmu(&backend->machine))
		skip(); /* there the ids are those of its PMU */
	assert_int_equal(custom_of_programs(NULL, "[ {n} = 1 ] || { sleep 600; true; }",
					    "[ {n} = 1 ] || sleep 600", NULL, &custom, &err),
			 0);

	const struct sweep_request request = {
		.backend = backend, .custom = custom, .ids = "2", .is_quick = true
	};

	if (sweep_new(&request, &s, &err) || sweep_start(s, &err))
		fail_msg("%s", err.text);
	poll(NULL, 0, 500);
	sweep_stop(s);
	assert_int_equal(sweep_result(s, &err), -ECANCELED);
	sweep_free(s);
	custom_free(custom);
}

static void test_sweep_of_programs(void **state)
{
	struct backend *backend = need_backend(state);
	struct custom *custom = NULL;
	struct err err = { "" };
	char trigger[128];

	if (machine_has_core_pmu(&backend->machine))
		skip(); /* there the ids are those of its PMU */
	snprintf(trigger, sizeof(trigger), TOUCH("$((M1TOP_N * %ld))"), sysconf(_SC_PAGESIZE));
	if (custom_of_programs("dd", trigger, TOUCH("{n}"), NULL, &custom, &err))
		fail_msg("%s", err.text);

	struct findings findings = sweep(backend, custom, "1-2"); /* task-clock, page-faults */

	/* page faults of programs are noisy on a busy machine, and then no factor stands out: once more */
	for (int i = 0; i < 9 && findings.finding[1].estimate.verdict == VERDICT_RELATED; i++) {
		findings_fini(&findings);
		findings = sweep(backend, custom, "1-2");
	}

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
	custom_free(custom);
}

static void test_only_where_tasks_are_counted(void **state)
{
	struct backend_config config = { .name = "sim" };
	struct backend *backend = NULL;
	struct sweep *s = NULL;
	struct custom *custom = NULL;
	struct err err = { "" };

	(void)state;
	assert_int_equal(backend_open(&config, &backend, &err), 0);
	assert_int_equal(custom_of_programs(NULL, "true", "true", NULL, &custom, &err), 0);

	const struct sweep_request request = { .backend = backend, .custom = custom };

	assert_int_equal(sweep_new(&request, &s, &err), -ENOTSUP);
	assert_string_equal(err.text, "a simulated machine cannot run your code");
	custom_free(custom);
	backend_close(backend);
}

/* A report says what the user's kernel was, and goes on with that one alone. */
static void test_resumed_with_another(void **state)
{
	static const struct {
		const char *trigger, *said; /* NULL: it goes on */
	} row[] = {
		{ "true 1", NULL },
		{ "true 2", "its kernel \"own\" differs: --trigger 'true 1' --control true" },
		{ NULL, "its kernel \"own\" is your own: give it again: --trigger 'true 1' "
			"--control true" },
	};
	struct backend *backend = need_backend(state);
	struct custom *custom = NULL;
	struct err err = { "" };

	if (machine_has_core_pmu(&backend->machine))
		skip(); /* there the ids are those of its PMU */
	assert_int_equal(custom_of_programs(NULL, "true 1", "true", NULL, &custom, &err), 0);

	struct findings old = sweep(backend, custom, "5");

	assert_string_equal(old.custom.trigger, "true 1");
	custom_free(custom);
	for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
		struct sweep_request request = { .backend = backend, .old = &old };
		struct sweep *s = NULL;
		int rc;

		custom = NULL;
		if (row[i].trigger)
			assert_int_equal(custom_of_programs(NULL, row[i].trigger, "true", NULL,
							    &custom, &err),
					 0);
		request.custom = custom;
		rc = sweep_new(&request, &s, &err);
		assert_int_equal(rc, row[i].said ? -EINVAL : 0);
		if (row[i].said)
			assert_string_equal(err.text, row[i].said);
		sweep_free(s);
		custom_free(custom);
	}
	findings_fini(&old);
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
		cmocka_unit_test_setup_teardown(test_resumed_with_another, setup_real,
						teardown_real),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
