#include "tui/counters/assign.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "pmu/set.h"
#include "tui/counters/by_task.h"
#include "tui/counters/rotation.h"
#include "tui/model/names.h"
#include "tui/screen/state.h"
#include "tui/term/key.h"

const char *const privilege_name[] = {
	[PRIVILEGE_BOTH] = "user+kernel",
	[PRIVILEGE_USER] = "user",
	[PRIVILEGE_KERNEL] = "kernel",
};

/* Show why a change was refused. @return rc */
static int assign_refuse(struct tui *tui, int rc, const struct err *err)
{
	tui_refuse(tui, err);
	return rc;
}

int assign_sampler(struct tui *tui, const struct set *set, struct err *err)
{
	struct set with = *set;

	set_add_activity(tui->config->events, &with);
	by_task_mark(tui, &with);
	return sampler_load(tui->config->sampler, &with, err);
}

int assign_load(struct tui *tui, const struct change *next)
{
	struct err err = { 0 };
	int r = assign_sampler(tui, &next->set, &err);

	if (r == 0 && model_load(&tui->model, sampler_set(tui->config->sampler), &next->chosen) < 0)
		r = err_set(&err, ENOMEM, "out of memory");
	if (r < 0)
		return assign_refuse(tui, r, &err);
	tui->model.opened = next->opened;
	tui->halted = false;
	tui->model.yielded = false;
	return 0;
}

int assign_change(struct tui *tui, const struct change *next, const char **ret_suffix)
{
	struct change before;

	model_now(&tui->model, &before);

	int r = assign_load(tui, next);

	if (r < 0)
		return r;
	model_undo_push(&tui->model, &before);
	*ret_suffix = rotation_stop(tui);
	return 0;
}

int assign_plan(struct tui *tui, const struct metric_list *list, const struct set *beside,
		struct change *ret, struct err *err)
{
	AUTO_FREE struct event_spec *spec = NULL;
	struct planner_request request = *tui->config->plain;
	struct metric_list numbers = *list;
	const struct metrics_selection selection = { .number = numbers.number, .n = numbers.n };
	struct change next = { .chosen = *list };
	int rc = beside ? set_specs(beside, &spec, &request.n_specs, err) : 0;

	request.spec = spec;
	request.selection = &selection;
	request.privilege = tui->model.privilege;
	if (!rc)
		rc = planner_make(&request, &next.set, err);
	if (!rc)
		rc = metrics_check_set(request.metrics, &selection, &next.set, err);
	if (rc)
		return rc;
	for (unsigned i = 0; i < list->n; i++) /* a tick alone does not select them */
		tui->config->metrics->metric[list->number[i]].is_selected = true;
	*ret = next;
	return 0;
}

void assign_say(struct tui *tui, const char *what, const char *suffix)
{
	unsigned n_mux = set_n_mux(tui->model.set);

	if (n_mux > 1)
		tui_say(tui, ROLE_TEXT, "counting %s with %u multiplexed sets: ~ marks estimates%s",
			what, n_mux, suffix);
	else
		tui_say(tui, ROLE_TEXT, "counting %s%s", what, suffix);
}

int assign_preset(struct tui *tui, const char *name, const char **ret_suffix)
{
	struct change next = { 0 };
	struct err err = { 0 };
	int r = set_preset(tui->config->events, name, tui->model.privilege, &next.set, &err);

	if (r < 0)
		return assign_refuse(tui, r, &err);
	return assign_change(tui, &next, ret_suffix);
}

/* Get the event's name in its catalog, without the device. */
static const char *plain_name(const struct event *event)
{
	return event->known ? event->known->name : event->name;
}

static unsigned n_devices(const struct set *set, const struct event *event)
{
	unsigned n = 0;

	for (unsigned slot = 0; slot < set->n_slots; slot++) {
		const struct event *other = set_event(set, slot);

		n += other && event_is_of_device(other) &&
		     strcmp(plain_name(other), plain_name(event)) == 0;
	}
	return n;
}

static void say_devices(struct tui *tui, const struct event *event, const char *aside)
{
	unsigned n = n_devices(tui->model.set, event);

	if (n > 1)
		tui_say(tui, ROLE_TEXT, "%u devices count %s%s", n, plain_name(event), aside);
	else
		tui_say(tui, ROLE_TEXT, "%s counts %s%s", event->pmu->name, plain_name(event),
			aside);
}

int assign_set(struct tui *tui, const struct set *next, unsigned slot)
{
	struct set before = *tui->model.set;
	struct change after = { .set = *next, .chosen = tui->model.chosen };
	const char *aside;
	char moves[128];
	int r = assign_change(tui, &after, &aside);

	if (r < 0)
		return r;

	const struct event *event = set_event(tui->model.set, slot);

	if (event && !event_is_of_device(event))
		model_select(&tui->model, ORDER_SLOT, slot);
	name_moves(&before, tui->model.set, slot, moves, sizeof(moves));
	if (event && event_is_of_device(event))
		say_devices(tui, event, aside);
	else if (event)
		tui_say(tui, ROLE_TEXT, "%s counts %s%s%s%s", name_slot(&tui->model, slot).text,
			event->name, *moves ? "; moved " : "", moves, aside);
	return 0;
}

void assign_show(struct tui *tui)
{
	const struct view *view = tui_view(tui);

	if (!(view->parts & TOTALS) && !view->has_counter)
		tui_show(tui, VIEW_CORES);
}

/* Choose like set_choose, but choosing what a fixed counter already counts succeeds. */
static int assign_choose(struct tui *tui, unsigned *slot, const char *name, struct set *ret,
			 struct err *err)
{
	const struct model *model = &tui->model;
	const struct event *now = *slot == SLOT_FREE ? NULL : set_event(model->set, *slot);
	int r = set_choose(tui->config->events, model->set, *slot, name, model->privilege, slot,
			   ret, err);

	if (r < 0 && now && event_is(now, name)) {
		*ret = *model->set;
		r = 0;
	}
	return r;
}

int assign_event(struct tui *tui, unsigned slot, const char *name)
{
	struct set next, now = *tui->model.set;
	struct err err = { 0 };
	int r = assign_choose(tui, &slot, name, &next, &err);

	if (r < 0)
		return assign_refuse(tui, r, &err);
	/* it may be counted under another preset name */
	memcpy(now.preset, next.preset, sizeof(now.preset));
	if (!tui->model.yielded && set_counts_same(&now, &next))
		tui_say(tui, ROLE_TEXT, "%s is already counted on %s", name,
			name_slot(&tui->model, slot).text);
	else
		r = assign_set(tui, &next, slot);
	if (r < 0)
		return r;

	const struct event *event = set_event(tui->model.set, slot);

	recents_add(&tui->recents, plain_name(event));
	if (!event_is_of_device(event)) {
		model_select(&tui->model, ORDER_SLOT, slot);
		assign_show(tui);
	} else if (!tui_view(tui)->has_counter) {
		tui_show(tui, VIEW_UNCORE);
	}
	return 0;
}

int assign_nothing(struct tui *tui, const struct column_set *columns)
{
	const struct set *now = tui->model.set;
	struct label where = { "" };
	struct set next = *now;
	struct change after = { .chosen = tui->model.chosen };
	struct err err = { 0 };
	const char *aside;
	int r;

	/* from last to first: clearing the last column of a mux group removes the group and
	 * renumbers later ones */
	for (unsigned column = COLUMNS_MAX; column-- > 0;) {
		if (!column_set_has(columns, column))
			continue;

		where = name_slot(&tui->model, column);

		unsigned left =
			set_column_of(&next, set_mux_of(now, column), set_slot_of(now, column));

		if (set_change(tui->config->events, &next, left, NULL, tui->model.privilege, &next,
			       &err) < 0)
			return assign_refuse(tui, -EINVAL, &err);
	}
	/* remaining duplicates may not be visible */
	set_drop_repeated(&next);
	after.set = next;
	r = assign_change(tui, &after, &aside);
	if (r == 0)
		tui_say(tui, ROLE_TEXT, "%s is free%s", where.text, aside);
	return r;
}
