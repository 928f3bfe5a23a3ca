/* What metrics of devices are made of, on the machine that has them and in its session. */
#include <string.h>

#include "base/text.h"
#include "rig/fake_root.h"
#include "rig/harness.h"
#include "metrics/metrics.h"
#include "pmu/machine.h"
#include "session/reader.h"

/* clang-format off: it takes the rows for blocks */
static const struct fake_file files[] = {
	{ CPU_DIR "online", "0" },
	{ PMU_DIR "cpu/type", "4" },
	{ PMU_DIR "cpu/format/event", "config:0-7" },
	FAKE_IMC("0"),
	FAKE_IMC("1"),
	{ PMU_DIR "arm_cmn_0/type", "31" },
	{ PMU_DIR "arm_cmn_0/cpumask", "0" },
	{ PMU_DIR "arm_cmn_0/identifier", "43601" },
	{ PMU_DIR "arm_cmn_0/format/event", "config:0-7" },
	{ "x86/mapfile.csv", "GenuineIntel-6-6A,v1,cpu,core" },
	{ "x86/cpu/a.json",
	  "["
	  "{\"EventName\": \"CORE\", \"EventCode\": \"0x3c\"},"
	  "{\"EventName\": \"UNC_M_CAS\", \"EventCode\": \"0x04\", \"Unit\": \"iMC\"},"
	  "{\"EventName\": \"TWICE\", \"EventCode\": \"0x11\"},"
	  "{\"EventName\": \"TWICE\", \"EventCode\": \"0x12\", \"Unit\": \"iMC\"},"
	  "{\"EventName\": \"HNF\", \"EventCode\": \"7\", \"Unit\": \"arm_cmn\", "
	  "\"Compat\": \"700.*\"},"
	  "{\"EventName\": \"HNF\", \"EventCode\": \"5\", \"Unit\": \"arm_cmn\", "
	  "\"Compat\": \"(434|436).*\"},"
	  "{\"MetricName\": \"bandwidth\", \"MetricExpr\": \"64 * UNC_M_CAS / duration_time\"},"
	  "{\"MetricName\": \"twice\", \"MetricExpr\": \"imc@TWICE@ / UNC_M_CAS\"},"
	  "{\"MetricName\": \"own\", \"MetricExpr\": \"TWICE / CORE\"},"
	  "{\"MetricName\": \"raw\", \"MetricExpr\": \"uncore_imc@event\\\\=4@ / UNC_M_CAS\"},"
	  "{\"MetricName\": \"part\", \"MetricExpr\": \"UNC_M_CAS@umask\\\\=1@ / "
	  "CORE@config1\\\\=1@\"},"
	  "{\"MetricName\": \"clocks\", \"MetricExpr\": \"uncore_imc@clockticks@\"},"
	  "{\"MetricName\": \"mixed\", \"MetricExpr\": \"UNC_M_CAS / CORE / "
	  "source_count(UNC_M_CAS)\"},"
	  "{\"MetricName\": \"hnf\", \"MetricExpr\": \"HNF / 7\", \"Unit\": \"arm_cmn\", "
	  "\"Compat\": \"700.*\"},"
	  "{\"MetricName\": \"hnf\", \"MetricExpr\": \"HNF / 5\", \"Unit\": \"arm_cmn\", "
	  "\"Compat\": \"(434|436).*\"},"
	  "{\"MetricName\": \"elsewhere\", \"MetricExpr\": \"HNF / 6\", \"Unit\": \"arm_cmn\", "
	  "\"Compat\": \"600.*\"}]" },
	{ NULL, NULL },
};
/* clang-format on */

static char root[64], path[96];
static struct machine machine = { .cpuid = "GenuineIntel-6-6A-6" };
static struct core core;
static struct event_table *table;
static struct metrics metrics;
static struct set set;

static int make_machine(void **state)
{
	struct core_type *type = &machine.type[0];
	struct err err = { "" };

	(void)state;
	fake_root(root, sizeof(root), files);
	snprintf(path, sizeof(path), "%s/run.csv", root);
	assert_int_equal(sysfs_pmus(root, &machine.pmus, &err), 0);
	machine.core = &core;
	machine.n_cores = machine.n_types = machine.n_clusters = 1;
	snprintf(type->name, sizeof(type->name), "cpu");
	type->pmu = pmu_find(&machine.pmus, "cpu");
	type->n_counters = 4;
	assert_int_equal(machine_load_catalogs(&machine, root, &err), 0);
	assert_int_equal(metrics_make(&machine, &metrics, &err), 0);
	return event_table_new(&machine, &table);
}

static int free_machine(void **state)
{
	(void)state;
	event_table_free(table);
	metrics_fini(&metrics);
	catalog_free(machine.type[0].catalog);
	pmus_fini(&machine.pmus);
	fake_root_remove(root);
	return 0;
}

static void make_set(const char *list)
{
	AUTO_FREE struct event_spec *given = NULL;
	AUTO_FREE struct event_spec *spec = NULL;
	struct err err = { "" };
	size_t n;

	assert_int_equal(event_specs_parse(list, &given, &n, &err), 0);
	assert_int_equal(event_specs_expand(table, given, n, &spec, &n, &err), 0);
	if (set_make(table, spec, n, PRIVILEGE_BOTH, &set, &err))
		fail_msg("%s", err.text);
	set.number = 1;
}

static void write_head(void)
{
	struct format_context context = { .machine = &machine,
					  .metrics = &metrics,
					  .first = &set,
					  .head = { .backend = "perf",
						    .interval_ns = 1000000000 } };
	struct text text = { 0 };
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	format_csv.begin(&context, &text);
	fwrite(text.bytes, 1, text.n, file);
	assert_int_equal(fclose(file), 0);
	text_fini(&text);
}

/* "bandwidth = 64 * UNC_M_CAS / duration_time: 3 gathered 3; …" */
static void describe(const struct metrics *of, const struct set *counts, struct text *ret)
{
	struct metrics_bound bound;

	assert_int_equal(metrics_bind(of, counts, 1, &bound), 0);
	for (unsigned i = 0; i < bound.n; i++) {
		const struct metric *metric = &of->metric[bound.number[i]];
		const struct metric_binding *binding = bound.binding[0][i];

		text_printf(ret, "%s = %s: %llx gathered %llx%s\n", metric->name, metric->expr,
			    (unsigned long long)binding->slots.word[0],
			    (unsigned long long)binding->gathered.word[0],
			    metrics_is_of_devices(&bound, i) ? " of devices" : "");
	}
	metrics_bound_fini(&bound);
}

static bool says(const struct text *text, const char *what)
{
	return text->bytes && strstr(text->bytes, what);
}

static void a_session_binds_what_was_bound(void **state)
{
	struct text live = { 0 }, recorded = { 0 };
	struct reader *reader;
	struct err err = { "" };

	(void)state;
	make_set("CORE,UNC_M_CAS,imc/TWICE/,cpu/TWICE/,uncore_imc/event=4/,clockticks,HNF,"
		 "UNC_M_CAS/umask=1/,CORE/config1=1/");
	describe(&metrics, &set, &live);
	write_head();
	if (reader_open(path, 0, root, &reader, &err))
		fail_msg("%s", err.text);
	describe(reader_metrics(reader), reader_first_set(reader), &recorded);
	assert_true(says(&live, "hnf = HNF / 5"));
	assert_true(says(&live, "twice = "));
	assert_true(says(&live, "raw = "));
	assert_true(says(&live, "part = "));
	assert_string_equal(recorded.bytes, live.bytes);
	text_fini(&live);
	text_fini(&recorded);
	reader_close(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_session_binds_what_was_bound),
	};

	return cmocka_run_group_tests(tests, make_machine, free_machine);
}
