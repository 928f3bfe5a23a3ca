#include "event/request.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

static const char *const fixed_pair[] = { "cycles", "instructions" };

void event_request_init(struct event_request *request, struct event_table *table,
			enum privilege privilege)
{
	memset(request, 0, sizeof(*request));
	request->table = table;
	request->machine = event_table_machine(table);
	request->privilege = privilege;
}

static bool is_beyond_limit(const struct event_request *request, unsigned type,
			    const struct event *event)
{
	unsigned counted = 0;

	for (size_t i = 0; i < request->n[type]; i++)
		counted += request->want[type][i].event->needs_counter;
	return request->limit && event->needs_counter && counted >= request->limit;
}

/* Columns of the core's own that are asked for. */
static unsigned count_of_core(const struct event_request *request, unsigned type)
{
	unsigned n = 0;

	for (size_t i = 0; i < request->n[type]; i++)
		n += !event_is_of_device(request->want[type][i].event);
	return n;
}

int event_request_add_row(struct event_request *request, unsigned type, const struct want *want,
			  unsigned row, struct err *err)
{
	size_t n = request->n[type];

	if (is_beyond_limit(request, type, want->event))
		return 0;
	if (!event_is_of_device(want->event) && count_of_core(request, type) == CORE_SLOTS_MAX)
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

int event_request_add(struct event_request *request, unsigned type, const struct event *event,
		      int slot, bool fixed, struct err *err)
{
	const struct want want = { .event = event, .slot = slot, .fixed = fixed };
	size_t row = slot >= 0 ? (size_t)slot : SLOTS_MAX + request->n[type];

	return event_request_add_row(request, type, &want, (unsigned)row, err);
}

int event_request_add_name(struct event_request *request, unsigned type, const char *name, int slot,
			   struct err *err)
{
	const struct event_spec spec = event_spec_of_name(name);
	const struct event *event;
	int result = event_resolve(request->table, type, &spec, request->privilege, &event, err);

	return result < 0 ? result : event_request_add(request, type, event, slot, false, err);
}

/* A preset may have it already: then it only keeps the column that -e gives it. */
static bool is_there(struct event_request *request, unsigned type, size_t n_before,
		     const struct event *event, int slot)
{
	for (size_t i = 0; i < n_before; i++) {
		struct want *want = &request->want[type][i];

		if (want->event != event)
			continue;
		if (slot >= 0)
			*want = (struct want){ .event = event, .slot = slot, .fixed = true };
		return true;
	}
	return false;
}

static int add_spec(struct event_request *request, unsigned type, size_t n_before, unsigned row,
		    const struct event_spec *spec, struct err *err)
{
	struct want want = { .slot = spec->slot, .fixed = spec->slot >= 0 };
	int result =
		event_resolve(request->table, type, spec, request->privilege, &want.event, err);

	if (result < 0 || is_there(request, type, n_before, want.event, spec->slot))
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

		for (size_t i = 0; i < n && !result; i++)
			result = add_spec(request, type, n_before, (unsigned)(SLOTS_MAX + i),
					  &spec[i], err);
	}
	return result;
}

bool type_has_fixed_pair(const struct core_type *type)
{
	return type->n_counters > 2 && (type->first_fit || type->slot_is_counter);
}

static struct want *find_wanted(struct event_request *request, unsigned type, const char *name)
{
	for (size_t i = 0; i < request->n[type]; i++)
		if (event_is(request->want[type][i].event, name))
			return &request->want[type][i];
	return NULL;
}

static int add_one_of_pair(struct event_request *request, unsigned type, int slot, struct err *err)
{
	struct want *wanted = find_wanted(request, type, fixed_pair[slot]);

	if (!wanted) {
		int result = event_request_add_name(request, type, fixed_pair[slot], slot, err);

		return result == -ENOENT ? 0 : result;
	}
	if (wanted->slot < 0)
		wanted->slot = slot;
	return 0;
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

unsigned set_count_slots(const struct set *set)
{
	for (unsigned slot = SLOTS_MAX; slot; slot--)
		if (set_event(set, slot - 1))
			return slot;
	return 0;
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

/* The columns that one type gives its events, as wishes of the types that have not chosen. */
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
	for (unsigned type = 0; type < request->machine->n_types; type++) {
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
	set.n_slots = set_count_slots(&set);
	snprintf(set.preset, sizeof(set.preset), "%s", preset);
	*ret = set;
	return 0;
}
