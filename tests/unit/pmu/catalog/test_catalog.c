/* Catalogue: what events/ says about each CPU, and how names find it. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "rig/harness.h"
#include "rig/catalog_check.h"
#include "pmu/catalog.h"

#define FIRESTORM "0x00000000611f0230"

static char events[PATH_MAX];
static struct catalog *m1;

static int load_m1(void **state)
{
	struct err err = { 0 };

	(void)state;
	if (catalog_find_dir(NULL, events, sizeof(events), &err) ||
	    catalog_load(events, "arm64", FIRESTORM, &m1, &err)) {
		print_error("%s\n", err.text);
		return -1;
	}
	return 0;
}

static int free_m1(void **state)
{
	(void)state;
	catalog_free(m1);
	return 0;
}

static const struct catalog_event *only(const struct catalog *catalog, const char *name)
{
	const struct catalog_event *event = NULL;

	if (catalog_lookup(catalog, name, &event, 1) != 1)
		fail_msg("%s is not one event", name);
	return event;
}

/* masks: Linux drivers/perf/apple_m1_cpu_pmu.c and Apple's lists, typed in by hand */
static void m1_masks(void **state)
{
	static const struct {
		const char *name;
		uint64_t id, counters;
	} rows[] = {
		{ "CORE_ACTIVE_CYCLE", 0x02, 0x3fd },
		{ "INST_ALL", 0x8c, 0x082 },
		{ "RETIRE_UOP", 0x01, 0x080 },
		{ "INST_INT_ST", 0x96, 0x080 },
		{ "INST_LDST", 0x9b, 0x080 },
		{ "INST_INT_ALU", 0x97, 0x080 },
		{ "INST_SIMD_ALU", 0x9a, 0x080 },
		{ "INST_BRANCH", 0x8d, 0x0e0 },
		{ "BRANCH_MISPRED_NONSPEC", 0xcb, 0x0e0 },
		{ "L1D_TLB_MISS_NONSPEC", 0xc1, 0x0e0 },
		{ "INST_BARRIER", 0x9c, 0x0e0 },
		{ "MAP_STALL", 0x76, 0x3fc },
		{ "L2_TLB_MISS_DATA", 0x0b, 0x3fc },
		{ "MAP_DISPATCH_BUBBLE", 0xd6, 0x3fc },
		{ "UNNAMED_9F", 0x9f, 0x080 },
		{ "UNNAMED_F5", 0xf5, 0x054 },
		{ "UNNAMED_F8", 0xf8, 0x0fc },
		{ "UNNAMED_FD", 0xfd, 0x054 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct catalog_event *event = only(m1, rows[i].name);

		assert_int_equal(event->id, rows[i].id);
		if (event->counters != rows[i].counters)
			fail_msg("%s: 0x%jx", event->name, (uintmax_t)event->counters);
	}
}

/* how many of the 90 events each mask has */
static void m1_is_complete(void **state)
{
	static const struct {
		uint64_t counters;
		size_t n;
	} rows[] = { { 0x3fd, 1 },  { 0x082, 1 }, { 0x080, 6 }, { 0x0e0, 19 },
		     { 0x3fc, 58 }, { 0x054, 4 }, { 0x0fc, 1 } };
	size_t n_core = 0, n_named = 0;

	(void)state;
	assert_string_equal(m1->cpu, "arm64/apple/m1");
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		size_t n = 0;

		for (size_t i = 0; i < m1->n_events; i++)
			n += !m1->event[i].pmu[0] && m1->event[i].counters == rows[r].counters;
		if (n != rows[r].n)
			fail_msg("mask 0x%jx: %zu events", (uintmax_t)rows[r].counters, n);
		n_core += n;
	}
	for (size_t i = 0; i < m1->n_events; i++) {
		const struct catalog_event *event = &m1->event[i];
		bool is_named = strncmp(event->name, "UNNAMED_", 8) != 0;

		n_named += !event->pmu[0] && is_named;
		assert_true(event->brief[0] && event->source[0]);
		if (is_named && !event->short_name[0])
			fail_msg("%s has no ShortName", event->name);
	}
	assert_int_equal(n_core, 90);
	assert_int_equal(n_named, 60);
}

static void m1_lookup(void **state)
{
	static const struct {
		const char *asked, *found;
	} rows[] = {
		{ "inst_branch", "INST_BRANCH" },
		{ "cycles", "CORE_ACTIVE_CYCLE" },
		{ "CPU_CYCLES", "CORE_ACTIVE_CYCLE" },
		{ "instructions", "INST_ALL" },
		{ "branches", "INST_BRANCH" },
		{ "Branch-Misses", "BRANCH_MISPRED_NONSPEC" },
		{ "retired_uops", "RETIRE_UOP" },
		{ "instruction_neon_or_float_point", "INST_SIMD_ALU" },
		{ "isntruction_neon_or_float_point", "INST_SIMD_ALU" },
		{ "MMU_miss", "MMU_VIRTUAL_MEMORY_FAULT_NONSPEC" },
		{ "ICACHE_miss", "UNNAMED_D3" },
		{ "uops_int", "UNNAMED_53" },
		{ "int_unit_uops", "UNNAMED_53" },
		{ "ldst_unk7", "UNNAMED_ED" },
		{ "inst_bcc", "INST_BRANCH_COND" },
		{ "BRANCHES_RETIRED_MISP", "BRANCH_MISPRED_NONSPEC" },
		{ "cs", "context-switches" },
		{ "task-clock", "task-clock" },
		{ "tsc", "tsc" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(only(m1, rows[i].asked)->name, rows[i].found);
	assert_int_equal(catalog_lookup(m1, "no_such_event", NULL, 0), 0);
	assert_int_equal(catalog_lookup(m1, "", NULL, 0), 0);
}

static void ambiguous_alias_gives_all(void **state)
{
	const struct catalog_event *event[4] = { NULL };

	(void)state;
	assert_int_equal(catalog_lookup(m1, "indirect_branch_misprediction", event, 4), 2);
	assert_int_equal(event[0]->id + event[1]->id, 0xca + 0xc6);
	event[1] = NULL;
	assert_int_equal(catalog_lookup(m1, "indirect_branch_misprediction", event, 1), 2);
	assert_null(event[1]);
}

/* both tables of the framework that m1top began with */
static void every_seed_name_is_known(void **state)
{
	char names[] = "retired_uops cycle MMU_miss instruction_issue uops_int uops_float_point "
		       "uops_load_and_store interrupt_pending dispatch_stall scheduler_rewind "
		       "scheduler_stall pipeline_redirect instruction_all instruction_branch "
		       "instruction_function_call instruction_function_return "
		       "instruction_all_branch_taken instruction_branch_carry_is_clear "
		       "instruction_int_load instruction_int_store instruction_int "
		       "instruction_float_point_load instruction_float_point_store "
		       "isntruction_neon_or_float_point instruction_load_and_store "
		       "instruction_barrier atomic_or_exclusive_success atomic_or_exclusive_fail "
		       "DCACHE_load_miss DCACHE_store_miss DTLB_miss memory_order_violation "
		       "conditional_branch_misprediction indirect_branch_misprediction "
		       "branch_misprediction ICACHE_miss ITLB_miss instruction_fetch_restart "
		       "int_unit_uops float_point_unit_uops load_and_store_unit_uops "
		       "int_unknown_uops float_point_unknown_uops load_and_store_unknown_uops "
		       "unknown_int_count unknown_load_and_store_count unknown_float_point_count "
		       "unknown_fused_uops int_unknown_unfused_uops "
		       "float_point_unknown_unfused_uops load_and_store_unknown_unfused_uops "
		       "int_unknown_deps load_and_store_unknown_deps float_point_unknown_deps "
		       "int_unknown float_point_unknown load_and_store_unknown int_writes_unknown";
	size_t n = 0;

	(void)state;
	for (char *rest = names, *name; (name = strsep(&rest, " ")); n++)
		if (!catalog_lookup(m1, name, NULL, 0))
			fail_msg("%s is not known", name);
	assert_int_equal(n, 58);
}

static void encodings_and_scales(void **state)
{
	(void)state;
	assert_string_equal(only(m1, "INST_BRANCH")->terms, "event=0x8d");
	assert_string_equal(only(m1, "INST_BRANCH")->topic, "branch");
	assert_string_equal(only(m1, "page-faults")->terms, "config=0x2");
	assert_string_equal(only(m1, "page-faults")->pmu, "software");
	assert_string_equal(only(m1, "cpu-clock")->unit, "msec");
	assert_true(only(m1, "cpu-clock")->scale == 1e-6);
	assert_true(only(m1, "INST_BRANCH")->scale == 1);
	assert_string_equal(catalog_metric_find(m1, "branch_miss_ratio")->unit, "%");
	assert_true(catalog_metric_find(m1, "branch_miss_ratio")->scale == 100);
	assert_ptr_equal(catalog_metric_find(m1, "branch_miss_rate"), /* an alias */
			 catalog_metric_find(m1, "branch_miss_ratio"));
}

static void sorted_core_first(void **state)
{
	(void)state;
	for (size_t i = 1; i < m1->n_events; i++) {
		const struct catalog_event *a = &m1->event[i - 1], *b = &m1->event[i];
		int by_pmu = strcmp(a->pmu, b->pmu);

		assert_true(by_pmu < 0 || (!by_pmu && strcmp(a->name, b->name) < 0));
	}
}

static void presets_are_legal(void **state)
{
	static const char *const overview[] = {
		"CORE_ACTIVE_CYCLE",      "INST_ALL",   "MAP_STALL",
		"MAP_DISPATCH_BUBBLE",    "MAP_REWIND", "INST_BRANCH",
		"BRANCH_MISPRED_NONSPEC", "RETIRE_UOP", "L1D_CACHE_MISS_LD",
		"L2_TLB_MISS_DATA",
	};

	(void)state;
	assert_true(m1->n_presets > 0);
	for (size_t p = 0; p < m1->n_presets; p++)
		for (unsigned slot = 0; m1->preset[p].event[slot]; slot++) {
			const struct catalog_event *event = only(m1, m1->preset[p].event[slot]);

			if (!(event->counters >> slot & 1))
				fail_msg("%s: %s on %u", m1->preset[p].name, event->name, slot);
		}
	for (unsigned slot = 0; slot < 10; slot++)
		assert_string_equal(catalog_preset_find(m1, "overview")->event[slot],
				    overview[slot]);
	assert_null(catalog_preset_find(m1, "overview")->event[10]);
	assert_null(catalog_preset_find(m1, "none"));
}

static void cpu_metrics_replace_generic_ones(void **state)
{
	struct catalog *generic;
	size_t n = 0;

	(void)state;
	assert_string_equal(catalog_metric_find(m1, "ipc")->expr, "INST_ALL / CORE_ACTIVE_CYCLE");
	for (size_t i = 0; i < m1->n_metrics; i++)
		n += !strcmp(m1->metric[i].name, "IPC");
	assert_int_equal(n, 1);
	assert_int_equal(catalog_load(events, "x86", "", &generic, NULL), 0);
	assert_string_equal(generic->cpu, "");
	assert_string_equal(catalog_metric_find(generic, "ipc")->expr, "instructions / cycles");
	assert_null(catalog_metric_find(generic, "nonsense"));
	catalog_free(generic);
}

static void folder_of_each_cpu(void **state)
{
	static const struct {
		const char *arch, *cpuid, *cpu;
	} rows[] = {
		{ "arm64", "0x00000000610f0200", "arm64/apple/m1" }, /* A14 E */
		{ "arm64", "0x611f0220", "arm64/apple/m1" },
		{ "arm64", "0x00000000612f0231", "arm64/apple/m1" },
		{ "arm64", "0x00000000612f0250", "arm64/apple/m1" }, /* Pro */
		{ "arm64", "0x00000000612f0290", "arm64/apple/m1" }, /* Max */
		{ "arm64", "0x00000000610f0630", "" },               /* M5: no data yet, no PMUv3 */
		{ "arm64", "0x00000000410fd0c1", "arm64/arm/pmuv3" },
		{ "arm64", "0x00000000000f0510", "arm64/arm/pmuv3" }, /* QEMU's max */
		{ "arm64", "", "" },
		{ "x86", "GenuineIntel-6-55-4", "x86/intel/architectural" },
		{ "x86", "AuthenticAMD-23-1-1", "x86/amd/architectural" },
		{ "x86", "AuthenticAMD-26-2-1", "x86/amd/architectural" },
		{ "x86", "AuthenticAMD-21-2-0", "" }, /* before Zen */
		{ "x86", "NotGenuineIntel-6-55-4", "" },
		{ "riscv", "0x489-0x7-0x1", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct catalog *catalog;

		assert_int_equal(catalog_load(events, rows[i].arch, rows[i].cpuid, &catalog, NULL),
				 0);
		if (strcmp(catalog->cpu, rows[i].cpu) != 0)
			fail_msg("%s: '%s'", rows[i].cpuid, catalog->cpu);
		catalog_free(catalog);
	}
}

static void rows_of_a_map(void **state)
{
	static const struct {
		const char *row, *cpuid;
		bool matches;
	} rows[] = {
		{ "0x00000000410fd0c0", "0x00000000410fd0c0", true },
		{ "0x00000000410fd0c0", "0x00000000413fd0c1", true },
		{ "0x00000000413fd0c1", "0x00000000413fd0c1", true },
		{ "0x00000000413fd0c1", "0x00000000413fd0c2", true },
		{ "0x00000000413fd0c1", "0x00000000414fd0c0",
		  true }, /* variant outranks revision */
		{ "0x00000000413fd0c1", "0x00000000413fd0c0", false },
		{ "0x00000000413fd0c1", "0x00000000412fd0c9", false },
		{ "0x00000000410fd0c0", "0x00000000410fd0b0", false }, /* other part */
		{ "0x00000000410fd0c0", "0x00000000420fd0c0", false }, /* other implementer */
		{ "0x00000000610f0000", "0x00000000611f0999", true },
		{ "0x00000000000f0000", "0x00000000411fd0c2", true },
		{ "0x00000000000f0000", "GenuineIntel-6-55-4", false },
		{ "GenuineIntel-6-55-[56789ABCDEF]", "GenuineIntel-6-55-7", true },
		{ "GenuineIntel-6-55-[56789ABCDEF]", "GenuineIntel-6-55-4", false },
		{ "GenuineIntel-6-55", "GenuineIntel-6-55-4", true },
		{ "GenuineIntel-6-5", "GenuineIntel-6-55-4", false },
		{ "Intel-6-55-4", "GenuineIntel-6-55-4", false },
		{ "AuthenticAMD-23-([12][0-9A-F]|[0-9A-F])", "AuthenticAMD-23-2F-1", true },
		{ "AuthenticAMD-23-([12][0-9A-F]|[0-9A-F])", "AuthenticAMD-23-3F-1", false },
		{ "AuthenticAMD-25-([245][[:xdigit:]]|[[:xdigit:]])", "AuthenticAMD-25-A-1", true },
		{ "anything", "", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct map_row row;

		snprintf(row.cpuid, sizeof(row.cpuid), "%s", rows[i].row);
		if (catalog_map_matches(&row, rows[i].cpuid) != rows[i].matches)
			fail_msg("%s and %s", rows[i].row, rows[i].cpuid);
	}
}

static void generic_names_mean_the_same_everywhere(void **state)
{
	static const struct {
		const char *arch, *cpuid, *name, *terms;
	} rows[] = {
		{ "x86", "GenuineIntel-6-55-4", "cycles", "event=0x3c" },
		{ "x86", "GenuineIntel-6-55-4", "cache-misses", "event=0x2e,umask=0x41" },
		{ "x86", "GenuineIntel-6-55-4", "ref-cycles", "event=0x0,umask=0x3" },
		{ "x86", "AuthenticAMD-25-1-1", "cycles", "event=0x76" },
		{ "x86", "AuthenticAMD-25-1-1", "branch-misses", "event=0xc3" },
		{ "x86", "AuthenticAMD-25-1-1", "cache-misses", "event=0x64,umask=0x9" },
		{ "arm64", "0x410fd0c0", "instructions", "event=0x8" },
		{ "arm64", "0x410fd0c0", "branches", "event=0x21" },
		{ "arm64", "0x410fd0c0", "STALL_BACKEND_MEM", "event=0x4005" },
		{ "arm64", FIRESTORM, "instructions", "event=0x8c" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct catalog *catalog;

		assert_int_equal(catalog_load(events, rows[i].arch, rows[i].cpuid, &catalog, NULL),
				 0);
		assert_string_equal(only(catalog, rows[i].name)->terms, rows[i].terms);
		catalog_free(catalog);
	}
}

static void all_data_is_right(void **state)
{
	struct text problems = { 0 };
	struct err err = { 0 };
	int n = catalog_check(events, metrics_check, &problems, &err);

	(void)state;
	if (n)
		fail_msg("%s\n%s", err.text, problems.bytes ? problems.bytes : "");
	text_fini(&problems);
}

/* The root of a kernel's source, or its tools/perf, is as good as the folder itself. */
static void in_a_kernel_tree(void)
{
	static const char *const part[] = { "/tools", "/perf",   "/pmu-events",
					    "/arch",  "/common", "/common" };
	char tree[64] = "/tmp/m1top-tree-XXXXXX", path[80], found[PATH_MAX], arch[80];
	int end = 0;

	assert_non_null(mkdtemp(tree));
	for (size_t i = 0; i < ARRAY_SIZE(part); i++) {
		end += snprintf(path + end, sizeof(path) - (size_t)end, "%s%s", i ? "" : tree,
				part[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	snprintf(arch, sizeof(arch), "%s/tools/perf/pmu-events/arch", tree);
	assert_int_equal(catalog_find_dir(tree, found, sizeof(found), NULL), 0);
	assert_string_equal(found, arch);
	snprintf(found, sizeof(found), "%s/tools/perf", tree);
	assert_int_equal(catalog_find_dir(found, found, sizeof(found), NULL), 0);
	assert_string_equal(found, arch);
	for (; strlen(path) >= strlen(tree); *strrchr(path, '/') = '\0')
		assert_int_equal(rmdir(path), 0);
}

static void folder_is_found(void **state)
{
	char path[PATH_MAX] = "untouched";
	struct err err = { 0 };

	(void)state;
	assert_int_equal(catalog_find_dir("/nonexistent", path, sizeof(path), &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent"));
	assert_string_equal(path, "untouched");
	assert_int_equal(catalog_find_dir("/", path, sizeof(path), &err), 0);
	assert_string_equal(path, "/");
	in_a_kernel_tree();
	setenv("M1TOP_EVENTS", "/usr", 1);
	assert_int_equal(catalog_find_dir(NULL, path, sizeof(path), &err), 0);
	assert_string_equal(path, "/usr");
	setenv("M1TOP_EVENTS", "/nonexistent", 1); /* then beside the program */
	assert_int_equal(catalog_find_dir(NULL, path, sizeof(path), &err), 0);
	assert_non_null(strstr(path, "/events"));
	assert_int_equal(catalog_load("/nonexistent", "x86", "", &(struct catalog *){ NULL }, &err),
			 -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent"));
	catalog_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(m1_masks),
		cmocka_unit_test(m1_is_complete),
		cmocka_unit_test(m1_lookup),
		cmocka_unit_test(ambiguous_alias_gives_all),
		cmocka_unit_test(every_seed_name_is_known),
		cmocka_unit_test(encodings_and_scales),
		cmocka_unit_test(sorted_core_first),
		cmocka_unit_test(presets_are_legal),
		cmocka_unit_test(cpu_metrics_replace_generic_ones),
		cmocka_unit_test(folder_of_each_cpu),
		cmocka_unit_test(rows_of_a_map),
		cmocka_unit_test(generic_names_mean_the_same_everywhere),
		cmocka_unit_test(all_data_is_right),
		cmocka_unit_test(folder_is_found), /* last: it changes the environment */
	};

	return cmocka_run_group_tests(tests, load_m1, free_m1);
}
