/* Sets that are known by name or by the machine: presets, and what is counted when nobody asked. */
#include "event/set.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "event/request.h"

static const char default_preset[] = "overview";

/* As far as they exist and fit, in this order. */
static const char *const core_defaults[] = {
	"cycles",           "instructions", "branches", "branch-misses",
	"cache-references", "cache-misses", NULL
};
static const char *const other_defaults[] = { "context-switches", "page-faults", "cpu-migrations",
					      "active-time", NULL };

/* The lower of two limits, of which 0 is none. */
static unsigned lower_limit(unsigned a, unsigned b)
{
	if (!a || !b)
		return a + b;
	return a < b ? a : b;
}

/* Where there are fewer counters than events, the first ones are what matters most. */
static int add_preset(struct event_request *request, unsigned type,
		      const struct catalog_preset *preset, struct err *err)
{
	unsigned limit = request->limit;
	int result = 0;

	request->limit = lower_limit(limit, request->machine->type[type].n_counters);
	for (int slot = 0; slot < SLOTS_MAX && preset->event[slot] && result == 0; slot++)
		if (preset->event[slot][0])
			result = event_request_add_name(request, type, preset->event[slot], slot,
							err);
	request->limit = limit;
	return result < 0 ? err_prefix(err, -result, "preset %s: ", preset->name) : 0;
}

static const struct catalog_preset *preset_of(const struct event_request *request, unsigned type,
					      const char *name)
{
	return catalog_preset_find(request->machine->type[type].catalog, name);
}

static int no_preset(const struct machine *machine, const char *name, struct err *err)
{
	struct text text = { 0 };
	const char *comma = "";

	text_printf(&text, "no preset is named \"%s\"; available: ", name);
	for (unsigned type = 0; type < machine->n_types; type++) {
		const struct catalog *catalog = machine->type[type].catalog;

		if (type && strcmp(catalog->cpu, machine->type[0].catalog->cpu) == 0)
			continue;
		for (size_t i = 0; i < catalog->n_presets; i++, comma = ", ")
			text_printf(&text, "%s%s", comma, catalog->preset[i].name);
	}
	if (!*comma)
		text_printf(&text, "none for this machine");
	return text_to_err(&text, ENOENT, err);
}

int event_request_add_preset(struct event_request *request, const char *name, const char **ret_name,
			     struct err *err)
{
	const struct catalog_preset *preset = NULL;
	int result = 0;

	for (unsigned type = 0; type < request->machine->n_types && result == 0; type++) {
		const struct catalog_preset *its = preset_of(request, type, name);

		if (!its)
			continue;
		preset = its;
		result = add_preset(request, type, its, err);
	}
	if (result < 0)
		return result;
	if (!preset)
		return no_preset(request->machine, name, err);
	*ret_name = preset->name;
	return 0;
}

int set_preset(struct event_table *table, const char *name, enum privilege privilege,
	       struct set *ret, struct err *err)
{
	struct event_request request;

	event_request_init(&request, table, privilege);

	int result = event_request_add_preset(&request, name, &name, err);

	if (result == 0)
		result = event_request_add_fixed_pair(&request, err);
	return result < 0 ? result : event_request_place(&request, name, ret, err);
}

/* One name of a list; a type that lacks it goes without. */
static int add_if_there(struct event_request *request, unsigned type, const char *name,
			struct err *err)
{
	const struct event_spec spec = event_spec_of_name(name);
	const struct event *event;
	int result = event_resolve(request->table, type, &spec, request->privilege, &event, err);

	if (result == -ENOENT || (result == 0 && !event->pmu))
		return 0;
	return result < 0 ? result : event_request_add(request, type, event, -1, false, err);
}

static int add_list(struct event_request *request, unsigned type, const char *const *names,
		    struct err *err)
{
	int result = 0;

	for (; *names && result == 0; names++)
		result = add_if_there(request, type, *names, err);
	return result;
}

/* Apple's types by their preset, others by a list. */
static int add_default(struct event_request *request, unsigned type, const char **ret_preset,
		       struct err *err)
{
	const struct core_type *its = &request->machine->type[type];
	const struct catalog_preset *preset = preset_of(request, type, default_preset);

	if (!its->pmu)
		return add_list(request, type, other_defaults, err);
	if (!type_has_fixed_pair(its))
		return add_list(request, type, core_defaults, err);
	if (!preset)
		return 0; /* the fixed pair alone */
	*ret_preset = preset->name;
	return add_preset(request, type, preset, err);
}

int event_request_add_default(struct event_request *request, unsigned max_counters,
			      const char **ret_name, struct err *err)
{
	int result = 0;

	*ret_name = "";
	for (unsigned type = 0; type < request->machine->n_types && result == 0; type++) {
		request->limit = lower_limit(max_counters, request->machine->type[type].n_counters);
		result = add_default(request, type, ret_name, err);
	}
	request->limit = 0;
	return result < 0 ? result : event_request_add_fixed_pair(request, err);
}

int set_default(struct event_table *table, enum privilege privilege, unsigned max_counters,
		struct set *ret, struct err *err)
{
	struct event_request request;
	const char *preset;

	event_request_init(&request, table, privilege);

	int result = event_request_add_default(&request, max_counters, &preset, err);

	return result < 0 ? result : event_request_place(&request, preset, ret, err);
}
