/* Loads one CPU of an event tree and writes what is in it, a line each; check.py judges it.
 * Usage: load DIR ARCH CPUID */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "metrics/expression.h"
#include "pmu/catalog.h"
#include "pmu/event.h"
#include "pmu/machine.h"

enum { LOADS = 5, PMUS_MAX = 96 };

/* The core PMUs' formats, from arch/x86/events/intel/core.c and drivers/perf/arm_pmuv3.c. */
static struct pmu_format x86_format[] = {
	{ "event", 0, 0xff },
	{ "umask", 0, 0xff00 },
	{ "edge", 0, 1 << 18 },
	{ "any", 0, 1 << 21 },
	{ "inv", 0, 1 << 23 },
	{ "cmask", 0, 0xff000000 },
	{ "offcore_rsp", 1, UINT64_MAX },
	{ "ldlat", 1, 0xffff },
	{ "frontend", 1, 0xffffff },
};
/* arch/x86/events/amd/core.c */
static struct pmu_format amd_format[] = {
	{ "event", 0, 0xf000000ff }, { "umask", 0, 0xff00 },     { "edge", 0, 1 << 18 },
	{ "inv", 0, 1 << 23 },       { "cmask", 0, 0xff000000 },
};
static struct pmu_format arm_format[] = { { "event", 0, 0xffff } };
static const struct {
	const char *arch, *cpuid; /* how they begin */
	struct pmu pmu;
} core_pmus[] = {
	{ "x86", "AuthenticAMD", { .name = "cpu", .format = amd_format, .n_formats = 5 } },
	{ "x86", "", { .name = "cpu", .format = x86_format, .n_formats = 9 } },
	{ "arm64", "", { .name = "armv8_pmuv3", .format = arm_format, .n_formats = 1 } },
};

/* What Intel's devices have among them: arch/x86/events/intel/uncore_snb.c, uncore_snbep.c. */
static struct pmu_format uncore_format[] = {
	{ "event", 0, 0x2000ff },
	{ "umask", 0, 0xffffff0000ff00 },
	{ "edge", 0, 1 << 18 },
	{ "inv", 0, 1 << 23 },
	{ "cmask", 0, 0xff000000 },
	{ "thresh", 0, 0xff000000 },
	{ "ch_mask", 0, 0xfff000000000 },
	{ "fc_mask", 0, 0x7000000000000 },
	{ "filter_opc", 1, 0x1ff0000000000000 },
	{ "filter_tid", 1, 0x3f },
};

/* the most that was ever resident; getrusage() would count what was there before exec */
static long peak_kib(void)
{
	AUTO_FILE FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	long kib = 0;

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, "VmHWM:", 6) == 0)
			kib = strtol(line + 6, NULL, 10);
	return kib;
}

static bool is_core(const struct catalog_event *event)
{
	return !event->pmu[0] || strncmp(event->pmu, "cpu_", 4) == 0;
}

/* @return NULL where the format is not known here */
static const struct pmu *core_pmu(const char *arch, const char *cpuid)
{
	for (size_t i = 0; i < ARRAY_SIZE(core_pmus); i++)
		if (strcmp(core_pmus[i].arch, arch) == 0 &&
		    strncmp(core_pmus[i].cpuid, cpuid, strlen(core_pmus[i].cpuid)) == 0)
			return &core_pmus[i].pmu;
	return NULL;
}

/* config words of a core event */
static void encode(const struct pmu *pmu, const struct catalog_event *event, char *ret, size_t size)
{
	uint64_t config[CONFIG_WORDS];
	struct err err = { "" };

	ret[0] = '\0';
	if (!pmu || !is_core(event))
		return;
	if (pmu_encode(pmu, event->terms, config, &err))
		snprintf(ret, size, "%s", err.text);
	else
		snprintf(ret, size, "%" PRIx64 ":%" PRIx64, config[0], config[1]);
}

static void write_events(const struct catalog *catalog, const struct pmu *pmu)
{
	for (size_t i = 0; i < catalog->n_events; i++) {
		const struct catalog_event *event = &catalog->event[i];
		char code[256];

		encode(pmu, event, code, sizeof(code));
		printf("event\t%s\t%s\t%s\t%s\t%s\t%d\t%d\n", event->name, event->pmu,
		       event->compat, event->terms, code, event->is_deprecated, event->per_pkg);
	}
}

/* What a metric's expression is told: as much as there is without the machine. */
struct asker {
	const struct catalog *catalog;
	const struct machine *machine;
	const char *pmu;            /* cpu_core's and cpu_atom's metrics share names */
	struct event_table *events; /* of a machine with all the devices; NULL: none is known */
};

static int literal(void *data, const char *name, double *ret)
{
	const struct asker *asker = data;

	struct literals literals;

	literals_read("", asker->machine, &literals);
	return literals_get(&literals, 0, name, ret);
}

static bool has_event(void *data, const char *name)
{
	const struct asker *asker = data;

	return catalog_lookup(asker->catalog, name, NULL, 0) > 0;
}

static bool is_cpu(void *data, const char *id)
{
	const struct asker *asker = data;

	return strcmp(asker->machine->cpuid, id) == 0;
}

static const char *metric_expr(void *data, const char *name)
{
	const struct asker *asker = data;

	for (size_t i = 0; i < asker->catalog->n_metrics; i++) {
		const struct catalog_metric *metric = &asker->catalog->metric[i];

		if (strcmp(metric->name, name) == 0 && strcmp(metric->pmu, asker->pmu) == 0)
			return metric->expr;
	}
	return NULL;
}

/* "cha/UNC_CHA_TOR_INSERTS.IA_MISS,config1=0x40433/": the name in it */
static void bare_name(const char *input, char *ret, size_t size)
{
	const char *slash = strchr(input, '/');

	if (slash)
		input = slash + 1;
	snprintf(ret, size, "%.*s", (int)strcspn(input, slash ? ",/" : ":"), input);
}

/* --- a machine that has what the files are about: two of each device --- */

static const struct pmu *add_pmu(struct pmus *pmus, const struct pmu *like, const char *name,
				 enum pmu_kind kind)
{
	struct pmu *pmu = &pmus->pmu[pmus->n++];

	*pmu = *like;
	pmu->kind = kind;
	pmu->honours_privilege = kind == PMU_CORE;
	snprintf(pmu->name, sizeof(pmu->name), "%s", name);
	return pmu;
}

static bool has_pmu(const struct pmus *pmus, const char *unit)
{
	for (size_t i = 0; i < pmus->n; i++)
		if (pmu_is_of(&pmus->pmu[i], unit, ""))
			return true;
	return false;
}

static void add_type(struct machine *machine, const struct catalog *catalog, const struct pmu *like,
		     const char *name)
{
	struct core_type *type = &machine->type[machine->n_types++];

	type->catalog = (struct catalog *)catalog;
	snprintf(type->name, sizeof(type->name), "%s", name);
	type->pmu = add_pmu(&machine->pmus, like, name, PMU_CORE);
}

/* @machine  has room for PMUS_MAX PMUs */
static void make_pmus(const struct catalog *catalog, const struct pmu *core,
		      struct machine *machine)
{
	static const struct pmu uncore = { .format = uncore_format,
					   .n_formats = ARRAY_SIZE(uncore_format) };
	static const char *const types[] = { "cpu_core", "cpu_atom" };

	for (size_t t = 0; t < ARRAY_SIZE(types); t++)
		for (size_t i = 0; i < catalog->n_events; i++)
			if (strcmp(catalog->event[i].pmu, types[t]) == 0) {
				add_type(machine, catalog, core, types[t]);
				break;
			}
	if (!machine->n_types)
		add_type(machine, catalog, core, "cpu");
	for (size_t i = 0; i < catalog->n_events && machine->pmus.n + 2 < PMUS_MAX; i++) {
		const char *unit = catalog->event[i].pmu;

		if (strncmp(unit, "uncore_", 7) != 0 || has_pmu(&machine->pmus, unit))
			continue;
		for (int n = 0; n < 2; n++) {
			char name[64];

			snprintf(name, sizeof(name), "%.60s_%d", unit, n);
			add_pmu(&machine->pmus, &uncore, name, PMU_UNCORE);
		}
	}
}

/* @return 0 when the input names what can be programmed for a type, on each device that it means */
static int resolve(struct event_table *table, unsigned type, const char *input, struct err *err)
{
	AUTO_FREE struct event_spec *spec = NULL;
	struct event_spec given;
	const struct event *event = NULL;
	size_t n = 0;
	int rc = event_spec_parse(input, &given, err);

	given.is_data = true;
	rc = rc ? rc : event_specs_expand(table, &given, 1, &spec, &n, err);
	for (size_t i = 0; i < n && !rc; i++)
		rc = event_resolve(table, type, &spec[i], PRIVILEGE_BOTH, &event, err);
	if (!rc && event && event->refused[0])
		rc = err_set(err, ENOENT, "%s", event->refused);
	return rc;
}

/* "EVENT/terms/" and "pmu/EVENT,terms/": can some core type's event of the files be programmed so? */
static void write_with_terms(const struct asker *asker, const struct catalog_metric *metric,
			     const char *input, const char *name)
{
	const struct machine *machine = event_table_machine(asker->events);
	char before[256];
	struct err err = { "" };
	bool is_of_event, is_bound = false;

	snprintf(before, sizeof(before), "%.*s", (int)strcspn(input, "/"), input);
	is_of_event = has_event((void *)asker, before);
	if (!strchr(input, '/') || !(is_of_event || has_event((void *)asker, name)))
		return;
	for (unsigned type = 0; type < machine->n_types && !is_bound; type++)
		is_bound = resolve(asker->events, type, input, &err) == 0;
	printf("terms\t%s\t%s\t%s\t%s\n", metric->name, is_of_event ? "event" : "pmu", input,
	       is_bound ? "ok" : err.text);
}

/* What is in no file must be the kernel's own name. */
static void write_inputs(const struct asker *asker, const struct catalog_metric *metric,
			 const struct metric_program *program)
{
	const char *input;

	for (unsigned n = 0; (input = metric_input(program, n)); n++) {
		char name[256];

		bare_name(input, name, sizeof(name));
		if (asker->events)
			write_with_terms(asker, metric, input, name);
		if (!strchr(name, '=') && !has_event((void *)asker, name))
			printf("input\t%s\t%s\n", metric->name, input);
	}
}

/* @return its program, or NULL with the reason */
static struct metric_program *compile(struct asker *asker, const char *expr, struct err *err)
{
	struct metric_context context = { .data = asker,
					  .runtime = 1,
					  .literal = literal,
					  .has_event = has_event,
					  .is_cpu = is_cpu,
					  .metric = metric_expr };
	struct metric_program *program = NULL;

	metric_compile(expr, &context, &program, err);
	return program;
}

static void write_metric(struct asker *asker, const struct catalog_metric *metric)
{
	struct err err = { "ok" }, alarm_err = { "ok" };
	struct metric_program *program, *alarm = NULL;

	asker->pmu = metric->pmu;
	program = compile(asker, metric->expr, &err);
	if (metric->threshold[0])
		alarm = compile(asker, metric->threshold, &alarm_err);
	unsigned n_inputs = 0;

	while (program && metric_input(program, n_inputs))
		n_inputs++;
	printf("metric\t%s\t%s\t%s\t%s\t%s\t%u\n", metric->name, metric->pmu, metric->compat,
	       program ? "ok" : err.text,
	       !metric->threshold[0] ? "none" : (alarm ? "ok" : alarm_err.text), n_inputs);
	if (program)
		write_inputs(asker, metric, program);
	metric_program_free(program);
	metric_program_free(alarm);
}

/* @core  NULL where its format is not known */
static void write_metrics(const struct catalog *catalog, const char *cpuid, const struct pmu *core)
{
	struct pmu pmu[PMUS_MAX];
	struct machine machine = { .n_types = 1 }, whole = { .pmus = { .pmu = pmu } };
	struct asker asker = { .catalog = catalog, .machine = &machine };
	uint64_t start_ns = clock_now_ns();

	machine.type[0].catalog = (struct catalog *)catalog;
	snprintf(machine.cpuid, sizeof(machine.cpuid), "%s", cpuid);
	if (core && strncmp(core->name, "cpu", 3) == 0) {
		make_pmus(catalog, core, &whole);
		if (event_table_new(&whole, &asker.events))
			return;
	}
	for (size_t i = 0; i < catalog->n_metrics; i++)
		write_metric(&asker, &catalog->metric[i]);
	event_table_free(asker.events);
	printf("compile_ms\t%.1f\n", (double)(clock_now_ns() - start_ns) / 1e6);
}

/* Every event is found by its name. */
static void look_up_all(const struct catalog *catalog)
{
	uint64_t start_ns = clock_now_ns();

	for (size_t i = 0; i < catalog->n_events; i++) {
		const struct catalog_event *found[64];
		size_t n = catalog_lookup(catalog, catalog->event[i].name, found, 64);
		bool is_there = false;

		for (size_t k = 0; k < n && k < 64; k++)
			is_there |= found[k] == &catalog->event[i];
		if (!is_there)
			printf("lost\t%s\n", catalog->event[i].name);
	}
	printf("lookup_ns\t%.0f\n", (double)(clock_now_ns() - start_ns) /
					    (double)(catalog->n_events ? catalog->n_events : 1));
}

static int load(char **argv, struct catalog **ret, double *ret_ms)
{
	struct err err = { "" };
	uint64_t start_ns = clock_now_ns();
	int r = catalog_load(argv[1], argv[2], argv[3], ret, &err);

	*ret_ms = (double)(clock_now_ns() - start_ns) / 1e6;
	if (r)
		printf("failed\t%s\n", err.text);
	return r;
}

/* The best of several, for other work on the machine must not count. */
static int measure(char **argv, struct catalog **ret)
{
	long before_kib = peak_kib();
	double best_ms, ms;

	if (load(argv, ret, &best_ms))
		return -1;
	printf("kib\t%ld\n", peak_kib() - before_kib);
	for (int i = 1; i < LOADS; i++) {
		catalog_free(*ret);
		if (load(argv, ret, &ms))
			return -1;
		best_ms = ms < best_ms ? ms : best_ms;
	}
	printf("ms\t%.1f\n", best_ms);
	return 0;
}

int main(int argc, char **argv)
{
	struct catalog *catalog;

	if (argc != 4) {
		fprintf(stderr, "usage: load DIR ARCH CPUID\n");
		return 2;
	}
	if (measure(argv, &catalog))
		return 1;
	printf("cpu\t%s\n", catalog->cpu);
	for (size_t i = 0; i < catalog->n_refused; i++)
		printf("refused\t%s\n", catalog->refused[i]);
	write_events(catalog, core_pmu(argv[2], argv[3]));
	write_metrics(catalog, argv[3], core_pmu(argv[2], argv[3]));
	look_up_all(catalog);
	catalog_free(catalog);
	return 0;
}
