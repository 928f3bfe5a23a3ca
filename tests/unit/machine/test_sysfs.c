/* test_sysfs.c: what PMUs and cores m1top sees on machines whose files are laid out here */
#include <string.h>

#include "rig/sysfs_trees.h"
#include "rig/harness.h"
#include "machine/sysfs.h"

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
		const char *model, *cpuid, *text;
	} rows[] = {
		{ "m1", m1_files, "Apple MacBook Air (M1, 2020)", "0x00000000611f0220",
		  "apple_firestorm_pmu=11@4-7 apple_icestorm_pmu=10@0-3 software=1@0-6 |"
		  " E=apple_icestorm_pmu P=apple_firestorm_pmu |"
		  " 0:0:0:0:0 1:0:0:0:1 2:0:0:0:2 3:0:0:0:3 4:1:1:1:4 5:1:1:1:5 6:1:1:1:6 "
		  "7:1:1:1:7" },
		{ "hybrid", hybrid_files, "12th Gen Intel(R) Core(TM) i3-1215U",
		  "GenuineIntel-6-9A-4",
		  "cpu_atom=10@4-7 cpu_core=4@0-3 software=1@0-7 msr=12@0-7 |"
		  " E=cpu_atom P=cpu_core |"
		  " 0:1:0:1:0 1:1:0:1:0 2:1:0:1:1 3:1:0:1:1 4:0:1:0:2 5:0:1:0:3 6:0:1:0:4 "
		  "7:0:1:0:5" },
		{ "server", server_files, "Intel(R) Xeon(R) Platinum 8380", "GenuineIntel-6-6A-6",
		  "cpu=4@0-3 software=1@0-3 power=15@0,2 uncore_imc_0=14@0,2 |"
		  " cpu=cpu |"
		  " 0:0:0:0:0 1:0:0:0:0 2:0:1:1:1 3:0:1:1:1" },
		{ "smmu", smmu_files, "Mt. Jade", "0x00000000413fd0c1",
		  "armv8_pmuv3_0=10@0-1 software=1@0-1 smmuv3_pmcg_2b442=12@0 |"
		  " cpu=armv8_pmuv3_0 |"
		  " 0:0:0:0:0 1:0:0:0:1" },
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

/* Each row spoils one file of the server; only that file's PMU goes, and the text names it. */
static void test_broken_files(void **state)
{
	static const struct {
		const char *path, *text, *says;
	} rows[] = {
		{ "power/type", "", "power/type: \"\" is not a PMU type" },
		{ "power/type", "0x100000000", "power/type" },
		{ "power/cpumask", "0,x", "power/cpumask: \"0,x\"" },
		{ "power/cpumask", "99999", "power/cpumask" },
		{ "power/format/event", "config:7-0", "power/format/event: \"config:7-0\"" },
		{ "power/format/event", "config:64", "power/format/event" },
		{ "power/format/event", "config", "power/format/event" },
		{ "power/format/event", "config:0-", "power/format/event" },
		{ "power/format/event", "config:1,1", "power/format/event" },
		{ "power/format/event", "conf:0", "power/format/event" },
		{ "power/format/an_absurdly_long_name_for_a_field", "config:0",
		  "power/format/an_absurdly" },
		{ "power/events/energy-pkg", "", "power/events/energy-pkg:" },
		{ "power/events/energy-pkg.scale", "lots",
		  "power/events/energy-pkg.scale: \"lots\" is not a number" },
		{ "power/events/energy-pkg.unit", "kilowatthours per fortnight",
		  "power/events/energy-pkg.unit: File too large" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pmus pmus = { 0 };
		struct err err = { "old" };
		char path[256];

		fake_root(root, sizeof(root), server_files);
		snprintf(path, sizeof(path), PMU_DIR "%s", rows[i].path);
		fake_put(root, path, rows[i].text);

		int rc = sysfs_pmus(root, &pmus, &err);

		if (rc != 1 || !strstr(err.text, rows[i].says) || pmus.n != 3 ||
		    pmu_find(&pmus, "power"))
			fail_msg("%s = \"%s\": %d, %zu PMUs, %s", rows[i].path, rows[i].text, rc,
				 pmus.n, err.text);
		pmus_fini(&pmus);
		fake_root_remove(root);
	}
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
	assert_int_equal(machine.pmus.n, 1);
	assert_int_equal(machine.n_types, 1);
	assert_string_equal(machine.type[0].name, "cpu");
	assert_null(machine.type[0].pmu);
	assert_int_equal(machine.n_clusters, 1);
	unload(&machine);
}

static void test_this_machine(void **state)
{
	struct machine machine = { .n_cores = 0 };
	struct err err = { "" };

	(void)state;
	assert_true(sysfs_pmus("/", &machine.pmus, &err) >= 0);
	assert_int_equal(sysfs_machine("/", &machine, &err), 0);
	assert_int_equal(machine.pmus.n ? pmu_find(&machine.pmus, "software")->type : 0, 1);
	assert_true(machine.n_cores >= (unsigned)sysconf(_SC_NPROCESSORS_ONLN));
	assert_null(pmu_find(&machine.pmus, "tracepoint"));
	assert_null(pmu_find(&machine.pmus, "breakpoint"));
	machine_fini(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_threads_left_by_a_choice),
		cmocka_unit_test(test_midr_of_every_core),
		cmocka_unit_test(test_big_little_names),
		cmocka_unit_test(test_scale_unit_per_pkg),
		cmocka_unit_test(test_privilege_only_where_honoured),
		cmocka_unit_test(test_terms_through_real_formats),
		cmocka_unit_test(test_broken_files),
		cmocka_unit_test(test_newer_word_is_no_fault),
		cmocka_unit_test(test_nothing_there),
		cmocka_unit_test(test_no_core_pmu),
		cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
