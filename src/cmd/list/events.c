/* m1top list events: of every catalogue, and what the kernel names itself */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/list/list.h"

/* PMU/NAME/ on a type. @return NULL when there is none */
static const struct event *event_of_pmu(const struct list *list, unsigned type,
					const struct pmu *pmu, const char *name)
{
	struct event_spec spec = { .slot = -1, .is_terms = true };
	const struct event *event;

	snprintf(spec.pmu, sizeof(spec.pmu), "%s", pmu->name);
	snprintf(spec.text, sizeof(spec.text), "%s", name);
	return event_resolve(list->events, type, &spec, PRIVILEGE_BOTH, &event, NULL) ? NULL
										      : event;
}

/* The event of an entry whose device is there several times: on the first of them that has it. */
static const struct event *event_on_first(const struct list *list, unsigned type,
					  const struct catalog_event *known)
{
	const struct pmus *pmus = &list->backend->machine.pmus;
	const struct event *event = NULL;

	for (size_t i = 0; i < pmus->n && !event; i++)
		if (pmu_is_of(&pmus->pmu[i], known->pmu, known->compat))
			event = event_of_pmu(list, type, &pmus->pmu[i], known->name);
	return event;
}

/* The event of a catalogue entry on a type. @return NULL when that type cannot count it */
static const struct event *event_on(const struct list *list, unsigned type,
				    const struct catalog_event *known)
{
	const struct event *event = NULL;
	int rc = event_of_catalog(list->events, type, known, PRIVILEGE_BOTH, &event, NULL);

	if (rc == -ENOTUNIQ)
		return event_on_first(list, type, known);
	return rc || *event->refused ? NULL : event;
}

static bool has_event(const struct list *list, unsigned type, const void *thing)
{
	const struct catalog_event *known = thing;
	const struct catalog_event *same = catalog_event_find(
		list->backend->machine.type[type].catalog, known->name, known->pmu);

	return same && event_on(list, type, same);
}

/* "0x8d": exactly that */
static bool is_id(const char *pattern, uint64_t id)
{
	char *end;

	return pattern && strncasecmp(pattern, "0x", 2) == 0 && strtoull(pattern, &end, 16) == id &&
	       !*end;
}

static void add_matching(struct list *list, unsigned type, const struct catalog_event *known,
			 const char *alias)
{
	const struct event *event = event_on(list, type, known);
	struct text types = { 0 };
	char counters[64] = "";

	if (!event)
		return;
	list_types(list, type, has_event, known, &types);
	if (event->needs_counter && known->counters)
		counters_text(known->counters, counters, sizeof(counters));
	if (types.n)
		listing_add(&list->listing,
			    (const char *[]){ known->name,
					      *known->pmu ? known->pmu : event->pmu->name,
					      known->terms, counters, list_bytes(&types),
					      known->brief, alias, known->source });
	text_fini(&types);
}

static void add_known(struct list *list, unsigned type, const struct catalog_event *known)
{
	struct text alias = { 0 };

	list_join(known->alias, " ", &alias);
	if (is_id(list->pattern, known->id) ||
	    list_matches(list,
			 (const char *[]){ known->name, known->brief, list_bytes(&alias), NULL }))
		add_matching(list, type, known, list_bytes(&alias));
	text_fini(&alias);
}

/* What the catalogue says of it under its own name, else in which unit it is. */
static void kernel_event_text(const struct list *list, const struct pmu *pmu,
			      const struct pmu_alias *alias, char *buf, size_t size)
{
	const struct event *event = event_of_pmu(list, 0, pmu, alias->name);

	if (event && event->known)
		snprintf(buf, size, "%s", event->known->brief);
	else
		snprintf(buf, size, "%s%s%s",
			 pmu->kind == PMU_ACTIVITY ? "chosen by the processor's maker"
						   : "named by the kernel",
			 *alias->unit ? ", in " : "", alias->unit);
}

/* What the kernel names itself and no catalogue does, uncore events above all. */
static void add_kernel_events(struct list *list, const struct pmu *pmu)
{
	const struct catalog *catalog = list->backend->machine.type[0].catalog;
	const struct catalog_event *known;

	for (size_t i = 0; i < pmu->n_aliases; i++) {
		const struct pmu_alias *alias = &pmu->alias[i];
		char name[160], what[256];

		if (catalog_lookup(catalog, alias->name, &known, 1) &&
		    (pmu->kind != PMU_UNCORE || *known->pmu)) /* a core's cycles are others */
			continue;
		snprintf(name, sizeof(name), "%s/%s/", pmu->name, alias->name);
		kernel_event_text(list, pmu, alias, what, sizeof(what));
		if (list_matches(list, (const char *[]){ name, what, NULL }))
			listing_add(&list->listing, (const char *[]){ name, pmu->name, alias->terms,
								      "", "", what, "", "sysfs" });
	}
}

void list_events(struct list *list)
{
	const struct machine *machine = &list->backend->machine;

	for (unsigned type = 0; type < machine->n_types; type++) {
		const struct catalog *catalog = machine->type[type].catalog;

		for (size_t i = 0; i < catalog->n_events; i++)
			add_known(list, type, &catalog->event[i]);
	}
	for (size_t i = 0; i < machine->pmus.n; i++)
		add_kernel_events(list, &machine->pmus.pmu[i]);
}
