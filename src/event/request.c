#include "pmu/set_wishes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

static const char *const fixed_pair[] = { "cycles", "instructions" };

void wishes_init(struct wishes *wishes, struct event_table *table, enum event_levels levels)
{
	memset(wishes, 0, sizeof(*wishes));
	wishes->table = table;
	wishes->machine = event_table_machine(table);
	wishes->levels = levels;
}

static bool is_beyond_limit(const struct wishes *wishes, unsigned type, const struct event *event)
{
	unsigned counted = 0;

	for (size_t i = 0; i < wishes->n[type]; i++)
		counted += wishes->want[type][i].event->needs_counter;
	return wishes->limit && event->needs_counter && counted >= wishes->limit;
}

/* Columns of the core's own that are asked for. */
static unsigned count_of_core(const struct wishes *wishes, unsigned type)
{
	unsigned n = 0;

	for (size_t i = 0; i < wishes->n[type]; i++)
		n += !event_is_of_device(wishes->want[type][i].event);
	return n;
}

int wishes_add_row(struct wishes *wishes, unsigned type, const struct want *want, unsigned row,
		   struct err *err)
{
	size_t n = wishes->n[type];

	if (is_beyond_limit(wishes, type, want->event))
		return 0;
	if (!event_is_of_device(want->event) && count_of_core(wishes, type) == CORE_SLOTS_MAX)
		return err_set(err, ENOSPC, "no more than %d events can be counted at a time",
			       CORE_SLOTS_MAX);
	if (n == SLOTS_MAX)
		return err_set(err, ENOSPC,
			       "no more than %d events can be counted at a time, those of devices "
			       "among them",
			       SLOTS_MAX);
	wishes->want[type][n] = *want;
	wishes->row[type][n] = (uint16_t)row;
	wishes->n[type]++;
	return 0;
}

int wishes_add(struct wishes *wishes, unsigned type, const struct event *event, int slot,
	       bool fixed, struct err *err)
{
	const struct want want = { .event = event, .slot = slot, .fixed = fixed };
	size_t row = slot >= 0 ? (size_t)slot : SLOTS_MAX + wishes->n[type];

	return wishes_add_row(wishes, type, &want, (unsigned)row, err);
}

int wishes_add_name(struct wishes *wishes, unsigned type, const char *name, int slot,
		    struct err *err)
{
	struct event_spec spec = { .slot = slot };
	const struct event *event;

	snprintf(spec.text, sizeof(spec.text), "%s", name);

	int result = event_resolve(wishes->table, type, &spec, wishes->levels, &event, err);

	return result < 0 ? result : wishes_add(wishes, type, event, slot, false, err);
}

/* A preset may have it already: then it only keeps the column that -e gives it. */
static bool is_there(struct wishes *wishes, unsigned type, size_t n_before,
		     const struct event *event, int slot)
{
	for (size_t i = 0; i < n_before; i++) {
		struct want *want = &wishes->want[type][i];

		if (want->event != event)
			continue;
		if (slot >= 0)
			*want = (struct want){ .event = event, .slot = slot, .fixed = true };
		return true;
	}
	return false;
}

static int add_spec(struct wishes *wishes, unsigned type, size_t n_before, unsigned row,
		    const struct event_spec *spec, struct err *err)
{
	struct want want = { .slot = spec->slot, .fixed = spec->slot >= 0 };
	int result = event_resolve(wishes->table, type, spec, wishes->levels, &want.event, err);

	if (result < 0 || is_there(wishes, type, n_before, want.event, spec->slot))
		return result;
	return wishes_add_row(wishes, type, &want, row, err);
}

int wishes_add_specs(struct wishes *wishes, const struct event_spec *given, size_t n,
		     struct err *err)
{
	AUTO_FREE struct event_spec *spec = NULL;
	int result = event_specs_spread(wishes->table, given, n, &spec, &n, err);

	for (unsigned type = 0; type < wishes->machine->n_types; type++) {
		size_t n_before = wishes->n[type];

		for (size_t i = 0; i < n && !result; i++)
			result = add_spec(wishes, type, n_before, (unsigned)(SLOTS_MAX + i),
					  &spec[i], err);
	}
	return result;
}

bool type_has_fixed_pair(const struct core_type *type)
{
	return type->n_counters > 2 && (type->first_fit || type->slot_is_counter);
}

static struct want *find_wanted(struct wishes *wishes, unsigned type, const char *name)
{
	for (size_t i = 0; i < wishes->n[type]; i++)
		if (event_is(wishes->want[type][i].event, name))
			return &wishes->want[type][i];
	return NULL;
}

static int add_one_of_pair(struct wishes *wishes, unsigned type, int slot, struct err *err)
{
	struct want *wanted = find_wanted(wishes, type, fixed_pair[slot]);

	if (!wanted) {
		int result = wishes_add_name(wishes, type, fixed_pair[slot], slot, err);

		return result == -ENOENT ? 0 : result;
	}
	if (wanted->slot < 0)
		wanted->slot = slot;
	return 0;
}

int wishes_add_fixed_pair(struct wishes *wishes, struct err *err)
{
	int result = 0;

	for (unsigned type = 0; type < wishes->machine->n_types; type++)
		for (int slot = 0; slot < 2 && result == 0; slot++)
			if (type_has_fixed_pair(&wishes->machine->type[type]))
				result = add_one_of_pair(wishes, type, slot, err);
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
	return a->pmu == b->pmu && a->levels == b->levels &&
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
static void share_columns(struct wishes *wishes, const struct wishes *part, unsigned type,
			  const struct placement *placement)
{
	for (size_t i = 0; i < part->n[type]; i++) {
		int slot = placement_find(placement, part->want[type][i].event, -1);

		for (unsigned other = 0; other < wishes->machine->n_types; other++)
			for (size_t k = 0; k < wishes->n[other]; k++)
				if (wishes->row[other][k] == part->row[type][i] &&
				    wishes->want[other][k].slot < 0)
					wishes->want[other][k].slot = slot;
	}
}

void wishes_align(struct wishes *wishes)
{
	for (unsigned type = 0; type < wishes->machine->n_types; type++) {
		struct wishes part = { .machine = wishes->machine };
		struct placement placement;

		for (size_t i = 0; i < wishes->n[type]; i++) {
			if (!wishes->want[type][i].event->refused[0])
				wishes_add_row(&part, type, &wishes->want[type][i],
					       wishes->row[type][i], NULL);
		}
		if (placement_make(&wishes->machine->type[type], part.want[type], part.n[type],
				   &placement, NULL) == 0)
			share_columns(wishes, &part, type, &placement);
	}
}

int wishes_place(const struct wishes *wishes, const char *preset, struct set *ret, struct err *err)
{
	struct set set = { 0 };

	for (unsigned type = 0; type < wishes->machine->n_types; type++) {
		struct collision why;
		char text[512];

		if (placement_make(&wishes->machine->type[type], wishes->want[type],
				   wishes->n[type], &set.type[type], &why) < 0)
			return err_set(err, ENOSPC, "%s", collision_text(&why, text, sizeof(text)));
	}
	set.n_slots = set_count_slots(&set);
	snprintf(set.preset, sizeof(set.preset), "%s", preset);
	*ret = set;
	return 0;
}
