/* Catalogue: every mistake is told with its place, and no file, however broken, does harm. */
#include <ftw.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "rig/catalog_check.h"
#include "rig/harness.h"
#include "pmu/catalog.h"

static char tree[] = "/tmp/m1top-catalog-XXXXXX";

static void write_file(const char *name, const char *text, size_t n)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", tree, name);

	AUTO_FILE FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, n, file), n);
}

static void make_folder(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", tree, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static void remove_file(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", tree, name);
	unlink(path);
}

static void remove_folder(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", tree, name);
	assert_int_equal(rmdir(path), 0);
}

static int make_tree(void **state)
{
	static const char common[] = "[{\"EventName\": \"common\", \"EventCode\": \"1\","
				     "\"BriefDescription\": \"B\", \"Unit\": \"software\"}]";

	(void)state;
	if (!mkdtemp(tree))
		return -1;
	make_folder("common");
	make_folder("common/common");
	write_file("common/common/c.json", common, strlen(common));
	make_folder("x86");
	make_folder("x86/vendor");
	make_folder("x86/vendor/cpu");
	write_file("x86/mapfile.csv", "A-.*,v1,vendor/cpu,core\n", 24);
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static int remove_tree(void **state)
{
	(void)state;
	return nftw(tree, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static int load(struct err *err)
{
	struct catalog *catalog = NULL;
	int r = catalog_load(tree, "x86", "A-1", &catalog, err);

	assert_true(!r == !!catalog);
	catalog_free(catalog);
	return r;
}

/* what is wrong in foreign data too: catalog_load's own errors */
static void errors_have_a_place(void **state)
{
	static const struct {
		const char *text, *place; /* behind "TREE/x86/vendor/cpu/" */
	} rows[] = {
		{ "", "a.json:1: " },
		{ "[", "a.json:1: " },
		{ "[\n{\n\"EventName\": \"A\"\n\"EventCode\": \"1\"}]", "a.json:4: " },
		{ "[\n{},\n{]\n]", "a.json:3: " },
		{ "[]\n[]", "a.json:2: " },
		{ "[{\n\"EventName\": \"\xff\"}]", "a.json:2: not UTF-8" },
		{ "{}", "a.json: $: not an array" },
		{ "[{}, 5]", "a.json: $[1]: not an object" },
		{ "[{\"EventName\": 5}]", "a.json: $[0].EventName: not a string" },
		{ "[{\"EventName\": [\"A\"]}]", "a.json: $[0].EventName: not a string" },
		{ "[{\"EventName\": null}]", "a.json: $[0].EventName: not a string" },
		{ "[{}, {\"EventName\": \"A\", \"EventCode\": \"x\"}]",
		  "a.json: $[1].EventCode: 'x' is not a number" },
		{ "[{\"EventName\": \"A\", \"EventCode\": \"-1\"}]", "a.json: $[0].EventCode: " },
		{ "[{\"EventName\": \"A\", \"EventCode\": \"0x10000000000000000\"}]",
		  "a.json: $[0].EventCode: " },
		{ "[{\"EventName\": \"A\", \"UMask\": \"0x\"}]", "a.json: $[0].UMask: " },
		{ "[{\"EventName\": \"A\", \"Counter\": \"5,\"}]", "a.json: $[0].Counter: '5,'" },
		{ "[{\"EventName\": \"A\", \"Counter\": \"64\"}]", "a.json: $[0].Counter: " },
		{ "[{\"EventName\": \"A\", \"Counter\": \"9-2\"}]", "a.json: $[0].Counter: " },
		{ "[{\"EventName\": \"A\", \"Counter\": \"5;6\"}]", "a.json: $[0].Counter: " },
		{ "[{\"EventName\": \"A\", \"ScaleUnit\": \"msec\"}]", "a.json: $[0].ScaleUnit: " },
		{ "[{\"EventName\": \"A\", \"ScaleUnit\": \"1-2msec\"}]",
		  "a.json: $[0].ScaleUnit: " },
		{ "[{\"PresetName\": \"A\", \"Events\": \"B\"}]", "a.json: $[0].Events: " },
		{ "[{\"PresetName\": \"A\", \"Events\": [\"B\", 1]}]", "a.json: $[0].Events: " },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err err = { 0 };
		char expected[PATH_MAX];

		write_file("x86/vendor/cpu/a.json", rows[i].text, strlen(rows[i].text));
		snprintf(expected, sizeof(expected), "%s/x86/vendor/cpu/%s", tree, rows[i].place);
		assert_int_equal(load(&err), -EINVAL);
		if (strncmp(err.text, expected, strlen(expected)) != 0)
			fail_msg("%s\ngave  %s\nfor   %s", rows[i].text, err.text, expected);
	}
	remove_file("x86/vendor/cpu/a.json");
}

static void errors_of_a_map(void **state)
{
	static const struct {
		const char *text, *place;
	} rows[] = {
		{ "A-.*\n", "mapfile.csv:1: " },
		{ "# x\nFamily-model,Version,Filename,EventType\nA-.*,v1,vendor/cpu\n",
		  "mapfile.csv:3: " },
		{ "A-.*,v1,,core\n", "mapfile.csv:1: " },
		{ ",v1,vendor/cpu,core\n", "mapfile.csv:1: " },
		{ "A-(,v1,vendor/cpu,core\n", "mapfile.csv:1: " },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err err = { 0 };
		char expected[PATH_MAX];

		write_file("x86/mapfile.csv", rows[i].text, strlen(rows[i].text));
		snprintf(expected, sizeof(expected), "%s/x86/%s", tree, rows[i].place);
		assert_int_equal(load(&err), -EINVAL);
		if (strncmp(err.text, expected, strlen(expected)) != 0)
			fail_msg("%s\ngave  %s\nfor   %s", rows[i].text, err.text, expected);
	}
	write_file("x86/mapfile.csv", "A-.*,v1,vendor/none,core\n", 25);
	assert_int_equal(load(NULL), -ENOENT);
	write_file("x86/mapfile.csv", "A-.*,v1,vendor/cpu,core\r\n", 25);
	assert_int_equal(load(NULL), 0);
}

/* what catalog_load lets pass and catalog_check does not */
static void strict_mistakes(void **state)
{
#define EVENT(name, rest) \
	"{\"EventName\": \"" name "\", \"EventCode\": \"1\", \"BriefDescription\": \"B\"" rest "}"
	static const struct {
		const char *text, *told;
	} rows[] = {
		{ "[" EVENT("A", ", \"Colour\": \"red\"") "]",
		  "a.json: $[0].Colour: unknown field" },
		{ "[" EVENT("A", ", \"ShortName\": \"NINECHARS\"") "]",
		  "a.json: $[0].ShortName: " },
		{ "[" EVENT("A", ", \"Counter\": \"\"") "]", "a.json: $[0].Counter: '' allows" },
		{ "[" EVENT("A", ", \"Counter\": \"any\"") "]",
		  "a.json: $[0].Counter: 'any' allows" },
		{ "[" EVENT("A", ", \"EventName\": \"B\"") "]",
		  "a.json: $[0].EventName: given twice" },
		{ "[" EVENT("A", "") "," EVENT("a", "") "]",
		  "a.json: $[1].EventName: 'a' is already" },
		{ "[" EVENT("A", "") "," EVENT("B", ", \"Aliases\": \"c a\"") "]",
		  "a.json: $[1].Aliases: 'A' is the name" },
		{ "[" EVENT("A", ", \"Aliases\": \"b\"") "," EVENT("B", "") "]",
		  "a.json: $[1].EventName: 'B' is an alias of A" },
		{ "[" EVENT("A", ", \"Aliases\": \"a\"") "]", "a.json: $[0].Aliases: " },
		{ "[" EVENT("A", ", \"UMask\": \"1,2\"") "]", "a.json: $[0].UMask: " },
		{ "[{\"EventName\": \"A\", \"EventCode\": \"1\"}]",
		  "a.json: $[0].BriefDescription: missing" },
		{ "[{\"EventName\": \"A\", \"BriefDescription\": \"B\"}]",
		  "a.json: $[0]: EventCode or" },
		{ "[{\"BriefDescription\": \"B\"}]", "a.json: $[0]: needs one of" },
		{ "[{\"MetricName\": \"M\", \"BriefDescription\": \"B\"}]",
		  "a.json: $[0].MetricExpr: missing" },
		{ "[{\"PresetName\": \"P\", \"BriefDescription\": \"B\"}]",
		  "a.json: $[0].Events: missing" },
		{ "[{\"MetricName\": \"M\", \"MetricExpr\": \"1\", \"BriefDescription\": \"B\"},"
		  "{\"MetricName\": \"m\", \"MetricExpr\": \"1\", \"BriefDescription\": \"B\"}]",
		  "duplicate metric 'M'" },
		{ "[" EVENT("A", ", \"Counter\": \"1\"") ",{\"PresetName\": \"P\","
							 "\"BriefDescription\": \"B\", \"Events\": "
							 "[\"A\"]}]",
		  "$[0].Events[0]: A is not legal on this counter" },
		{ "[" EVENT("A", "") ",{\"PresetName\": \"P\","
				     "\"BriefDescription\": \"B\", \"Events\": [\"\", \"X\"]}]",
		  "$[0].Events[1]: 'X' is not an event" },
		{ "[]", "x86/vendor/cpu: no events" },
		{ "[", "a.json:1: " },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct text told = { 0 };
		struct err err = { 0 };

		write_file("x86/vendor/cpu/a.json", rows[i].text, strlen(rows[i].text));
		assert_int_equal(catalog_check(tree, NULL, &told, &err), 1);
		if (!strstr(told.bytes, rows[i].told) ||
		    strncmp(told.bytes, tree, strlen(tree)) != 0)
			fail_msg("%s\ngave  %s", rows[i].text, told.bytes);
		text_fini(&told);
	}
	write_file("x86/vendor/cpu/a.json", "[" EVENT("A", "") "]", 2 + strlen(EVENT("A", "")));
	assert_int_equal(catalog_check(tree, NULL, &(struct text){ 0 }, NULL), 0);
}

static void strict_looks_at_folders(void **state)
{
	struct text told = { 0 };

	(void)state;
	make_folder("x86/vendor/orphan");
	make_folder("arm64");
	write_file("x86/mapfile.csv", "A-.*,v1,vendor/cpu,core\nB-.*,v1,vendor/gone,core\n", 49);
	assert_int_equal(catalog_check(tree, NULL, &told, NULL), 3);
	assert_non_null(strstr(told.bytes, "x86/vendor/orphan: no row"));
	assert_non_null(strstr(told.bytes, "x86/mapfile.csv: no folder 'vendor/gone'"));
	assert_non_null(strstr(told.bytes, "arm64/mapfile.csv"));
	text_fini(&told);
	assert_int_equal(catalog_check("/nonexistent", NULL, &told, NULL), -ENOENT);
	remove_folder("x86/vendor/orphan");
	remove_folder("arm64");
	write_file("x86/mapfile.csv", "A-.*,v1,vendor/cpu,core\n", 24);
}

/* a folder that several CPUs share: read beside their own, which has the last word */
static void shared_folder(void **state)
{
	static const char shared[] =
		"[{\"MetricName\": \"M\", \"MetricExpr\": \"A\", \"BriefDescription\": \"B\"},"
		"{\"MetricName\": \"N\", \"MetricExpr\": \"A\", \"BriefDescription\": \"B\"},"
		"{\"PresetName\": \"P\", \"BriefDescription\": \"B\", \"Events\": [\"A\"]}]";
	static const char own[] =
		"[{\"EventName\": \"A\", \"EventCode\": \"1\", \"BriefDescription\": \"B\"},"
		"{\"MetricName\": \"m\", \"MetricExpr\": \"2 * A\", \"BriefDescription\": \"B\"},"
		"{\"PresetName\": \"p\", \"BriefDescription\": \"C\", \"Events\": [\"A\"]}]";
	static const char other[] =
		"[{\"EventName\": \"B\", \"EventCode\": \"1\", \"BriefDescription\": \"B\"},"
		"{\"PresetName\": \"Q\", \"BriefDescription\": \"B\", \"Events\": [\"B\"]},"
		"{\"PresetName\": \"q\", \"BriefDescription\": \"B\", \"Events\": [\"B\"]}]";
	static const char map[] = "A-.*,v1,vendor/cpu,core\nB-.*,v1,vendor/other,core\n"
				  "C-.*,v1,-,core\n[ABC]-.*,v1,vendor/family,shared\n";
	struct text told = { 0 };
	struct catalog *catalog;

	(void)state;
	make_folder("x86/vendor/family");
	make_folder("x86/vendor/other");
	write_file("x86/mapfile.csv", map, strlen(map));
	write_file("x86/vendor/family/presets.json", shared, strlen(shared));
	write_file("x86/vendor/cpu/a.json", own, strlen(own));
	write_file("x86/vendor/other/a.json", other, strlen(other));

	assert_int_equal(catalog_load(tree, "x86", "A-1", &catalog, NULL), 0);
	assert_string_equal(catalog->cpu, "x86/vendor/cpu");
	assert_int_equal(catalog->n_metrics, 2);
	assert_string_equal(catalog_metric_find(catalog, "M")->expr, "2 * A");
	assert_string_equal(catalog_metric_find(catalog, "N")->expr, "A");
	assert_int_equal(catalog->n_presets, 1);
	assert_string_equal(catalog_preset_find(catalog, "P")->brief, "C");
	catalog_free(catalog);

	assert_int_equal(catalog_load(tree, "x86", "C-1", &catalog, NULL), 0);
	assert_int_equal(catalog->n_metrics + catalog->n_presets, 0);
	catalog_free(catalog);

	assert_int_equal(catalog_check(tree, NULL, &told, NULL), 2);
	assert_non_null(strstr(told.bytes, "x86/vendor/family/presets.json: $[0].Events[0]: 'A' is "
					   "not an event of x86/vendor/other"));
	assert_non_null(strstr(told.bytes, "x86/vendor/other: duplicate preset 'q'"));
	text_fini(&told);
	write_file("x86/mapfile.csv", "A-.*,v1,vendor/cpu,core\n", 24);
}

/* shapes that Linux's own files have */
static void foreign_data_loads(void **state)
{
	static const char text[] =
		"[{\"EventName\": \"A.B\", \"EventCode\": \"0xB7,0xBB\", \"UMask\": \"0x01\","
		" \"CounterMask\": \"2\", \"MSRIndex\": \"0\", \"Invert\": \"1\", \"Counter\": "
		"\"0,1,2,3\","
		" \"SampleAfterValue\": \"2000003\", \"Speculative\": \"1\"},"
		"{\"EventName\": \"INST_RETIRED.ANY\", \"Counter\": \"Fixed counter 0\","
		" \"UMask\": \"0x1\"},"
		"{\"EventName\": \"L\", \"EventCode\": \"0xcd\", \"MSRIndex\": \"0x3F6\"},"
		"{\"EventName\": \"cpu-cycles\", \"LegacyConfigCode\": \"0\"},"
		"{\"ArchStdEvent\": \"CPU_CYCLES\"},"
		"{\"Unit\": \"core\", \"CountersNumFixed\": \"3\"},"
		"{\"MetricName\": \"M\", \"MetricExpr\": \"A.B / 2\", \"ScaleUnit\": "
		"\"1per_instr\"}]";
	struct catalog *catalog;
	const struct catalog_event *event;

	(void)state;
	write_file("x86/vendor/cpu/a.json", text, strlen(text));
	write_file("x86/vendor/cpu/metricgroups.json", "{\"Summary\": \"x\"}", 16);
	assert_int_equal(catalog_load(tree, "x86", "A-1", &catalog, NULL), 0);
	assert_int_equal(catalog->n_events, 3);
	assert_int_equal(catalog->n_metrics, 1);
	assert_string_equal(catalog->metric[0].unit, "per_instr");
	assert_int_equal(catalog_lookup(catalog, "a.b", &event, 1), 1);
	assert_string_equal(event->terms, "event=0xb7,umask=0x1,cmask=0x2,inv=0x1");
	assert_int_equal(event->counters, 0xf);
	/* a code that is not understood must not count something else */
	assert_int_equal(catalog_lookup(catalog, "l", NULL, 0), 0);
	assert_int_equal(catalog_lookup(catalog, "cpu-cycles", NULL, 0), 0);
	assert_int_equal(catalog_lookup(catalog, "inst_retired.any", &event, 1), 1);
	assert_string_equal(event->terms, "event=0xc0"); /* as perf has it */
	assert_int_equal(event->counters, 0);
	catalog_free(catalog);
	remove_file("x86/vendor/cpu/metricgroups.json");
}

static void huge_and_deep(void **state)
{
	enum { DEPTH = 100000, WIDE = 3 * 1000 * 1000 };
	static char text[WIDE + 1];

	(void)state;
	memset(text, '[', DEPTH);
	write_file("x86/vendor/cpu/a.json", text, DEPTH);
	assert_int_equal(load(NULL), -EINVAL);
	snprintf(text, sizeof(text), "[{\"EventName\": \"%0*d\"}]", WIDE - 20, 0);
	write_file("x86/vendor/cpu/a.json", text, strlen(text));
	assert_int_equal(load(NULL), 0); /* a long name is no crime */
	snprintf(text, sizeof(text), "[{\"EventName\": %0*d\"}]", WIDE - 20, 0);
	write_file("x86/vendor/cpu/a.json", text, strlen(text));
	assert_int_equal(load(NULL), -EINVAL);
}

static char *read_seed(const char *name, size_t *ret_n)
{
	char path[PATH_MAX], *text = calloc(1, 65536);

	assert_int_equal(catalog_find_dir(NULL, path, sizeof(path), NULL), 0);
	snprintf(path + strlen(path), sizeof(path) - strlen(path), "/arm64/apple/%s", name);

	AUTO_FILE FILE *file = fopen(path, "re");

	assert_non_null(file);
	assert_non_null(text);
	*ret_n = fread(text, 1, 65536, file);
	return text;
}

static uint32_t next(uint32_t *seed)
{
	return *seed = *seed * 1664525 + 1013904223;
}

/* One to eight bytes changed, moved or cut: whatever comes out, it is a result and no crash. */
static void mutate(char *text, size_t *n, uint32_t *seed)
{
	static const char likely[] = "\"\"[]{},:\\\n0-59xu\x80\xff";

	for (unsigned i = next(seed) >> 29; i < 8; i++) {
		size_t at = (next(seed) >> 8) % *n;

		if (next(seed) >> 30)
			text[at] = likely[(next(seed) >> 8) % (sizeof(likely) - 1)];
		else if (next(seed) >> 31)
			memmove(text + at, text + at / 2, *n - at);
		else if (at > 100)
			*n = at;
	}
}

static void mutated_files(void **state)
{
	static const char *const seeds[] = { "m1/branch.json", "common/metrics.json",
					     "common/presets.json" };
	unsigned n_accepted = 0, n_refused = 0;

	(void)state;
	for (uint32_t round = 0; round < 1500; round++) {
		size_t n;
		uint32_t seed = round;
		AUTO_FREE char *text = read_seed(seeds[round % 3], &n);
		struct text told = { 0 };

		mutate(text, &n, &seed);
		write_file("x86/vendor/cpu/a.json", text, n);

		struct err err = { 0 };
		int r = load(&err);

		assert_true(r == 0 || (r == -EINVAL && strstr(err.text, "a.json")));
		assert_true(catalog_check(tree, NULL, &told, NULL) >= (r != 0));
		n_accepted += !r;
		n_refused += !!r;
		text_fini(&told);
	}
	assert_true(n_accepted > 20 && n_refused > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_have_a_place),     cmocka_unit_test(errors_of_a_map),
		cmocka_unit_test(foreign_data_loads),      cmocka_unit_test(huge_and_deep),
		cmocka_unit_test(mutated_files),           cmocka_unit_test(strict_mistakes),
		cmocka_unit_test(strict_looks_at_folders), cmocka_unit_test(shared_folder),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
