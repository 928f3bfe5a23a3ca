/* test_sysfs.c: what PMUs and cores m1top sees on machines whose files are laid out here */
#include <string.h>

#include "rig/sysfs_trees.h"
#include "rig/harness.h"
#include "pmu/machine.h"

/* drivers/perf/riscv_pmu_sbi.c */
static const struct fake_file riscv_files[] = {
	{ CPU_DIR "online", "0-1" },
	{ "proc/cpuinfo", "processor\t: 0\nhart\t\t: 1\nisa\t\t: rv64imafdc\n"
			  "mvendorid\t: 0x489\nmarchid\t\t: 0x8000000000000007\n"
			  "mimpid\t\t: 0x4210427\n\n"
			  "processor\t: 1\nhart\t\t: 2\nmvendorid\t: 0x489\n"
			  "marchid\t\t: 0x8000000000000007\nmimpid\t\t: 0x4210427" },
	SOFTWARE_FILES,
	{ PMU_DIR "cpu/type", "4" },
	{ PMU_DIR "cpu/format/event", "config:0-47" },
	{ PMU_DIR "cpu/format/firmware", "config:63" },
	{ NULL, NULL },
};

static char root[64];

/* The machine as one text: PMUs, types, then cores as CPU:type:cluster:socket:physical core. */
static void describe(const struct machine *machine, char *buf, size_t size)
{
	size_t used = 0;
	char list[64];

	for (size_t i = 0; i < machine->pmus.n; i++) {
		const struct pmu *pmu = &machine->pmus.pmu[i];

		used += (size_t)snprintf(buf + used, size - used, "%s=%u@%s ", pmu->name, pmu->type,
					 cpus_format(&pmu->cpus, list, sizeof(list)));
	}
	used += (size_t)snprintf(buf + used, size - used, "|");
	for (unsigned t = 0; t < machine->n_types; t++)
		used += (size_t)snprintf(buf + used, size - used, " %s=%s", machine->type[t].name,
					 machine->type[t].pmu ? machine->type[t].pmu->name : "-");
	used += (size_t)snprintf(buf + used, size - used, " |");
	for (unsigned i = 0; i < machine->n_cores; i++)
		used += (size_t)snprintf(buf + used, size - used, " %u:%u:%u:%u:%u",
					 machine->core[i].cpu, machine->core[i].type,
					 machine->core[i].cluster, machine->core[i].socket,
					 machine->core[i].physical);
}

static void load(const struct fake_file *files, struct machine *ret)
{
	struct err err = { "" };

	*ret = (struct machine){ .n_cores = 0 };
	fake_root(root, sizeof(root), files);
	if (sysfs_pmus(root, &ret->pmus, &err) || sysfs_machine(root, ret, &err))
		fail_msg("%s", err.text);
	assert_string_equal(err.text, "");
}

static void unload(struct machine *machine)
{
	machine_fini(machine);
	fake_root_remove(root);
}

static void test_machines(void **state)
{
	static const struct {
		const char *name;
		const struct fake_file *files;
		const char *model, *cpuid, *arch, *text;
	} rows[] = {
		{ "m1", m1_files, "Apple MacBook Air (M1, 2020)", "0x00000000611f0220", "arm64",
		  "apple_firestorm_pmu=11@4-7 apple_icestorm_pmu=10@0-3 software=1@0-6 "
		  "tracepoint=2@0-6 |"
		  " E=apple_icestorm_pmu P=apple_firestorm_pmu |"
		  " 0:0:0:0:0 1:0:0:0:1 2:0:0:0:2 3:0:0:0:3 4:1:1:1:4 5:1:1:1:5 6:1:1:1:6 "
		  "7:1:1:1:7" },
		{ "hybrid", hybrid_files, "12th Gen Intel(R) Core(TM) i3-1215U",
		  "GenuineIntel-6-9A-4", "x86",
		  "cpu_atom=10@4-7 cpu_core=4@0-3 software=1@0-7 msr=12@0-7 tracepoint=2@0-7 |"
		  " E=cpu_atom P=cpu_core |"
		  " 0:1:0:1:0 1:1:0:1:0 2:1:0:1:1 3:1:0:1:1 4:0:1:0:2 5:0:1:0:3 6:0:1:0:4 "
		  "7:0:1:0:5" },
		{ "server", server_files, "Intel(R) Xeon(R) Platinum 8380", "GenuineIntel-6-6A-6",
		  "x86",
		  "cpu=4@0-3 software=1@0-3 tracepoint=2@0-3 power=15@0,2 uncore_imc_0=14@0,2 |"
		  " cpu=cpu |"
		  " 0:0:0:0:0 1:0:0:0:0 2:0:1:1:1 3:0:1:1:1" },
		{ "smmu", smmu_files, "Mt. Jade", "0x00000000413fd0c1", "arm64",
		  "armv8_pmuv3_0=10@0-1 software=1@0-1 tracepoint=2@0-1 smmuv3_pmcg_2b442=12@0 |"
		  " cpu=armv8_pmuv3_0 |"
		  " 0:0:0:0:0 1:0:0:0:1" },
		{ "riscv", riscv_files, "", "0x489-0x8000000000000007-0x4210427", "riscv",
		  "cpu=4@0-1 software=1@0-1 tracepoint=2@0-1 | cpu=cpu | 0:0:0:0:0 1:0:0:0:1" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine;
		char text[1024];

		print_message("%s\n", rows[i].name);
		load(rows[i].files, &machine);
		describe(&machine, text, sizeof(text));
		assert_string_equal(text, rows[i].text);
		assert_string_equal(machine.model, rows[i].model);
		assert_string_equal(machine.cpuid, rows[i].cpuid);
		assert_string_equal(machine_arch(&machine), rows[i].arch);
		unload(&machine);
	}
}

/* What -C leaves out is not there; a row that is left has the kernel's number of its socket. */
static void test_threads_left_by_a_choice(void **state)
{
	struct machine machine;
	struct cpus keep;
	struct err err = { "" };
	char text[32];

	(void)state;
	load(server_files, &machine);
	assert_true(machine_has_smt(&machine));
	assert_string_equal(machine_threads(&machine, 1, text, sizeof(text)), "2-3");
	assert_string_equal(machine_siblings(&machine, 2, text, sizeof(text)), "3");
	assert_int_equal(cpus_parse("1,3", &keep, &err), 0);
	assert_int_equal(machine_restrict(&machine, &keep, &err), 0);
	assert_false(machine_has_smt(&machine));
	assert_int_equal(machine.n_physical, 2);
	assert_string_equal(machine_siblings(&machine, 1, text, sizeof(text)), "");
	assert_int_equal(cpus_parse("3", &keep, &err), 0);
	assert_int_equal(machine_restrict(&machine, &keep, &err), 0);
	assert_int_equal(machine.n_sockets, 1);
	assert_int_equal(machine.core[0].socket, 0);
	assert_int_equal(machine.core[0].package, 1);
	unload(&machine);
}

/* uncore_imc_0 counts a socket each on the CPUs 0 and 2. */
static void test_devices_stay_beside_a_choice(void **state)
{
	static const struct {
		const char *keep, *read_on;
	} rows[] = {
		{ "0,2", "0,2" }, { "1", "0-2" },   { "3", "0,2-3" },
		{ "1,3", "0-3" }, { "0-1", "0,2" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine;
		struct cpus keep;
		struct err err = { "" };
		char text[32];

		load(server_files, &machine);
		assert_int_equal(cpus_parse(rows[i].keep, &keep, &err), 0);
		assert_int_equal(machine_restrict(&machine, &keep, &err), 0);
		assert_string_equal(cpus_format(&pmu_find(&machine.pmus, "uncore_imc_0")->cpus,
						text, sizeof(text)),
				    rows[i].read_on);
		unload(&machine);
	}
}

static void test_midr_of_every_core(void **state)
{
	struct machine machine;

	(void)state;
	load(m1_files, &machine);
	assert_int_equal(machine.core[3].midr, 0x611f0220);
	assert_int_equal(machine.core[4].midr, 0x611f0230);
	/* offline since start-up: what the other P cores are */
	assert_int_equal(machine.core[7].midr, 0x611f0230);
	unload(&machine);
}

static void test_big_little_names(void **state)
{
	static const struct fake_file files[] = {
		{ CPU_DIR "online", "0-2" },
		{ PMU_DIR "armv8_cortex_a76/type", "8" },
		{ PMU_DIR "armv8_cortex_a76/cpus", "1" },
		{ PMU_DIR "armv8_cortex_a55/type", "7" },
		{ PMU_DIR "armv8_cortex_a55/cpus", "0" },
		{ NULL, NULL },
	};
	struct machine machine;

	(void)state;
	load(files, &machine);
	assert_int_equal(machine.n_types, 3);
	assert_string_equal(machine.type[0].name, "cortex_a55");
	assert_string_equal(machine.type[1].name, "cortex_a76");
	/* CPU 2 has no counters, and is not counted as if it had another core's */
	assert_string_equal(machine.type[2].name, "cpu");
	assert_null(machine.type[2].pmu);
	assert_int_equal(machine.core[2].type, 2);
	unload(&machine);
}

static void test_scale_unit_per_pkg(void **state)
{
	struct machine machine;

	(void)state;
	load(server_files, &machine);

	const struct pmu *power = pmu_find(&machine.pmus, "power");
	const struct pmu *imc = pmu_find(&machine.pmus, "uncore_imc_0");
	const struct pmu_alias *energy = pmu_alias_find(power, "energy-pkg");
	const struct pmu_alias *reads = pmu_alias_find(imc, "cas_count_read");
	const struct pmu_alias *misses =
		pmu_alias_find(pmu_find(&machine.pmus, "cpu"), "branch-misses");

	assert_int_equal(power->n_aliases, 1);
	assert_true(energy->scale == 1.0 / (UINT64_C(1) << 32));
	assert_string_equal(energy->unit, "Joules");
	assert_true(energy->per_pkg);
	assert_true(reads->scale == 64.0 / 1024 / 1024);
	assert_string_equal(reads->unit, "MiB");
	assert_false(reads->per_pkg);
	assert_true(misses->scale == 1);
	assert_string_equal(misses->unit, "");
	unload(&machine);
}

static void test_privilege_only_where_honoured(void **state)
{
	static const struct {
		const char *pmu;
		bool honours;
	} rows[] = { { "cpu_core", true }, { "software", true }, { "msr", false } };
	struct machine machine;

	(void)state;
	load(hybrid_files, &machine);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(pmu_find(&machine.pmus, rows[i].pmu)->honours_privilege,
				 rows[i].honours);
	unload(&machine);
	load(server_files, &machine);
	assert_false(pmu_find(&machine.pmus, "uncore_imc_0")->honours_privilege);
	unload(&machine);
}

static void test_terms_through_real_formats(void **state)
{
	struct machine machine;
	uint64_t config[CONFIG_WORDS];
	struct err err = { "" };

	(void)state;
	load(smmu_files, &machine);

	const struct pmu *pmcg = pmu_find(&machine.pmus, "smmuv3_pmcg_2b442");

	assert_int_equal(
		pmu_encode(pmcg, "event=2,filter_enable,filter_stream_id=0x42", config, &err), 0);
	assert_int_equal(config[0], 2);
	assert_int_equal(config[1], UINT64_C(1) << 33 | 0x42);
	assert_int_equal(pmu_encode(pmcg, "event=0x10000", config, &err), -ERANGE);
	unload(&machine);
}

/* Each row spoils one file of the server, which is named; without a type the PMU goes, else the file
 * alone. Other kinds of spoilt files: tests/e2e/pmu_files.py */
static void test_broken_files(void **state)
{
	static const struct {
		const char *path, *text, *says;
	} rows[] = {
		{ "power/type", "", "power/type: \"\" is not a PMU type" },
		{ "power/type", "0x100000000", "power/type" },
		{ "power/cpumask", "0,x", "power/cpumask: \"0,x\"" },
		{ "power/cpumask", "99999", "power/cpumask" },
		{ "power/format/other", "config:7-0", "power/format/other: \"config:7-0\"" },
		{ "power/format/an_absurdly_long_name_for_a_field", "config:0",
		  "power/format/an_absurdly" },
		{ "power/events/other", "", "power/events/other:" },
		{ "power/events/energy-pkg.scale", "lots",
		  "power/events/energy-pkg.scale: not a number above 0" },
		{ "power/events/energy-pkg.unit", "kilowatthours per fortnight",
		  "power/events/energy-pkg.unit: File too large" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bool has_type = strcmp(rows[i].path, "power/type") != 0;
		struct pmus pmus = { 0 };
		struct err err = { "" };
		char path[256];

		fake_root(root, sizeof(root), server_files);
		snprintf(path, sizeof(path), PMU_DIR "%s", rows[i].path);
		fake_put(root, path, rows[i].text);

		int rc = sysfs_pmus(root, &pmus, &err);
		const struct pmu *power = pmu_find(&pmus, "power");
		const char *said = power ? power->ignored.text : pmus.ignored.text;

		if (rc || !strstr(said, rows[i].says) || !power == has_type ||
		    (power && power->n_aliases != 1))
			fail_msg("%s = \"%s\": %d, %zu PMUs, %s", rows[i].path, rows[i].text, rc,
				 pmus.n, said);
		pmus_fini(&pmus);
		fake_root_remove(root);
	}
}

/* Of two core PMUs the one whose CPUs cannot be read has those that the other does not have. */
static void test_cpus_of_the_other_pmu(void **state)
{
	struct pmus pmus = { 0 };
	struct err err = { "" };
	char text[32];

	(void)state;
	fake_root(root, sizeof(root), hybrid_files);
	fake_put(root, PMU_DIR "cpu_atom/cpus", "4-x");
	assert_int_equal(sysfs_pmus(root, &pmus, &err), 0);

	const struct pmu *atom = pmu_find(&pmus, "cpu_atom");

	assert_string_equal(cpus_format(&atom->cpus, text, sizeof(text)), "4-7");
	assert_non_null(strstr(atom->ignored.text, "cpu_atom/cpus: \"4-x\""));
	pmus_fini(&pmus);
	fake_root_remove(root);
}

static void test_newer_word_is_no_fault(void **state)
{
	struct pmus pmus = { 0 };
	struct err err = { "" };

	(void)state;
	fake_root(root, sizeof(root), server_files);
	fake_put(root, PMU_DIR "cpu/format/later", "config4:0-3");
	assert_int_equal(sysfs_pmus(root, &pmus, &err), 0);
	assert_int_equal(pmu_find(&pmus, "cpu")->n_formats, 4);
	pmus_fini(&pmus);
	fake_root_remove(root);
}

static void test_nothing_there(void **state)
{
	struct pmus pmus = { .n = 77 };
	struct cpus online;
	struct err err = { "" };
	char text[8];

	(void)state;
	fake_root(root, sizeof(root), (const struct fake_file[]){ { NULL, NULL } });
	assert_int_equal(sysfs_pmus(root, &pmus, &err), -ENOENT);
	assert_non_null(strstr(err.text, "cpu/online"));
	fake_put(root, CPU_DIR "online", "0");
	assert_int_equal(sysfs_pmus(root, &pmus, &err), -ENOENT);
	assert_non_null(strstr(err.text, "event_source/devices"));
	assert_int_equal(pmus.n, 77);
	fake_put(root, CPU_DIR "online", "0-");
	assert_int_equal(sysfs_online(root, &online, &err), -EINVAL);
	assert_non_null(strstr(err.text, "cpu/online: \"0-\""));
	fake_put(root, "long", "12345678");
	assert_int_equal(sysfs_read(root, "/long", text, sizeof(text)), -EFBIG);
	assert_int_equal(sysfs_read(root, "none", text, sizeof(text)), -ENOENT);
	fake_root_remove(root);
}

static void test_no_core_pmu(void **state)
{
	static const struct fake_file files[] = {
		{ CPU_DIR "online", "0-1" },
		SOFTWARE_FILES,
		{ NULL, NULL },
	};
	struct machine machine;

	(void)state;
	load(files, &machine);
	assert_int_equal(machine.pmus.n, 2);
	assert_int_equal(machine.n_types, 1);
	assert_string_equal(machine.type[0].name, "cpu");
	assert_null(machine.type[0].pmu);
	assert_int_equal(machine.n_clusters, 1);
	unload(&machine);
}

static void check_numbers(const struct machine *machine)
{
	assert_true(machine->n_cores);
	for (unsigned i = 0; i < machine->n_cores; i++) {
		const struct core *core = &machine->core[i];

		assert_true(core->type < machine->n_types);
		assert_true(core->cluster < machine->n_clusters);
		assert_true(core->socket < machine->n_sockets);
		assert_true(core->physical < machine->n_physical);
		assert_true(!i || machine->core[i - 1].cpu < core->cpu);
	}
}

/* Read the tree with another text in one of its files. @text  NULL: it is missing */
static void check_odd_file(const char *path, const char *text, unsigned n_cores)
{
	struct machine machine = { .n_cores = 0 };
	struct err err = { "" };
	char full[512];

	fake_put(root, path, text ? text : "");
	snprintf(full, sizeof(full), "%s/%s", root, path);
	if (!text)
		unlink(full);
	assert_int_equal(sysfs_pmus(root, &machine.pmus, &err), 0);
	if (sysfs_machine(root, &machine, &err) || machine.n_cores != n_cores)
		fail_msg("%s = %s: %s", path, text ? text : "-", err.text);
	check_numbers(&machine);
	machine_fini(&machine);
}

/* The cores stay, and their numbers are dense. */
static void test_odd_files(void **state)
{
	static const struct fake_file *const trees[] = { m1_files, hybrid_files, server_files,
							 smmu_files };
	static const unsigned n_cores[] = { 8, 8, 4, 2 };
	static const char *const odd[] = {
		NULL, "",       "junk",       "-1",
		"7",  "65535",  "4294967295", "99999999999999999999",
		"0-", "0-4000", "3,9",        "(null)",
	};

	(void)state;
	for (size_t t = 0; t < ARRAY_SIZE(trees); t++) {
		fake_root(root, sizeof(root), trees[t]);
		for (const struct fake_file *file = trees[t]; file->path; file++) {
			if (strncmp(file->path, CPU_DIR "cpu", strlen(CPU_DIR "cpu")) != 0 &&
			    strncmp(file->path, "proc/", 5) != 0)
				continue;
			for (size_t i = 0; i < ARRAY_SIZE(odd); i++)
				check_odd_file(file->path, odd[i], n_cores[t]);
			fake_put(root, file->path, file->text);
		}
		fake_root_remove(root);
	}
}

static void test_this_machine(void **state)
{
	struct machine machine = { .n_cores = 0 };
	struct err err = { "" };

	(void)state;
	assert_int_equal(sysfs_pmus("/", &machine.pmus, &err), 0);
	assert_int_equal(sysfs_machine("/", &machine, &err), 0);
	assert_int_equal(machine.pmus.n ? pmu_find(&machine.pmus, "software")->type : 0, 1);
	assert_true(machine.n_cores >= (unsigned)sysconf(_SC_NPROCESSORS_ONLN));
	assert_null(pmu_find(&machine.pmus, "breakpoint"));
	machine_fini(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_threads_left_by_a_choice),
		cmocka_unit_test(test_devices_stay_beside_a_choice),
		cmocka_unit_test(test_midr_of_every_core),
		cmocka_unit_test(test_big_little_names),
		cmocka_unit_test(test_scale_unit_per_pkg),
		cmocka_unit_test(test_privilege_only_where_honoured),
		cmocka_unit_test(test_terms_through_real_formats),
		cmocka_unit_test(test_broken_files),
		cmocka_unit_test(test_cpus_of_the_other_pmu),
		cmocka_unit_test(test_newer_word_is_no_fault),
		cmocka_unit_test(test_nothing_there),
		cmocka_unit_test(test_no_core_pmu),
		cmocka_unit_test(test_odd_files),
		cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
