#include "machine/machine.h"

#include <errno.h>
#include <string.h>

#include "catalog/build.h"

/* What the machine of a catalogue has. */
struct present {
	const char *core_pmu;
	const struct pmus *pmus;
	bool has_any; /* devices that nothing is known of may be here */
	bool has_any_model;
};

static bool has_device(const struct present *here, const char *unit, const char *compat)
{
	if (compat[0] ? here->has_any_model : here->has_any)
		return true;
	for (size_t i = 0; i < here->pmus->n; i++)
		if (pmu_is_of(&here->pmus->pmu[i], unit, compat))
			return true;
	return false;
}

static bool knows_models(const struct pmus *pmus)
{
	for (size_t i = 0; i < pmus->n; i++)
		if (pmus->pmu[i].identifier[0])
			return true;
	return false;
}

/* Hybrid x86 machines: one folder for cpu_core and cpu_atom. */
static bool is_of_other_cores(const struct present *here, const char *unit)
{
	return strncmp(unit, "cpu_", 4) == 0 && strcmp(unit, here->core_pmu) != 0;
}

static bool keep_event(const struct present *here, const struct catalog_event *event)
{
	return !event->compat[0] || has_device(here, event->pmu, event->compat);
}

static bool keep_metric(const struct present *here, const struct catalog_metric *metric)
{
	bool is_of_device =
		metric->compat[0] || (metric->pmu[0] && strcmp(metric->pmu, here->core_pmu) != 0);

	if (is_of_device && !has_device(here, metric->pmu, metric->compat))
		return false;
	return !is_of_other_cores(here, metric->pmu);
}

int machine_narrow_catalog(struct catalog *catalog, const char *core_pmu, const struct pmus *pmus)
{
	struct present here = { core_pmu, pmus, pmus->is_recorded,
				pmus->is_recorded && !knows_models(pmus) };
	struct catalog narrow = *catalog;
	struct catalog_event *event;
	struct catalog_metric *metric;

	event = arena_alloc(catalog->memory, catalog->n_events * sizeof(*event));
	metric = arena_alloc(catalog->memory, catalog->n_metrics * sizeof(*metric));
	if (!event || !metric)
		return -ENOMEM;
	narrow.n_events = narrow.n_metrics = 0;
	for (size_t i = 0; i < catalog->n_events; i++)
		if (keep_event(&here, &catalog->event[i]))
			event[narrow.n_events++] = catalog->event[i];
	for (size_t i = 0; i < catalog->n_metrics; i++)
		if (keep_metric(&here, &catalog->metric[i]))
			metric[narrow.n_metrics++] = catalog->metric[i];
	if (!core_pmu[0])
		narrow.n_presets = 0;
	narrow.event = event;
	narrow.metric = metric;
	if (catalog_index(&narrow) < 0)
		return -ENOMEM;
	*catalog = narrow;
	return 0;
}
