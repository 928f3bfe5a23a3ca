/* What is objected to in metrics, and in presets that promise what their events cannot give. */
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "rig/harness.h"
#include "rig/catalog_check.h"

static char tree[] = "/tmp/m1top-metrics-XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", tree, name);

	AUTO_FILE FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
}

static const char *const folders[] = { "", "x86", "x86/vendor", "x86/vendor/cpu" };
static const char *const files[] = { "x86/mapfile.csv", "x86/vendor/cpu/a.json" };

static int make_tree(void **state)
{
	char path[128];

	(void)state;
	if (!mkdtemp(tree))
		return -1;
	for (size_t i = 1; i < ARRAY_SIZE(folders); i++) {
		snprintf(path, sizeof(path), "%s/%s", tree, folders[i]);
		if (mkdir(path, 0700))
			return -1;
	}
	write_file(files[0], "A-.*,v1,vendor/cpu,core\n");
	return 0;
}

static int remove_tree(void **state)
{
	char path[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", tree, files[i]);
		remove(path);
	}
	for (size_t i = ARRAY_SIZE(folders); i-- > 0;) {
		snprintf(path, sizeof(path), "%s/%s", tree, folders[i]);
		if (remove(path))
			return -1;
	}
	return 0;
}

#define EVENT(name, rest) \
	"{\"EventName\": \"" name "\", \"EventCode\": \"1\", \"BriefDescription\": \"B\"" rest "}"
#define METRIC(name, expr, rest)                                                              \
	"{\"MetricName\": \"" name "\", \"MetricExpr\": \"" expr "\", \"BriefDescription\": " \
	"\"B\"" rest "}"
#define PRESET(event, metric)                                                                \
	"{\"PresetName\": \"P\", \"BriefDescription\": \"B\", \"Events\": [\"" event "\"], " \
	"\"Metrics\": [\"" metric "\"]}"
#define EVENTS EVENT("A", ", \"Aliases\": \"a-lias\"") "," EVENT("B", "")

static void mistakes(void **state)
{
	static const struct {
		const char *text, *told; /* NULL: nothing */
	} rows[] = {
		{ METRIC("M", "A / 2", "") "," PRESET("A", "M"), NULL },
		{ METRIC("M", "A / 2", "") "," PRESET("a-lias", "M"), NULL },
		{ METRIC("M", "a\\\\-lias / duration_time", "") "," PRESET("A", "M"), NULL },
		{ METRIC("M", "A", "") "," METRIC("N", "2 * M", "") "," PRESET("A", "N"), NULL },
		{ METRIC("M", "A / #slots", "") "," PRESET("A", "M"), NULL },
		{ METRIC("M", "A", ", \"MetricThreshold\": \"M > 1\""), NULL },
		{ METRIC("M", "A /", ""), "/x86/vendor/cpu: metric 'M': " },
		{ METRIC("M", "A", ", \"MetricThreshold\": \"M >\""), "metric 'M': " },
		{ METRIC("M", "A", "") "," PRESET("A", "m"), "preset 'P': 'm' is not a metric" },
		{ METRIC("M", "A / B", "") "," PRESET("A", "M"), "preset 'P': M needs B, " },
		{ METRIC("M", "A", "") "," METRIC("N", "1 - M", "") "," PRESET("B", "N"),
		  "preset 'P': N needs A, " },
		{ METRIC("M", "B if strcmp_cpuid_str(0x1) else A", "") "," PRESET("B", "M"),
		  "preset 'P': M needs A, " },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct text told = { 0 }, file = { 0 };

		text_printf(&file, "[" EVENTS ",%s]", rows[i].text);
		write_file("x86/vendor/cpu/a.json", file.bytes);
		assert_int_equal(catalog_check(tree, metrics_check, &told, NULL), !!rows[i].told);
		if (rows[i].told && (!strstr(told.bytes, rows[i].told) ||
				     strncmp(told.bytes, tree, strlen(tree)) != 0))
			fail_msg("%s\ngave  %s", rows[i].text, told.bytes);
		text_fini(&told);
		text_fini(&file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mistakes),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
