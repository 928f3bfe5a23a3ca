#include "pmu/set_wishes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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

int wishes_add(struct wishes *wishes, unsigned type, const struct event *event, int slot,
	       bool fixed, struct err *err)
{
	size_t n = wishes->n[type];

	if (is_beyond_limit(wishes, type, event))
		return 0;
	if (n == SLOTS_MAX)
		return err_set(err, ENOSPC, "no more than %d events can be counted at a time",
			       SLOTS_MAX);
	wishes->want[type][n] = (struct want){ .event = event, .slot = slot, .fixed = fixed };
	wishes->n[type]++;
	return 0;
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

static bool counts_the_same(const struct event *a, const struct event *b)
{
	return a->pmu == b->pmu && a->levels == b->levels &&
	       memcmp(a->config, b->config, sizeof(a->config)) == 0;
}

int placement_find(const struct placement *placement, const struct event *event, int but)
{
	for (int slot = 0; slot < SLOTS_MAX; slot++)
		if (slot != but && placement->event[slot] &&
		    counts_the_same(placement->event[slot], event))
			return slot;
	return -1;
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
