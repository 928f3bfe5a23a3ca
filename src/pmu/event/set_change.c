/* set_change.c: changes to the loaded set: each edits the request of a mux group and places it anew. */
#include "pmu/set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "pmu/event/make.h"

/* Edit of one mux group: the request of its events, which is changed and then placed anew. */
struct set_edit {
	unsigned mux, slot;
	struct set from; /* the mux group alone; the column to change is `slot` there */
	struct event_request request;  /* its events in their columns, as changed so far */
	const struct event_spec *spec; /* new event of the column; NULL: clear it */
	struct event_spec step;        /* of the catalogue entry that is tried */
	/* catalogue entry of the event, for types with this catalogue, if known */
	const struct catalog *catalog;
	const struct catalog_event *known;
};

static void edit_append(struct event_request *request, unsigned type, const struct event *event,
			int slot, bool fixed)
{
	size_t n = request->n[type]++;

	request->want[type][n] = (struct want){ .event = event, .slot = slot, .fixed = fixed };
	request->row[type][n] = (uint16_t)slot;
}

/* Request a type's events in their columns, except for two columns. @but, @other  -1: none */
static void edit_keep(struct set_edit *edit, unsigned type, int but, int other)
{
	const struct placement *from = &edit->from.type[type];

	edit->request.n[type] = 0;
	for (int slot = 0; slot < SLOTS_MAX; slot++)
		if (from->event[slot] && slot != but && slot != other)
			edit_append(&edit->request, type, from->event[slot], slot, false);
}

/* Begin to edit the mux group of a column. */
static void edit_begin(struct set_edit *edit, struct event_table *table, const struct set *whole,
		       unsigned column, enum privilege privilege)
{
	edit->mux = set_mux_of(whole, column);
	edit->slot = set_slot_of(whole, column);
	edit->spec = NULL;
	edit->catalog = NULL;
	edit->known = NULL;
	set_mux_group(whole, edit->mux, &edit->from);
	event_request_init(&edit->request, table, privilege);
	for (unsigned type = 0; type < edit->request.machine->n_types; type++)
		edit_keep(edit, type, -1, -1);
}

/* Check that the column may be changed; columns of device events are behind the core's. */
static int check_slot(const struct set_edit *edit, struct err *err)
{
	unsigned slot = edit->slot;

	if (slot >= CORE_SLOTS_MAX && slot >= edit->from.n_slots)
		return err_set(err, EINVAL, "columns are PMC0 to PMC%d", CORE_SLOTS_MAX - 1);
	if (slot < 2 && type_has_fixed_pair(&edit->request.machine->type[0]))
		return err_set(err, EINVAL, "PMC%u always counts %s on this processor", slot,
			       slot ? "instructions" : "cycles");
	return 0;
}

/* Format ", where A, B and C are": the events on the counters in question. */
static const char *occupants_text(const struct placement *from, uint64_t counters, char *buf,
				  size_t size)
{
	buf[0] = '\0';
	for (unsigned slot = 0; slot < SLOTS_MAX; slot++)
		if (counters >> slot & 1 && from->event[slot])
			buf_printf(buf, size, "%s%s", *buf ? ", " : ", where ",
				   from->event[slot]->name);
	if (*buf)
		buf_printf(buf, size, " %s", strchr(buf + 2, ',') ? "are" : "is");
	return buf;
}

/* Check that the event is legal in the column if all others were empty. */
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

/* Request the new event in its column of one type. If it was in another one, both events swap; an old
 * event that does not fit there is dropped. */
static int edit_type(struct set_edit *edit, unsigned type, const struct event *event,
		     struct err *err)
{
	struct event_request *request = &edit->request;
	const struct core_type *its = &request->machine->type[type];
	const struct placement *from = &edit->from.type[type];
	const struct want *want = request->want[type];
	const struct event *old = from->event[edit->slot];
	int slot = (int)edit->slot, elsewhere = placement_find(from, event, slot);
	struct placement unused;
	struct collision why;
	char text[512];

	edit_keep(edit, type, slot, elsewhere);
	edit_append(request, type, event, slot, true);

	int result = check_legal(its, from, &want[request->n[type] - 1], err);

	if (result < 0)
		return result;
	if (elsewhere >= 0 && elsewhere < 2 && type_has_fixed_pair(its))
		return err_set(err, EINVAL, "PMC%d always counts %s", elsewhere, event->name);
	if (elsewhere >= 0 && old) {
		edit_append(request, type, old, elsewhere, false);
		if (placement_make(its, want, request->n[type], &unused, NULL) == 0)
			return 0;
		request->n[type]--;
	}
	if (placement_make(its, want, request->n[type], &unused, &why) < 0)
		return err_set(err, ENOSPC, "%s", collision_text(&why, text, sizeof(text)));
	return 0;
}

/* Resolve the new event on a type, and request it. @return 0, or why it cannot be counted on this type */
static int change_type(struct set_edit *edit, unsigned type, const struct event **ret,
		       struct err *err)
{
	struct event_table *table = edit->request.table;
	enum privilege privilege = edit->request.privilege;
	bool is_known = edit->known && edit->request.machine->type[type].catalog == edit->catalog;
	int rc = is_known ? event_of_catalog(table, type, edit->known, privilege, ret, err)
			  : event_resolve(table, type, edit->spec, privilege, ret, err);

	return rc ? rc : edit_type(edit, type, *ret, err);
}

/* Make the event n/s on this type, which cannot place it but another type can. */
static int refuse_on_type(struct set_edit *edit, unsigned type, const struct event *model)
{
	struct event_query q = event_query_of(edit->request.table, type, NULL, PRIVILEGE_BOTH);
	struct event event = *model;
	const struct event *refused;

	event.pmu = NULL;
	snprintf(event.refused, sizeof(event.refused), "does not fit into PMC%u of %s cores",
		 edit->slot, q.type->name);
	if (event_intern(&q, &event, &refused, NULL) < 0)
		return -ENOMEM;
	return edit_type(edit, type, refused, NULL);
}

/* Request the new event on every type; it may be n/s on some, but not on all. */
static int change_types(struct set_edit *edit, struct err *err)
{
	unsigned n_types = edit->request.machine->n_types;
	int result[TYPES_MAX], first_error = 0;
	const struct event *model = NULL;
	bool any = false;

	for (unsigned type = 0; type < n_types; type++) {
		const struct event *event = NULL;
		struct err why = { "" };

		result[type] = change_type(edit, type, &event, &why);
		if (!result[type]) {
			any |= event->pmu != NULL;
			if (!model || (model->refused[0] && !event->refused[0]))
				model = event;
		} else if (!first_error) {
			first_error = err_set(err, -result[type], "%s", why.text);
		}
	}
	if (!any)
		return first_error || !model ? first_error
					     : err_set(err, ENOENT, "%s is not counted: %s",
						       model->name, model->refused);
	for (unsigned type = 0; type < n_types; type++)
		if (result[type] && refuse_on_type(edit, type, model) < 0)
			return first_error;
	return 0;
}

/* Change the column on every type, and place the mux group. */
static int edit_change(struct set_edit *edit, struct set *ret, struct err *err)
{
	int rc = 0;

	for (unsigned type = 0; !edit->spec && type < edit->request.machine->n_types; type++)
		edit_keep(edit, type, (int)edit->slot, -1);
	if (edit->spec)
		rc = change_types(edit, err);
	return rc ? rc : event_request_place(&edit->request, "", ret, err);
}

/* Put another event into a column, as set_change. @spec  NULL clears it */
static int set_change_spec(struct event_table *table, const struct set *from, unsigned column,
			   const struct event_spec *spec, enum privilege privilege, struct set *ret,
			   struct err *err)
{
	struct set_edit edit;
	struct event_spec here;
	struct set one;

	edit_begin(&edit, table, from, column, privilege);
	edit.spec = spec;
	if (spec && spec->is_forced) {
		here = *spec;
		here.slot = (int)edit.slot;
		edit.spec = &here;
	}

	int rc = check_slot(&edit, err);

	if (!rc)
		rc = edit_change(&edit, &one, err);
	return rc ? rc : set_put_mux(from, edit.mux, &one, ret, err);
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

/* Whether a column steps through the core PMU's events; other columns, and machines without a core
 * PMU, step through the others. */
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

/* Whether the column can step to this catalogue entry; `ret` is the resulting mux group. */
static bool try_step(struct set_edit *edit, unsigned type, const struct catalog_event *known,
		     struct set *ret)
{
	const struct core_type *its = &edit->request.machine->type[type];
	const struct event *event;

	if (event_of_catalog(edit->request.table, type, known, edit->request.privilege, &event,
			     NULL) < 0)
		return false;
	if (event->refused[0] || event->needs_counter != steps_through_core(its, edit->slot) ||
	    placement_find(&edit->from.type[type], event, -1) >= 0)
		return false;
	edit->step = event_spec_of_name(known->name);
	edit->spec = &edit->step;
	edit->catalog = its->catalog;
	edit->known =
		event->needs_counter ? known : NULL; /* otherwise several devices may have it */
	return edit_change(edit, ret, NULL) == 0 && others_stay(&edit->from, ret, edit->slot);
}

static int step_mux(struct set_edit *edit, int step, struct set *ret, struct err *err)
{
	unsigned type = type_of_column(&edit->from, edit->slot);
	const struct catalog *catalog = edit->request.machine->type[type].catalog;
	const struct event *now = edit->from.type[type].event[edit->slot];
	size_t n = catalog->n_events, at = step > 0 ? n - 1 : 0;

	for (size_t i = 0; now && now->known && i < n; i++)
		if (&catalog->event[i] == now->known)
			at = i;
	for (size_t tried = 0; tried < n; tried++) {
		at = (at + (step > 0 ? 1 : n - 1)) % n;
		if (try_step(edit, type, &catalog->event[at], ret))
			return 0;
	}
	return err_set(err, ENOENT, "no other event fits PMC%u while the others stay", edit->slot);
}

int set_step(struct event_table *table, const struct set *from, unsigned slot, int step,
	     enum privilege privilege, struct set *ret, struct err *err)
{
	struct set_edit edit;
	struct set one;

	edit_begin(&edit, table, from, slot, privilege);

	int rc = check_slot(&edit, err);

	if (!rc)
		rc = step_mux(&edit, step, &one, err);
	return rc ? rc : set_put_mux(from, edit.mux, &one, ret, err);
}

/* Resolve a requested event again: its name's level (":u") wins over the new one. A forced event keeps its
 * column. */
static int resolve_again(const struct event_request *request, unsigned type, struct want *want,
			 struct err *err)
{
	struct event_spec spec;

	if (!want->event->pmu)
		return 0;

	int result = event_spec_parse(want->event->name, &spec, err);

	spec.slot = want->slot;
	return result < 0 ? result
			  : event_resolve(request->table, type, &spec, request->privilege,
					  &want->event, err);
}

int set_privilege(struct event_table *table, const struct set *from, enum privilege privilege,
		  struct set *ret, struct err *err)
{
	struct set set = *from, one;
	int rc = 0;

	for (unsigned mux = 0; mux < set_n_mux(from) && !rc; mux++) {
		struct set_edit edit;
		struct event_request *request = &edit.request;

		edit_begin(&edit, table, from, set_column_of(from, mux, 0), privilege);
		for (unsigned type = 0; type < request->machine->n_types; type++)
			for (size_t i = 0; i < request->n[type] && !rc; i++)
				rc = resolve_again(request, type, &request->want[type][i], err);
		if (!rc)
			rc = event_request_place(request, edit.from.preset, &one, err);
		if (!rc)
			rc = set_put_mux(&set, mux, &one, &set, err);
	}
	if (!rc)
		*ret = set;
	return rc;
}

int set_specs(const struct set *set, struct event_spec **ret, size_t *ret_n, struct err *err)
{
	AUTO_TEXT struct text list = { 0 };

	for (unsigned i = 0; i < TYPES_MAX * set->n_slots; i++) {
		unsigned type = i % TYPES_MAX, slot = i / TYPES_MAX;
		const struct event *event = set->type[type].event[slot];

		if (!event || !event->pmu || event_is_activity(event) ||
		    set_first_column(set, type, slot) != slot)
			continue;
		text_string(&list, list.n ? "," : "");
		if (event->is_forced)
			text_printf(&list, "PMC%u=", set_slot_of(set, slot));
		text_string(&list, event->name);
	}
	*ret_n = 0;
	if (list.failed)
		return err_set(err, ENOMEM, "out of memory");
	return list.n ? event_specs_parse(list.bytes, ret, ret_n, err) : 0;
}

/* ---- events that need no counter go to free columns and displace none */

/* Whether no event of the specs needs a counter; false if one cannot be resolved. */
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

/* Add events to the mux group, in free columns. */
static int edit_add(struct set_edit *edit, const struct event_spec *spec, size_t n, struct set *ret,
		    struct err *err)
{
	struct event_request *request = &edit->request;
	struct err why = { "" };
	int rc = event_request_add_specs(request, spec, n, &why);

	if (!rc) {
		event_request_align(request);
		rc = event_request_place(request, "", ret, &why);
	}
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
	AUTO_FREE struct event_spec *spec = NULL;
	struct event_spec given;
	struct err why = { "it needs a counter" };
	struct set_edit edit;
	struct set one;
	size_t n;
	int rc = event_spec_parse(name, &given, err), no_change = -EINVAL;

	if (rc)
		return rc;
	edit_begin(&edit, table, from, slot == SLOT_FREE ? 0 : slot, privilege);
	if (slot != SLOT_FREE)
		no_change = set_change_spec(table, from, slot, &given, privilege, ret, &why);
	if (!no_change) {
		*ret_slot = set_column_of(ret, edit.mux, edit.slot);
		return 0;
	}
	if (event_specs_expand(table, &given, 1, &spec, &n, NULL) < 0 ||
	    !take_no_counter(table, spec, n, privilege))
		return err_set(err, -no_change, "%s", why.text);
	rc = edit_add(&edit, spec, n, &one, err);
	if (!rc)
		rc = set_put_mux(from, edit.mux, &one, ret, err);
	if (!rc)
		*ret_slot = set_column_of(ret, edit.mux, column_of(table, &one, spec, privilege));
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

/* Add an event to every mux group, or to none. */
static void add_to_all_groups(struct event_table *table, const char *name, struct set *set)
{
	const struct event_spec spec = event_spec_of_name(name);
	struct set all = *set, one;

	if (!is_counted_somewhere(table, &spec))
		return;
	for (unsigned mux = 0; mux < set_n_mux(set); mux++) {
		struct set_edit edit;

		edit_begin(&edit, table, &all, set_column_of(&all, mux, 0), PRIVILEGE_BOTH);
		if (edit_add(&edit, &spec, 1, &one, NULL) < 0 ||
		    set_put_mux(&all, mux, &one, &all, NULL) < 0)
			return;
	}
	memcpy(all.preset, set->preset, sizeof(all.preset));
	*set = all;
}

void set_add_activity(struct event_table *table, struct set *set)
{
	add_to_all_groups(table, "active-time", set);
	add_to_all_groups(table, "active-cycles", set);
}
