/* Catalogue: what only Linux's own event files have, each field by a small example. */
#include <string.h>

#include "rig/fake_root.h"
#include "rig/harness.h"
#include "pmu/catalog.h"
#include "pmu/machine.h"

static char tree[64];

/* clang-format off: JSON is read as it stands */
static const struct fake_file files[] = {
	{ "x86/mapfile.csv", "Family-model,Version,Filename,EventType\n"
			     "GenuineIntel-6-55-[01234],v1,cpu,core\n"
			     "GenuineIntel-6-55-[0-9A-F],v1,other,core\n"
			     "GenuineIntel-6-55,v1,chipset,uncore\n" },
	{ "x86/other/a.json", "[]" },
	{ "x86/chipset/uncore.json",
	  "[{'EventName': 'FROM_CHIPSET', 'EventCode': '1', 'Unit': 'ARB'}]" },
	{ "x86/cpu/metricgroups.json", "{'Summary': 'described'}" },
	{ "x86/cpu/counter.json",
	  "[{'Unit': 'core', 'CountersNumFixed': 3, 'CountersNumGeneric': '4'}]" },
	{ "x86/cpu/cache.json",
	  "[{'EventName': 'OFFCORE', 'EventCode': '0xB7, 0xBB', 'UMask': '0x1', 'MSRIndex': "
	  "'0x1a6,0x1a7', 'MSRValue': '0x10001', 'SampleAfterValue': '100003'},"
	  "{'EventName': 'LATENCY', 'EventCode': '0XCD', 'UMask': '0x01', 'MSRIndex': '0x3F6', "
	  "'MSRValue': '0x8', 'PEBS': '2'},"
	  "{'EventName': 'FRONTEND', 'EventCode': '0xC6', 'UMask': '0x1', 'MSRIndex': '0x3F7', "
	  "'MSRValue': '0x400406'},"
	  "{'EventName': 'NO_MSR', 'EventCode': '0x24', 'MSRIndex': '0', 'MSRValue': '0x00'},"
	  "{'EventName': 'UNKNOWN_MSR', 'EventCode': '0x24', 'MSRIndex': '0x123', 'MSRValue': '1'},"
	  "{'EventName': 'NO_VALUE', 'EventCode': '0x24', 'MSRIndex': '0x3F6'},"
	  "{'EventName': 'EVERYTHING', 'EventCode': '0xD1', 'UMask': '0x20', 'CounterMask': '6', "
	  "'Invert': '1', 'EdgeDetect': '1', 'AnyThread': '1', 'Counter': '0,1,2,3'},"
	  "{'EventName': 'ZEROS', 'EventCode': '0x00', 'UMask': '0x00', 'CounterMask': '0', "
	  "'Filter': 'null', 'MSRIndex': 'null'},"
	  "{'EventName': 'Inst_Retired.Any', 'EventCode': '0x00', 'UMask': '0x1', 'Counter': "
	  "'Fixed counter 0'},"
	  "{'EventName': 'CPU_CLK_UNHALTED.REF', 'UMask': '0x3'},"
	  "{'EventName': 'OLD', 'EventCode': '1', 'Deprecated': '1', 'PerPkg': '0'}]" },
	{ "x86/cpu/uncore.json",
	  "[{'EventName': 'SEL', 'EventCode': '0x02', 'ExtSel': '1', 'UMask': '0x3', 'Unit': 'QPI "
	  "LL', 'PerPkg': '1', 'Counter': '0,'},"
	  "{'EventName': 'WIDE', 'EventCode': '0x35', 'UMask': '0x01', 'UMaskExt': '0xC001FE', "
	  "'Unit': 'CHA'},"
	  "{'EventName': 'WIDE_ONLY', 'EventCode': '0x35', 'UMaskExt': '0x20', 'Unit': 'CHA'},"
	  "{'EventName': 'WIDE_ALREADY', 'EventCode': '0x35', 'UMask': '0xC001FE01', 'UMaskExt': "
	  "'0xC001FE', 'Unit': 'CHA'},"
	  "{'EventName': 'PORTS', 'EventCode': '0x83', 'UMask': '0x4', 'PortMask': '0x08', "
	  "'FCMask': '0x07', 'Unit': 'IIO'},"
	  "{'EventName': 'FILTERED', 'EventCode': '0x35', 'Filter': "
	  "'filter_opc=0x180,filter_tid=0x3e', 'Unit': 'CBO'},"
	  "{'EventName': 'CONFIG', 'ConfigCode': '0x2c', 'Unit': 'hisi_sccl,l3c'},"
	  "{'EventName': 'MESH', 'EventidCode': '0x5', 'NodeType': '0x0a', 'Unit': 'arm_cmn'},"
	  "{'EventName': 'SLICE', 'EventCode': '0x4', 'UMask': '0xff', 'EnAllCores': '0x1', "
	  "'EnAllSlices': '0x1', 'SliceId': '0x3', 'ThreadMask': '0x3', 'RdWrMask': '0x2', 'Unit': "
	  "'L3PMC'}]" },
	{ "x86/cpu/metrics.json", "[{'MetricName': 'M', 'MetricExpr': '1', 'Unit': 'cpu_core'},"
				  "{'MetricName': 'M', 'MetricExpr': '2', 'Unit': 'cpu_atom'},"
				  "{'MetricName': 'plain', 'MetricExpr': '3'}]" },
	{ "arm64/mapfile.csv", "#Family-model,Version,Filename,EventType\n"
			       "0x00000000410fd0c0,v1,arm/n1,core\n" },
	{ "arm64/standard.json",
	  "[{'EventName': 'L1D_CACHE_REFILL', 'EventCode': '0x03', 'BriefDescription': 'standard', "
	  "'PublicDescription': 'standard, at length'},"
	  "{'MetricName': 'bound', 'MetricExpr': 'A / B', 'ScaleUnit': '100%', 'BriefDescription': "
	  "'share'}]" },
	{ "arm64/arm/n1/cache.json", "[{'ArchStdEvent': 'l1d_cache_refill'},"
				     "{'ArchStdEvent': 'L1D_CACHE_REFILL', 'EventName': 'MINE', "
				     "'BriefDescription': 'own', 'EventCode': '0x42'},"
				     "{'ArchStdEvent': 'bound', 'MetricExpr': 'A / C'},"
				     "{'ArchStdEvent': 'NOWHERE'}]" },
	{ "arm64/freescale/imx8mp/sys/ddr.json",
	  "[{'EventName': 'imx8mp_ddr.read', 'EventCode': '0x2a', 'Unit': 'imx8_ddr', 'Compat': "
	  "'i.MX8MP'}]" },
	{ "arm64/freescale/imx8mq/sys/ddr.json", "[{'EventName': 'imx8mq_ddr.read', 'EventCode': "
						 "'0x2a', 'Unit': 'imx8_ddr', 'Compat': 'i.MX8MQ'},"
						 "{'MetricName': 'imx8mq_bandwidth', 'MetricExpr': "
						 "'1', 'Unit': 'imx8_ddr', 'Compat': 'i.MX8MQ'}]" },
	{ NULL, NULL },
};
/* clang-format on */

/* The files above with the quotes of JSON. */
static int make_tree(void **state)
{
	(void)state;
	fake_root_json(tree, sizeof(tree), files);
	return 0;
}

static int remove_tree(void **state)
{
	(void)state;
	fake_root_remove(tree);
	return 0;
}

static struct catalog *load(const char *arch, const char *cpuid)
{
	struct catalog *catalog = NULL;
	struct err err = { "" };

	if (catalog_load(tree, arch, cpuid, &catalog, &err))
		fail_msg("%s", err.text);
	return catalog;
}

static const struct catalog_event *only(const struct catalog *catalog, const char *name)
{
	const struct catalog_event *event = NULL;

	if (catalog_lookup(catalog, name, &event, 1) != 1)
		fail_msg("%s is not one event", name);
	return event;
}

/* as tools/perf/pmu-events/jevents.py makes them */
static void every_field_is_encoded(void **state)
{
	static const struct {
		const char *name, *pmu, *terms;
		uint64_t id;
	} rows[] = {
		{ "OFFCORE", "", "event=0xb7,umask=0x1,offcore_rsp=0x10001", 0xb7 },
		{ "LATENCY", "", "event=0xcd,umask=0x1,ldlat=0x8", 0xcd },
		{ "FRONTEND", "", "event=0xc6,umask=0x1,frontend=0x400406", 0xc6 },
		{ "NO_MSR", "", "event=0x24", 0x24 },
		{ "EVERYTHING", "", "event=0xd1,umask=0x20,cmask=0x6,inv=0x1,edge=0x1,any=0x1",
		  0xd1 },
		{ "ZEROS", "", "event=0x0", 0 },
		{ "INST_RETIRED.ANY", "", "event=0xc0", 0xc0 },
		{ "CPU_CLK_UNHALTED.REF", "", "event=0x0,umask=0x3", 0 },
		{ "SEL", "uncore_qpi", "event=0x102,umask=0x3", 0x102 },
		{ "WIDE", "uncore_cha", "event=0x35,umask=0xc001fe01", 0x35 },
		{ "WIDE_ONLY", "uncore_cha", "event=0x35,umask=0x2000", 0x35 },
		{ "WIDE_ALREADY", "uncore_cha", "event=0x35,umask=0xc001fe01", 0x35 },
		{ "PORTS", "uncore_iio", "event=0x83,umask=0x4,ch_mask=0x8,fc_mask=0x7", 0x83 },
		{ "FILTERED", "uncore_cbox", "event=0x35,filter_opc=0x180,filter_tid=0x3e", 0x35 },
		{ "CONFIG", "hisi_sccl,l3c", "config=0x2c", 0x2c },
		{ "MESH", "arm_cmn", "eventid=0x5,type=0xa", 5 },
		{ "SLICE", "amd_l3",
		  "event=0x4,umask=0xff,rdwrmask=0x2,enallcores=0x1,enallslices=0x1,sliceid=0x3,"
		  "threadmask=0x3",
		  4 },
		{ "FROM_CHIPSET", "uncore_arb", "event=0x1", 1 },
	};
	struct catalog *catalog = load("x86", "GenuineIntel-6-55-4");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct catalog_event *event = only(catalog, rows[i].name);

		assert_string_equal(event->pmu, rows[i].pmu);
		assert_string_equal(event->terms, rows[i].terms);
		assert_int_equal(event->id, rows[i].id);
	}
	assert_int_equal(only(catalog, "EVERYTHING")->counters, 0xf);
	assert_int_equal(only(catalog, "INST_RETIRED.ANY")->counters, 0);
	assert_true(only(catalog, "OLD")->is_deprecated);
	assert_false(only(catalog, "OLD")->per_pkg);
	assert_false(only(catalog, "SEL")->is_deprecated);
	assert_true(only(catalog, "SEL")->per_pkg);
	catalog_free(catalog);
}

/* nothing is counted under a name whose encoding is not whole */
static void what_cannot_be_encoded_is_told(void **state)
{
	struct catalog *catalog = load("x86", "GenuineIntel-6-55-4");

	(void)state;
	assert_int_equal(catalog_lookup(catalog, "UNKNOWN_MSR", NULL, 0), 0);
	assert_int_equal(catalog_lookup(catalog, "NO_VALUE", NULL, 0), 0);
	assert_int_equal(catalog->n_refused, 2);
	assert_non_null(strstr(catalog->refused[0], "/x86/cpu/cache.json: $[4].MSRIndex: "));
	assert_non_null(strstr(catalog->refused[0], "(UNKNOWN_MSR)"));
	assert_non_null(strstr(catalog->refused[1], "$[5].MSRValue: missing"));
	catalog_free(catalog);
}

static void rows_of_several_types(void **state)
{
	struct catalog *catalog = load("x86", "GenuineIntel-6-55-7");

	(void)state;
	assert_string_equal(catalog->cpu, "x86/other");
	assert_string_equal(only(catalog, "FROM_CHIPSET")->pmu, "uncore_arb");
	assert_int_equal(catalog_lookup(catalog, "OFFCORE", NULL, 0), 0);
	catalog_free(catalog);

	catalog = load("x86", "GenuineIntel-6-99-7");
	assert_string_equal(catalog->cpu, "");
	assert_int_equal(catalog_lookup(catalog, "FROM_CHIPSET", NULL, 0), 0);
	/* software events are there whatever the tree lacks */
	assert_string_equal(only(catalog, "context-switches")->pmu, "software");
	catalog_free(catalog);
}

static void standard_events_are_inherited(void **state)
{
	struct catalog *catalog = load("arm64", "0x00000000413fd0c1");
	const struct catalog_event *event = only(catalog, "L1D_CACHE_REFILL");
	const struct catalog_metric *metric = catalog_metric_find(catalog, "bound");

	(void)state;
	assert_string_equal(catalog->cpu, "arm64/arm/n1");
	assert_string_equal(event->terms, "event=0x3");
	assert_string_equal(event->brief, "standard");
	assert_string_equal(event->what, "standard, at length");
	assert_string_equal(event->topic, "cache");

	event = only(catalog, "MINE");
	assert_string_equal(event->terms, "event=0x42");
	assert_string_equal(event->brief, "own");
	assert_string_equal(event->what, "standard, at length");

	assert_non_null(metric);
	assert_string_equal(metric->expr, "A / C");
	assert_string_equal(metric->unit, "%");
	assert_int_equal(metric->scale, 100);

	assert_int_equal(catalog->n_refused, 1);
	assert_non_null(strstr(catalog->refused[0], "$[3].ArchStdEvent: "));
	assert_non_null(strstr(catalog->refused[0], "(NOWHERE)"));
	catalog_free(catalog);
}

/* a board's own devices, and no other board's */
static void devices_by_their_identifier(void **state)
{
	struct pmu pmu = { .name = "imx8_ddr0", .identifier = "i.MX8MP", .kind = PMU_UNCORE };
	struct pmus pmus = { .pmu = &pmu, .n = 1 };
	struct catalog *catalog = load("arm64", "0x00000000410fd0c0");

	(void)state;
	assert_string_equal(only(catalog, "imx8mq_ddr.read")->compat, "i.MX8MQ");
	assert_int_equal(machine_narrow_catalog(catalog, "armv8_pmuv3_0", &pmus), 0);
	assert_string_equal(only(catalog, "imx8mp_ddr.read")->pmu, "imx8_ddr");
	assert_int_equal(catalog_lookup(catalog, "imx8mq_ddr.read", NULL, 0), 0);
	assert_null(catalog_metric_find(catalog, "imx8mq_bandwidth"));
	assert_string_equal(only(catalog, "MINE")->terms, "event=0x42");
	catalog_free(catalog);
}

static void metrics_of_one_core_type(void **state)
{
	static const struct {
		const char *core_pmu, *expr;
	} rows[] = { { "cpu_core", "1" }, { "cpu_atom", "2" }, { "cpu", NULL } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct catalog *catalog = load("x86", "GenuineIntel-6-55-4");
		const struct catalog_metric *metric;

		assert_int_equal(
			machine_narrow_catalog(catalog, rows[i].core_pmu, &(struct pmus){ 0 }), 0);
		metric = catalog_metric_find(catalog, "m");
		assert_true(!metric == !rows[i].expr);
		if (metric)
			assert_string_equal(metric->expr, rows[i].expr);
		assert_string_equal(catalog_metric_find(catalog, "plain")->expr, "3");
		catalog_free(catalog);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_is_encoded),
		cmocka_unit_test(what_cannot_be_encoded_is_told),
		cmocka_unit_test(rows_of_several_types),
		cmocka_unit_test(standard_events_are_inherited),
		cmocka_unit_test(devices_by_their_identifier),
		cmocka_unit_test(metrics_of_one_core_type),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
