/* An event for a column as a user means it: what takes no counter needs none to give way. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "pmu/set_wishes.h"

/* One event that takes a counter, or that is not here at all, is the column's affair. */
static bool take_no_counter(struct event_table *table, const struct event_spec *spec, size_t n,
			    enum event_levels levels)
{
	const struct machine *machine = event_table_machine(table);
	const struct event *event;

	for (size_t i = 0; i < n; i++)
		for (unsigned type = 0; type < machine->n_types; type++)
			if (event_resolve(table, type, &spec[i], levels, &event, NULL) < 0 ||
			    !event->pmu || event->needs_counter)
				return false;
	return n > 0;
}

/* @ret  to be freed: one for each device that has it */
static bool is_beside_counters(struct event_table *table, const char *name,
			       enum event_levels levels, struct event_spec **ret, size_t *ret_n)
{
	AUTO_FREE struct event_spec *given = NULL;
	struct event_spec *spec;
	size_t n;

	if (event_specs_parse(name, &given, &n, NULL) < 0 || n != 1 ||
	    event_specs_spread(table, given, n, &spec, &n, NULL) < 0)
		return false;
	if (!take_no_counter(table, spec, n, levels)) {
		free(spec);
		return false;
	}
	*ret = spec;
	*ret_n = n;
	return true;
}

/* What there is stays where it is. */
static int wish_all_of(struct wishes *wishes, const struct set *from, struct err *err)
{
	for (unsigned type = 0; type < wishes->machine->n_types; type++)
		for (int slot = 0; slot < SLOTS_MAX; slot++) {
			const struct event *event = from->type[type].event[slot];
			int rc = event ? wishes_add(wishes, type, event, slot, false, err) : 0;

			if (rc < 0)
				return rc;
		}
	return 0;
}

/* To a set of one turn. */
static int add(struct event_table *table, const struct set *from, const struct event_spec *spec,
	       size_t n, enum event_levels levels, struct set *ret, struct err *err)
{
	struct wishes wishes;
	struct err why = { "" };

	wishes_init(&wishes, table, levels);

	int rc = wish_all_of(&wishes, from, &why);

	if (!rc)
		rc = wishes_add_specs(&wishes, spec, n, &why);
	if (!rc && wishes.machine->n_types > 1)
		wishes_align(&wishes);
	if (!rc)
		rc = wishes_place(&wishes, "", ret, &why);
	if (rc == -ENOSPC)
		return err_set(err, ENOSPC,
			       "%s needs %zu column%s where no counter stands, and fewer are free: "
			       "clear one",
			       spec->text, n, n > 1 ? "s" : "");
	return rc ? err_set(err, -rc, "%s", why.text) : 0;
}

static unsigned column_of(struct event_table *table, const struct set *set,
			  const struct event_spec *spec, enum event_levels levels)
{
	const struct event *event;
	int column = -1;

	if (event_resolve(table, 0, spec, levels, &event, NULL) == 0)
		column = placement_find(&set->type[0], event, -1);
	return column < 0 ? 0 : (unsigned)column;
}

int set_choose(struct event_table *table, const struct set *from, unsigned slot, const char *name,
	       enum event_levels levels, unsigned *ret_slot, struct set *ret, struct err *err)
{
	unsigned turn = slot == SLOT_FREE ? 0 : set_turn_of(from, slot);
	unsigned own = slot == SLOT_FREE ? 0 : set_slot_of(from, slot);
	AUTO_FREE struct event_spec *spec = NULL;
	struct err why = { "" };
	struct set one;
	size_t n;
	int rc = -EINVAL;

	if (slot != SLOT_FREE)
		rc = set_change(table, from, slot, name, levels, ret, &why);
	if (rc == 0) {
		*ret_slot = set_column_of(ret, turn, own);
		return 0;
	}
	if (!is_beside_counters(table, name, levels, &spec, &n))
		return err_set(err, -rc, "%s", *why.text ? why.text : "it is counted on a counter");
	set_turn(from, turn, &one);
	rc = add(table, &one, spec, n, levels, &one, err);
	if (rc)
		return rc;

	unsigned column = column_of(table, &one, spec, levels);

	rc = set_put_turn(from, turn, &one, ret, err);
	if (rc == 0)
		*ret_slot = set_column_of(ret, turn, column);
	return rc;
}
