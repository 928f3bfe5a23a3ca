/* What expressions are told of the machine: of this one, of a simulated one, and of one in a file. */
#include <math.h>

#include "rig/fake_root.h"
#include "rig/harness.h"
#include "metrics/expression.h"

static const struct pmu core_pmu = { .name = "cpu", .kind = PMU_CORE };

/* Two packages, each of two cores with two threads; CPU 7 is not there yet. */
static const struct fake_file server[] = {
	{ CPU_DIR "present", "0-8" },
	{ CPU_DIR "online", "0-7" },
	{ CPU_DIR "smt/active", "1" },
#define CPU(n, core, package)                                            \
	{ CPU_DIR "cpu" #n "/topology/core_cpus_list", core },           \
		{ CPU_DIR "cpu" #n "/topology/die_cpus_list", package }, \
	{                                                                \
		CPU_DIR "cpu" #n "/topology/package_cpus_list", package  \
	}
	CPU(0, "0,4", "0-1,4-5"),
	CPU(1, "1,5", "0-1,4-5"),
	CPU(2, "2,6", "2-3,6-7"),
	CPU(3, "3,7", "2-3,6-7"),
	CPU(4, "0,4", "0-1,4-5"),
	CPU(5, "1,5", "0-1,4-5"),
	CPU(6, "2,6", "2-3,6-7"),
	CPU(7, "3,7", "2-3,6-7"),
	{ PMU_DIR "cpu/caps/slots", "0x00000008" },
	{ "proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
			  "model\t\t: 85\nmodel name\t: Intel(R) Xeon(R) CPU @ 2.50GHz\n"
			  "stepping\t: 4\n" },
	{ "sys/firmware/acpi/tables/NFIT", "" },
	{ NULL, NULL },
};

/* @return NaN also when there is none such */
static double literal(const char *root, const struct machine *of, const char *name)
{
	struct literals literals;
	double value = NAN;

	literals_read(root, of, &literals);
	literals_get(&literals, 0, name, &value);
	return value;
}

static void literals(void **state)
{
	static const struct {
		const char *name;
		double value;
	} rows[] = {
		{ "#num_cpus", 9 },     { "#num_cpus_online", 8 },
		{ "#num_cores", 4 },    { "#num_dies", 2 },
		{ "#num_packages", 2 }, { "#SMT_on", 1 },
		{ "#slots", 8 },        { "#has_pmem", 1 },
		{ "#core_wide", 0 },    { "#SYSTEM_TSC_FREQ", 2.5e9 },
	};
	struct core core[] = { { .cpu = 0 }, { .cpu = 4 }, { .cpu = 1 } };
	struct machine real = { .type = { { .pmu = &core_pmu } }, .n_types = 1 };
	char root[64];
	double value;

	(void)state;
	real.core = core;
	real.n_cores = 3;
	fake_root(root, sizeof(root), server);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		value = literal(root, &real, rows[i].name);
		if (value != rows[i].value)
			fail_msg("%s is %g", rows[i].name, value);
	}
	real.n_cores = 2; /* -C 0,4: both threads of one core */
	assert_true(literal(root, &real, "#core_wide") == 1);
	assert_true(isnan(literal(root, &real, "#num_moons")));
	assert_true(isnan(literal(root, &real, "num_cpus")));
	/* in a file: what its cores and its model say, and nothing of this host */
	real.recorded = true;
	snprintf(real.model, sizeof(real.model), "Some CPU @ 3.00GHz");
	assert_true(literal(root, &real, "#num_cpus") == 5);
	assert_true(literal(root, &real, "#num_cpus_online") == 2);
	assert_true(literal(root, &real, "#system_tsc_freq") == 3e9);
	assert_true(isnan(literal(root, &real, "#smt_on")));
	assert_true(isnan(literal(root, &real, "#num_dies")));
	assert_true(isnan(literal(root, &real, "#slots")));
	real.recorded = false;
	fake_root_remove(root);
	/* nothing is known: 0 where perf says 0, undefined where it matters */
	assert_true(isnan(literal("/nowhere", &real, "#system_tsc_freq")));
	assert_true(isnan(literal("/nowhere", &real, "#slots")));
	assert_true(literal("/nowhere", &real, "#num_dies") == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(literals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
