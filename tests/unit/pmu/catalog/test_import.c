/* Event files of other trees: over those of a family, copied, and made of what perf lists. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rig/fake_root.h"
#include "rig/harness.h"
#include "pmu/catalog.h"
#include "pmu/machine.h"

#define ZEN5   "AuthenticAMD-26-2-1"
#define LITTLE "0x00000000410fd460"
#define BIG    "0x00000000410fd470"

static char tree[64];

/* clang-format off: JSON is read as it stands */
static const struct fake_file files[] = {
	{ "own/common/common/software.json",
	  "[{'EventName': 'switches', 'ConfigCode': '3', 'Unit': 'software', 'Aliases': 'cs'}]" },
	{ "own/x86/mapfile.csv", "AuthenticAMD-.*,v1,amd/family,generic\n"
				 "GenuineIntel-.*,v1,intel/known,core\n" },
	{ "own/x86/amd/family/a.json",
	  "[{'EventName': 'CYCLES', 'EventCode': '1', 'ShortName': 'CYC', 'Aliases': 'cycles'},"
	  "{'EventName': 'L2', 'EventCode': '2', 'ShortName': 'L2', 'Aliases': 'second'},"
	  "{'EventName': 'ONLY_FAMILY', 'EventCode': '3'},"
	  "{'MetricName': 'IPC', 'MetricExpr': '1'}, {'MetricName': 'CPI', 'MetricExpr': '2'},"
	  "{'PresetName': 'overview', 'Events': ['CYCLES']}]" },
	{ "own/x86/intel/known/a.json", "[{'EventName': 'MINE', 'EventCode': '4'}]" },

	{ "linux/x86/mapfile.csv", "AuthenticAMD-26-[12],v1,zen5,core\n"
				   "AuthenticAMD-25-[12],v1,zen4,core\n"
				   "GenuineIntel-6-55,v1,zen4,core\n" },
	{ "linux/x86/zen5/cache.json",
	  "[{'EventName': 'l2', 'EventCode': '0x22', 'Aliases': 'newer'},"
	  "{'EventName': 'cycles', 'EventCode': '0x11', 'Unit': 'cpu_core'},"
	  "{'EventName': 'cycles', 'EventCode': '0x12', 'Unit': 'cpu_atom'},"
	  "{'EventName': 'switches', 'EventCode': '5', 'Unit': 'iMC'},"
	  "{'EventName': 'NO_REGISTER', 'EventCode': '6', 'MSRIndex': '0x123'},"
	  "{'MetricName': 'ipc', 'MetricExpr': '3'}]" },
	{ "linux/x86/zen4/cache.json", "[{'EventName': 'OTHER', 'EventCode': '7'}]" },
	{ "linux/arm64/mapfile.csv", LITTLE ",v1,little,core\n" },
	{ "linux/arm64/std.json", "[{'EventName': 'STD', 'EventCode': '8'}]" },
	{ "linux/arm64/little/a.json", "[{'ArchStdEvent': 'STD'}]" },
	{ "linux/arm64/vendor/board/sys/ddr.json",
	  "[{'EventName': 'ddr', 'EventCode': '9', 'Unit': 'imx8_ddr', 'Compat': 'x'}]" },

	{ "bad/x86/mapfile.csv", "AuthenticAMD-26-[12],v1,zen5,core\n" },
	{ "bad/x86/zen5/a.json", "[{'EventName': 'GOOD', 'EventCode': '1'}]" },
	{ "bad/x86/zen5/b.json", "[\n{'EventName': 'X', 'EventCode': '1'},\n{'EventName': ]" },

	{ "list.json",
	  "[{'EventName': 'context-switches', 'EventType': 'Software event'},"
	  "{'EventName': 'rNNN', 'EventType': 'Raw event descriptor', 'Encoding': 'cpu/event=1/'},"
	  "{'EventName': 'duration_time', 'Topic': 'tool', 'EventType': 'Tool event'},"
	  "{'EventName': 'user_time', 'Topic': 'tool', 'Unit': 'tool', 'Encoding': "
	  "'tool/config=2/'},"
	  "{'EventName': 'cpu-cycles', 'Unit': 'cpu', 'Encoding': 'cpu/event=0x3c/'},"
	  "{'EventName': 'l1d.miss', 'Unit': 'cpu', 'Topic': 'cache', 'EventType': 'Kernel PMU "
	  "event', "
	  "'BriefDescription': 'misses \\\"so\\\"', 'PublicDescription': 'misses, at length', "
	  "'Encoding': 'cpu/event=0x51,period=0xf4243,umask=0x20/'},"
	  "{'EventName': 'unc_cas', 'Unit': 'uncore_imc', 'Topic': 'uncore memory', "
	  "'ScaleUnit': '6.1E-05MiB', 'Encoding': 'uncore_imc/event=0x5/'},"
	  "{'EventName': 'df', 'Unit': 'amd_df', 'Topic': '../x', 'Deprecated': '1', "
	  "'Encoding': 'amd_df/event=0x7/'},"
	  "{'EventName': 'small', 'Unit': 'armv8_little', 'Topic': 'cache', 'Encoding': "
	  "'armv8_little/event=0x1/'},"
	  "{'EventName': 'large', 'Unit': 'armv8_big', 'Topic': 'cache', 'Encoding': "
	  "'armv8_big/event=0x2/'},"
	  "{'MetricGroup': 'Mem', 'MetricName': 'm', 'MetricExpr': 'a / b', 'ScaleUnit': '100%', "
	  "'MetricThreshold': 'm > 5'},"
	  "{'MetricGroup': 'TopdownL1', 'MetricName': 'm', 'MetricExpr': 'a / b', 'ScaleUnit': "
	  "'100%'},"
	  "{'MetricGroup': 'G', 'MetricName': 'whose', 'MetricExpr': '1'},"
	  "{'MetricGroup': 'G', 'MetricName': 'whose', 'MetricExpr': '2'}]" },
	{ "hybrid.json", "[{'EventName': 'e', 'Unit': 'cpu_core', 'Topic': 'cache', 'Encoding': "
			 "'cpu_core/event=0x1/'},"
			 "{'EventName': 'e', 'Unit': 'cpu_atom', 'Topic': 'cache', 'Encoding': "
			 "'cpu_atom/event=0x2/'},"
			 "{'MetricGroup': 'G', 'MetricName': 'm', 'MetricExpr': 'cpu_core@e@ / 2'},"
			 "{'MetricGroup': 'G', 'MetricName': 'm', 'MetricExpr': 'cpu_atom@e@ / 3'},"
			 "{'MetricGroup': 'H', 'MetricName': 'm', 'MetricExpr': 'cpu_core@e@ / 2'},"
			 "{'MetricGroup': 'alone', 'MetricName': 'alone', 'MetricExpr': 'm'},"
			 "{'MetricGroup': 'G', 'MetricName': 'whose', 'MetricExpr': 'm'},"
			 "{'MetricGroup': 'G', 'MetricName': 'whose', 'MetricExpr': 'm * 2'}]" },
	{ "nothing.json", "[{'EventName': 'context-switches', 'EventType': 'Software event'}]" },
	{ "cut.json", "[{'EventName': 'a'},\n{'EventName': " },
	{ NULL, NULL },
};
/* clang-format on */

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

static const char *at(const char *name)
{
	static char path[4][PATH_MAX];
	static unsigned next;
	char *to = path[next++ % 4];

	snprintf(to, PATH_MAX, "%s/%s", tree, name);
	return to;
}

static const struct catalog_event *only(const struct catalog *catalog, const char *name)
{
	const struct catalog_event *event = NULL;

	if (catalog_lookup(catalog, name, &event, 1) != 1)
		fail_msg("%s is not one event", name);
	return event;
}

static struct catalog *load(const char *imported, const char *arch, const char *cpuid)
{
	struct catalog *catalog = NULL;
	struct err err = { "" };

	if (catalog_load_with(at("own"), imported, arch, cpuid, &catalog, &err))
		fail_msg("%s", err.text);
	return catalog;
}

/* Another tree's events of the model come before the family's, which stay where it has none. */
static void a_model_is_over_its_family(void **state)
{
	struct catalog *catalog = load(at("linux"), "x86", ZEN5);
	const struct catalog_event *found[4];

	(void)state;
	assert_string_equal(catalog->cpu, "x86/zen5");
	assert_string_equal(catalog->dir, at("linux"));
	assert_false(catalog->is_generic);
	assert_string_equal(only(catalog, "L2")->terms, "event=0x22");
	assert_string_equal(only(catalog, "L2")->short_name, "L2");
	assert_string_equal(only(catalog, "newer")->name, "l2");
	assert_int_equal(catalog_lookup(catalog, "second", NULL, 0), 0); /* it has its own alias */
	assert_string_equal(only(catalog, "ONLY_FAMILY")->terms, "event=0x3");
	/* cpu_core's and cpu_atom's, and none of "cpu" */
	assert_int_equal(catalog_lookup(catalog, "cycles", found, 4), 2);
	assert_string_equal(found[0]->short_name, "CYC");
	assert_string_equal(found[1]->short_name, "CYC");
	/* one of another PMU replaces nothing */
	assert_int_equal(catalog_lookup(catalog, "switches", NULL, 0), 2);
	assert_string_equal(catalog_metric_find(catalog, "IPC")->expr, "3");
	assert_string_equal(catalog_metric_find(catalog, "CPI")->expr, "2");
	assert_non_null(catalog_preset_find(catalog, "overview"));
	catalog_free(catalog);
}

static void own_files_of_a_model_are_enough(void **state)
{
	static const struct {
		const char *imported, *cpuid, *cpu;
		bool is_generic;
	} rows[] = {
		{ "linux", "GenuineIntel-6-55-4", "x86/intel/known", false },
		{ "linux", "AuthenticAMD-27-1-1", "x86/amd/family", true }, /* not there either */
		{ "none", ZEN5, "x86/amd/family", true },
		{ "linux", "Other-1-1-1", "", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct catalog *catalog = load(at(rows[i].imported), "x86", rows[i].cpuid);

		assert_string_equal(catalog->cpu, rows[i].cpu);
		assert_string_equal(catalog->dir, at("own"));
		assert_int_equal(catalog->is_generic, rows[i].is_generic);
		catalog_free(catalog);
	}
}

/* @return the number of CPUs that something was found of, or -errno */
static int take(const char *from, const char *arch, const char *const *id, struct import *import,
		struct err *err)
{
	static struct import_cpu cpu[2];
	int n = 0;

	*import = (struct import){ .arch = arch, .cpu = cpu, .n_cpus = id[1] ? 2 : 1 };
	for (unsigned i = 0; i < import->n_cpus; i++) {
		cpu[i] = (struct import_cpu){ .pmu = "" };
		snprintf(cpu[i].id, sizeof(cpu[i].id), "%s", id[i]);
	}

	int r = import_tree(import, at(from), at("data/kept"), err);

	for (unsigned i = 0; i < import->n_cpus; i++)
		n += cpu[i].folder[0] != '\0';
	return r ? r : n;
}

static bool has(const char *name)
{
	return !access(at(name), F_OK);
}

static void only_this_machines_files_are_kept(void **state)
{
	const char *const zen5[] = { ZEN5, NULL }, *const arm[] = { LITTLE, BIG };
	struct import import;
	struct err err = { "" };
	struct stat st;

	(void)state;
	assert_int_equal(take("linux", "x86", zen5, &import, &err), 1);
	assert_string_equal(import.cpu[0].folder, "x86/zen5");
	assert_int_equal(import.cpu[0].n_events, 4);
	assert_int_equal(import.cpu[0].n_metrics, 1);
	assert_int_equal(import.cpu[0].n_refused, 1);
	assert_int_equal(import.n_files, 2);
	assert_true(has("data/kept/x86/zen5/cache.json"));
	assert_false(has("data/kept/x86/zen4"));
	assert_int_equal(stat(at("data/kept"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0755);

	/* the next takes its place; of one of two core types there is nothing, and devices are everybody's */
	assert_int_equal(take("linux", "arm64", arm, &import, &err), 1);
	assert_false(has("data/kept/x86"));
	assert_true(has("data/kept/arm64/std.json"));
	assert_true(has("data/kept/arm64/vendor/board/sys/ddr.json"));

	struct catalog *catalog = load(at("data/kept"), "arm64", LITTLE);

	assert_string_equal(only(catalog, "STD")->terms, "event=0x8");
	assert_string_equal(only(catalog, "ddr")->pmu, "imx8_ddr");
	catalog_free(catalog);
}

static unsigned count_entries(const char *name)
{
	struct stat st;

	assert_int_equal(stat(at(name), &st), 0);
	return (unsigned)st.st_nlink - 2; /* folders in it */
}

static void what_fails_leaves_the_earlier_files(void **state)
{
	const char *const zen5[] = { ZEN5, NULL }, *const unknown[] = { "Other-1-1-1", NULL };
	struct import import;
	struct err err = { "" };

	(void)state;
	assert_int_equal(take("linux", "x86", zen5, &import, &err), 1);
	assert_int_equal(take("bad", "x86", zen5, &import, &err), -EINVAL);
	assert_non_null(strstr(err.text, "bad/x86/zen5/b.json:3: not valid JSON"));
	assert_int_equal(take("linux", "x86", unknown, &import, &err), -ENOENT);
	assert_non_null(strstr(err.text, "linux/x86/mapfile.csv: no row is for Other-1-1-1"));
	assert_int_equal(take("none", "x86", zen5, &import, &err), -ENOENT);
	assert_non_null(strstr(err.text, "none/x86/mapfile.csv: "));
	assert_true(has("data/kept/x86/zen5/cache.json"));
	assert_int_equal(count_entries("data"), 1);
}

static int list(struct import *import, const char *path, struct err *err)
{
	import_remove(at("made"));
	return import_perf_list(import, at(path), at("made"), err);
}

static void events_that_perf_lists(void **state)
{
	struct import_cpu cpu = { .id = ZEN5, .pmu = "cpu" };
	struct import import = { .arch = "x86", .cpu = &cpu, .n_cpus = 1 };
	struct err err = { "" };
	struct catalog *catalog;

	(void)state;
	if (list(&import, "list.json", &err))
		fail_msg("%s", err.text);
	catalog = load(at("made"), "x86", ZEN5);
	assert_string_equal(only(catalog, "L1D.MISS")->terms, "event=0x51,umask=0x20");
	assert_string_equal(only(catalog, "L1D.MISS")->pmu, "");
	assert_string_equal(only(catalog, "L1D.MISS")->topic, "cache");
	assert_string_equal(only(catalog, "L1D.MISS")->brief, "misses \"so\"");
	assert_string_equal(only(catalog, "L1D.MISS")->what, "misses, at length");
	assert_int_equal(only(catalog, "L1D.MISS")->id, 0x51);
	assert_string_equal(only(catalog, "unc_cas")->pmu, "uncore_imc");
	assert_string_equal(only(catalog, "unc_cas")->unit, "MiB");
	assert_string_equal(only(catalog, "df")->pmu, "amd_df");
	assert_true(only(catalog, "df")->is_deprecated);
	assert_int_equal(catalog_lookup(catalog, "user_time", NULL, 0), 0);
	assert_int_equal(catalog_lookup(catalog, "cpu-cycles", NULL, 0), 0);
	assert_string_equal(catalog_metric_find(catalog, "m")->group, "Mem;TopdownL1");
	assert_string_equal(catalog_metric_find(catalog, "m")->threshold, "m > 5");
	assert_null(catalog_metric_find(catalog, "whose"));
	catalog_free(catalog);
}

/* A folder for each kind of core, or one for those of a hybrid processor. */
static void core_types_that_perf_lists(void **state)
{
	struct import_cpu arm[] = { { .id = LITTLE, .pmu = "armv8_little" },
				    { .id = BIG, .pmu = "armv8_big" } };
	struct import_cpu x86[] = { { .id = ZEN5, .pmu = "cpu_core" },
				    { .id = ZEN5, .pmu = "cpu_atom" } };
	struct import import = { .arch = "arm64", .cpu = arm, .n_cpus = 2 };
	struct err err = { "" };
	struct catalog *catalog;

	(void)state;
	assert_int_equal(list(&import, "list.json", &err), 0);
	catalog = load(at("made"), "arm64", BIG);
	assert_string_equal(only(catalog, "large")->pmu, "");
	assert_int_equal(catalog_lookup(catalog, "small", NULL, 0), 0);
	assert_string_equal(only(catalog, "unc_cas")->pmu, "uncore_imc");
	catalog_free(catalog);
	catalog = load(at("made"), "arm64", LITTLE);
	assert_string_equal(only(catalog, "small")->pmu, "");
	assert_int_equal(catalog_lookup(catalog, "large", NULL, 0), 0);
	catalog_free(catalog);

	import = (struct import){ .arch = "x86", .cpu = x86, .n_cpus = 2 };
	assert_int_equal(list(&import, "hybrid.json", &err), 0);
	catalog = load(at("made"), "x86", ZEN5);
	assert_string_equal(catalog_event_find(catalog, "e", "cpu_core")->terms, "event=0x1");
	assert_string_equal(catalog_event_find(catalog, "e", "cpu_atom")->terms, "event=0x2");
	assert_null(catalog_metric_find(catalog, "whose"));
	assert_string_equal(catalog_metric_find(catalog, "alone")->group, "");
	assert_int_equal(machine_narrow_catalog(catalog, "cpu_atom", &(struct pmus){ 0 }), 0);
	assert_string_equal(catalog_metric_find(catalog, "m")->expr, "cpu_atom@e@ / 3");
	catalog_free(catalog);
	catalog = load(at("made"), "x86", ZEN5);
	assert_int_equal(machine_narrow_catalog(catalog, "cpu_core", &(struct pmus){ 0 }), 0);
	assert_string_equal(catalog_metric_find(catalog, "m")->expr, "cpu_core@e@ / 2");
	assert_string_equal(catalog_metric_find(catalog, "m")->group, "G;H");
	catalog_free(catalog);
}

static void lists_that_say_nothing(void **state)
{
	struct import_cpu cpu = { .id = ZEN5, .pmu = "cpu" };
	struct import import = { .arch = "x86", .cpu = &cpu, .n_cpus = 1 };
	struct err err = { "" };

	(void)state;
	assert_int_equal(list(&import, "nothing.json", &err), -ENOENT);
	assert_non_null(strstr(err.text, "nothing.json has no events"));
	assert_int_equal(list(&import, "cut.json", &err), -EINVAL);
	assert_non_null(strstr(err.text, "cut.json:2: not valid JSON"));
	assert_false(has("made"));
}

static void where_it_is_kept(void **state)
{
	char path[PATH_MAX], kept[PATH_MAX];
	struct err err = { "" };

	(void)state;
	snprintf(kept, sizeof(kept), "%s", at("home/m1top/imported/" ZEN5));
	unsetenv("M1TOP_EVENTS");
	unsetenv("SUDO_UID");
	setenv("XDG_DATA_HOME", at("home"), 1);
	assert_int_equal(catalog_import_dir(ZEN5, path, sizeof(path), &err), 0);
	assert_string_equal(path, kept);
	assert_int_equal(catalog_import_dir("../x", path, sizeof(path), &err), -EINVAL);
	assert_int_equal(catalog_import_dir("", path, sizeof(path), &err), -EINVAL);

	setenv("SUDO_UID", "1", 1);
	setenv("SUDO_GID", "1", 1);
	assert_int_equal(catalog_import_dir(ZEN5, path, sizeof(path), &err), 0);
	assert_true(strstr(path, geteuid() ? kept : "/var/lib/m1top/imported/") == path);
	unsetenv("SUDO_UID");

	fake_put(tree, "home/m1top/imported/" ZEN5 "/x86/mapfile.csv", "\n");
	catalog_find_imported(ZEN5, path, sizeof(path));
	assert_string_equal(path, kept);
	catalog_find_imported("../imported/" ZEN5, path, sizeof(path));
	assert_string_equal(path, "");
	setenv("M1TOP_EVENTS", at("own"), 1); /* that folder and no other */
	catalog_find_imported(ZEN5, path, sizeof(path));
	assert_string_equal(path, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_model_is_over_its_family),
		cmocka_unit_test(own_files_of_a_model_are_enough),
		cmocka_unit_test(only_this_machines_files_are_kept),
		cmocka_unit_test(what_fails_leaves_the_earlier_files),
		cmocka_unit_test(events_that_perf_lists),
		cmocka_unit_test(core_types_that_perf_lists),
		cmocka_unit_test(lists_that_say_nothing),
		cmocka_unit_test(where_it_is_kept),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
