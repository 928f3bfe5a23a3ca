/* Devices are there several times, a memory controller for each channel: one name, several PMUs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "event/make.h"

enum { SAME_NAME_MAX = 16 };

static bool names_catalog_event_on(const struct event_query *q, const struct pmu *pmu,
				   bool *ret_is_known)
{
	const struct catalog_event *known[SAME_NAME_MAX];
	size_t n = catalog_lookup(q->type->catalog, q->spec->text, known, ARRAY_SIZE(known));
	bool counts = false;

	for (size_t i = 0; i < n && i < ARRAY_SIZE(known); i++)
		counts |= event_counts_on(q, known[i], pmu);
	*ret_is_known = n > 0;
	return counts;
}

static bool means(const struct event_query *q, const struct pmu *pmu)
{
	bool is_known;

	if (q->spec->is_terms)
		return pmu_is_called(pmu, q->spec->pmu);
	return names_catalog_event_on(q, pmu, &is_known) ||
	       (!is_known && pmu_alias_find(pmu, q->spec->text));
}

size_t event_pmus_meant(const struct event_query *q, const struct pmu **ret, size_t max)
{
	const struct pmus *pmus = &q->machine->pmus;
	size_t n = 0;

	if (q->spec->is_terms && pmu_find(pmus, q->spec->pmu))
		return 0;
	for (size_t i = 0; i < pmus->n; i++) {
		if (!means(q, &pmus->pmu[i]))
			continue;
		if (pmus->pmu[i].kind != PMU_UNCORE)
			return 0;
		if (n < max)
			ret[n] = &pmus->pmu[i];
		n++;
	}
	return n;
}

struct specs {
	struct event_spec *spec;
	size_t n, cap;
};

/* @pmu  NULL: as it is */
static int add(struct specs *to, const struct event_spec *spec, const struct pmu *pmu)
{
	struct event_spec made = *spec;

	if (pmu) {
		made.is_terms = true;
		snprintf(made.pmu, sizeof(made.pmu), "%s", pmu->name);
	}
	return array_append((void **)&to->spec, &to->cap, &to->n, &made, sizeof(made));
}

/* A column of its own was asked for: that can be one event only. */
static size_t pmus_of_spec(struct event_table *table, const struct event_spec *spec,
			   const struct pmu **ret, size_t max)
{
	const struct machine *machine = event_table_machine(table);
	size_t n = 0;

	for (unsigned type = 0; type < machine->n_types && n < 2 && spec->slot < 0; type++) {
		struct event_query q = event_query_of(table, type, spec, PRIVILEGE_BOTH);

		n = event_pmus_meant(&q, ret, max);
	}
	return n;
}

static int spread_one(struct event_table *table, const struct event_spec *spec, struct specs *to,
		      struct err *err)
{
	const struct pmu *pmu[SLOTS_MAX];
	size_t n = pmus_of_spec(table, spec, pmu, ARRAY_SIZE(pmu));
	int result = n < 2 ? add(to, spec, NULL) : 0;

	if (n > SLOTS_MAX)
		return err_set(err, ENOSPC,
			       "%s is on %zu PMUs, but only %d events can be counted at a time; "
			       "choose one, such as %s/%s/",
			       spec->text, n, SLOTS_MAX, pmu[0]->name, spec->text);
	for (size_t i = 0; i < n && n > 1 && !result; i++)
		result = add(to, spec, pmu[i]);
	return result ? err_set(err, ENOMEM, "out of memory") : 0;
}

int event_specs_expand(struct event_table *table, const struct event_spec *spec, size_t n,
		       struct event_spec **ret, size_t *ret_n, struct err *err)
{
	struct specs all = { .n = 0 };
	int result = 0;

	for (size_t i = 0; i < n && !result; i++)
		result = spread_one(table, &spec[i], &all, err);
	if (result) {
		free(all.spec);
		return result;
	}
	*ret = all.spec;
	*ret_n = all.n;
	return 0;
}
