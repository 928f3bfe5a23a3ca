/* test_real_time.c: a thread in an endless loop becomes an ordinary one; all others stay as they are */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sampler/threads/internal.h"
#include "base/rights.h"
#include "rig/harness.h"

static int policy_of_thread(void)
{
	return sched_getscheduler(0);
}

/* @data  int: whether it loops until it is an ordinary thread  @return its policy before that */
static void *thread_main(void *data)
{
	int policy = policy_of_thread();

	while (*(int *)data && policy_of_thread() != SCHED_OTHER)
		time(NULL); /* the thread sanitizer runs handlers in functions that it knows */
	return (void *)(intptr_t)policy;
}

static void test_endless_loop(void **state)
{
	int loops[] = { false, true, true, true };
	pthread_t thread[ARRAY_SIZE(loops)];
	struct rlimit before, after;

	(void)state;
	getrlimit(RLIMIT_RTTIME, &before);
	alarm(100); /* ends the process if a loop does not end */
	real_time_begin();

	bool may = real_time_is_on(); /* the loops may end before the last is created */

	for (size_t i = 0; i < ARRAY_SIZE(loops); i++)
		assert_int_equal(pthread_create(&thread[i], NULL, thread_main, &loops[i]), 0);
	real_time_end();
	assert_int_equal(policy_of_thread(), SCHED_OTHER);
	for (size_t i = 0; i < ARRAY_SIZE(loops); i++) {
		void *policy;

		assert_int_equal(pthread_join(thread[i], &policy), 0);
		assert_int_equal((intptr_t)policy, may ? SCHED_FIFO : SCHED_OTHER);
	}
	assert_false(real_time_is_on());
	sampler_restore_limit();
	getrlimit(RLIMIT_RTTIME, &after);
	assert_memory_equal(&before, &after, sizeof(before));
	alarm(0);
	if (!may)
		skip();
}

/* The thread that takes the signal is not always the one that looped. */
static void test_taken_by_another(void **state)
{
	(void)state;
	real_time_begin();
	real_time_end();
	kill(getpid(), SIGXCPU);
	assert_int_equal(policy_of_thread(), SCHED_OTHER);
	sampler_restore_limit();
}

/* A limit of CPU time that the user has set ends the program as without m1top's handler. */
static void test_limit_of_cpu_time(void **state)
{
	const struct rlimit second = { 1, RLIM_INFINITY };
	int status;
	pid_t child = fork();

	(void)state;
	if (!child) {
		setrlimit(RLIMIT_CPU, &second);
		real_time_begin();
		real_time_end();
		alarm(100);
		for (;;)
			time(NULL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGXCPU);
}

static void test_refused(void **state)
{
	(void)state;
	rights_use(0);
	real_time_begin();
	real_time_end();
	assert_false(real_time_is_on());
	assert_int_equal(policy_of_thread(), SCHED_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_endless_loop), cmocka_unit_test(test_taken_by_another),
		cmocka_unit_test(test_limit_of_cpu_time),
		cmocka_unit_test(test_refused), /* last: its rights do not come back */
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
