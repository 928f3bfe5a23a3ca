/* metrics.c: the metrics of a session: every core type's, under one numbering */
#include "metrics/metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "metrics/machine.h"

bool metric_is_share(const struct metric *metric)
{
	return strcmp(metric->unit, "%") == 0;
}

bool metric_label_has_unit(const struct metric *metric)
{
	return metric_is_share(metric) && strchr(metric->short_name, '%');
}

static bool is_name(const struct metric *metric, const char *name)
{
	return strcasecmp(metric->name, name) == 0;
}

static bool has_alias(const struct metric *metric, const char *name)
{
	for (const char *const *alias = metric->alias; alias && *alias; alias++)
		if (strcasecmp(*alias, name) == 0)
			return true;
	return false;
}

const char *metric_label(const struct metric *metric)
{
	return *metric->short_name ? metric->short_name : metric->name;
}

static bool is_short_name(const struct metric *metric, const char *name)
{
	return *name && strcasecmp(metric->short_name, name) == 0;
}

static int find(const struct metrics *metrics, const char *name,
		bool (*goes_by)(const struct metric *, const char *))
{
	for (unsigned i = 0; i < metrics->n; i++)
		if (goes_by(&metrics->metric[i], name))
			return (int)i;
	return -1;
}

int metrics_find(const struct metrics *metrics, const char *name)
{
	int number = find(metrics, name, is_name);

	if (number < 0)
		number = find(metrics, name, has_alias);
	return number < 0 ? find(metrics, name, is_short_name) : number;
}

static int refuse(struct metrics *metrics, unsigned type, const char *name, const struct err *why)
{
	if (array_reserve((void **)&metrics->refused, &metrics->cap_refused, metrics->n_refused,
			  sizeof(*metrics->refused)))
		return -ENOMEM;

	char *text = strdup(why->text);

	if (!text)
		return -ENOMEM;
	metrics->refused[metrics->n_refused++] =
		(struct metric_refused){ .name = name, .type = type, .why = text };
	return 0;
}

static struct metric *find_or_add(struct metrics *metrics, const struct catalog_metric *known)
{
	int number = find(metrics, known->name, is_name);

	if (number >= 0)
		return &metrics->metric[number];
	if (metrics->n == UINT16_MAX || array_reserve((void **)&metrics->metric, &metrics->cap,
						      metrics->n, sizeof(*metrics->metric)))
		return NULL;
	metrics->metric[metrics->n] = (struct metric){ .name = known->name,
						       .short_name = known->short_name,
						       .alias = known->alias,
						       .unit = known->unit,
						       .brief = known->brief,
						       .what = known->what,
						       .group = known->group,
						       .expr = known->expr,
						       .threshold = known->threshold,
						       .scale = known->scale,
						       .is_approximate = known->is_approximate };
	return &metrics->metric[metrics->n++];
}

static int add_alarm(struct metrics *metrics, struct metrics_machine *machine,
		     struct metric *metric, const struct catalog_metric *known)
{
	struct err why = { "" };
	int rc = 0;

	if (known->threshold[0])
		rc = metric_compile(known->threshold, &machine->context,
				    &metric->alarm[machine->type], &why);
	if (!rc || rc == -ENOMEM)
		return rc;
	err_prefix(&why, -rc, "threshold: ");
	return refuse(metrics, machine->type, known->name, &why);
}

static bool has(const struct metrics *metrics, const char *name, unsigned type)
{
	int number = metrics->metric ? find(metrics, name, is_name) : -1;

	return number >= 0 && metrics->metric[number].program[type];
}

static int add(struct metrics *metrics, struct metrics_machine *machine,
	       const struct catalog_metric *known)
{
	struct metric_program *program;
	struct metric *metric;
	struct err why = { "" };

	if (has(metrics, known->name, machine->type))
		return 0;

	int rc = metric_compile(known->expr, &machine->context, &program, &why);

	if (rc)
		return rc == -ENOMEM ? rc : refuse(metrics, machine->type, known->name, &why);
	metric = find_or_add(metrics, known);
	if (!metric) {
		metric_program_free(program);
		return -ENOMEM;
	}
	metric->program[machine->type] = program;
	return add_alarm(metrics, machine, metric, known);
}

/* What the screen leads with. */
static const char *const leading[] = { "IPC", "CPI" };

static int add_leading(struct metrics *metrics, struct metrics_machine *m)
{
	int rc = 0;

	for (size_t i = 0; i < sizeof(leading) / sizeof(leading[0]); i++) {
		for (unsigned t = 0; !rc && t < m->machine->n_types; t++) {
			const struct catalog_metric *known =
				catalog_metric_find(m->machine->type[t].catalog, leading[i]);

			metrics_machine_of_type(m, t);
			if (known)
				rc = add(metrics, m, known);
		}
	}
	return rc;
}

static int add_all(struct metrics *metrics, struct metrics_machine *m)
{
	int rc = add_leading(metrics, m);

	for (unsigned t = 0; !rc && t < m->machine->n_types; t++) {
		const struct catalog *catalog = m->machine->type[t].catalog;

		metrics_machine_of_type(m, t);
		for (size_t i = 0; !rc && i < catalog->n_metrics; i++)
			rc = add(metrics, m, &catalog->metric[i]);
	}
	return rc;
}

/* Is there a figure where all is counted? None without a literal that the machine does not report. */
static bool is_defined(const struct metric_program *program)
{
	struct count any[METRIC_INPUTS_MAX];

	for (unsigned i = 0; program && i < METRIC_INPUTS_MAX; i++)
		any[i] = (struct count){
			.value = 1000, .enabled_ns = 1000, .running_ns = 1000, .quality = QUALITY_OK
		};
	return program && quality_has_value(metric_eval_inputs(program, any).quality);
}

/* The first of its metrics that some type can give. */
static int number_of_part(const struct metrics *metrics, const struct catalog_part *part)
{
	for (const char *const *name = part->metric; *name; name++) {
		int number = metrics_find(metrics, *name);

		for (unsigned t = 0; number >= 0 && t < metrics->machine->n_types; t++)
			if (is_defined(metrics->metric[number].program[t]))
				return number;
	}
	return -1;
}

/* Types differ in their metrics, and seldom in their parts: those of the first that has any. */
static void add_parts(struct metrics *metrics)
{
	const struct machine *machine = metrics->machine;

	for (unsigned t = 0; t < machine->n_types && !metrics->n_parts; t++) {
		const struct catalog *catalog = machine->type[t].catalog;

		for (size_t i = 0; i < catalog->n_parts && i < METRIC_PARTS_MAX; i++)
			metrics->part[metrics->n_parts++] = (struct metric_part){
				.known = &catalog->part[i],
				.number = number_of_part(metrics, &catalog->part[i]),
			};
	}
}

/* For expressions of the user's own. */
static int make_room(struct metrics *metrics)
{
	metrics->n_max = metrics->n + METRICS_OWN_MAX;
	if (metrics->n_max > UINT16_MAX)
		metrics->n_max = UINT16_MAX;
	return array_reserve((void **)&metrics->metric, &metrics->cap, metrics->n_max,
			     sizeof(*metrics->metric));
}

int metrics_make(const struct machine *machine, struct metrics *ret, struct err *err)
{
	struct literals literals;

	literals_read("", machine, &literals);
	return metrics_make_told(machine, &literals, ret, err);
}

int metrics_make_told(const struct machine *machine, const struct literals *literals,
		      struct metrics *ret, struct err *err)
{
	struct metrics metrics = { .machine = machine, .literals = *literals };
	struct metrics_machine m;
	int rc = metrics_machine_init(&m, machine, literals);

	if (!rc)
		rc = add_all(&metrics, &m);
	if (!rc)
		rc = make_room(&metrics);
	if (!rc)
		add_parts(&metrics);
	metrics_machine_fini(&m);
	if (rc) {
		metrics_fini(&metrics);
		return err_set(err, ENOMEM, "out of memory");
	}
	*ret = metrics;
	return 0;
}

static void free_metric(struct metric *metric)
{
	for (unsigned t = 0; t < TYPES_MAX; t++) {
		metric_program_free(metric->program[t]);
		metric_program_free(metric->alarm[t]);
	}
	free(metric->own);
}

void metrics_forget(struct metrics *metrics, unsigned n)
{
	while (metrics->n > n)
		free_metric(&metrics->metric[--metrics->n]);
}

void metrics_fini(struct metrics *metrics)
{
	if (!metrics)
		return;
	metrics_forget(metrics, 0);
	for (size_t i = 0; i < metrics->n_refused; i++)
		free(metrics->refused[i].why);
	free(metrics->refused);
	free(metrics->metric);
	*metrics = (struct metrics){ 0 };
}
