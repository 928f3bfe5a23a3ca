/* Waiting: shares of the time between two reads of this process's schedstat, with a clock of the test's own. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "rig/fake_root.h"
#include "rig/harness.h"
#include "tui/model/waits.h"

static struct waits waits;

static int begin(void **state)
{
	(void)state;
	waits_fini(&waits);
	return 0;
}

static int end(void **state)
{
	return begin(state);
}

static void needs_schedstat(void)
{
	if (access("/proc/self/schedstat", R_OK))
		skip();
}

static void spin(uint64_t ns)
{
	uint64_t end_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		;
}

static void a_thread_has_shares_of_its_window(void **state)
{
	uint32_t pid = (uint32_t)getpid();
	struct waiting is;

	(void)state;
	needs_schedstat();
	assert_int_equal(waits_read(&waits, pid, pid, NS_PER_S).quality, QUALITY_PENDING);
	spin(200 * NS_PER_MS);
	is = waits_read(&waits, pid, pid, NS_PER_S + NS_PER_MS); /* so soon it is not read */
	assert_int_equal(is.quality, QUALITY_PENDING);
	is = waits_read(&waits, pid, pid, 2 * NS_PER_S);
	assert_int_equal(is.quality, QUALITY_OK);
	assert_float_equal(is.share[WAITS_RUN], 20,
			   3); /* the kernel adds a running thread's time at ticks */
	assert_true(is.share[WAITS_WAIT] >= 0);
	/* not asked for in a while */
	assert_int_equal(waits_read(&waits, pid, pid, 60 * NS_PER_S).quality, QUALITY_PENDING);
	assert_int_equal(waits_read(&waits, pid, UINT32_MAX, NS_PER_S).quality, QUALITY_NONE);
}

static atomic_bool ends;

static void *idle(void *data)
{
	while (!atomic_load(&ends))
		usleep(1000);
	return data;
}

static void a_process_is_the_sum_of_its_threads(void **state)
{
	uint32_t pid = (uint32_t)getpid();
	struct waiting is;
	pthread_t thread;

	(void)state;
	needs_schedstat();
	atomic_store(&ends, false);
	assert_int_equal(waits_read(&waits, pid, 0, NS_PER_S).quality, QUALITY_PENDING);
	spin(200 * NS_PER_MS);
	is = waits_read(&waits, pid, 0, 2 * NS_PER_S);
	assert_int_equal(is.quality, QUALITY_OK);
	assert_float_equal(is.share[WAITS_RUN], 20, 3);
	assert_int_equal(pthread_create(&thread, NULL, idle, NULL), 0);
	is = waits_read(&waits, pid, 0, 3 * NS_PER_S);
	assert_int_equal(is.quality, QUALITY_PARTIAL); /* it began meanwhile */
	assert_int_equal(waits_read(&waits, pid, 0, 4 * NS_PER_S).quality, QUALITY_OK);
	atomic_store(&ends, true);
	pthread_join(thread, NULL);
	assert_int_equal(waits_read(&waits, UINT32_MAX, 0, NS_PER_S).quality, QUALITY_NONE);
}

static void a_cgroup_has_shares_of_its_files(void **state)
{
	const struct cgroup *cgroup = cgroup_get("/test.slice/a");
	struct waiting is;
	char root[64];

	(void)state;
	fake_root(root, sizeof(root), (const struct fake_file[]){ { NULL, NULL } });
	waits.has_looked = true;
	snprintf(waits.cgroups.cpu, sizeof(waits.cgroups.cpu), "%s", root);
	snprintf(waits.cgroups.pressure, sizeof(waits.cgroups.pressure), "%s", root);
	fake_put(root, "test.slice/a/cpu.stat", "nr_throttled 1\nthrottled_usec 1000000");
	fake_put(root, "test.slice/a/cpu.max", "10000 100000");
	fake_put(root, "test.slice/a/io.pressure", "some avg10=0.00 total=500");
	assert_int_equal(waits_read_cgroup(&waits, cgroup, NS_PER_S).quality, QUALITY_PENDING);
	fake_put(root, "test.slice/a/cpu.stat", "nr_throttled 9\nthrottled_usec 2800000");
	is = waits_read_cgroup(&waits, cgroup, NS_PER_S + NS_PER_MS); /* so soon it is not read */
	assert_int_equal(is.quality, QUALITY_PENDING);
	is = waits_read_cgroup(&waits, cgroup, 3 * NS_PER_S);
	assert_int_equal(is.quality, QUALITY_OK);
	assert_float_equal(is.share[CGROUP_THROTTLED], 90, 1e-9);
	assert_float_equal(is.share[CGROUP_LIMIT], 10, 1e-9);
	assert_float_equal(is.share[CGROUP_IO], 0, 0);
	assert_true(isnan(is.share[CGROUP_CPU])); /* a kernel without PSI */
	fake_root_remove(root);
	is = waits_read_cgroup(&waits, cgroup, 4 * NS_PER_S);
	assert_true(isnan(is.share[CGROUP_THROTTLED]) && isnan(is.share[CGROUP_LIMIT]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_thread_has_shares_of_its_window, begin, end),
		cmocka_unit_test_setup_teardown(a_process_is_the_sum_of_its_threads, begin, end),
		cmocka_unit_test_setup_teardown(a_cgroup_has_shares_of_its_files, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
