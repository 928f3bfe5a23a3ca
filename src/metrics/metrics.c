/* metrics.c: the metrics of a session: every core type's, under one numbering */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "metrics/metric.h"

static struct metric *find(const struct metrics *metrics, const char *name)
{
	for (unsigned i = 0; i < metrics->n; i++) {
		if (strcasecmp(metrics->metric[i].name, name) == 0)
			return &metrics->metric[i];
	}
	return NULL;
}

static struct metric *find_or_add(struct metrics *metrics, const struct catalog_metric *known)
{
	struct metric *metric = find(metrics, known->name);

	if (metric || metrics->n == METRICS_MAX)
		return metric;
	metric = &metrics->metric[metrics->n++];
	*metric = (struct metric){ .name = known->name,
				   .short_name = known->short_name,
				   .unit = known->unit,
				   .brief = known->brief,
				   .scale = known->scale };
	return metric;
}

static int add(struct metrics *metrics, unsigned type, const struct catalog_metric *known,
	       struct err *err)
{
	struct metric *metric = find_or_add(metrics, known);

	if (!metric)
		return err_set(err, E2BIG, "more than %d metrics", METRICS_MAX);
	if (metric->program[type])
		return 0;

	int rc = metric_compile(known->expr, &metric->program[type], err);

	return rc ? err_prefix(err, -rc, "%s: ", known->name) : 0;
}

/* Every frame's metric 0 is what the screen leads with. */
static const char *const leading[] = { "IPC", "CPI" };

static int add_leading(struct metrics *metrics, const struct machine *machine, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < sizeof(leading) / sizeof(leading[0]); i++) {
		for (unsigned t = 0; !rc && t < machine->n_types; t++) {
			const struct catalog_metric *known =
				catalog_metric_find(machine->type[t].catalog, leading[i]);

			if (known)
				rc = add(metrics, t, known, err);
		}
	}
	return rc;
}

int metrics_make(const struct machine *machine, struct metrics *ret, struct err *err)
{
	struct metrics metrics = { .metric = calloc(METRICS_MAX, sizeof(*metrics.metric)) };

	if (!metrics.metric)
		return err_set(err, ENOMEM, "out of memory");

	int rc = add_leading(&metrics, machine, err);

	for (unsigned t = 0; !rc && t < machine->n_types; t++) {
		const struct catalog *catalog = machine->type[t].catalog;

		for (size_t i = 0; !rc && i < catalog->n_metrics; i++)
			rc = add(&metrics, t, &catalog->metric[i], err);
	}
	if (rc) {
		metrics_fini(&metrics);
		return rc;
	}
	*ret = metrics;
	return 0;
}

void metrics_fini(struct metrics *metrics)
{
	if (!metrics)
		return;
	for (unsigned i = 0; i < metrics->n; i++) {
		for (unsigned t = 0; t < TYPES_MAX; t++)
			metric_program_free(metrics->metric[i].program[t]);
	}
	free(metrics->metric);
	*metrics = (struct metrics){ 0 };
}

void metrics_bind(const struct metrics *metrics, const struct set *set, unsigned n_types,
		  struct metrics_bound *ret)
{
	for (unsigned t = 0; t < n_types; t++) {
		for (unsigned i = 0; i < metrics->n; i++) {
			const struct metric_program *program = metrics->metric[i].program[t];

			ret->bound[t][i] =
				program && metric_bind(program, &set->type[t], &ret->binding[t][i]);
		}
	}
}

void metrics_eval(const struct metrics *metrics, const struct metrics_bound *bound, unsigned type,
		  const struct count *slot, struct reading *ret)
{
	for (unsigned i = 0; i < metrics->n; i++) {
		const struct metric *metric = &metrics->metric[i];

		ret[i] = (struct reading){ .quality = QUALITY_NONE };
		if (!bound->bound[type][i])
			continue;
		ret[i] = metric_eval(metric->program[type], &bound->binding[type][i], slot);
		ret[i].value *= metric->scale;
	}
}

int metrics_find(const struct metrics *metrics, const char *name)
{
	const struct metric *metric = find(metrics, name);

	return metric ? (int)(metric - metrics->metric) : -1;
}
