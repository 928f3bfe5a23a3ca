/* test_child.c: children end when they are told to, wherever they went */
#include "rig/harness.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "discover/run/programs.h"

enum { STAYS_S = 60 }; /* it is killed before */

/* A child_fn: told to, leaves its group for the parent's, says so and stays. */
static int leave(void *data)
{
	const int *pair = data;
	char byte;

	if (read(pair[1], &byte, 1) != 1 || setpgid(0, getpgid(getppid())) ||
	    write(pair[1], "", 1) != 1)
		return 1;
	sleep(STAYS_S);
	return 0;
}

static pid_t start_leaver(void)
{
	int pair[2];
	char byte;
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	pid = child_start(leave, pair);
	assert_true(pid > 0);
	close(pair[1]);
	assert_int_equal(write(pair[0], "", 1), 1);
	assert_int_equal(read(pair[0], &byte, 1), 1);
	close(pair[0]);
	assert_int_equal(getpgid(pid), getpgid(0));
	return pid;
}

static void test_leaver(void **state)
{
	atomic_bool stop = true;
	const struct {
		const atomic_bool *stop;
		uint64_t limit_ns;
		int rc;
	} rows[] = {
		{ &stop, 0, -ECANCELED },
		{ NULL, 1, -ETIMEDOUT },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		pid_t pid = start_leaver();
		int status = 0;

		assert_int_equal(child_wait(pid, rows[i].stop, rows[i].limit_ns, &status),
				 rows[i].rc);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaver),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
