/* Events of devices that are there several times: each by name, all by one name. */
#include <string.h>

#include "rig/fake_root.h"
#include "rig/harness.h"
#include "pmu/event.h"
#include "pmu/machine.h"

#define PMCG(n)                                                                                   \
	{ PMU_DIR "smmuv3_pmcg_" n "/type", "40" }, { PMU_DIR "smmuv3_pmcg_" n "/cpumask", "0" }, \
		{ PMU_DIR "smmuv3_pmcg_" n "/format/event", "config:0-15" },                      \
		{ PMU_DIR "smmuv3_pmcg_" n "/format/filter_stream_id", "config1:0-31" },          \
		{ PMU_DIR "smmuv3_pmcg_" n "/format/filter_span", "config1:32" },                 \
	{                                                                                         \
		PMU_DIR "smmuv3_pmcg_" n "/format/filter_enable", "config1:33"                    \
	}
#define SMMU(n)                                                               \
	PMCG(n), { PMU_DIR "smmuv3_pmcg_" n "/events/cycles", "event=0x00" }, \
	{                                                                     \
		PMU_DIR "smmuv3_pmcg_" n "/events/transaction", "event=0x01"  \
	}

/* clang-format off: it takes the rows for blocks */
static const struct fake_file files[] = {
	{ CPU_DIR "online", "0" },
	{ PMU_DIR "software/type", "1" },
	{ PMU_DIR "cpu/type", "4" },
	{ PMU_DIR "cpu/format/event", "config:0-7" },
	{ PMU_DIR "cpu/format/umask", "config:8-15" },
	FAKE_IMC("0"),
	FAKE_IMC("1"),
	FAKE_IMC("2"),
	{ PMU_DIR "uncore_imc_free_running_0/type", "30" },
	{ PMU_DIR "uncore_imc_free_running_0/cpumask", "0" },
	{ PMU_DIR "uncore_imc_free_running_0/format/event", "config:0-7" },
	{ PMU_DIR "hv_24x7/type", "32" },
	{ PMU_DIR "hv_24x7/cpumask", "0" },
	{ PMU_DIR "hv_24x7/format/domain", "config:0-3" },
	{ PMU_DIR "hv_24x7/format/core", "config:16-31" },
	{ PMU_DIR "hv_24x7/format/core_id", "config1:0-7" },
	{ PMU_DIR "hv_24x7/format/offset", "config:32-63" },
	{ PMU_DIR "hv_24x7/events/idle", "domain=?,offset=0x98,core=?" },
	{ PMU_DIR "hv_24x7/events/idle.scale", "0.5" },
	{ PMU_DIR "hv_24x7/events/idle.unit", "MiB" },
	{ PMU_DIR "arm_cmn_0/type", "31" },
	{ PMU_DIR "arm_cmn_0/cpumask", "0" },
	{ PMU_DIR "arm_cmn_0/identifier", "43601" },
	{ PMU_DIR "arm_cmn_0/format/eventid", "config:16-26" },
	{ PMU_DIR "arm_cmn_0/format/type", "config:0-15" },
	SMMU("2b440"),
	SMMU("2b442"),
	{ PMU_DIR "smmuv3_pmcg_2b442/events/pcie_ats_trans_rq", "event=0x06" },
	PMCG("2b444"), /* all its registers read as zero */
	{ "x86/mapfile.csv", "GenuineIntel-6-6A,v1,cpu,core" },
	{ "x86/cpu/a.json",
	  "["
	  "{\"EventName\": \"UNC_M_CAS\", \"EventCode\": \"0x04\", \"UMask\": \"0x0f\", \"Unit\": "
	  "\"iMC\", \"PerPkg\": \"1\", \"ScaleUnit\": \"64Bytes\"},"
	  "{\"EventName\": \"UNC_FREE\", \"EventCode\": \"0x10\", \"Unit\": \"imc_free_running\"},"
	  "{\"EventName\": \"UNC_GONE\", \"EventCode\": \"0x10\", \"Unit\": \"CHA\"},"
	  "{\"EventName\": \"TWICE\", \"EventCode\": \"0x11\"},"
	  "{\"EventName\": \"TWICE\", \"EventCode\": \"0x12\", \"Unit\": \"iMC\"},"
	  "{\"EventName\": \"HNF\", \"EventidCode\": \"0x5\", \"NodeType\": \"0x5\", \"Unit\": "
	  "\"arm_cmn\", \"Compat\": \"(434|436).*\"},"
	  "{\"EventName\": \"HNF\", \"EventidCode\": \"0x6\", \"NodeType\": \"0x5\", \"Unit\": "
	  "\"arm_cmn\", \"Compat\": \"700.*\"},"
	  "{\"EventName\": \"SMMU_TRANSACTION\", \"ShortName\": \"TRANS\", \"EventCode\": \"1\", "
	  "\"Unit\": \"smmuv3_pmcg\"},"
	  "{\"EventName\": \"SMMU_PCIE_ATS_TRANS_RQ\", \"EventCode\": \"6\", \"Unit\": "
	  "\"smmuv3_pmcg\"},"
	  "{\"EventName\": \"CORE\", \"EventCode\": \"0x3c\"}]" },
	{ NULL, NULL },
};
/* clang-format on */

static char root[64];
static struct machine machine;
static struct core core;
static struct event_table *table;

static int make_machine(void **state)
{
	struct core_type *type = &machine.type[0];
	struct err err = { "" };

	(void)state;
	fake_root(root, sizeof(root), files);
	assert_int_equal(sysfs_pmus(root, &machine.pmus, &err), 0);
	machine.core = &core;
	machine.n_cores = machine.n_types = machine.n_clusters = 1;
	type->pmu = pmu_find(&machine.pmus, "cpu");
	type->n_counters = 4;
	assert_int_equal(catalog_load(root, "x86", "GenuineIntel-6-6A-6", &type->catalog, &err), 0);
	assert_int_equal(machine_narrow_catalog(type->catalog, "cpu", &machine.pmus), 0);
	return event_table_new(&machine, &table);
}

static int free_machine(void **state)
{
	(void)state;
	event_table_free(table);
	catalog_free(machine.type[0].catalog);
	pmus_fini(&machine.pmus);
	fake_root_remove(root);
	return 0;
}

static int resolve(const char *text, const struct event **ret, struct err *err)
{
	AUTO_FREE struct event_spec *spec = NULL;
	size_t n;

	assert_int_equal(event_specs_parse(text, &spec, &n, err), 0);
	return event_resolve(table, 0, spec, PRIVILEGE_BOTH, ret, err);
}

static void one_device_by_name(void **state)
{
	static const struct {
		const char *text, *name, *pmu;
		uint64_t config;
	} rows[] = {
		{ "uncore_imc_1/UNC_M_CAS/", "uncore_imc_1/UNC_M_CAS/", "uncore_imc_1", 0xf04 },
		{ "uncore_imc_2/event=4,umask=1/", "uncore_imc_2/event=4,umask=1/", "uncore_imc_2",
		  0x104 },
		{ "uncore_imc_2/TWICE/", "uncore_imc_2/TWICE/", "uncore_imc_2", 0x12 },
		{ "cpu/TWICE/", "cpu/TWICE/", "cpu", 0x11 },
		{ "UNC_FREE", "UNC_FREE", "uncore_imc_free_running_0", 0x10 },
		{ "uncore_imc_free_running/UNC_FREE/", "uncore_imc_free_running_0/UNC_FREE/",
		  "uncore_imc_free_running_0", 0x10 },
		{ "imc_free_running/UNC_FREE/", "uncore_imc_free_running_0/UNC_FREE/",
		  "uncore_imc_free_running_0", 0x10 },
		{ "HNF", "HNF", "arm_cmn_0", 0x50005 },
		{ "arm_cmn_0/HNF/", "arm_cmn_0/HNF/", "arm_cmn_0", 0x50005 },
		/* what is given goes before what the event's entry says */
		{ "uncore_imc_1/UNC_M_CAS,umask=1/", "uncore_imc_1/UNC_M_CAS,umask=1/",
		  "uncore_imc_1", 0x104 },
		{ "uncore_imc_1/umask=1,UNC_M_CAS/", "uncore_imc_1/umask=1,UNC_M_CAS/",
		  "uncore_imc_1", 0x104 },
		{ "HNF/type=6/", "arm_cmn_0/HNF,type=6/", "arm_cmn_0", 0x50006 },
		{ "CORE/umask=2/", "CORE/umask=2/", "cpu", 0x23c },
		{ "cpu/CORE,umask=2/", "cpu/CORE,umask=2/", "cpu", 0x23c },
		{ "CORE/umask/:u", "CORE/umask/:u", "cpu", 0x13c },
		{ "core/umask=2/", "core/umask=2/", "cpu", 0x23c },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct event *event;
		struct err err = { "" };

		if (resolve(rows[i].text, &event, &err))
			fail_msg("%s: %s", rows[i].text, err.text);
		assert_string_equal(event->name, rows[i].name);
		assert_string_equal(event->pmu->name, rows[i].pmu);
		assert_int_equal(event->config[0], rows[i].config);
		assert_true(event->needs_counter == !strcmp(rows[i].pmu, "cpu"));
	}
}

static void scale_and_package(void **state)
{
	static const char *const rows[] = { "uncore_imc_0/UNC_M_CAS/",
					    "uncore_imc_0/UNC_M_CAS,umask=3/" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct event *event;

		assert_int_equal(resolve(rows[i], &event, NULL), 0);
		assert_true(event->per_pkg);
		assert_string_equal(event->unit, "Bytes");
		assert_int_equal(event->scale, 64);
	}
}

/* With other terms it is another event, which goes by each way to write it. */
static void an_event_with_terms_is_another(void **state)
{
	static const struct {
		const char *text, *name;
		bool is;
	} rows[] = {
		{ "CORE/umask=2/", "CORE", false },
		{ "CORE/umask=2/", "umask=2", false },
		{ "CORE/umask=2/", "CORE,umask=2", true },
		{ "cpu/CORE,umask=2/", "CORE,umask=2", true },
		{ "CORE/umask=2/u", "core/umask=2/:u", true },
		{ "CORE/umask=0/", "CORE", true }, /* the same code */
		{ "uncore_imc_0/UNC_M_CAS,umask=3/", "UNC_M_CAS", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct event *event, *again;

		assert_int_equal(resolve(rows[i].text, &event, NULL), 0);
		if (event_is(event, rows[i].name) != rows[i].is)
			fail_msg("%s: %s", rows[i].text, rows[i].name);
		/* as it is in a configuration file */
		assert_int_equal(resolve(event->name, &again, NULL), 0);
		assert_ptr_equal(again, event);
	}
}

/* Parameters of the kernel's events get their values from the user's terms, in any order, as in perf. */
static void parameters_of_an_event(void **state)
{
	static const char *const rows[] = { "hv_24x7/idle,domain=2,core=0x11/",
					    "hv_24x7/core=17,idle,domain=2/" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct event *event;
		struct err err = { "" };

		if (resolve(rows[i], &event, &err))
			fail_msg("%s: %s", rows[i], err.text);
		assert_int_equal(event->config[0], 0x9800110002);
		assert_string_equal(event->unit, "MiB");
		assert_true(event->scale == 0.5);
	}
}

struct refusal {
	const char *text, *says;
	int code;
};

static void check_refused(const struct refusal *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct event *event;
		struct err err = { "" };

		assert_int_equal(resolve(rows[i].text, &event, &err), -rows[i].code);
		if (!strstr(err.text, rows[i].says))
			fail_msg("%s: %s", rows[i].text, err.text);
	}
}

static void which_one_must_be_said(void **state)
{
	static const struct refusal rows[] = {
		{ "UNC_M_CAS",
		  "UNC_M_CAS counts on 3 PMUs; choose one: uncore_imc_0/UNC_M_CAS/, "
		  "uncore_imc_1/UNC_M_CAS/, uncore_imc_2/UNC_M_CAS/",
		  ENOTUNIQ },
		{ "uncore_imc/UNC_M_CAS/", "uncore_imc_2/UNC_M_CAS/", ENOTUNIQ },
		{ "clockticks", "uncore_imc_2/clockticks/", ENOTUNIQ },
		{ "UNC_GONE", "UNC_GONE needs the PMU \"uncore_cha\", which does not exist here",
		  ENOENT },
		{ "TWICE", "several events are named", ENOTUNIQ },
		{ "UNC_M_CAS/umask=3/",
		  "UNC_M_CAS,umask=3 counts on 3 PMUs; choose one: "
		  "uncore_imc_0/UNC_M_CAS,umask=3/,",
		  ENOTUNIQ },
		{ "UNC_GONE/umask=3/", "UNC_GONE needs the PMU \"uncore_cha\"", ENOENT },
		{ "TWICE/umask=3/", "several events are named", ENOTUNIQ },
		{ "UNC_FRE/umask=3/", "; near: UNC_FREE", ENOENT },
		{ "UNC_FREE/thresh=1/",
		  "uncore_imc_free_running_0 has no term \"thresh\"; it has event, config, ",
		  EINVAL },
		{ "CORE/thresh=1/", "cpu has no term \"thresh\"; it has event, umask, ", EINVAL },
		{ "CORE/umask=256/", "umask=256 does not fit into 8 bits", ERANGE },
		{ "CORE/TWICE/", "\"CORE\" and \"TWICE\" exclude each other", EINVAL },
		{ "CORE/event=1/", "\"CORE\" and \"event=1\" exclude each other", EINVAL },
		{ "uncore_im/x/", "no PMU and no event is named \"uncore_im\"; PMUs: cpu, ",
		  ENOENT },
	};

	(void)state;
	check_refused(rows, ARRAY_SIZE(rows));
}

static void one_name_is_every_device(void **state)
{
	static const struct {
		const char *text, *names;
	} rows[] = {
		{ "UNC_M_CAS,CORE",
		  "uncore_imc_0/UNC_M_CAS/ uncore_imc_1/UNC_M_CAS/ uncore_imc_2/UNC_M_CAS/ CORE " },
		{ "clockticks",
		  "uncore_imc_0/clockticks/ uncore_imc_1/clockticks/ uncore_imc_2/clockticks/ " },
		{ "uncore_imc/event=1/",
		  "uncore_imc_0/event=1/ uncore_imc_1/event=1/ uncore_imc_2/event=1/ " },
		{ "imc/UNC_M_CAS,umask=0x3/",
		  "uncore_imc_0/UNC_M_CAS,umask=0x3/ uncore_imc_1/UNC_M_CAS,umask=0x3/ "
		  "uncore_imc_2/UNC_M_CAS,umask=0x3/ " },
		{ "UNC_M_CAS/umask=0x3/,CORE/umask=1/",
		  "uncore_imc_0/UNC_M_CAS,umask=0x3/ uncore_imc_1/UNC_M_CAS,umask=0x3/ "
		  "uncore_imc_2/UNC_M_CAS,umask=0x3/ CORE/umask=1/ " },
		{ "clockticks/umask=1/",
		  "uncore_imc_0/clockticks,umask=1/ uncore_imc_1/clockticks,umask=1/ "
		  "uncore_imc_2/clockticks,umask=1/ " },
		{ "uncore_imc_1/UNC_M_CAS/,HNF", "uncore_imc_1/UNC_M_CAS/ HNF " },
		{ "smmuv3_pmcg/transaction,stream=0x40-0x7f/",
		  "smmuv3_pmcg_2b440/transaction,stream=0x40-0x7f/ "
		  "smmuv3_pmcg_2b442/transaction,stream=0x40-0x7f/ " },
		{ "SMMU_TRANSACTION",
		  "smmuv3_pmcg_2b440/SMMU_TRANSACTION/ smmuv3_pmcg_2b442/SMMU_TRANSACTION/ " },
		/* one of them has it */
		{ "SMMU_PCIE_ATS_TRANS_RQ", "SMMU_PCIE_ATS_TRANS_RQ " },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_FREE struct event_spec *given = NULL;
		AUTO_FREE struct event_spec *spec = NULL;
		char names[400] = "";
		size_t n, used = 0;

		assert_int_equal(event_specs_parse(rows[i].text, &given, &n, NULL), 0);
		assert_int_equal(event_specs_expand(table, given, n, &spec, &n, NULL), 0);
		for (size_t k = 0; k < n; k++) {
			const struct event *event;
			struct err err = { "" };

			if (event_resolve(table, 0, &spec[k], PRIVILEGE_BOTH, &event, &err))
				fail_msg("%s: %s", rows[i].text, err.text);
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s ",
						 event->name);
		}
		assert_string_equal(names, rows[i].names);
	}
}

static void streams_of_an_smmu(void **state)
{
	static const struct {
		const char *text, *short_name;
		uint64_t config1;
		bool is_filtered;
	} rows[] = {
		{ "smmuv3_pmcg_2b440/transaction/", "TRANS", 0, false },
		{ "smmuv3_pmcg_2b440/transaction,stream=0x42/", "TRANS:42", 0x200000042, true },
		{ "smmuv3_pmcg_2b440/stream=66,transaction/", "TRANS:42", 0x200000042, true },
		{ "smmuv3_pmcg_2b440/transaction,stream=0x40-0x7f/", "TR:40-7f", 0x30000005f,
		  true },
		{ "smmuv3_pmcg_2b440/transaction,stream=64-127/", "TR:40-7f", 0x30000005f, true },
		{ "smmuv3_pmcg_2b440/transaction,stream=0x1000-0x1fff/", "TRANS*", 0x3000017ff,
		  true },
		{ "smmuv3_pmcg_2b440/event=1,filter_enable=1,filter_stream_id=5/", "TRANS:5",
		  0x200000005, true },
		/* the kernel does not look at it */
		{ "smmuv3_pmcg_2b440/event=1,filter_stream_id=5/", "", 5, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct event *event;
		struct err err = { "" };

		if (resolve(rows[i].text, &event, &err))
			fail_msg("%s: %s", rows[i].text, err.text);
		assert_string_equal(event->name, rows[i].text);
		assert_true(event->config[0] == 1 && event->config[1] == rows[i].config1);
		assert_true(event->streams == (rows[i].is_filtered ? rows[i].config1 : 0));
		if (*rows[i].short_name) {
			assert_string_equal(event->short_name, rows[i].short_name);
			assert_string_equal(event->known->name, "SMMU_TRANSACTION");
		}
	}
}

/* The filter is the hardware's, but a clock ticks for no stream. */
static void cycles_are_of_no_stream(void **state)
{
	const struct event *event;

	(void)state;
	assert_int_equal(resolve("smmuv3_pmcg_2b440/cycles,stream=0x42/", &event, NULL), 0);
	assert_true(event->config[0] == 0 && event->config[1] == 0x200000042);
	assert_null(strpbrk(event->short_name, ":*"));
}

static void what_cannot_be_counted(void **state)
{
	static const struct refusal rows[] = {
		{ "smmuv3_pmcg_2b440/transaction,stream=0x40-0x80/", "nearest is 0x40-0x7f",
		  EINVAL },
		{ "smmuv3_pmcg_2b440/transaction,stream=/", "give a StreamID", EINVAL },
		{ "uncore_imc_0/clockticks,stream=1/", "no term \"stream\"", EINVAL },
		{ "smmuv3_pmcg_2b440/SMMU_PCIE_ATS_TRANS_RQ/", "no term", EINVAL },
		{ "smmuv3_pmcg_2b440/pcie_ats_trans_rq/", "no term", EINVAL },
		{ "smmuv3_pmcg_2b440/transaction,stream=1,stream=2/",
		  "\"stream=1\" and \"stream=2\" exclude each other", EINVAL },
		{ "smmuv3_pmcg_2b440/stream=1,transaction,filter_span=1/",
		  "\"stream=1\" and \"filter_span=1\" exclude", EINVAL },
		{ "smmuv3_pmcg_2b440/filter_stream_id=1,transaction,stream=1/", "exclude", EINVAL },
		{ "smmuv3_pmcg_2b440/event=1,event=2/", "\"event=1\" and \"event=2\" exclude",
		  EINVAL },
		{ "smmuv3_pmcg_2b440/transaction,cycles/", "\"transaction\" and \"cycles\"",
		  EINVAL },
		{ "smmuv3_pmcg_2b440/transaction,event=2/", "exclude each other", EINVAL },
		{ "smmuv3_pmcg_2b440/SMMU_TRANSACTION,transaction/", "exclude each other", EINVAL },
		{ "smmuv3_pmcg_2b440/event=0x10000/", "does not fit into 16 bits", ERANGE },
		{ "hv_24x7/idle/", "hv_24x7: Required parameter 'domain' not specified", EINVAL },
		{ "hv_24x7/idle,domain=2/", "Required parameter 'core' not specified", EINVAL },
		{ "hv_24x7/idle,domain=2,core_id=1/", "parameter 'core' not specified", EINVAL },
		{ "hv_24x7/idle,domain=2,core=?/", "parameter 'core' not specified", EINVAL },
		{ "hv_24x7/idle,domain=2,core=x/", "core=x is not a number", EINVAL },
		{ "smmuv3_pmcg_2b444/transaction/", "its registers read as zero", EINVAL },
		{ "smmuv3_pmcg_2b444/event=0x81/", "smmuv3_pmcg_2b444: its registers read as zero",
		  EINVAL },
	};

	(void)state;
	check_refused(rows, ARRAY_SIZE(rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_device_by_name),
		cmocka_unit_test(scale_and_package),
		cmocka_unit_test(an_event_with_terms_is_another),
		cmocka_unit_test(parameters_of_an_event),
		cmocka_unit_test(which_one_must_be_said),
		cmocka_unit_test(one_name_is_every_device),
		cmocka_unit_test(streams_of_an_smmu),
		cmocka_unit_test(cycles_are_of_no_stream),
		cmocka_unit_test(what_cannot_be_counted),
	};

	return cmocka_run_group_tests(tests, make_machine, free_machine);
}
