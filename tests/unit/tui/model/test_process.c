/* A process as /proc has it, and acting on it: on children of the test. */
#include "rig/harness.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "tui/model/process.h"

/* a name with a bracket, as a task may choose it; two threads; hostile arguments */
static const char program[] =
	"import ctypes, sys, threading, time\n"
	"ctypes.CDLL(None).prctl(15, b'a) 7 (b', 0, 0, 0)\n"
	"threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n"
	"print(flush=True)\n"
	"time.sleep(600)\n";

static pid_t start(void)
{
	int ends[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], 1);
		execlp("python3", "python3", "-c", program, "two words", "\033[2J\n", (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void facts_are_those_of_the_process(void **state UNUSED)
{
	struct process process;
	struct cpus own;
	pid_t pid = start();
	int nice = getpriority(PRIO_PROCESS, 0) < 16 ? getpriority(PRIO_PROCESS, 0) + 3 : 19;

	setpriority(PRIO_PROCESS, (id_t)pid, nice); /* a user may not lower it */
	process_open((uint32_t)pid, 0, &process);
	assert_int_equal(process.pid, pid);
	assert_int_equal(process.nice, nice);
	assert_int_equal(process.n_threads, 2);
	assert_int_equal(cpus_get_affinity(&own), 0);
	assert_memory_equal(&process.cpus, &own, sizeof(own));
	assert_non_null(strstr(process.command, "python3 -c import ctypes"));
	assert_non_null(strstr(process.command, " two words \033[2J\n"));
	assert_true(process.age_ns < 60 * NS_PER_S);
	assert_true(process.minor > 100); /* an interpreter's pages */
	assert_true(!*process.cgroup || *process.cgroup == '/');
	assert_false(process.has_ended);

	end(pid);
	process_read(&process);
	assert_true(process.has_ended);
	assert_int_equal(process.nice, nice);
	assert_int_equal(process_signal(&process, SIGTERM), -ESRCH);
	assert_int_equal(process_set(&process, NULL, 5), -ESRCH);
	process_close(&process);
}

/* Count the threads that a set of CPUs is the affinity of. */
static unsigned n_pinned(pid_t pid, unsigned cpu)
{
	char path[64], list[16];
	unsigned n = 0;

	snprintf(path, sizeof(path), "grep -hc '^Cpus_allowed_list:.%u$' /proc/%d/task/*/status",
		 cpu, (int)pid);

	FILE *found = popen(path, "r");

	while (fgets(list, sizeof(list), found))
		n += list[0] == '1';
	pclose(found);
	return n;
}

static void all_threads_are_pinned_and_reniced(void **state UNUSED)
{
	struct process process;
	struct cpus own, one = { { 0 } };
	pid_t pid = start();

	assert_int_equal(cpus_get_affinity(&own), 0);
	cpus_add(&one, (unsigned)cpus_next(&own, -1));
	process_open((uint32_t)pid, 0, &process);
	assert_int_equal(process_set(&process, &one, 0), 0);
	assert_int_equal(n_pinned(pid, (unsigned)cpus_next(&own, -1)), 2);
	assert_int_equal(process_set(&process, NULL, 19), 0);
	process_read(&process);
	assert_int_equal(process.nice, 19);
	assert_memory_equal(&process.cpus, &one, sizeof(one));
	assert_int_equal(process_set(&process, &(struct cpus){ { 0 } }, 0), -EINVAL);
	assert_int_equal(process_signal(&process, SIGTERM), 0);
	waitpid(pid, NULL, 0);
	process_close(&process);
}

/* A process that started after the task was first seen is another one with its pid. */
static void another_with_the_pid_is_refused(void **state UNUSED)
{
	struct process process;
	pid_t pid = start();

	process_open((uint32_t)pid, 3600 * NS_PER_S, &process);
	assert_int_equal(process.pid, 0);
	process_close(&process);
	end(pid);
	process_open((uint32_t)pid, 0, &process);
	assert_int_equal(process.pid, 0);
	process_close(&process);
}

static void owners_are_remembered(void **state UNUSED)
{
	static struct users users;
	pid_t pid = start();
	struct core_task task = { .pid = (uint32_t)pid, .tid = (uint32_t)pid, .first_ns = 7 };
	const struct user *user = users_find(&users, &task);

	assert_non_null(user);
	assert_int_equal(user->uid, geteuid());
	assert_non_null(strstr(user->command, "python3"));
	end(pid);
	assert_ptr_equal(users_find(&users, &task), user);
	task.first_ns = 8;
	assert_null(users_find(&users, &task));
	task.pid = (uint32_t)getpid(); /* that it had ended is remembered, too */
	assert_null(users_find(&users, &task));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_are_those_of_the_process),
		cmocka_unit_test(all_threads_are_pinned_and_reniced),
		cmocka_unit_test(another_with_the_pid_is_refused),
		cmocka_unit_test(owners_are_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
