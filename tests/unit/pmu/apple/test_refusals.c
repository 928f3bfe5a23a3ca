/* test_refusals.c: who cannot have the counters is told why, and which options there are;
 * on the model of the module, as test_apple.c */
#include "rig/apple_rig.h"

enum { P_CORE = 4 };

static void test_probe(void **state)
{
	static const struct {
		int open_result, flags, owner_pid;
		uint32_t abi;
		int result;
		const char *says;
	} row[] = {
		{ 0, M1PMU_APPLE, 0, M1PMU_ABI, 0, "" },
		{ -ENOENT, 0, 0, 0, -ENODEV, "sudo modprobe m1pmu" },
		{ -EPERM, 0, 0, 0, -EPERM, "sudo setcap cap_perfmon+ep" },
		{ -EACCES, 0, 0, 0, -EACCES, "a udev rule that opens it to you" },
		{ 0, M1PMU_APPLE, 0, M1PMU_ABI + 1, -ENODEV, "another version" },
		{ 0, M1PMU_AMU, 0, M1PMU_ABI, -ENODEV, "does not know these cores" },
		{ 0, M1PMU_APPLE | M1PMU_DRIVER, 0, M1PMU_ABI, -ENODEV,
		  "initcall_blacklist=m1_pmu_driver_init" },
		{ 0, M1PMU_APPLE | M1PMU_OWNED, 4194305, M1PMU_ABI, -EBUSY, "process 4194305" },
		{ 0, M1PMU_APPLE | M1PMU_OWNED, 0, M1PMU_ABI, -EBUSY, "not visible" },
	};
	struct backend_config config = { .sysfs_root = apple_rig_root };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct err err = { "" };

		fake_m1_reset();
		fake_m1.open_result = row[i].open_result;
		fake_m1.flags = (uint32_t)row[i].flags;
		fake_m1.owner_pid = row[i].owner_pid;
		fake_m1.abi = row[i].abi;
		assert_int_equal(apple_probe(&fake_m1_io, &config, &err), row[i].result);
		assert_says(err.text, row[i].says);
		assert_int_equal(fake_m1.n_open, 0);
	}
}

/* Where there is nothing for the module to do, nobody is told to load it. */
static void test_not_apple(void **state)
{
	struct backend_config config = { .sysfs_root = apple_rig_root };
	struct err err = { "" };

	(void)state;
	fake_m1_reset();
	fake_m1.open_result = -ENOENT;
	fake_root(apple_rig_root, sizeof(apple_rig_root), hybrid_files);
	assert_int_equal(apple_probe(&fake_m1_io, &config, &err), -ENODEV);
	assert_string_equal(err.text, "only for Apple silicon, which this machine is not");
	fake_root_remove(apple_rig_root);
}

/* Somebody was faster between probe and first group. */
static void test_busy(void **state)
{
	struct backend *backend = *state;
	struct event event[M1PMU_N_COUNTERS];
	struct group *group = NULL;
	struct err err = { "" };
	char holders[128];
	struct set set;

	apple_rig_set_of_ten(backend, event, &set);
	fake_m1.acquire_result = -EBUSY;
	fake_m1.flags |= M1PMU_OWNED;
	fake_m1.owner_pid = getpid();
	assert_int_equal(backend_apple.group_open(backend, P_CORE, &set, &group, &err), -EBUSY);
	assert_says(err.text, "the PMU is in use by test_refusals (");
	assert_says(backend_apple.holders(backend, holders, sizeof(holders)), "test_refusals (");
	fake_m1.flags = M1PMU_APPLE | M1PMU_DRIVER;
	assert_int_equal(backend_apple.group_open(backend, P_CORE, &set, &group, &err), -EBUSY);
	assert_says(err.text, "initcall_blacklist=m1_pmu_driver_init");
}

static void test_offline(void **state)
{
	struct backend *backend = *state;
	struct event event[M1PMU_N_COUNTERS];
	struct group *group = NULL;
	struct err err = { "" };
	struct set set;

	apple_rig_set_of_ten(backend, event, &set);
	fake_m1.core[7].is_offline = true;
	assert_int_equal(backend_apple.group_open(backend, 7, &set, &group, &err), -ENODEV);
	assert_string_equal(err.text, "CPU 7 is offline");
}

/* Listing events takes the PMU from nobody. */
static void test_opening_owns_nothing(void **state)
{
	struct apple_rig rig;

	assert_false(fake_m1.is_owner);
	assert_int_equal(fake_m1.n_programs, 0);
	apple_rig_begin(&rig, *state, P_CORE);
	assert_true(fake_m1.is_owner);
	assert_int_equal(fake_m1.el0 + fake_m1.l2c, 0);
	backend_apple.group_close(rig.group);
}

static void test_options(void **state)
{
	static const struct {
		const char *text;
		int result;
		struct apple_options options;
	} row[] = {
		{ NULL, 0, { false, false } },         { "", 0, { false, false } },
		{ "el0", 0, { true, false } },         { "l2c=cluster", 0, { false, true } },
		{ "l2c=core", 0, { false, false } },   { "el0,l2c=cluster", 0, { true, true } },
		{ "el1", -EINVAL, { false, false } },  { "l2c=all", -EINVAL, { false, false } },
		{ "el0,", -EINVAL, { false, false } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct apple_options options = { 0 };
		struct err err = { "" };

		assert_int_equal(apple_options_parse(row[i].text, &options, &err), row[i].result);
		assert_int_equal(options.el0, row[i].options.el0);
		assert_int_equal(options.l2c_cluster, row[i].options.l2c_cluster);
		if (row[i].result) {
			assert_says(err.text, "el0 (");
			assert_says(err.text, "l2c=cluster (");
		}
	}
}

static void test_l2c_cluster(void **state)
{
	struct apple_rig rig;

	*state = apple_rig_backend("l2c=cluster");
	apple_rig_begin(&rig, *state, P_CORE);
	assert_int_equal(fake_m1.l2c, 1);
	assert_int_equal(fake_m1.el0, 0);
	backend_apple.group_close(rig.group);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_probe, apple_rig_setup_root,
						apple_rig_teardown),
		cmocka_unit_test(test_not_apple),
		cmocka_unit_test_setup_teardown(test_busy, apple_rig_setup, apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_offline, apple_rig_setup, apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_opening_owns_nothing, apple_rig_setup,
						apple_rig_teardown),
		cmocka_unit_test(test_options),
		cmocka_unit_test_setup_teardown(test_l2c_cluster, apple_rig_setup_root,
						apple_rig_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
