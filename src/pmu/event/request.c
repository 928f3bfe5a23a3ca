#include "pmu/set.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "pmu/event/make.h"

static const char *const fixed_pair[] = { "cycles", "instructions" };

void event_request_init(struct event_request *request, struct event_table *table,
			enum privilege privilege)
{
	memset(request, 0, sizeof(*request));
	request->table = table;
	request->machine = event_table_machine(table);
	request->privilege = privilege;
}

int event_request_add_row(struct event_request *request, unsigned type, const struct want *want,
			  unsigned row, struct err *err)
{
	size_t n = request->n[type];
	unsigned n_counted = 0,
		 n_of_core = 0; /* events on counters, and in the core's own columns */

	for (size_t i = 0; i < n; i++) {
		n_counted += request->want[type][i].event->needs_counter;
		n_of_core += !event_is_of_device(request->want[type][i].event);
	}
	if (request->limit && want->event->needs_counter && n_counted >= request->limit)
		return 0;
	if (!event_is_of_device(want->event) && n_of_core == CORE_SLOTS_MAX)
		return err_set(err, ENOSPC, "at most %d events can be counted at a time",
			       CORE_SLOTS_MAX);
	if (n == SLOTS_MAX)
		return err_set(
			err, ENOSPC,
			"at most %d events can be counted at a time, including those of devices",
			SLOTS_MAX);
	request->want[type][n] = *want;
	request->row[type][n] = (uint16_t)row;
	request->n[type]++;
	return 0;
}

/*
 * Request an event on one type, in the row of the slot or in a new row.
 * @slot -1: any  @return 0; -ENOSPC beyond SLOTS_MAX, or CORE_SLOTS_MAX of the core's own
 */
static int event_request_add(struct event_request *request, unsigned type,
			     const struct event *event, int slot, bool fixed, struct err *err)
{
	const struct want want = { .event = event, .slot = slot, .fixed = fixed };
	size_t row = slot >= 0 ? (size_t)slot : SLOTS_MAX + request->n[type];

	return event_request_add_row(request, type, &want, (unsigned)row, err);
}

/* Request an event by plain name, as event_resolve finds it. Errors of both. */
static int request_add_name(struct event_request *request, unsigned type, const char *name,
			    int slot, struct err *err)
{
	const struct event_spec spec = event_spec_of_name(name);
	const struct event *event;
	int result = event_resolve(request->table, type, &spec, request->privilege, &event, err);

	return result < 0 ? result : event_request_add(request, type, event, slot, false, err);
}

/* Whether the event is already requested, e.g. by a preset; then it only takes the column given by -e. An event that is
 * named twice is counted once, unless two counters are named. */
static bool request_is_there(struct event_request *request, unsigned type, size_t n_before,
			     const struct event *event, int slot)
{
	for (size_t i = 0; i < request->n[type]; i++) {
		struct want *want = &request->want[type][i];

		if (want->event != event || (i >= n_before && slot >= 0 && want->slot >= 0))
			continue;
		if (slot >= 0)
			*want = (struct want){ .event = event, .slot = slot, .fixed = true };
		return true;
	}
	return false;
}

/* Return the core PMU that a spec is restricted to: the one it names, or for a bare number that of
 * PERF_TYPE_RAW, as in perf. Arm's and Apple's PMUs have dynamic types, so that a number applies
 * to all of them. @return NULL: all */
static const struct pmu *only_pmu(const struct machine *machine, const struct event_spec *spec)
{
	enum { TYPE_RAW = 4 };
	uint64_t id;

	if (spec->is_terms)
		return pmu_find(&machine->pmus, spec->pmu);
	for (unsigned type = 0; event_read_raw(spec->text, &id) && type < machine->n_types; type++)
		if (machine->type[type].pmu && machine->type[type].pmu->type == TYPE_RAW)
			return machine->type[type].pmu;
	return NULL;
}

/* Whether a spec is only for other core types; this type then gets no row. */
static bool is_for_others(const struct machine *machine, unsigned type,
			  const struct event_spec *spec)
{
	const struct pmu *pmu = only_pmu(machine, spec);
	bool is_elsewhere = false;

	for (unsigned i = 0; i < machine->n_types; i++)
		is_elsewhere |= i != type && machine->type[i].pmu == pmu;
	return pmu && is_elsewhere && machine->type[type].pmu != pmu;
}

static int add_spec(struct event_request *request, unsigned type, size_t n_before, unsigned row,
		    const struct event_spec *spec, struct err *err)
{
	struct want want = { .slot = spec->slot, .fixed = spec->slot >= 0 };
	int result =
		event_resolve(request->table, type, spec, request->privilege, &want.event, err);

	if (result < 0 || request_is_there(request, type, n_before, want.event, spec->slot))
		return result;
	return event_request_add_row(request, type, &want, row, err);
}

int event_request_add_specs(struct event_request *request, const struct event_spec *given, size_t n,
			    struct err *err)
{
	AUTO_FREE struct event_spec *spec = NULL;
	int result = event_specs_expand(request->table, given, n, &spec, &n, err);

	for (unsigned type = 0; type < request->machine->n_types; type++) {
		size_t n_before = request->n[type];

		for (size_t i = 0; i < n && !result; i++) {
			if (is_for_others(request->machine, type, &spec[i]))
				continue;
			result = add_spec(request, type, n_before, (unsigned)(SLOTS_MAX + i),
					  &spec[i], err);
		}
	}
	return result;
}

bool type_has_fixed_pair(const struct core_type *type)
{
	return type->n_counters > 2 && (type->first_fit || type->slot_is_counter);
}

static int add_one_of_pair(struct event_request *request, unsigned type, int slot, struct err *err)
{
	for (size_t i = 0; i < request->n[type]; i++) {
		struct want *want = &request->want[type][i];

		if (!event_is(want->event, fixed_pair[slot]))
			continue;
		want->slot = want->slot < 0 ? slot : want->slot;
		return 0;
	}

	int result = request_add_name(request, type, fixed_pair[slot], slot, err);

	return result == -ENOENT ? 0 : result;
}

int event_request_add_fixed_pair(struct event_request *request, struct err *err)
{
	int result = 0;

	for (unsigned type = 0; type < request->machine->n_types; type++)
		for (int slot = 0; slot < 2 && result == 0; slot++)
			if (type_has_fixed_pair(&request->machine->type[type]))
				result = add_one_of_pair(request, type, slot, err);
	return result;
}

bool event_counts_as(const struct event *a, const struct event *b)
{
	return a->pmu == b->pmu && a->privilege == b->privilege && a->is_forced == b->is_forced &&
	       memcmp(a->config, b->config, sizeof(a->config)) == 0;
}

int placement_find(const struct placement *placement, const struct event *event, int but)
{
	for (int slot = 0; slot < SLOTS_MAX; slot++)
		if (slot != but && placement->event[slot] &&
		    event_counts_as(placement->event[slot], event))
			return slot;
	return -1;
}

/* Pass the columns of one type's events on to the types that have not chosen any. */
static void share_columns(struct event_request *request, const struct event_request *part,
			  unsigned type, const struct placement *placement)
{
	for (size_t i = 0; i < part->n[type]; i++) {
		int slot = placement_find(placement, part->want[type][i].event, -1);

		for (unsigned other = 0; other < request->machine->n_types; other++)
			for (size_t k = 0; k < request->n[other]; k++)
				if (request->row[other][k] == part->row[type][i] &&
				    request->want[other][k].slot < 0)
					request->want[other][k].slot = slot;
	}
}

void event_request_align(struct event_request *request)
{
	unsigned n_types = request->machine->n_types;

	for (unsigned type = 0; n_types > 1 && type < n_types; type++) {
		struct event_request part = { .machine = request->machine };
		struct placement placement;

		for (size_t i = 0; i < request->n[type]; i++) {
			if (!request->want[type][i].event->refused[0])
				event_request_add_row(&part, type, &request->want[type][i],
						      request->row[type][i], NULL);
		}
		if (placement_make(&request->machine->type[type], part.want[type], part.n[type],
				   &placement, NULL) == 0)
			share_columns(request, &part, type, &placement);
	}
}

int event_request_place(const struct event_request *request, const char *preset, struct set *ret,
			struct err *err)
{
	struct set set = { 0 };

	for (unsigned type = 0; type < request->machine->n_types; type++) {
		struct collision why;
		char text[512];

		if (placement_make(&request->machine->type[type], request->want[type],
				   request->n[type], &set.type[type], &why) < 0)
			return err_set(err, ENOSPC, "%s", collision_text(&why, text, sizeof(text)));
	}
	for (unsigned slot = 0; slot < SLOTS_MAX; slot++)
		if (set_event(&set, slot))
			set.n_slots = slot + 1;
	snprintf(set.preset, sizeof(set.preset), "%s", preset);
	*ret = set;
	return 0;
}

int set_make(struct event_table *table, const struct event_spec *spec, size_t n,
	     enum privilege privilege, struct set *ret, struct err *err)
{
	struct event_request request;

	event_request_init(&request, table, privilege);

	int result = event_request_add_specs(&request, spec, n, err);

	if (result == 0)
		result = event_request_add_fixed_pair(&request, err);
	if (result < 0)
		return result;
	event_request_align(&request);
	return event_request_place(&request, "", ret, err);
}

/* ---- presets and the default set */

static const char default_preset[] = "overview";

/* Default events in this order, as far as they exist and fit. */
static const char *const core_defaults[] = {
	"cycles",           "instructions", "branches", "branch-misses",
	"cache-references", "cache-misses", NULL
};

static const char *const other_defaults[] = { "context-switches", "page-faults", "cpu-migrations",
					      "active-time", NULL };

/* Return the lower of two limits; 0 means no limit. */
static unsigned lower_limit(unsigned a, unsigned b)
{
	if (!a || !b)
		return a + b;
	return a < b ? a : b;
}

/* Add a preset's events; with fewer counters, only the first, most important ones. */
static int set_default_add_preset(struct event_request *request, unsigned type,
				  const struct catalog_preset *preset, struct err *err)
{
	unsigned limit = request->limit;
	int result = 0;

	request->limit = lower_limit(limit, request->machine->type[type].n_counters);
	for (int slot = 0; slot < SLOTS_MAX && preset->event[slot] && result == 0; slot++)
		if (preset->event[slot][0])
			result = request_add_name(request, type, preset->event[slot], slot, err);
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
		result = set_default_add_preset(request, type, its, err);
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

/* Add one event of a list, unless the type lacks it. */
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

static int set_default_add_list(struct event_request *request, unsigned type,
				const char *const *names, struct err *err)
{
	int result = 0;

	for (; *names && result == 0; names++)
		result = add_if_there(request, type, *names, err);
	return result;
}

/* Add the default events of a type: a preset on Apple's types, a list on others. */
static int add_default(struct event_request *request, unsigned type, const char **ret_preset,
		       struct err *err)
{
	const struct core_type *its = &request->machine->type[type];
	const struct catalog_preset *preset = preset_of(request, type, default_preset);

	if (!its->pmu)
		return set_default_add_list(request, type, other_defaults, err);
	if (!type_has_fixed_pair(its))
		return set_default_add_list(request, type, core_defaults, err);
	if (!preset)
		return 0; /* only the fixed pair */
	*ret_preset = preset->name;
	return set_default_add_preset(request, type, preset, err);
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
