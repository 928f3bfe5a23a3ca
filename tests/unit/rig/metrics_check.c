/* metrics_check.c: every expression of a catalogue compiled, every preset held against its metrics */
#include "rig/catalog_check.h"

#include <errno.h>
#include <stdarg.h>

#include "metrics/expression.h"

struct check {
	const struct catalog *catalog;
	struct text *problems;
	int n_problems;
};

__attribute__((format(printf, 2, 3))) static void problem(struct check *check, const char *fmt, ...)
{
	va_list args;

	text_printf(check->problems, "%s: ", check->catalog->cpu);
	va_start(args, fmt);
	text_vprintf(check->problems, fmt, args);
	va_end(args);
	text_add(check->problems, "\n", 1);
	check->n_problems++;
}

/* Give every literal of a machine the value 1, so that no part of an expression is folded away. */
static int any_literal(void *data, const char *name, double *ret)
{
	(void)data;
	(void)name;
	*ret = 1;
	return 0;
}

static bool no_cpu(void *data, const char *id)
{
	(void)data;
	(void)id;
	return false;
}

static bool has_event(void *data, const char *name)
{
	const struct check *check = data;

	return catalog_lookup(check->catalog, name, NULL, 0) > 0;
}

static const char *metric_expr(void *data, const char *name)
{
	const struct check *check = data;
	const struct catalog_metric *metric = catalog_metric_exact(check->catalog, name);

	return metric ? metric->expr : NULL;
}

static int compile(struct check *check, const char *expr, struct metric_program **ret,
		   struct err *err)
{
	const struct metric_context context = {
		.data = check,
		.runtime = 1,
		.literal = any_literal,
		.has_event = has_event,
		.is_cpu = no_cpu,
		.metric = metric_expr,
	};

	return metric_compile(expr, &context, ret, err);
}

static void check_expr(struct check *check, const char *metric, const char *expr)
{
	struct metric_program *program = NULL;
	struct err why = { "" };

	if (*expr && compile(check, expr, &program, &why))
		problem(check, "metric '%s': %s", metric, why.text);
	metric_program_free(program);
}

/* Whether two names are of one event. */
static bool is_same(const struct catalog *catalog, const char *a, const char *b)
{
	const struct catalog_event *one, *two;

	return catalog_lookup(catalog, a, &one, 1) == 1 &&
	       catalog_lookup(catalog, b, &two, 1) == 1 && one == two;
}

static bool counts(const struct check *check, const struct catalog_preset *preset, const char *name)
{
	for (const char *const *event = preset->event; *event; event++)
		if (is_same(check->catalog, *event, name))
			return true;
	return false;
}

static void check_inputs(struct check *check, const struct catalog_preset *preset,
			 const struct catalog_metric *metric)
{
	struct metric_program *program;
	const char *name;

	if (compile(check, metric->expr, &program, NULL))
		return; /* already reported */
	for (unsigned i = 0; (name = metric_input(program, i)); i++)
		if (!counts(check, preset, name))
			problem(check, "preset '%s': %s needs %s, which it does not count",
				preset->name, metric->name, name);
	metric_program_free(program);
}

static void check_preset(struct check *check, const struct catalog_preset *preset)
{
	for (const char *const *name = preset->metric; name && *name; name++) {
		const struct catalog_metric *metric = catalog_metric_exact(check->catalog, *name);

		if (metric)
			check_inputs(check, preset, metric);
		else
			problem(check, "preset '%s': '%s' is not a metric", preset->name, *name);
	}
}

int metrics_check(const struct catalog *catalog, struct text *ret)
{
	struct check check = { .catalog = catalog, .problems = ret };

	for (size_t i = 0; i < catalog->n_metrics; i++) {
		check_expr(&check, catalog->metric[i].name, catalog->metric[i].expr);
		check_expr(&check, catalog->metric[i].name, catalog->metric[i].threshold);
	}
	for (size_t i = 0; i < catalog->n_presets; i++)
		check_preset(&check, &catalog->preset[i]);
	return check.n_problems;
}
