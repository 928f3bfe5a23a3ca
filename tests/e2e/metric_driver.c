/* Values of expressions, for tests that work them out by other means.
 * stdin: "NAME VALUE" lines, an empty line, then expressions; stdout: the value or "undefined", a line each.
 * With arguments TREE ARCH CPUID PMU…, a core type for each PMU: stdin: "NAME VALUE" lines, of literals too; stdout: "PMU WAY
 * VALUE" of each top-down part of the event files in TREE, from the first level on: "cpu TopdownL1>tma_retiring 0.25" */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "metrics/metrics.h"
#include "pmu/catalog.h"

static struct event event[COLUMNS_MAX];
static struct placement placement;
static struct count slot[COLUMNS_MAX];
static struct literals literals;

/* Print the value, in the unit of a metric. @unit  NULL: of an expression */
static void evaluate(const struct metric_program *program, const struct metric *unit)
{
	struct metric_binding binding;

	if (metric_bind(program, &placement, &binding)) {
		struct reading reading = metric_eval(program, &binding, slot);

		if (unit)
			reading = metric_in_unit(unit, reading);
		if (reading.quality == QUALITY_OK)
			printf("%.17g\n", reading.value);
		else
			printf("%s\n", quality_name(reading.quality));
	} else {
		printf("an input is missing\n");
	}
}

static void evaluate_expr(const char *expr)
{
	struct metric_program *program;
	struct err err = { "" };

	if (metric_compile(expr, NULL, &program, &err)) {
		printf("%s\n", err.text);
		return;
	}
	evaluate(program, NULL);
	metric_program_free(program);
}

static void take_literal(const char *name, size_t n, double value)
{
	for (unsigned i = 0; literal_name(i); i++)
		for (unsigned type = 0; type < TYPES_MAX; type++)
			if (strlen(literal_name(i)) == n && !strncmp(literal_name(i), name, n))
				literals.value[type][i] = value;
}

static void take_input(const char *line, unsigned n)
{
	size_t length = strcspn(line, " ");
	double value;

	if (n >= COLUMNS_MAX || line[length] != ' ' || num_parse_double(line + length + 1, &value))
		exit(2);
	if (*line == '#') {
		take_literal(line + 1, length - 1, value);
		return;
	}
	snprintf(event[n].name, sizeof(event[n].name), "%.*s", (int)length, line);
	event[n].scale = 1;
	placement.event[n] = &event[n];
	slot[n] = (struct count){ .value = (uint64_t)value,
				  .enabled_ns = 1000,
				  .running_ns = 1000,
				  .quality = QUALITY_OK };
}

/* ---- the parts of event files ---- */

/* Print the metric after those that it divides. @return false: it is no part */
static bool print_way(const struct metrics *metrics, unsigned type, const struct metric *metric)
{
	for (unsigned i = 0; i < metrics->n; i++)
		if (metrics->metric[i].program[type] &&
		    metric_divides(metric, &metrics->metric[i], (int)type)) {
			print_way(metrics, type, &metrics->metric[i]);
			printf(">%s", metric->name);
			return true;
		}
	if (metric_first_level(metric))
		printf("%s %s>%s", metrics->machine->type[type].pmu->name,
		       metric_first_level(metric), metric->name);
	return metric_first_level(metric);
}

static void add_type(struct machine *machine, const char *dir, const char *arch, const char *pmu)
{
	struct core_type *type = &machine->type[machine->n_types];
	struct err err = { "" };

	snprintf(machine->pmus.pmu[machine->n_types].name,
		 sizeof(machine->pmus.pmu[machine->n_types].name), "%s", pmu);
	machine->pmus.pmu[machine->n_types].kind = PMU_CORE;
	type->pmu = &machine->pmus.pmu[machine->n_types++];
	if (catalog_load(dir, arch, machine->cpuid, &type->catalog, &err) ||
	    machine_narrow_catalog(type->catalog, pmu, &machine->pmus)) {
		fprintf(stderr, "%s\n", err.text);
		exit(2);
	}
}

static void print_parts(char **argument, int n)
{
	static struct pmu pmu[TYPES_MAX];
	static struct machine machine;
	struct metrics metrics;

	machine.recorded = true;
	machine.pmus = (struct pmus){ .pmu = pmu, .n = (size_t)n - 3 };
	snprintf(machine.cpuid, sizeof(machine.cpuid), "%s", argument[2]);
	for (int i = 3; i < n && i < 3 + TYPES_MAX; i++)
		add_type(&machine, argument[0], argument[1], argument[i]);
	if (metrics_make_with_literals(&machine, &literals, &metrics, NULL))
		exit(2);
	for (unsigned type = 0; type < machine.n_types; type++)
		for (unsigned i = 0; i < metrics.n; i++)
			if (metrics.metric[i].program[type] &&
			    print_way(&metrics, type, &metrics.metric[i])) {
				printf(" ");
				evaluate(metrics.metric[i].program[type], &metrics.metric[i]);
			}
	metrics_fini(&metrics);
	for (unsigned type = 0; type < machine.n_types; type++)
		catalog_free((struct catalog *)(uintptr_t)machine.type[type].catalog);
}

int main(int argc, char **argv)
{
	static char line[1 << 20];
	bool is_head = true;

	for (unsigned n = 0; fgets(line, sizeof(line), stdin); n++) {
		line[strcspn(line, "\n")] = '\0';
		if (is_head && *line)
			take_input(line, n);
		else if (!is_head)
			evaluate_expr(line);
		is_head = is_head && *line;
	}
	if (argc > 4)
		print_parts(argv + 1, argc - 1);
	return 0;
}
