/* Devices are there several times, a memory controller for each channel: one name, several PMUs. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "event/make.h"
#include "machine/stream.h"

enum { SAME_NAME_MAX = 16 };

const char *event_name_meant(const struct event_query *q)
{
	const struct pmus *pmus = &q->machine->pmus;

	if (!q->spec->is_terms)
		return q->spec->text;
	for (size_t i = 0; i < pmus->n; i++)
		if (pmu_is_called(&pmus->pmu[i], q->spec->pmu))
			return NULL;
	return q->spec->pmu;
}

struct event_spec event_spec_on(const struct event_query *q, const struct pmu *pmu)
{
	struct event_spec ret = *q->spec;
	const char *name = event_name_meant(q);

	/* what was typed is no shorter: it fits */
	int n = ret.is_terms && name
			? snprintf(ret.text, sizeof(ret.text), "%s,%s", name, q->spec->text)
			: 0;

	assert(n < EVENT_NAME_MAX);
	snprintf(ret.pmu, sizeof(ret.pmu), "%s", pmu->name);
	ret.is_terms = true;
	return ret;
}

static bool names_catalog_event_on(const struct event_query *q, const char *name,
				   const struct pmu *pmu, bool *ret_is_known)
{
	const struct catalog_event *known[SAME_NAME_MAX];
	size_t n = catalog_lookup(q->type->catalog, name, known, ARRAY_SIZE(known));
	bool counts = false;

	for (size_t i = 0; i < n && i < ARRAY_SIZE(known); i++)
		counts |= event_counts_on(q, known[i], pmu);
	*ret_is_known = n > 0;
	return counts;
}

/* @name  of an event, NULL where the spec names a PMU */
static bool means(const struct event_query *q, const char *name, const struct pmu *pmu)
{
	bool is_known;

	if (!name)
		return pmu_is_called(pmu, q->spec->pmu) && !stream_refusal(pmu);
	return names_catalog_event_on(q, name, pmu, &is_known) ||
	       (!is_known && pmu_alias_find(pmu, name));
}

size_t event_pmus_meant(const struct event_query *q, const struct pmu **ret, size_t max)
{
	const struct pmus *pmus = &q->machine->pmus;
	const char *name = event_name_meant(q);
	size_t n = 0;

	if (q->spec->is_terms && pmu_find(pmus, q->spec->pmu))
		return 0;
	for (size_t i = 0; i < pmus->n; i++) {
		if (!means(q, name, &pmus->pmu[i]))
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

static int add(struct specs *to, const struct event_spec *spec)
{
	return array_append((void **)&to->spec, &to->cap, &to->n, spec, sizeof(*spec));
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
	const struct event_query q = event_query_of(table, 0, spec, PRIVILEGE_BOTH);
	const struct pmu *pmu[SLOTS_MAX];
	size_t n = pmus_of_spec(table, spec, pmu, ARRAY_SIZE(pmu));
	int result = n < 2 ? add(to, spec) : 0;

	for (size_t i = 0; i < n && n > 1 && !result; i++) {
		struct event_spec one = event_spec_on(&q, pmu[i]);

		if (n > SLOTS_MAX)
			return err_set(err, ENOSPC,
				       "%s is on %zu PMUs, but only %d events can be counted at a "
				       "time; choose one, such as %s/%s/",
				       one.text, n, SLOTS_MAX, one.pmu, one.text);
		result = add(to, &one);
	}
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
