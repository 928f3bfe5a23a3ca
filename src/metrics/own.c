#include "metrics/own.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Both texts in one piece of memory. */
static int make(const char *name, const char *expr, struct metric *ret)
{
	size_t n_name = strlen(name) + 1, n_expr = strlen(expr) + 1;
	char *own = malloc(n_name + n_expr);

	if (!own)
		return -ENOMEM;
	memcpy(own, name, n_name);
	memcpy(own + n_name, expr, n_expr);
	*ret = (struct metric){ .name = own,
				.short_name = own,
				.unit = "",
				.brief = "",
				.what = "",
				.group = "",
				.expr = own + n_name,
				.threshold = "",
				.scale = 1,
				.own = own };
	return 0;
}

int metrics_own_add(struct metrics *metrics, const char *name, const char *expr, struct err *err)
{
	int number = metrics_find(metrics, name);
	const struct metric *known = number < 0 ? NULL : &metrics->metric[number];

	if (known && strcasecmp(known->name, name) != 0)
		known = NULL; /* a name goes before what others are called beside theirs */
	if (known && known->own && strcmp(known->expr, expr) == 0)
		return 0;
	if (known)
		return err_set(err, EINVAL, "a metric is already named \"%s\": choose another name",
			       name);
	if (metrics->n == metrics->n_max) /* nor may they move: see struct metrics */
		return err_set(err, EINVAL, "at most %d expressions can be given", METRICS_OWN_MAX);
	assert(metrics->metric); /* metrics_make left room */
	if (make(name, expr, &metrics->metric[metrics->n]))
		return err_set(err, ENOMEM, "out of memory");
	metrics->n++;
	return 0;
}

const char *metrics_own_expr(const struct metrics *metrics, const char *name)
{
	for (unsigned i = 0; i < metrics->n; i++)
		if (metrics->metric[i].own && strcmp(metrics->metric[i].name, name) == 0)
			return metrics->metric[i].expr;
	return NULL;
}

int metrics_own_find_events(struct metrics_machine *machine, const struct metric_program *program,
			    struct err *err)
{
	const char *input;
	int rc = 0;

	for (unsigned i = 0; !rc && (input = metric_input(program, i)); i++)
		rc = metrics_machine_find_event(machine, input, err);
	return rc;
}

/* "active-time" is active less time, though people mean the event. */
static const char *hyphen_hint(const char *expr)
{
	for (const char *at = expr; (at = strchr(at, '-')); at++)
		if (at > expr && isalnum((unsigned char)at[-1]) && isalpha((unsigned char)at[1]))
			return "; write a - in a name as \\-";
	return "";
}

/* @missing  -ENOENT until a type has the events */
static int compile_on_type(struct metrics_machine *m, unsigned type, struct metric *metric,
			   int *missing, struct err *why)
{
	struct metric_program *program = NULL;
	int rc = metric_compile(metric->expr, metrics_machine_of_type(m, type), &program, why);

	if (rc)
		return rc;

	int lacks = metrics_own_find_events(m, program, why);

	if (!lacks)
		metric->program[type] = program;
	else
		metric_program_free(program);
	*missing = *missing ? lacks : 0;
	return 0;
}

static int compile(struct metrics_machine *m, struct metric *metric, struct err *err)
{
	struct err why = { "no core to count on" };
	int rc = 0, missing = -ENOENT;

	for (unsigned t = 0; !rc && t < m->machine->n_types; t++)
		rc = compile_on_type(m, t, metric, &missing, &why);
	if (rc)
		return err_set(err, -rc, "%s: %s", metric->name, why.text);
	if (missing)
		return err_set(err, -missing, "%s: %s%s", metric->name, why.text,
			       hyphen_hint(metric->expr));
	return 0;
}

int metrics_own_compile(struct metrics *metrics, unsigned n, struct err *err)
{
	struct metrics_machine m;
	int rc;

	if (n == metrics->n)
		return 0;
	rc = metrics_machine_init(&m, metrics->machine, &metrics->literals);
	if (rc)
		return err_set(err, -rc, "out of memory");
	m.metrics = metrics;
	for (unsigned i = n; i < metrics->n && !rc; i++)
		rc = compile(&m, &metrics->metric[i], err);
	metrics_machine_fini(&m);
	return rc;
}
