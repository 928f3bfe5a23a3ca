#include "tui/counting/counter_keys.h"

#include <stdio.h>
#include <string.h>

#include "event/set_devices.h"
#include "tui/counting/assign.h"
#include "tui/counting/rotation.h"
#include "tui/model/names.h"
#include "tui/screen/state.h"
#include "tui/term/key.h"

const char *const privilege_name[] = {
	[PRIVILEGE_BOTH] = "user+kernel",
	[PRIVILEGE_USER] = "user",
	[PRIVILEGE_KERNEL] = "kernel",
};

void act_select(struct tui *tui, int key)
{
	unsigned slot = (unsigned)(key - '0'), column = model_column(&tui->model, slot);

	assign_show(tui);

	if (column < model_n_slots(&tui->model) && !set_is_of_device(tui->model.set, column))
		tui->model.slot = column;
	else if (column < model_n_slots(&tui->model))
		tui_say(tui, ROLE_WARN, "what column %u counts is a device's: see Uncore", slot);
	else
		tui_say(tui, ROLE_WARN, "the first multiplexed set has no column %u", slot);
}

void act_select_beside(struct tui *tui, int key)
{
	struct model *model = &tui->model;

	struct shown next = { .kind = SHOWN_SLOT, .number = model->slot };
	unsigned before;

	do {
		before = next.number;
		next.number = columns_beside(&model->columns, before, key == KEY_SLEFT ? -1 : 1,
					     model_n_slots(model));
	} while (next.number != before && !model_has_column(model, &next));
	if (model_has_column(model, &next))
		model->slot = next.number;
}

void act_step(struct tui *tui, int key)
{
	struct err err = { 0 };
	struct set next;

	assign_show(tui);

	int r = set_step(tui->config->events, tui->model.set, tui->model.slot, key == ']' ? 1 : -1,
			 tui->model.privilege, &next, &err);

	if (r < 0)
		tui_refuse(tui, &err);
	else
		assign_set(tui, &next, tui->model.slot);
}

void act_clear(struct tui *tui, int key)
{
	(void)key;
	assign_show(tui);

	const struct event *event = set_event(tui->model.set, tui->model.slot);
	char where[32];

	if (!event)
		tui_say(tui, ROLE_TEXT, "%s is already free",
			name_slot(&tui->model, tui->model.slot, where, sizeof(where)));
	else if (event_is_activity(event) && !*event->refused)
		tui_say(tui, ROLE_WARN,
			"%s stays: how busy and how fast each core is, the screen always counts",
			event->name);
	else
		assign_nothing(tui, UINT64_C(1) << tui->model.slot);
}

static bool is_same(const struct event *a, const struct event *b)
{
	return a == b || (a && b && strcmp(a->name, b->name) == 0);
}

/* Columns that count something else in the one than in the other. @ret_slot  the last of them */
static unsigned n_changed(const struct set *was, const struct set *now, unsigned *ret_slot)
{
	unsigned n = 0, n_slots = was->n_slots > now->n_slots ? was->n_slots : now->n_slots;

	for (unsigned i = 0; i < n_slots; i++) {
		if (is_same(set_event(was, i), set_event(now, i)))
			continue;
		n++;
		*ret_slot = i;
	}
	return n;
}

/* What an undo has given back: "PMC5 counts INST_BRANCH again" */
static const char *back_text(const struct tui *tui, const struct set *was, char *buf, size_t size)
{
	const struct set *now = tui->model.set;
	unsigned slot = 0, n = n_changed(was, now, &slot);
	const struct event *event = n ? set_event(now, slot) : NULL;
	const struct event *before = n ? set_event(was, slot) : NULL;
	char where[32];

	if (n && (event ? event_is_of_device(event) : event_is_of_device(before)))
		snprintf(buf, size, "devices count as before");
	else if (n == 1)
		snprintf(buf, size, "%s %s%s again",
			 name_slot(&tui->model, slot, where, sizeof(where)),
			 event ? "counts " : "is free", event ? event->name : "");
	else
		snprintf(buf, size, n ? "%u counters as before" : "metrics as before", n);
	return buf;
}

static void undone(struct tui *tui, const struct change *before, const struct set *was)
{
	bool is_of_privilege = tui->model.privilege != before->privilege;
	char back[160];

	tui->model.privilege = before->privilege;
	if (is_of_privilege)
		snprintf(back, sizeof(back), "counting %s again",
			 privilege_name[before->privilege]);
	else
		back_text(tui, was, back, sizeof(back));
	tui_say(tui, ROLE_TEXT, "undone: %s; %u more to undo%s", back, tui->model.n_undo,
		rotation_stop(tui));
}

void act_undo(struct tui *tui, int key)
{
	struct set was = *tui->model.set;
	struct change before;

	(void)key;
	if (!model_undo_pop(&tui->model, &before))
		tui_say(tui, ROLE_WARN, "nothing to undo");
	else if (assign_load(tui, &before) < 0)
		model_undo_push(&tui->model, &before);
	else
		undone(tui, &before, &was);
}

/* K: the kernel alone, pressed again both; U: likewise. */
void act_privilege(struct tui *tui, int key)
{
	struct model *model = &tui->model;
	enum privilege one = key == 'K' ? PRIVILEGE_KERNEL : PRIVILEGE_USER;
	enum privilege privilege = model->privilege == one ? PRIVILEGE_BOTH : one;
	struct change next = { .chosen = model->chosen };
	struct err err = { 0 };
	const char *aside;

	if (set_privilege(tui->config->events, model->set, privilege, &next.set, &err) < 0) {
		tui_refuse(tui, &err);
		return;
	}
	if (assign_change(tui, &next, &aside) < 0)
		return;
	model->privilege = privilege;
	if (privilege == PRIVILEGE_BOTH)
		tui_say(tui, ROLE_TEXT, "counting %s%s", privilege_name[privilege], aside);
	else
		tui_say(tui, ROLE_TEXT, "counting only %s; %s: %s again%s",
			privilege_name[privilege], tui_key(tui, key).name,
			privilege_name[PRIVILEGE_BOTH], aside);
}

void act_yield(struct tui *tui, int key)
{
	struct change now;

	(void)key;
	if (!tui->model.yielded) {
		if (assign_yield(tui) == 0)
			tui_say(tui, ROLE_TEXT,
				"counters are free for another tool; %s takes them back",
				tui_key(tui, 'Y').name);
		return;
	}
	model_now(&tui->model, &now);
	if (assign_load(tui, &now) == 0)
		tui_say(tui, ROLE_TEXT, "counting again");
}
