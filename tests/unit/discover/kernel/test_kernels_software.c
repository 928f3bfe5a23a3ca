/* Kernels whose triggers the operating system counts itself: one count a trigger, none in the control. */
#include "rig/harness.h"

#include <linux/perf_event.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "discover/kernel.h"

enum { REPEATS_MAX = 100000 };

/* @cpu  -1: of this thread alone, on any CPU */
static int open_event(uint64_t config, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
		.exclude_kernel = cpu < 0, /* which needs no rights */
	};

	return (int)syscall(SYS_perf_event_open, &attr, cpu < 0 ? 0 : -1, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

static uint64_t count_one(int fd, kernel_fn *fn, uint64_t n, struct workspace *workspace)
{
	uint64_t count;

	workspace_prepare(workspace, n);
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	fn(n, workspace_memory(workspace));
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	assert_int_equal(read(fd, &count, sizeof(count)), sizeof(count));
	return count;
}

/* What others do on the CPU meanwhile only adds: on a busy machine it takes many runs until one is undisturbed. */
static uint64_t count_least(int fd, kernel_fn *fn, uint64_t n, uint64_t wanted,
			    struct workspace *workspace)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < REPEATS_MAX && least > wanted; i++) {
		uint64_t count = count_one(fd, fn, n, workspace);

		least = count < least ? count : least;
	}
	return least;
}

/* @counted  CPU that counts, or -1: this thread  @n_most  longer runs are disturbed on a busy machine, all of them */
static void check(const char *name, uint64_t config, int counted, uint64_t n_most)
{
	static const uint64_t lengths[] = { 0, 1, 10, 100, 1000 };
	const struct kernel *kernel = kernel_find(name);
	int cpu = counted < 0 ? sched_getcpu() : counted;
	AUTO_FD int fd = open_event(config, counted);
	cpu_set_t here, before;
	struct workspace *workspace;
	struct err err;

	if (fd < 0)
		skip();
	sched_getaffinity(0, sizeof(before), &before);
	CPU_ZERO(&here);
	CPU_SET((unsigned)cpu, &here);
	assert_int_equal(sched_setaffinity(0, sizeof(here), &here), 0);
	assert_int_equal(workspace_new(kernel, (unsigned)cpu, &workspace, &err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(lengths) && lengths[i] <= n_most; i++) {
		uint64_t n = lengths[i], wanted = (uint64_t)((double)n * kernel->triggers);
		uint64_t trigger = count_least(fd, kernel->trigger, n, wanted, workspace);
		uint64_t control = count_least(fd, kernel->control, n, 0, workspace);

		print_message("# %s: %ju units, %ju counts, %ju in the control\n", name, n, trigger,
			      control);
		assert_int_equal(trigger, wanted);
		assert_int_equal(control, 0);
	}
	workspace_free(workspace);
	sched_setaffinity(0, sizeof(before), &before);
}

static void test_page_faults(void **state)
{
	(void)state;
	assert_string_equal(kernel_find("page-fault")->software, "page-faults");
	check("page-fault", PERF_COUNT_SW_PAGE_FAULTS, -1, 1000);
}

static void test_context_switches(void **state)
{
	(void)state;
	assert_string_equal(kernel_find("context-switch")->software, "context-switches");
	check("context-switch", PERF_COUNT_SW_CONTEXT_SWITCHES, sched_getcpu(), 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page_faults),
		cmocka_unit_test(test_context_switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
