/* What keys make of the set that is loaded: another event in a column, other levels. */
#include "event/set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/make.h"
#include "event/request.h"

/* A change to one column, in the mux group that has it. */
struct column_change {
	struct event_table *table;
	const struct machine *machine;
	struct set from; /* its mux group alone, where the column is `slot` */
	unsigned mux, slot;
	const struct event_spec *spec; /* NULL: clear it */
	/* The same event where it is known which one it is: of the types with this catalogue. */
	const struct catalog *catalog;
	const struct catalog_event *known;
	enum privilege privilege;
};

/* Behind a core's columns there are those that a device's events have. */
static int check_slot(const struct column_change *change, struct err *err)
{
	unsigned slot = change->slot;

	if (slot >= CORE_SLOTS_MAX && slot >= change->from.n_slots)
		return err_set(err, EINVAL, "columns are PMC0 to PMC%d", CORE_SLOTS_MAX - 1);
	if (slot < 2 && type_has_fixed_pair(&change->machine->type[0]))
		return err_set(err, EINVAL, "PMC%u always counts %s on this processor", slot,
			       slot ? "instructions" : "cycles");
	return 0;
}

static int begin(struct event_table *table, const struct set *whole, unsigned slot,
		 enum privilege privilege, struct column_change *ret, struct err *err)
{
	*ret = (struct column_change){
		.table = table,
		.machine = event_table_machine(table),
		.mux = set_mux_of(whole, slot),
		.slot = set_slot_of(whole, slot),
		.privilege = privilege,
	};
	set_mux_group(whole, ret->mux, &ret->from);
	return check_slot(ret, err);
}

/* Every event in its column, but for the one to change and a second column of the new event. */
static size_t keep_others(const struct placement *from, unsigned slot, int elsewhere,
			  struct want *want)
{
	size_t n = 0;

	for (int i = 0; i < SLOTS_MAX; i++)
		if (from->event[i] && i != (int)slot && i != elsewhere)
			want[n++] = (struct want){ .event = from->event[i], .slot = i };
	return n;
}

/* ", where A, B and C are": the events that sit on the counters in question. */
static const char *occupants_text(const struct placement *from, uint64_t counters, char *buf,
				  size_t size)
{
	const char *before = ", where ";
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned slot = 0; slot < SLOTS_MAX && used < size; slot++) {
		if (!(counters >> slot & 1) || !from->event[slot])
			continue;
		used += (size_t)snprintf(buf + used, size - used, "%s%s", before,
					 from->event[slot]->name);
		before = ", ";
	}
	if (used && used < size)
		snprintf(buf + used, size - used, " %s", strchr(buf + 2, ',') ? "are" : "is");
	return buf;
}

/* Is the event legal in the column at all, were all others empty? */
static int check_legal(const struct core_type *type, const struct placement *from,
		       const struct want *want, struct err *err)
{
	struct collision why;
	struct placement unused;
	char text[256], occupants[256];

	if (placement_make(type, want, 1, &unused, &why) == 0)
		return 0;
	return err_set(err, EINVAL, "%s%s", collision_text(&why, text, sizeof(text)),
		       occupants_text(from, why.counters, occupants, sizeof(occupants)));
}

/* The new event in its column. One that was counted elsewhere changes places with the old one,
 * which gives way altogether where it cannot go anywhere. */
static int place_event(const struct core_type *type, const struct placement *from, unsigned slot,
		       const struct event *event, struct placement *ret, struct err *err)
{
	int elsewhere = placement_find(from, event, (int)slot);
	struct want want[SLOTS_MAX + 1];
	struct collision why;
	char text[512];
	size_t n = keep_others(from, slot, elsewhere, want);

	want[n++] = (struct want){ .event = event, .slot = (int)slot, .fixed = true };

	int result = check_legal(type, from, &want[n - 1], err);

	if (result < 0)
		return result;
	if (elsewhere >= 0 && elsewhere < 2 && type_has_fixed_pair(type))
		return err_set(err, EINVAL, "PMC%d always counts %s", elsewhere, event->name);
	if (elsewhere >= 0 && from->event[slot]) {
		want[n] = (struct want){ .event = from->event[slot], .slot = elsewhere };
		if (placement_make(type, want, n + 1, ret, NULL) == 0)
			return 0;
	}
	if (placement_make(type, want, n, ret, &why) < 0)
		return err_set(err, ENOSPC, "%s", collision_text(&why, text, sizeof(text)));
	return 0;
}

static int clear_column(const struct core_type *type, const struct placement *from, unsigned slot,
			struct placement *ret)
{
	struct want want[SLOTS_MAX];

	return placement_make(type, want, keep_others(from, slot, -1, want), ret, NULL);
}

/* @return 1 done, 0 done but n/s on this type, -errno it cannot be counted on this type */
static int change_type(const struct column_change *change, unsigned type, struct placement *ret,
		       struct err *err)
{
	const struct core_type *its = &change->machine->type[type];
	const struct placement *from = &change->from.type[type];
	const struct event *event;

	if (!change->spec)
		return clear_column(its, from, change->slot, ret) < 0 ? -ENOSPC : 1;

	int result = change->known && its->catalog == change->catalog
			     ? event_of_catalog(change->table, type, change->known,
						change->privilege, &event, err)
			     : event_resolve(change->table, type, change->spec, change->privilege,
					     &event, err);

	if (result == 0)
		result = place_event(its, from, change->slot, event, ret, err);
	return result < 0 ? result : event->pmu != NULL;
}

/* Another type could place the event and this one cannot: n/s in its rows, the rest as it was. */
static int refuse_on_type(const struct column_change *change, unsigned type,
			  const struct event *model, struct placement *ret)
{
	const struct core_type *its = &change->machine->type[type];
	struct event_query q = event_query_of(change->table, type, NULL, PRIVILEGE_BOTH);
	struct event event = *model;
	const struct event *refused;

	event.pmu = NULL;
	snprintf(event.refused, sizeof(event.refused), "does not fit into PMC%u of %s cores",
		 change->slot, its->name);
	if (event_intern(&q, &event, &refused, NULL) < 0)
		return -ENOMEM;
	return place_event(its, &change->from.type[type], change->slot, refused, ret, NULL);
}

static int change_all_types(const struct column_change *change, struct set *ret, struct err *err)
{
	struct set set = { 0 };
	int result[TYPES_MAX] = { 0 }, first_error = 0;
	bool any = false;

	for (unsigned type = 0; type < change->machine->n_types; type++) {
		struct err why = { "" };

		result[type] = change_type(change, type, &set.type[type], &why);
		any |= result[type] > 0;
		if (result[type] < 0 && !first_error) {
			first_error = result[type];
			err_set(err, -first_error, "%s", why.text);
		}
	}
	if (!any)
		return first_error ? first_error : -ENOENT;

	const struct event *model = set_event(&set, change->slot);

	for (unsigned type = 0; type < change->machine->n_types; type++)
		if (result[type] < 0 && refuse_on_type(change, type, model, &set.type[type]) < 0)
			return first_error;
	set.n_slots = set_count_slots(&set);
	*ret = set;
	return 0;
}

int set_change_spec(struct event_table *table, const struct set *from, unsigned slot,
		    const struct event_spec *spec, enum privilege privilege, struct set *ret,
		    struct err *err)
{
	struct column_change change;
	struct event_spec here;
	struct set one;
	int rc = begin(table, from, slot, privilege, &change, err);

	change.spec = spec;
	if (!rc && spec && spec->is_forced) {
		here = *spec;
		here.slot = (int)change.slot;
		change.spec = &here;
	}
	if (!rc)
		rc = change_all_types(&change, &one, err);
	return rc ? rc : set_put_mux(from, change.mux, &one, ret, err);
}

int set_change(struct event_table *table, const struct set *from, unsigned slot, const char *name,
	       enum privilege privilege, struct set *ret, struct err *err)
{
	bool clears = !name || !name[0];
	struct event_spec spec;
	int rc = clears ? 0 : event_spec_parse(name, &spec, err);

	return rc ? rc
		  : set_change_spec(table, from, slot, clears ? NULL : &spec, privilege, ret, err);
}

/* Which catalogue entries a column steps through: those of the core PMU, or the others where
 * there is no core PMU or the column stands for none of its counters. */
static bool steps_through_core(const struct core_type *type, unsigned slot)
{
	return type->pmu && !(type_has_fixed_pair(type) && slot >= type->n_counters);
}

static unsigned type_of_column(const struct set *set, unsigned slot)
{
	for (unsigned type = 0; type < TYPES_MAX; type++)
		if (set->type[type].event[slot] && !set->type[type].event[slot]->refused[0])
			return type;
	return 0;
}

static bool others_stay(const struct set *from, const struct set *to, unsigned slot)
{
	for (unsigned type = 0; type < TYPES_MAX; type++)
		for (unsigned i = 0; i < SLOTS_MAX; i++)
			if (i != slot && from->type[type].event[i] != to->type[type].event[i])
				return false;
	return true;
}

/* Can the column step onto this catalogue entry? Then `ret` is the set with it. */
static bool try_step(const struct column_change *change, unsigned type,
		     const struct catalog_event *known, struct set *ret)
{
	const struct core_type *its = &change->machine->type[type];
	const struct placement *from = &change->from.type[type];
	const struct event *event;

	if (event_of_catalog(change->table, type, known, change->privilege, &event, NULL) < 0)
		return false;
	if (event->refused[0] || event->needs_counter != steps_through_core(its, change->slot) ||
	    placement_find(from, event, -1) >= 0)
		return false;

	const struct event_spec spec = event_spec_of_name(known->name);
	struct column_change to = *change;

	to.spec = &spec;
	to.catalog = its->catalog;
	to.known = event->needs_counter ? known : NULL; /* else several devices may have it */
	return change_all_types(&to, ret, NULL) == 0 &&
	       others_stay(&change->from, ret, change->slot);
}

static int step_mux(const struct column_change *change, int step, struct set *ret, struct err *err)
{
	unsigned type = type_of_column(&change->from, change->slot);
	const struct catalog *catalog = change->machine->type[type].catalog;
	const struct event *now = change->from.type[type].event[change->slot];
	size_t n = catalog->n_events, at = step > 0 ? n - 1 : 0;

	for (size_t i = 0; now && now->known && i < n; i++)
		if (&catalog->event[i] == now->known)
			at = i;
	for (size_t tried = 0; tried < n; tried++) {
		at = (at + (step > 0 ? 1 : n - 1)) % n;
		if (try_step(change, type, &catalog->event[at], ret))
			return 0;
	}
	return err_set(err, ENOENT, "no other event fits PMC%u while the others stay",
		       change->slot);
}

int set_step(struct event_table *table, const struct set *from, unsigned slot, int step,
	     enum privilege privilege, struct set *ret, struct err *err)
{
	struct column_change change;
	struct set one;
	int rc = begin(table, from, slot, privilege, &change, err);

	if (!rc)
		rc = step_mux(&change, step, &one, err);
	return rc ? rc : set_put_mux(from, change.mux, &one, ret, err);
}

/* Names bring their own levels (":u") or take the new ones. @slot  what is forced stays on it */
static int with_privilege(struct event_table *table, unsigned type, const struct event *event,
			  int slot, enum privilege privilege, const struct event **ret,
			  struct err *err)
{
	struct event_spec spec;

	if (!event->pmu) {
		*ret = event;
		return 0;
	}

	int result = event_spec_parse(event->name, &spec, err);

	spec.slot = slot;
	return result < 0 ? result : event_resolve(table, type, &spec, privilege, ret, err);
}

static int privilege_of_mux(struct event_table *table, const struct set *from,
			    enum privilege privilege, struct set *ret, struct err *err)
{
	struct event_request request;

	event_request_init(&request, table, privilege);
	for (unsigned type = 0; type < request.machine->n_types; type++)
		for (int slot = 0; slot < SLOTS_MAX; slot++) {
			const struct event *event = from->type[type].event[slot];
			int result = 0;

			if (event)
				result = with_privilege(table, type, event, slot, privilege, &event,
							err);
			if (event && result == 0)
				result = event_request_add(&request, type, event, slot, false, err);
			if (result < 0)
				return result;
		}
	return event_request_place(&request, from->preset, ret, err);
}

int set_privilege(struct event_table *table, const struct set *from, enum privilege privilege,
		  struct set *ret, struct err *err)
{
	struct set set = *from;
	int rc = 0;

	for (unsigned mux = 0; mux < set_n_mux(from) && !rc; mux++) {
		struct set one;

		set_mux_group(from, mux, &one);
		rc = privilege_of_mux(table, &one, privilege, &one, err);
		if (!rc)
			rc = set_put_mux(&set, mux, &one, &set, err);
	}
	if (!rc)
		*ret = set;
	return rc;
}
