/*
 * test_limits.c: what keeps the perf backend from counting, on the kernel that runs
 * the test: rights, file descriptors, CPUs and PMUs that are not there, and who else counts
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rig/fake_root.h"
#include "rig/perf_help.h"

#define SW_CPU_CLOCK "config=0"

static void test_offline_cpu_is_enodev(void **state)
{
	static const struct fake_file files[] = {
		{ CPU_DIR "online", "0,4000" },
		{ PMU_DIR "software/type", "1" },
		{ NULL, NULL },
	};
	struct group *group = NULL;
	struct err err = { "" };
	struct set set;
	char root[64];

	need_backend(state);
	struct backend *backend = perf_backend(fake_root(root, sizeof(root), files));
	struct event event = event_make(backend, "software", SW_CPU_CLOCK, "cpu-clock");

	set_of(&set, 0, &event, 1);
	fake_put(root, CPU_DIR "online", "0");
	assert_int_equal(backend_perf.group_open(backend, 1, &set, &group, &err), -ENODEV);
	assert_string_equal(err.text, "CPU 4000 is offline");
	assert_null(group);
	backend_close(backend);
	fake_root_remove(root);
}

static void test_descriptors_are_raised(void **state)
{
	struct backend *backend = need_backend(state);
	struct event event[SLOTS_MAX];
	struct rlimit old, low, now;
	struct set set;

	for (unsigned i = 0; i < SLOTS_MAX; i++)
		event[i] = event_make(backend, "software", SW_CPU_CLOCK, "cpu-clock");
	set_of(&set, 0, event, SLOTS_MAX);
	getrlimit(RLIMIT_NOFILE, &old);
	low = (struct rlimit){ .rlim_cur = 12, .rlim_max = old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	/* of its own, because each backend raises the limit once */
	struct backend *fresh = perf_backend(NULL);
	struct group *group = group_of(fresh, 0, &set);
	struct sample sample = { 0 };

	backend_perf.group_enable(group);
	assert_int_equal(backend_perf.group_read(group, &sample), 0);
	assert_int_equal(sample.state[SLOTS_MAX - 1], RAW_OK);
	getrlimit(RLIMIT_NOFILE, &now);
	assert_true(now.rlim_cur >= old.rlim_max);
	backend_perf.group_close(group);
	backend_close(fresh);
	setrlimit(RLIMIT_NOFILE, &old);
}

/* The child is named, unless as many others as are named come before it. */
static void test_holders(void **state)
{
	struct backend *backend = need_backend(state);
	struct event event = event_make(backend, "software", SW_CPU_CLOCK, "cpu-clock");
	struct set set;
	char text[256], expected[64], self[64];
	int ready[2];

	set_of(&set, 0, &event, 1);
	assert_int_equal(pipe(ready), 0);
	pid_t child = fork();

	if (!child) {
		group_of(backend, 0, &set);
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], text, 1), 1);

	struct group *own = group_of(backend, 0, &set);

	assert_ptr_equal(backend_perf.holders(backend, text, sizeof(text)), text);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	snprintf(expected, sizeof(expected), "test_limits (%d)", (int)child);
	snprintf(self, sizeof(self), "(%d)", (int)getpid());
	assert_true(strstr(text, expected) || strstr(text, " and others"));
	assert_null(strstr(text, self));
	backend_perf.group_close(own);
	close(ready[0]);
	close(ready[1]);
}

/* As another user where perf_event_paranoid forbids it: the text has the lines that mend it. */
static void test_denied(void **state)
{
	char paranoid[16] = "";
	AUTO_FD int fd = open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY);

	need_backend(state);
	if (geteuid() != 0 || fd < 0 || read(fd, paranoid, sizeof(paranoid) - 1) <= 0 ||
	    strtol(paranoid, NULL, 10) <= 0)
		skip();

	pid_t child = fork();

	if (!child) {
		struct backend_config config = { 0 };
		struct err err = { "" };
		char line[64];

		snprintf(line, sizeof(line), "perf_event_paranoid is %ld",
			 strtol(paranoid, NULL, 10));
		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
			_exit(1);
		_exit(backend_perf.probe(&config, &err) != -EACCES                    ? 2
		      : !strstr(err.text, line)                                       ? 3
		      : !strstr(err.text, "sudo /")                                   ? 4
		      : !strstr(err.text, "setcap cap_perfmon+ep /")                  ? 5
		      : !strstr(err.text, "sudo sysctl kernel.perf_event_paranoid=0") ? 6
										      : 0);
	}

	int status;

	waitpid(child, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_no_pmu_at_all(void **state)
{
	static const struct fake_file files[] = {
		{ CPU_DIR "online", "0" },
		{ PMU_DIR "software/type", "broken" },
		{ NULL, NULL },
	};
	struct backend *backend = NULL;
	struct err err = { "" };
	char root[64];
	struct backend_config config = { .sysfs_root = fake_root(root, sizeof(root), files) };

	(void)state;
	assert_int_equal(backend_perf.open(&config, &backend, &err), -ENODEV);
	assert_non_null(strstr(err.text, "software/type"));
	assert_null(backend);
	fake_root_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offline_cpu_is_enodev),
		cmocka_unit_test(test_descriptors_are_raised),
		cmocka_unit_test(test_holders),
		cmocka_unit_test(test_denied),
		cmocka_unit_test(test_no_pmu_at_all),
	};

	return cmocka_run_group_tests(tests, setup_real, teardown_real);
}
