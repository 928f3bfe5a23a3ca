/* test_levels.c: rows by cluster, cache, node and socket of a large machine laid out here, against a list by hand */
#include <stdio.h>
#include <string.h>

#include "rig/fake_root.h"
#include "rig/harness.h"
#include "pmu/machine.h"
#include "sampler/frame.h"

#define NODE_DIR "sys/devices/system/node/"

/* Two sockets of 64 CPUs, the second from CPU 80 on; four nodes each, of four last-level caches of four
 * CPUs. Numbers of nodes and caches have holes. A cluster has the CPUs of two caches. */
static const struct {
	const char *cpus, *online;
	unsigned llc, cluster, node, package;
} cache[] = {
	{ "0-3", "0-3", 0, 0, 0, 0 },
	{ "4-7", "4-7", 1, 0, 0, 0 },
	{ "8-11", "8-11", 2, 1, 0, 0 },
	{ "12-15", "12-15", 3, 1, 0, 0 },
	{ "16-19", "17-19", 8, 2, 2, 0 }, /* the first CPU of a node is offline */
	{ "20-23", "20-23", 9, 2, 2, 0 },
	{ "24-27", "24-27", 10, 3, 2, 0 },
	{ "28-31", "28-31", 11, 3, 2, 0 },
	{ "32-35", "32-35", 16, 4, 3, 0 },
	{ "36-39", "36,39", 17, 4, 3, 0 }, /* two in the middle */
	{ "40-43", "40-43", 18, 5, 3, 0 },
	{ "44-47", "44-47", 19, 5, 3, 0 },
	{ "48-51", "48-51", 24, 6, 6, 0 },
	{ "52-55", "52-55", 25, 6, 6, 0 },
	{ "56-59", "56-59", 26, 7, 6, 0 },
	{ "60-63", "60-62", 27, 7, 6, 0 }, /* the last CPU of a socket */
	{ "80-83", "81-83", 64, 0, 8, 3 }, /* the first CPU of a socket */
	{ "84-87", "84-87", 65, 0, 8, 3 },
	{ "88-91", "88-91", 66, 1, 8, 3 },
	{ "92-95", "92-95", 67, 1, 8, 3 },
	{ "96-99", "96-99", 72, 2, 9, 3 },
	{ "100-103", "100-103", 73, 2, 9, 3 },
	{ "104-107", "104-107", 74, 3, 9, 3 },
	{ "108-111", "108-111", 75, 3, 9, 3 },
	{ "112-115", "112-115", 80, 4, 12, 3 },
	{ "116-119", "116-119", 81, 4, 12, 3 },
	{ "120-123", "120-123", 82, 5, 12, 3 },
	{ "124-127", "124-127", 83, 5, 12, 3 },
	{ "128-131", "128-131", 88, 6, 15, 3 },
	{ "132-135", "132-135", 89, 6, 15, 3 },
	{ "136-139", "136-139", 90, 7, 15, 3 },
	{ "140-143", "140-143", 91, 7, 15, 3 },
};

/* The nodes' files; nodes 1 and 20 are memory without CPUs. */
static const struct fake_file files[] = {
	{ CPU_DIR "present", "0-63,80-143" },
	{ CPU_DIR "online", "0-15,17-36,39-62,81-143" },
	{ PMU_DIR "software/type", "1" },
	{ PMU_DIR "armv8_pmuv3_0/type", "10" },
	{ PMU_DIR "armv8_pmuv3_0/cpus", "0-63,80-143" },
	{ PMU_DIR "armv8_pmuv3_0/format/event", "config:0-15" },
	{ NODE_DIR "online", "0-3,6,8-9,12,15,20" },
	{ NODE_DIR "node0/cpulist", "0-15" },
	{ NODE_DIR "node1/cpulist", "" },
	{ NODE_DIR "node2/cpulist", "17-31" },
	{ NODE_DIR "node2/cpu16/online", "0" },
	{ NODE_DIR "node3/cpulist", "32-36,39-47" },
	{ NODE_DIR "node3/cpu37/online", "0" },
	{ NODE_DIR "node3/cpu38/online", "0" },
	{ NODE_DIR "node6/cpulist", "48-62" },
	{ NODE_DIR "node6/cpu63/online", "0" },
	{ NODE_DIR "node8/cpulist", "81-95" },
	{ NODE_DIR "node8/cpu80/online", "0" },
	{ NODE_DIR "node9/cpulist", "96-111" },
	{ NODE_DIR "node12/cpulist", "112-127" },
	{ NODE_DIR "node15/cpulist", "128-143" },
	{ NODE_DIR "node20/cpulist", "" },
	{ NULL, NULL },
};

/* Rows as they must be. */
static const struct {
	enum frame_by by;
	const char *rows;
} wanted[] = {
	{ BY_NODE, "node 0=0-15 node 2=16-31 node 3=32-47 node 6=48-63 node 8=80-95 "
		   "node 9=96-111 node 12=112-127 node 15=128-143 " },
	{ BY_SOCKET, "socket 0=0-63 socket 3=80-143 " },
	{ BY_CLUSTER, "cluster 0=0-7 cluster 1=8-15 cluster 2=16-23 cluster 3=24-31 "
		      "cluster 4=32-39 cluster 5=40-47 cluster 6=48-55 cluster 7=56-63 "
		      "cluster 8=80-87 cluster 9=88-95 cluster 10=96-103 cluster 11=104-111 "
		      "cluster 12=112-119 cluster 13=120-127 cluster 14=128-135 "
		      "cluster 15=136-143 " },
	{ BY_LLC, "llc 0=0-3 llc 1=4-7 llc 2=8-11 llc 3=12-15 llc 8=16-19 llc 9=20-23 "
		  "llc 10=24-27 llc 11=28-31 llc 16=32-35 llc 17=36-39 llc 18=40-43 "
		  "llc 19=44-47 llc 24=48-51 llc 25=52-55 llc 26=56-59 llc 27=60-63 "
		  "llc 64=80-83 llc 65=84-87 llc 66=88-91 llc 67=92-95 llc 72=96-99 "
		  "llc 73=100-103 llc 74=104-107 llc 75=108-111 llc 80=112-115 llc 81=116-119 "
		  "llc 82=120-123 llc 83=124-127 llc 88=128-131 llc 89=132-135 llc 90=136-139 "
		  "llc 91=140-143 " },
	{ BY_TYPE, "cpu=0-63,80-143 " },
};

static char root[64];

static void put_number(unsigned cpu, const char *name, const char *value)
{
	char path[256];

	snprintf(path, sizeof(path), CPU_DIR "cpu%u/%s", cpu, name);
	fake_put(root, path, value);
}

/* Lay out a CPU: L1 data and instruction caches of its own, then the last level. @has_id  the kernel
 * numbers caches */
static void put_cpu(unsigned cpu, size_t i, bool has_id)
{
	char text[32];

	snprintf(text, sizeof(text), "%u", cpu);
	put_number(cpu, "topology/core_id", text);
	put_number(cpu, "topology/core_cpus_list", text);
	put_number(cpu, "cache/index0/level", "1");
	put_number(cpu, "cache/index0/shared_cpu_list", text);
	put_number(cpu, "cache/index0/id", text);
	put_number(cpu, "cache/index1/level", "3");
	put_number(cpu, "cache/index1/shared_cpu_list", cache[i].online);
	put_number(cpu, "cache/index2/level", "2");
	put_number(cpu, "cache/index2/shared_cpu_list", text);
	snprintf(text, sizeof(text), "%u", cache[i].llc);
	if (has_id)
		put_number(cpu, "cache/index1/id", text);
	snprintf(text, sizeof(text), "%u", cache[i].cluster);
	put_number(cpu, "topology/cluster_id", text);
	snprintf(text, sizeof(text), "%u", cache[i].package);
	put_number(cpu, "topology/physical_package_id", text);
}

static void lay_out(bool has_id)
{
	fake_root(root, sizeof(root), files);
	for (size_t i = 0; i < ARRAY_SIZE(cache); i++) {
		struct cpus online;

		assert_int_equal(cpus_parse(cache[i].online, &online, NULL), 0);
		cpus_each(&online, cpu)
			put_cpu((unsigned)cpu, i, has_id);
	}
}

static void load(struct machine *machine)
{
	struct err err = { "" };

	*machine = (struct machine){ .n_cores = 0 };
	if (sysfs_pmus(root, &machine->pmus, &err) || sysfs_machine(root, machine, &err))
		fail_msg("%s", err.text);
}

/* All rows of a grouping as one text: "node 0=0-15 node 2=…". */
static void describe(const struct machine *machine, enum frame_by by, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned row = 0; row < frame_n_rows(machine, NULL, by); row++) {
		const struct frame_row is = { .by = by, .index = row };
		struct cpus cpus = { { 0 } };
		char name[48], list[64];

		for (unsigned i = 0; i < machine->n_cores; i++)
			if (frame_row_of_core(machine, by, i) == row)
				cpus_add(&cpus, machine->core[i].cpu);
		used += (size_t)snprintf(buf + used, size - used, "%s=%s ",
					 frame_row_name(machine, &is, name, sizeof(name)),
					 cpus_format(&cpus, list, sizeof(list)));
	}
}

static void rows_are_those_of_the_list(void **state)
{
	struct machine machine;
	char text[2048];

	(void)state;
	lay_out(true);
	load(&machine);
	assert_int_equal(machine.n_cores, 128);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		describe(&machine, wanted[i].by, text, sizeof(text));
		assert_string_equal(text, wanted[i].rows);
		assert_int_equal(frame_by_same(&machine, wanted[i].by), wanted[i].by);
	}
	machine_fini(&machine);
}

/* -C and the filter take names of rows; what is kept has the kernel's numbers. */
static void names_choose_cores(void **state)
{
	static const struct {
		const char *text, *cpus, *nodes; /* NULL: refused */
	} row[] = {
		{ "node2", "16-31", "node 2=16-31 " },
		{ "node 12,llc 1", "4-7,112-127", "node 0=4-7 node 12=112-127 " },
		{ "socket3 llc1", NULL, NULL },
		{ "llc6", NULL, NULL },
		{ "node1", NULL, NULL }, /* has memory alone */
		{ "node20", NULL, NULL },
		{ "LLC64,cpu0", "0,80-83", "node 0=0 node 8=80-83 " },
		{ "cluster 15", "136-143", "node 15=136-143 " },
		{ "1-2,node9", "1-2,96-111", "node 0=1-2 node 9=96-111 " },
		{ "node2,node7", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct machine machine;
		struct err err = { "" };
		char text[256];

		load(&machine);
		if (!row[i].cpus) {
			assert_int_equal(machine_keep(&machine, row[i].text, &err), -ENODEV);
			assert_non_null(strstr(err.text, row[i].text));
			assert_int_equal(machine.n_cores, 128);
		} else {
			assert_int_equal(machine_keep(&machine, row[i].text, &err), 0);
			describe(&machine, BY_NODE, text, sizeof(text));
			assert_string_equal(text, row[i].nodes);
			describe(&machine, BY_TYPE, text, sizeof(text));
			text[strlen(text) - 1] = '\0';
			assert_string_equal(text + strlen("cpu="), row[i].cpus);
		}
		machine_fini(&machine);
	}
	fake_root_remove(root);
}

/* Without ids of caches, as on arm64 before Linux 6.17, a cache is named by its first online CPU. */
static void caches_without_ids(void **state)
{
	struct machine machine;
	char text[2048];

	(void)state;
	lay_out(false);
	load(&machine);
	describe(&machine, BY_LLC, text, sizeof(text));
	text[strlen("llc 0=0-3 llc 4=4-7 llc 8=8-11 llc 12=12-15 llc 17=16-19 ")] = '\0';
	assert_string_equal(text, "llc 0=0-3 llc 4=4-7 llc 8=8-11 llc 12=12-15 llc 17=16-19 ");
	machine_fini(&machine);
	fake_root_remove(root);
}

/* A kernel without NUMA has node 0; one without descriptions of caches has no rows by cache. */
static void unknown_levels_have_no_rows(void **state)
{
	static const struct fake_file bare[] = {
		{ CPU_DIR "online", "0-3" },
		{ PMU_DIR "software/type", "1" },
		{ NULL, NULL },
	};
	struct machine machine = { .n_cores = 0 };
	struct err err = { "" };

	(void)state;
	fake_root(root, sizeof(root), bare);
	assert_int_equal(sysfs_pmus(root, &machine.pmus, &err), 0);
	assert_int_equal(sysfs_machine(root, &machine, &err), 0);
	assert_int_equal(frame_n_rows(&machine, NULL, BY_NODE), 1);
	assert_int_equal(frame_by_same(&machine, BY_NODE), BY_TYPE);
	assert_int_equal(frame_by_check(&machine, BY_NODE, &err), 0);
	assert_int_equal(frame_n_rows(&machine, NULL, BY_LLC), 0);
	assert_int_equal(frame_by_check(&machine, BY_LLC, &err), -ENOTSUP);
	assert_string_equal(err.text, "rows by llc: the kernel does not say which last-level "
				      "cache each core has");
	machine_fini(&machine);
	fake_root_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_those_of_the_list),
		cmocka_unit_test(names_choose_cores), /* in the tree of the test before */
		cmocka_unit_test(caches_without_ids),
		cmocka_unit_test(unknown_levels_have_no_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
