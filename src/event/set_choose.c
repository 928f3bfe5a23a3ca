/* An event for a column as a user means it: what takes no counter needs none to give way. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "event/request.h"

/* One event that takes a counter, or that is not here at all, is the column's affair. */
static bool take_no_counter(struct event_table *table, const struct event_spec *spec, size_t n,
			    enum privilege privilege)
{
	const struct machine *machine = event_table_machine(table);
	const struct event *event;

	for (size_t i = 0; i < n; i++)
		for (unsigned type = 0; type < machine->n_types; type++)
			if (event_resolve(table, type, &spec[i], privilege, &event, NULL) < 0 ||
			    !event->pmu || event->needs_counter)
				return false;
	return n > 0;
}

/* @ret  to be freed: one for each device that has it */
static bool is_beside_counters(struct event_table *table, const struct event_spec *given,
			       enum privilege privilege, struct event_spec **ret, size_t *ret_n)
{
	struct event_spec *spec;
	size_t n;

	if (event_specs_expand(table, given, 1, &spec, &n, NULL) < 0)
		return false;
	if (!take_no_counter(table, spec, n, privilege)) {
		free(spec);
		return false;
	}
	*ret = spec;
	*ret_n = n;
	return true;
}

/* What there is stays where it is. */
static int request_all_of(struct event_request *request, const struct set *from, struct err *err)
{
	for (unsigned type = 0; type < request->machine->n_types; type++)
		for (int slot = 0; slot < SLOTS_MAX; slot++) {
			const struct event *event = from->type[type].event[slot];
			int rc = event ? event_request_add(request, type, event, slot, false, err)
				       : 0;

			if (rc < 0)
				return rc;
		}
	return 0;
}

/* To a set of one mux group. */
static int add(struct event_table *table, const struct set *from, const struct event_spec *spec,
	       size_t n, enum privilege privilege, struct set *ret, struct err *err)
{
	struct event_request request;
	struct err why = { "" };

	event_request_init(&request, table, privilege);

	int rc = request_all_of(&request, from, &why);

	if (!rc)
		rc = event_request_add_specs(&request, spec, n, &why);
	if (!rc && request.machine->n_types > 1)
		event_request_align(&request);
	if (!rc)
		rc = event_request_place(&request, "", ret, &why);
	if (rc == -ENOSPC)
		return err_set(
			err, ENOSPC,
			"%s needs %zu column%s without a counter, and fewer are free: clear one",
			spec->text, n, n > 1 ? "s" : "");
	return rc ? err_set(err, -rc, "%s", why.text) : 0;
}

static unsigned column_of(struct event_table *table, const struct set *set,
			  const struct event_spec *spec, enum privilege privilege)
{
	const struct event *event;
	int column = -1;

	if (event_resolve(table, 0, spec, privilege, &event, NULL) == 0)
		column = placement_find(&set->type[0], event, -1);
	return column < 0 ? 0 : (unsigned)column;
}

int set_choose(struct event_table *table, const struct set *from, unsigned slot, const char *name,
	       enum privilege privilege, unsigned *ret_slot, struct set *ret, struct err *err)
{
	unsigned mux = slot == SLOT_FREE ? 0 : set_mux_of(from, slot);
	unsigned own = slot == SLOT_FREE ? 0 : set_slot_of(from, slot);
	AUTO_FREE struct event_spec *spec = NULL;
	struct event_spec given;
	struct err why = { "" };
	struct set one;
	size_t n;
	int rc = event_spec_parse(name, &given, &why);

	if (rc)
		return err_set(err, -rc, "%s", why.text);
	if (slot != SLOT_FREE)
		rc = set_change_spec(table, from, slot, &given, privilege, ret, &why);
	if (rc == 0 && slot != SLOT_FREE) {
		*ret_slot = set_column_of(ret, mux, own);
		return 0;
	}
	if (!is_beside_counters(table, &given, privilege, &spec, &n))
		return err_set(err, rc ? -rc : EINVAL, "%s",
			       *why.text ? why.text : "it needs a counter");
	set_mux_group(from, mux, &one);
	rc = add(table, &one, spec, n, privilege, &one, err);
	if (rc)
		return rc;

	unsigned column = column_of(table, &one, spec, privilege);

	rc = set_put_mux(from, mux, &one, ret, err);
	if (rc == 0)
		*ret_slot = set_column_of(ret, mux, column);
	return rc;
}

static bool is_counted_somewhere(struct event_table *table, const struct event_spec *spec)
{
	const struct machine *machine = event_table_machine(table);
	const struct event *event;

	for (unsigned type = 0; type < machine->n_types; type++)
		if (event_resolve(table, type, spec, PRIVILEGE_BOTH, &event, NULL) == 0 &&
		    event->pmu && !*event->refused)
			return true;
	return false;
}

/* In every mux group, or in none. */
static void add_beside(struct event_table *table, const char *name, struct set *set)
{
	const struct event_spec spec = event_spec_of_name(name);
	struct set all = *set, one;

	if (!is_counted_somewhere(table, &spec))
		return;
	for (unsigned mux = 0; mux < set_n_mux(set); mux++) {
		set_mux_group(&all, mux, &one);
		if (add(table, &one, &spec, 1, PRIVILEGE_BOTH, &one, NULL) < 0 ||
		    set_put_mux(&all, mux, &one, &all, NULL) < 0)
			return;
	}
	memcpy(all.preset, set->preset, sizeof(all.preset));
	*set = all;
}

void set_add_activity(struct event_table *table, struct set *set)
{
	add_beside(table, "active-time", set);
	add_beside(table, "active-cycles", set);
}
