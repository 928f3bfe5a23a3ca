/* test_sysfs_cpus.c: which CPUs m1top sees, whatever the files list; and which of them are isolated */
#include <string.h>

#include "rig/sysfs_trees.h"
#include "rig/harness.h"
#include "pmu/machine.h"

static char root[64];

static void unload(struct machine *machine)
{
	machine_fini(machine);
	fake_root_remove(root);
}

/* Each row adds files to those of the server, whose CPUs are 0-3, or takes one away (NULL). */
static void test_cpus_as_they_are_found(void **state)
{
	static const struct {
		const char *path, *text, *cores, *notes;
	} rows[] = {
		{ PMU_DIR "cpu/cpus", "0-5", "0-5", "" }, /* nobody says which are present */
		{ PMU_DIR "cpu/cpus", "2-3", "0-3", "" },
		{ CPU_DIR "present", "0-3", "0-3", "" },
		{ CPU_DIR "present", "junk", "0-3", "" },
		{ CPU_DIR "present", "0-2", "0-3", "" }, /* 3 is online */
		{ CPU_DIR "present", "0", "0-3", "" },
		{ CPU_DIR "online", "0,3", "0,3", "" },
		{ CPU_DIR "online", "2", "2", "" },
		{ CPU_DIR "online", "1,3,4000", "1,3,4000", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine = { .n_cores = 0 };
		struct cpus cpus = { 0 };
		struct err err = { "" };
		char list[64];

		fake_root(root, sizeof(root), server_files);
		fake_put(root, rows[i].path, rows[i].text);
		print_message("%s: %s\n", rows[i].path, rows[i].text);
		assert_int_equal(sysfs_pmus(root, &machine.pmus, &err), 0);
		if (sysfs_machine(root, &machine, &err))
			fail_msg("%s", err.text);
		for (unsigned core = 0; core < machine.n_cores; core++)
			cpus_add(&cpus, machine.core[core].cpu);
		assert_string_equal(cpus_format(&cpus, list, sizeof(list)), rows[i].cores);
		assert_string_equal(machine.cpu_notes, rows[i].notes);
		unload(&machine);
	}
}

/* A PMU that lists CPUs which the machine does not have, on top of those that it has. */
static void test_absent_cpus(void **state)
{
	static const struct {
		const char *cpus, *counted, *notes;
		unsigned n_cores;
	} rows[] = {
		{ "0-3", "0-3", "", 4 },
		{ "0-5", "0-3",
		  "cpu 4-5: not present on this machine, although PMU cpu lists them\n", 4 },
		{ "0-3,4095", "0-3",
		  "cpu 4095: not present on this machine, although PMU cpu lists it\n", 4 },
		{ "8-9", "", "cpu 8-9: not present on this machine, although PMU cpu lists them\n",
		  4 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine = { .n_cores = 0 };
		struct err err = { "" };
		char list[64];

		fake_root(root, sizeof(root), server_files);
		fake_put(root, CPU_DIR "present", "0-3");
		fake_put(root, PMU_DIR "cpu/cpus", rows[i].cpus);
		assert_int_equal(sysfs_pmus(root, &machine.pmus, &err), 0);
		assert_int_equal(sysfs_machine(root, &machine, &err), 0);
		assert_string_equal(
			cpus_format(&pmu_find(&machine.pmus, "cpu")->cpus, list, sizeof(list)),
			rows[i].counted);
		assert_string_equal(machine.cpu_notes, rows[i].notes);
		assert_int_equal(machine.n_cores, rows[i].n_cores);
		unload(&machine);
	}
}

static void test_isolated(void **state)
{
	static const struct {
		struct fake_file file[3];
		const char *cpus;
	} rows[] = {
		{ { { NULL, NULL } }, "" },
		{ { { CPU_DIR "isolated", "2-3" } }, "2-3" },
		{ { { CPU_DIR "isolated", "" }, { CPU_DIR "nohz_full", "(null)" } }, "" },
		{ { { CPU_DIR "isolated", "1" }, { CPU_DIR "nohz_full", "1,3" } }, "1,3" },
		{ { { "sys/fs/cgroup/cpuset.cpus.isolated", "2" } }, "2" },
		{ { { "sys/fs/cgroup/unified/cpuset.cpus.isolated", "2" } }, "2" },
		{ { { "sys/fs/cgroup/a/cpuset.cpus.partition", "isolated" },
		    { "sys/fs/cgroup/a/cpuset.cpus.effective", "1,2" } },
		  "1-2" },
		{ { { "sys/fs/cgroup/a/cpuset.cpus.partition", "root" },
		    { "sys/fs/cgroup/a/cpuset.cpus.effective", "1,2" } },
		  "" },
		{ { { "sys/fs/cgroup/a/cpuset.cpus.partition",
		      "isolated invalid (Cpu list in cpuset.cpus not exclusive)" },
		    { "sys/fs/cgroup/a/cpuset.cpus.effective", "1,2" } },
		  "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cpus cpus;
		char list[64];

		fake_root(root, sizeof(root), (const struct fake_file[]){ { NULL, NULL } });
		for (const struct fake_file *file = rows[i].file; file->path; file++)
			fake_put(root, file->path, file->text);
		sysfs_isolated(root, &cpus);
		assert_string_equal(cpus_format(&cpus, list, sizeof(list)), rows[i].cpus);
		fake_root_remove(root);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpus_as_they_are_found),
		cmocka_unit_test(test_absent_cpus),
		cmocka_unit_test(test_isolated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
