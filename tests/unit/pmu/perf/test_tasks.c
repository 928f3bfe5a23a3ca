/* test_tasks.c: programs counted as tasks, by the software events of the kernel that is here. */
#include "rig/perf_help.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "discover/run/programs.h"

static char self[PATH_MAX]; /* this program, which is also the one that is counted */

/* ---- what is counted ---- */

/* A sanitizer that checks each access touches pages of its own for that. */
__attribute__((no_sanitize("address", "thread"))) static int touch_pages(unsigned n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (n + 1) * page;
	char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (bytes == MAP_FAILED || madvise(bytes, size, MADV_NOHUGEPAGE))
		return 1;
	for (unsigned i = 0; i < n; i++)
		((volatile char *)bytes)[i * page] = 1;
	return 0;
}

/* The same in a child: inherited. */
static int touch_in_child(unsigned n)
{
	pid_t pid = fork();
	int status = 1;

	if (!pid)
		_exit(touch_pages(n));
	waitpid(pid, &status, 0);
	return status != 0;
}

static int sleep_often(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000 }, NULL);
	return 0;
}

static int be_program(const char *what, unsigned n)
{
	if (strcmp(what, "touch") == 0)
		return touch_pages(n);
	if (strcmp(what, "child") == 0)
		return touch_in_child(n);
	return strcmp(what, "sleep") == 0 ? sleep_often(n) : 2;
}

/* ---- counting it ---- */

enum { FAULTS, SWITCHES, N_EVENTS };

static struct sample count(struct backend *backend, const char *what, unsigned n)
{
	struct event event[N_EVENTS] = {
		event_make(backend, "software", "config=2", "page-faults"),
		event_make(backend, "software", "config=3", "context-switches"),
	};
	struct sample sample = { 0 };
	struct err err = { "" };
	char command[PATH_MAX + 32];
	struct set set;

	set_of(&set, 0, event, N_EVENTS);
	snprintf(command, sizeof(command), "exec %s %s {n}", self, what);
	if (program_run(command, n, backend, 0, &set, NULL, &sample, &err) || *err.text)
		fail_msg("%s", err.text);
	for (unsigned i = 0; i < N_EVENTS; i++) {
		assert_int_equal(sample.state[i], RAW_OK);
		assert_true(sample.raw[i].running_ns > 0);
		assert_int_equal(sample.raw[i].running_ns, sample.raw[i].enabled_ns);
	}
	return sample;
}

static double more(struct backend *backend, const char *what, unsigned event, unsigned n)
{
	struct sample few = count(backend, what, 0), many = count(backend, what, n);

	return (double)many.raw[event].value - (double)few.raw[event].value;
}

static void test_page_faults(void **state)
{
	assert_near(more(need_backend(state), "touch", FAULTS, 2000), 2000, 20);
}

static void test_children_are_counted(void **state)
{
	assert_near(more(need_backend(state), "child", FAULTS, 2000), 2000, 20);
}

/* Of all children that have ended. */
static uint64_t switches_of_children(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
	return (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw);
}

/* Each sleep gives the CPU away once; how often others take it away besides the kernel says. */
static void test_context_switches(void **state)
{
	uint64_t before = switches_of_children();
	struct sample sample = count(need_backend(state), "sleep", 300);

	assert_in_range(sample.raw[SWITCHES].value, 290, switches_of_children() - before + 1);
}

/* ---- what can go wrong ---- */

static void test_failures_say_why(void **state)
{
	static const struct {
		const char *command, *said;
	} row[] = {
		{ "exit 3", "exit 3: exit status 3" },
		{ "echo no such knob >&2; echo at all >&2; false",
		  "echo no such knob >&2; echo at all >&2; false: exit status 1\nno such knob\nat "
		  "all" },
		{ "kill -9 $$", "kill -9 $$: killed by signal 9" },
		{ "exit {n}{n}", "exit 77: exit status 77" },
		{ "exit $M1TOP_N", "exit $M1TOP_N: exit status 7" },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
		struct err err = { "" };

		assert_int_equal(program_run(row[i].command, 7, NULL, 0, NULL, NULL, NULL, &err),
				 -ECHILD);
		assert_string_equal(err.text, row[i].said);
	}
}

/* Nothing to read, output thrown away, signals as they are by default. */
static void test_surroundings(void **state)
{
	struct err err = { "" };

	(void)state;
	if (program_run("echo $M1TOP_N; ! read x && grep -q '^SigBlk:\t0*$' /proc/self/status", 1,
			NULL, 0, NULL, NULL, NULL, &err))
		fail_msg("%s", err.text);
}

static void test_backend_that_cannot(void **state)
{
	static const struct backend_ops ops = { .name = "none" };
	struct backend backend = { .ops = &ops };
	struct err err = { "" };

	(void)state;
	assert_int_equal(program_run("true", 1, &backend, 0, NULL, NULL, NULL, &err), -ENOTSUP);
	assert_string_equal(err.text, "the backend none cannot tell tasks apart: it does not "
				      "learn of context switches; perf does (--backend perf)");
}

int main(int argc, char **argv)
{
#define REAL(function) cmocka_unit_test_setup_teardown(function, setup_real, teardown_real)
	const struct CMUnitTest tests[] = {
		REAL(test_page_faults),
		REAL(test_children_are_counted),
		REAL(test_context_switches),
		cmocka_unit_test(test_failures_say_why),
		cmocka_unit_test(test_surroundings),
		cmocka_unit_test(test_backend_that_cannot),
	};

	if (argc == 3)
		return be_program(argv[1], (unsigned)strtoul(argv[2], NULL, 10));
	if (!realpath("/proc/self/exe", self))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
