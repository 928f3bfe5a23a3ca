/* Pressure: the share of the time between two readings, from the totals in /proc/pressure. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "pmu/activity/chips.h"
#include "rig/fake_root.h"
#include "rig/harness.h"

static char root[64];
static struct machine machine;

static void put(const char *resource, const char *totals)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/pressure/%s", resource);
	fake_put(root, path, totals);
}

static int make(void **state)
{
	(void)state;
	fake_root(root, sizeof(root), (const struct fake_file[]){ { NULL, NULL } });
	memset(&machine, 0, sizeof(machine));
	snprintf(machine.pmus.root, sizeof(machine.pmus.root), "%s", root);
	put("cpu", "some avg10=12.00 avg60=0.00 avg300=0.00 total=1000000\nfull avg10=0.00 "
		   "avg60=0.00 avg300=0.00 total=7");
	put("io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0");
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(machine.sensors);
	fake_root_remove(root);
	return 0;
}

static void the_share_is_of_the_time_since_the_last_reading(void **state)
{
	double value[2];

	(void)state;
	pressure_find(&machine, NS_PER_S);
	assert_int_equal(machine.sensors->n, 2); /* this kernel has none of memory */
	assert_string_equal(machine.sensors->sensor[0].name, "proc/pressure cpu");
	assert_string_equal(machine.sensors->sensor[1].name, "proc/pressure io");
	assert_int_equal(sensors_of_chips(machine.sensors), 0);
	put("cpu", "some avg10=12.00 avg60=0.00 avg300=0.00 total=1500000\nfull avg10=0.00 "
		   "avg60=0.00 avg300=0.00 total=9000000");
	sensors_read(machine.sensors, 3 * NS_PER_S, value);
	assert_float_equal(value[0], 25, 1e-9); /* 0.5 s of 2 s */
	assert_float_equal(value[1], 0, 0);
	put("io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000001");
	sensors_read(machine.sensors, 4 * NS_PER_S, value);
	assert_float_equal(value[0], 0, 0);
	assert_float_equal(value[1], 100, 0); /* the clocks differ by a microsecond */
}

static void full_stands_beside_some(void **state)
{
	double value[4];

	(void)state;
	put("memory", "some total=1000000\nfull avg10=0.00 total=400000");
	pressure_find(&machine, NS_PER_S);
	assert_int_equal(machine.sensors->n, 4); /* full of cpu is none of the machine's */
	assert_string_equal(machine.sensors->sensor[3].name, "proc/pressure memory full");
	put("memory", "some total=1500000\nfull avg10=0.00 total=500000");
	sensors_read(machine.sensors, 2 * NS_PER_S, value);
	assert_float_equal(value[1], 50, 1e-9);
	assert_float_equal(value[3], 10, 1e-9);
	put("memory", "some total=1500000");
	sensors_read(machine.sensors, 3 * NS_PER_S, value);
	assert_float_equal(value[1], 0, 0);
	assert_true(isnan(value[3]));
}

static void a_bad_reading_loses_its_own_window(void **state)
{
	static const char *const bad[] = { "some avg10=0.00 total=", "some total=x", "full total=1",
					   "", "some avg10=0.00 total=99999999999999999999" };
	double value[2];

	(void)state;
	pressure_find(&machine, NS_PER_S);
	for (uint64_t i = 0; i < ARRAY_SIZE(bad); i++) {
		put("cpu", bad[i]);
		sensors_read(machine.sensors, (2 + 3 * i) * NS_PER_S, value);
		assert_true(isnan(value[0]));
		assert_float_equal(value[1], 0, 0);
		put("cpu", "some avg10=0.00 total=1000000");
		sensors_read(machine.sensors, (3 + 3 * i) * NS_PER_S, value);
		put("cpu", "some avg10=0.00 total=1250000");
		sensors_read(machine.sensors, (4 + 3 * i) * NS_PER_S, value);
		assert_float_equal(value[0], 25, 1e-9);
	}
	put("cpu", "some avg10=0.00 total=5"); /* it went back */
	sensors_read(machine.sensors, 100 * NS_PER_S, value);
	assert_true(isnan(value[0]));
	put("cpu", "some avg10=0.00 total=500005");
	sensors_read(machine.sensors, 101 * NS_PER_S, value);
	assert_float_equal(value[0], 50, 1e-9);
}

static void a_kernel_without_it_has_none(void **state)
{
	(void)state;
	snprintf(machine.pmus.root, sizeof(machine.pmus.root), "%s/sys", root);
	pressure_find(&machine, NS_PER_S);
	assert_null(machine.sensors);
}

static void a_cgroup_of_version_1_has_a_folder_of_its_own(void **state)
{
	struct cgroup_folders folders;
	uint64_t value;

	(void)state;
	fake_put(root, "proc/self/mountinfo",
		 "1 0 0:1 / /v2 rw - cgroup2 cgroup2 rw\n2 0 0:2 / /sets rw - cgroup cgroup "
		 "rw,cpuset\n"
		 "3 0 0:3 / /v1 rw - cgroup cgroup rw,cpu,cpuacct\n");
	fake_put(root, "v1/c/cpu.stat", "nr_periods 4\nnr_throttled 3\nthrottled_time 12345");
	fake_put(root, "v1/c/cpu.cfs_quota_us", "25000");
	fake_put(root, "v1/c/cpu.cfs_period_us", "100000");
	fake_put(root, "v2/c/io.pressure", "some avg10=0.00 total=5");
	cgroup_folders_find(&folders, root);
	assert_true(cgroup_read(&folders, "/c", CGROUP_THROTTLED, &value));
	assert_int_equal(value, 12345);
	assert_true(cgroup_read(&folders, "/c", CGROUP_LIMIT, &value));
	assert_int_equal(value, 250 * NS_PER_MS);
	assert_true(cgroup_read(&folders, "/c", CGROUP_IO, &value));
	assert_int_equal(value, 5 * NS_PER_US);
	fake_put(root, "v1/c/cpu.cfs_quota_us", "-1");
	assert_false(cgroup_read(&folders, "/c", CGROUP_LIMIT, &value));
	assert_false(cgroup_read(&folders, "/d", CGROUP_THROTTLED, &value));
}

static void put_cgroup(const char *file, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "v2/c/%s", file);
	fake_put(root, path, text);
}

static void a_cgroup_has_its_own(void **state)
{
	struct cgroup_folders folders;
	uint64_t value;

	(void)state;
	fake_put(root, "proc/self/mountinfo",
		 "1 0 0:1 / /v2 rw - cgroup2 cgroup2 rw\n2 0 0:2 / /sets rw - cgroup cgroup "
		 "rw,cpuset");
	cgroup_folders_find(&folders, root);
	put_cgroup("cpu.stat", "usage_usec 9\nnr_throttled 3\nthrottled_usec 12345\nnr_bursts 0");
	put_cgroup("memory.pressure", "some avg10=0.00 total=7\nfull avg10=0.00 total=5");
	put_cgroup("cpu.max", "150000 100000");
	assert_true(cgroup_read(&folders, "/c", CGROUP_THROTTLED, &value));
	assert_int_equal(value, 12345 * NS_PER_US);
	assert_true(cgroup_read(&folders, "/c", CGROUP_MEMORY, &value));
	assert_int_equal(value, 7 * NS_PER_US);
	assert_true(cgroup_read(&folders, "/c", CGROUP_LIMIT, &value));
	assert_int_equal(value, 1500 * NS_PER_MS);
	put_cgroup("cpu.max", "max 100000");
	assert_false(cgroup_read(&folders, "/c", CGROUP_LIMIT, &value));
	put_cgroup("cpu.stat", "usage_usec 9"); /* without the controller */
	assert_false(cgroup_read(&folders, "/c", CGROUP_THROTTLED, &value));
	assert_false(cgroup_read(&folders, "/c", CGROUP_IO, &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_share_is_of_the_time_since_the_last_reading,
						make, end),
		cmocka_unit_test_setup_teardown(full_stands_beside_some, make, end),
		cmocka_unit_test_setup_teardown(a_bad_reading_loses_its_own_window, make, end),
		cmocka_unit_test_setup_teardown(a_kernel_without_it_has_none, make, end),
		cmocka_unit_test_setup_teardown(a_cgroup_has_its_own, make, end),
		cmocka_unit_test_setup_teardown(a_cgroup_of_version_1_has_a_folder_of_its_own, make,
						end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
