#include "catalog/catalog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "catalog/arena.h"
#include "catalog/build.h"

/* What goes by a name. The own name stands before others' alias. */
struct catalog_name {
	const char *name;
	const void *thing;
	bool is_alias;
};

static int by_name(const void *a, const void *b)
{
	const struct catalog_name *one = a, *two = b;
	int r = strcasecmp(one->name, two->name);

	if (!r)
		r = one->is_alias - two->is_alias;
	return r ? r : (one->thing > two->thing) - (one->thing < two->thing);
}

static size_t count_aliases(const char *const *alias)
{
	size_t n = 0;

	while (alias[n])
		n++;
	return n;
}

static size_t count_event_names(const struct catalog *catalog)
{
	size_t n = catalog->n_events;

	for (size_t i = 0; i < catalog->n_events; i++)
		n += count_aliases(catalog->event[i].alias);
	return n;
}

static size_t count_metric_names(const struct catalog *catalog)
{
	size_t n = catalog->n_metrics;

	for (size_t i = 0; i < catalog->n_metrics; i++)
		n += count_aliases(catalog->metric[i].alias);
	return n;
}

static void put(struct catalog_name *list, size_t *n, const char *name, const char *const *alias,
		const void *thing)
{
	list[(*n)++] = (struct catalog_name){ name, thing, false };
	for (; *alias; alias++)
		list[(*n)++] = (struct catalog_name){ *alias, thing, true };
}

static struct catalog_names sorted(struct catalog_name *list, size_t n)
{
	if (n)
		qsort(list, n, sizeof(*list), by_name);
	return (struct catalog_names){ list, n };
}

int catalog_index(struct catalog *catalog)
{
	struct catalog_name *events, *metrics;
	size_t n_events = 0, n_metrics = 0;

	events = arena_alloc(catalog->memory, count_event_names(catalog) * sizeof(*events));
	metrics = arena_alloc(catalog->memory, count_metric_names(catalog) * sizeof(*metrics));
	if (!events || !metrics)
		return -ENOMEM;
	for (size_t i = 0; i < catalog->n_events; i++)
		put(events, &n_events, catalog->event[i].name, catalog->event[i].alias,
		    &catalog->event[i]);
	for (size_t i = 0; i < catalog->n_metrics; i++)
		put(metrics, &n_metrics, catalog->metric[i].name, catalog->metric[i].alias,
		    &catalog->metric[i]);
	catalog->event_names = sorted(events, n_events);
	catalog->metric_names = sorted(metrics, n_metrics);
	return 0;
}

/* The first entry that is not before `name`. */
static size_t first_of(const struct catalog_names *names, const char *name)
{
	size_t low = 0, high = names->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcasecmp(names->name[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const struct catalog_names *names, size_t at, const char *name)
{
	return at < names->n && strcasecmp(names->name[at].name, name) == 0;
}

size_t catalog_lookup(const struct catalog *catalog, const char *name,
		      const struct catalog_event **ret, size_t max)
{
	const struct catalog_names *names = &catalog->event_names;
	size_t first = first_of(names, name), n = 0;

	for (size_t i = first; is_at(names, i, name); i++) {
		bool is_again = i > first && names->name[i].thing == names->name[i - 1].thing;

		if (names->name[i].is_alias != names->name[first].is_alias)
			break;
		if (is_again)
			continue;
		if (n < max)
			ret[n] = names->name[i].thing;
		n++;
	}
	return n;
}

const struct catalog_metric *catalog_metric_find(const struct catalog *catalog, const char *name)
{
	size_t at = first_of(&catalog->metric_names, name);

	return is_at(&catalog->metric_names, at, name) ? catalog->metric_names.name[at].thing
						       : NULL;
}

const struct catalog_metric *catalog_metric_exact(const struct catalog *catalog, const char *name)
{
	const struct catalog_names *names = &catalog->metric_names;

	for (size_t i = first_of(names, name); is_at(names, i, name); i++)
		if (strcmp(names->name[i].name, name) == 0)
			return names->name[i].thing;
	return NULL;
}

bool catalog_is_variant(const char *group)
{
	return strcmp(group, "XScale") == 0;
}

const struct catalog_preset *catalog_preset_find(const struct catalog *catalog, const char *name)
{
	for (size_t i = 0; i < catalog->n_presets; i++)
		if (!strcasecmp(catalog->preset[i].name, name))
			return &catalog->preset[i];
	return NULL;
}
