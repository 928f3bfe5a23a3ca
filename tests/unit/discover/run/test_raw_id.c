/* test_raw_id.c: event numbers of PMUs whose files are laid out here, and sweeps of them */
#include "rig/perf_model.h"

#include "discover/findings.h"
#include "discover/ids.h"
#include "discover/sweep.h"
#include "pmu/machine.h"

static const struct fake_file amd_files[] = {
	{ CPU_DIR "online", "0" },
	{ PMU_DIR "cpu/type", "4" },
	{ PMU_DIR "cpu/format/event", "config:0-7,32-35" },
	{ PMU_DIR "cpu/format/umask", "config:8-15" },
	{ PMU_DIR "software/type", "1" },
	{ NULL, NULL },
};

static const struct fake_file wide_umask_files[] = {
	{ CPU_DIR "online", "0" },
	{ PMU_DIR "cpu/type", "4" },
	{ PMU_DIR "cpu/format/event", "config:0-7" },
	{ PMU_DIR "cpu/format/umask", "config:8-15,40-47" },
	{ PMU_DIR "software/type", "1" },
	{ NULL, NULL },
};

/* What is tried where none are asked for, and two ids as configs; 0: refused, as `says` says. */
static const struct {
	const char *name;
	const struct fake_file *files;
	const char *pmu;
	size_t n;
	uint64_t last;
	struct {
		uint64_t id, config;
	} of[3];
	const char *says;
} rows[] = {
	{ "intel",
	  server_files,
	  "cpu",
	  256,
	  0xff,
	  { { 0x81d0, 0x81d0 }, { 0xffff, 0xffff }, { 0x10000, 0 } },
	  "0x10000 is not an event id of cpu: event and umask are the bits 0xff and 0xff00" },
	{ "amd",
	  amd_files,
	  "cpu",
	  4096,
	  UINT64_C(0xf000000ff),
	  { { 0x01c0, 0x01c0 },
	    { UINT64_C(0x1000001c2), UINT64_C(0x1000001c2) },
	    { UINT64_C(0x1000000000), 0 } },
	  "0x1000000000 is not an event id of cpu: event and umask are the bits 0xf000000ff and "
	  "0xff00" },
	{ "wide umask",
	  wide_umask_files,
	  "cpu",
	  256,
	  0xff,
	  { { 0xffff, 0xffff },
	    { UINT64_C(0x10000000003), UINT64_C(0x10000000003) },
	    { UINT64_C(0x1000000000000), 0 } },
	  "and 0xff000000ff00" },
	{ "pmuv3",
	  smmu_files,
	  "armv8_pmuv3_0",
	  65536,
	  0xffff,
	  { { 0x11, 0x11 }, { 0x4004, 0x4004 }, { 0x10000, 0 } },
	  "event ids of armv8_pmuv3_0 end at 0xffff" },
	{ "m1",
	  m1_files,
	  "apple_icestorm_pmu",
	  256,
	  0xff,
	  { { 0x8c, 0x8c }, { 0xff, 0xff }, { 0x18c, 0 } },
	  "event ids of apple_icestorm_pmu end at 0xff" },
};

static void check_ids(const struct pmu *pmu, size_t row)
{
	struct ids ids;
	struct err err = { "" };

	assert_int_equal(raw_id_all(pmu, &ids, &err), 0);
	if (ids.n != rows[row].n || ids.id[ids.n - 1] != rows[row].last)
		fail_msg("%s: %zu ids up to %#lx", rows[row].name, ids.n, ids.id[ids.n - 1]);
	for (size_t i = 1; i < ids.n; i++)
		assert_true(ids.id[i] > ids.id[i - 1]);
	ids_fini(&ids);
}

static void check_config(const struct pmu *pmu, size_t row, unsigned i)
{
	uint64_t config[CONFIG_WORDS] = { 9, 9, 9, 9 }, again = 0;
	struct err err = { "" };

	if (!rows[row].of[i].config) {
		assert_int_equal(raw_id_encode(pmu, rows[row].of[i].id, config, &err), -EINVAL);
		assert_int_equal(config[0], 9);
		if (!strstr(err.text, rows[row].says))
			fail_msg("%s: %s", rows[row].name, err.text);
		return;
	}
	if (raw_id_encode(pmu, rows[row].of[i].id, config, &err))
		fail_msg("%s: %s", rows[row].name, err.text);
	assert_memory_equal(config, ((uint64_t[CONFIG_WORDS]){ rows[row].of[i].config }),
			    sizeof(config));
	assert_true(raw_id_of(pmu, config, &again));
	assert_int_equal(again, rows[row].of[i].id);
	config[1] = 1;
	assert_false(raw_id_of(pmu, config, &again));
}

static void test_ids_of_machines(void **state)
{
	(void)state;
	for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
		struct pmus pmus = { 0 };
		struct err err = { "" };
		const struct pmu *pmu;

		fake_root(model_root, sizeof(model_root), rows[row].files);
		assert_int_equal(sysfs_pmus(model_root, &pmus, &err), 0);
		pmu = pmu_find(&pmus, rows[row].pmu);
		assert_non_null(pmu);
		check_ids(pmu, row);
		for (unsigned i = 0; i < ARRAY_SIZE(rows[row].of); i++)
			check_config(pmu, row, i);
		pmus_fini(&pmus);
		fake_root_remove(model_root);
	}
}

static int setup_amd(void **state)
{
	return setup_model(state, amd_files);
}

/* What a sweep of x86 is of, and the events that it makes of an answer. */
static void test_events_have_umasks(void **state)
{
	const struct sweep_request request = { .backend = *state,
					       .ids = "0xc0,0x81d0,0x100000fc2",
					       .kernels = "nop" };
	struct finding finding = { .estimate = { .slope = 1,
						 .low = 1,
						 .high = 1,
						 .k = 1,
						 .n_largest = 1000,
						 .n_pairs = 35,
						 .verdict = VERDICT_NONE } };
	static const char *const says[] = {
		"\"UNKNOWN_C0_nop\",\n    \"EventCode\": \"0xc0\",\n    \"Brief",
		"\"EventCode\": \"0xd0\",\n    \"UMask\": \"0x81\"",
		("\"UNKNOWN_100000FC2_nop\",\n    \"EventCode\": \"0x1c2\",\n    \"UMask\": "
		 "\"0x0f\""),
	};
	struct text report = { 0 }, events = { 0 };
	struct findings_events made;
	struct findings findings, again;
	struct sweep *sweep = NULL;
	struct err err = { "" };

	if (sweep_new(&request, &sweep, &err))
		fail_msg("%s", err.text);
	assert_int_equal(sweep_findings(sweep, &findings, NULL), 0);
	assert_int_equal(findings.ids.n, 3);
	for (size_t i = 0; i < findings.ids.n; i++) {
		finding.id = findings.ids.id[i];
		assert_int_equal(findings_add(&findings, &finding), 0);
	}
	assert_int_equal(findings_decide(&findings), 0);
	findings_print(&findings, &report);
	if (findings_parse("r.json", report.bytes, report.n, &again, &err))
		fail_msg("%s", err.text);
	findings_print_events(&again, &events, &made);
	for (size_t i = 0; i < ARRAY_SIZE(says); i++)
		if (!strstr(events.bytes, says[i]))
			fail_msg("no %s in %s", says[i], events.bytes);
	text_fini(&report);
	text_fini(&events);
	findings_fini(&findings);
	findings_fini(&again);
	sweep_free(sweep);
}

static int setup_intel(void **state)
{
	return setup_model(state, server_files);
}

/* The catalogue's events with a umask label their ids. */
static void test_labels(void **state)
{
	const struct sweep_request request = { .backend = *state,
					       .ids = "0x2e,0x412e,0x4f2e",
					       .kernels = "nop" };
	static const char *const label[] = { "", "LONGEST_LAT_CACHE.MISS",
					     "LONGEST_LAT_CACHE.REFERENCE" };
	struct sweep *sweep = NULL;
	struct findings findings;
	struct err err = { "" };

	if (sweep_new(&request, &sweep, &err))
		fail_msg("%s", err.text);
	assert_int_equal(sweep_findings(sweep, &findings, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(label); i++)
		assert_string_equal(findings_of_id(&findings, 0, i)->label, label[i]);
	findings_fini(&findings);
	sweep_free(sweep);
}

/* Sweeps of what there is; more is refused, and so is going on with ids that meant something else. */
static void test_sweeps(void **state)
{
	struct sweep_request request = { .backend = *state, .kernels = "nop" };
	struct sweep *sweep = NULL;
	struct findings findings;
	struct err err = { "" };

	if (sweep_new(&request, &sweep, &err))
		fail_msg("%s", err.text);
	assert_int_equal(sweep_findings(sweep, &findings, NULL), 0);
	sweep_free(sweep);
	assert_int_equal(findings.ids.n, 4096);
	request.old = &findings;
	if (sweep_new(&request, &sweep, &err))
		fail_msg("%s", err.text);
	sweep_free(sweep);
	findings.type[0].umask_bits = 0;
	assert_int_equal(sweep_new(&request, &sweep, &err), -EINVAL);
	assert_string_equal(err.text, "its ids have an older format: start a new report");
	request.old = NULL;
	request.ids = "0x1000000000";
	assert_int_equal(sweep_new(&request, &sweep, &err), -EINVAL);
	assert_non_null(strstr(err.text, "is not an event id of cpu"));
	findings_fini(&findings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids_of_machines),
		cmocka_unit_test_setup_teardown(test_events_have_umasks, setup_amd, teardown_model),
		cmocka_unit_test_setup_teardown(test_labels, setup_intel, teardown_model),
		cmocka_unit_test_setup_teardown(test_sweeps, setup_amd, teardown_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
