/* Sets that are known by name or by the machine: presets, and what is counted when nobody asked. */
#include "pmu/set.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "pmu/set_wishes.h"

static const char default_preset[] = "overview";

/* As far as they exist and fit, in this order. */
static const char *const core_defaults[] = {
	"cycles",           "instructions", "branches", "branch-misses",
	"cache-references", "cache-misses", NULL
};
static const char *const other_defaults[] = { "cpu-clock",   "context-switches",
					      "page-faults", "cpu-migrations",
					      "tsc",         NULL };

/* The lower of two limits, of which 0 is none. */
static unsigned lower_limit(unsigned a, unsigned b)
{
	if (!a || !b)
		return a + b;
	return a < b ? a : b;
}

/* Where there are fewer counters than events, the first ones are what matters most. */
static int add_preset(struct wishes *wishes, unsigned type, const struct catalog_preset *preset,
		      struct err *err)
{
	unsigned limit = wishes->limit;
	int result = 0;

	wishes->limit = lower_limit(limit, wishes->machine->type[type].n_counters);
	for (int slot = 0; slot < SLOTS_MAX && preset->event[slot] && result == 0; slot++)
		if (preset->event[slot][0])
			result = wishes_add_name(wishes, type, preset->event[slot], slot, err);
	wishes->limit = limit;
	return result < 0 ? err_prefix(err, -result, "preset %s: ", preset->name) : 0;
}

static const struct catalog_preset *preset_of(const struct wishes *wishes, unsigned type,
					      const char *name)
{
	return catalog_preset_find(wishes->machine->type[type].catalog, name);
}

static int no_preset(const struct machine *machine, const char *name, struct err *err)
{
	struct text known = { 0 };

	for (unsigned type = 0; type < machine->n_types; type++) {
		const struct catalog *catalog = machine->type[type].catalog;

		if (type && strcmp(catalog->cpu, machine->type[0].catalog->cpu) == 0)
			continue;
		for (size_t i = 0; i < catalog->n_presets; i++)
			text_printf(&known, "%s%s", known.n ? ", " : "", catalog->preset[i].name);
	}
	err_set(err, ENOENT, "there is no preset \"%s\"; there are: %s", name,
		known.bytes ? known.bytes : "none for this machine");
	text_fini(&known);
	return -ENOENT;
}

int wishes_add_preset(struct wishes *wishes, const char *name, const char **ret_name,
		      struct err *err)
{
	const struct catalog_preset *preset = NULL;
	int result = 0;

	for (unsigned type = 0; type < wishes->machine->n_types && result == 0; type++) {
		const struct catalog_preset *its = preset_of(wishes, type, name);

		if (!its)
			continue;
		preset = its;
		result = add_preset(wishes, type, its, err);
	}
	if (result < 0)
		return result;
	if (!preset)
		return no_preset(wishes->machine, name, err);
	*ret_name = preset->name;
	return 0;
}

int set_preset(struct event_table *table, const char *name, enum event_levels levels,
	       struct set *ret, struct err *err)
{
	struct wishes wishes;

	wishes_init(&wishes, table, levels);

	int result = wishes_add_preset(&wishes, name, &name, err);

	if (result == 0)
		result = wishes_add_fixed_pair(&wishes, err);
	return result < 0 ? result : wishes_place(&wishes, name, ret, err);
}

/* One name of a list; a type that lacks it goes without. */
static int add_if_there(struct wishes *wishes, unsigned type, const char *name, struct err *err)
{
	struct event_spec spec = { .slot = -1 };
	const struct event *event;

	snprintf(spec.text, sizeof(spec.text), "%s", name);

	int result = event_resolve(wishes->table, type, &spec, wishes->levels, &event, err);

	if (result == -ENOENT || (result == 0 && !event->pmu))
		return 0;
	return result < 0 ? result : wishes_add(wishes, type, event, -1, false, err);
}

static int add_list(struct wishes *wishes, unsigned type, const char *const *names, struct err *err)
{
	int result = 0;

	for (; *names && result == 0; names++)
		result = add_if_there(wishes, type, *names, err);
	return result;
}

/* Apple's types by their preset, others by a list. */
static int add_default(struct wishes *wishes, unsigned type, const char **ret_preset,
		       struct err *err)
{
	const struct core_type *its = &wishes->machine->type[type];
	const struct catalog_preset *preset = preset_of(wishes, type, default_preset);

	if (!its->pmu)
		return add_list(wishes, type, other_defaults, err);
	if (!type_has_fixed_pair(its))
		return add_list(wishes, type, core_defaults, err);
	if (!preset)
		return 0; /* the fixed pair alone */
	*ret_preset = preset->name;
	return add_preset(wishes, type, preset, err);
}

int set_default(struct event_table *table, enum event_levels levels, unsigned max_counters,
		struct set *ret, struct err *err)
{
	struct wishes wishes;
	const char *preset = "";
	int result = 0;

	wishes_init(&wishes, table, levels);
	for (unsigned type = 0; type < wishes.machine->n_types && result == 0; type++) {
		wishes.limit = lower_limit(max_counters, wishes.machine->type[type].n_counters);
		result = add_default(&wishes, type, &preset, err);
	}
	if (result == 0)
		result = wishes_add_fixed_pair(&wishes, err);
	return result < 0 ? result : wishes_place(&wishes, preset, ret, err);
}
