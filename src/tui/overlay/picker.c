#include "tui/overlay/picker.h"

#include <stdio.h>
#include <string.h>

#include "tui/term/draw.h"
#include "tui/screen/event_row.h"
#include "tui/model/names.h"
#include "tui/counting/assign.h"
#include "tui/overlay/chooser.h"
#include "tui/overlay/preview.h"
#include "tui/screen/state.h"
#include "tui/term/key.h"

/* Of those that are meant in the same way first what is legal there, then what goes elsewhere. What this
 * machine cannot count is no choice. */
static unsigned rank(const struct tui *tui, unsigned item, const char *search)
{
	const struct picker *picker = tui->picker;
	const struct choice *choice = &picker->list.choice[item];
	unsigned recent = recents_rank(&tui->recents, choice->event->name);
	unsigned rank = event_rank(choice->event, search);
	bool is_legal = event_list_is_legal(&picker->list, item, tui->model.machine);

	if (!rank || !choice->pmu || (picker->is_of_devices && choice->pmu->kind != PMU_UNCORE))
		return 0;
	if (!search[strspn(search, " ")] && recent)
		rank = MATCH_RANK(MATCH_RECENT, recent);
	return match_first_of_its_kind(rank, is_legal);
}

static void picker_close(struct tui *tui)
{
	event_list_fini(&tui->picker->list);
}

static void choose_for(struct tui *tui, unsigned slot)
{
	struct picker *picker = tui->picker;

	picker->slot = slot;
	event_list_aim(&picker->list, &tui->model, picker->is_of_devices ? SLOT_FREE : slot);
}

static const struct chooser_ops picker_ops;

/* Begin on the event that the counter has now. */
static void select_current(struct tui *tui)
{
	const struct event_list *list = &tui->picker->list;
	const struct event *now = set_event(tui->model.set, tui->picker->slot);

	for (unsigned i = 0; now && i < list->n; i++)
		if (event_is(now, list->choice[i].event->name))
			chooser_select(tui, i);
}

static void begin(struct tui *tui, bool is_of_devices)
{
	chooser_close(tui);
	if (event_list_make(tui->model.machine, &tui->picker->list) < 0) {
		tui_say(tui, ROLE_ERROR, "out of memory");
		return;
	}
	tui->picker->is_of_devices = is_of_devices;
	choose_for(tui, tui->model.slot);
	if (chooser_open(tui, &picker_ops, tui->picker->list.n) == 0 && !tui->recents.n)
		select_current(tui);
}

void act_pick(struct tui *tui, int key)
{
	(void)key;
	begin(tui, false);
}

void act_pick_device(struct tui *tui, int key)
{
	char names[800];

	(void)key;
	if (!*pmus_names(&tui->model.machine->pmus, PMU_UNCORE, names, sizeof(names)))
		tui_say(tui, ROLE_WARN, "this machine has no devices with counters");
	else
		begin(tui, true);
}

static const struct choice *judged(const struct tui *tui, unsigned item)
{
	return event_list_judge(&tui->picker->list, item, tui->config->events,
				tui->model.privilege);
}

static const struct choice *chosen(const struct tui *tui)
{
	int item = chooser_item(tui);

	return item >= 0 ? judged(tui, (unsigned)item) : NULL;
}

static unsigned next_slot(const struct tui *tui)
{
	const struct choice *choice = chosen(tui);

	return choice && !tui->picker->is_of_devices
		       ? event_next_slot(&tui->model, tui->config->events, choice->event,
					 tui->picker->slot, tui->model.privilege)
		       : tui->picker->slot;
}

/* What cannot be placed there goes where it can. */
static unsigned goal(const struct tui *tui, const struct choice *choice)
{
	const struct picker *picker = tui->picker;

	if (!choice || choice->fits || picker->is_of_devices)
		return picker->list.slot;
	return event_best_slot(&tui->model, tui->config->events, choice->event, picker->slot,
			       tui->model.privilege);
}

/* Enter: the event under the cursor; what was typed where the list is empty, so that rNN and
 * pmu/terms/ can be typed too, and a refusal says its reason. */
static void place(struct tui *tui)
{
	const struct choice *choice = chosen(tui);
	const char *name = choice ? choice->event->name : tui->chooser->search.text;

	if (*name && assign_event(tui, goal(tui, choice), name) == 0)
		chooser_close(tui);
}

/* The list is in another order then; its cursor stays on the event. */
static void go_to_next_slot(struct tui *tui)
{
	int item = chooser_item(tui);

	choose_for(tui, next_slot(tui));
	chooser_find(tui);
	if (item >= 0)
		chooser_select(tui, (unsigned)item);
}

static bool picker_key(struct tui *tui, int key)
{
	enum { CTRL_R = 18 };

	if (key_is_enter(key))
		place(tui);
	else if (key == '\t')
		go_to_next_slot(tui);
	else if (key == CTRL_R)
		preview_toggle(tui);
	else
		return false;
	return true;
}

static void make_rows(const struct tui *tui, int x, int width, char *rate, size_t size,
		      struct event_rows *ret)
{
	const struct model *model = &tui->model;
	const struct line *line = model_selected(model);
	const struct event_want want = {
		.width = width,
		.name = tui->picker->list.name_width,
		.n_dots = event_n_dots(model->machine),
		.rate = EVENT_RATE_WIDTH,
	};

	snprintf(rate, size, "/s");
	if (line)
		name_line(model, line, true, rate, size);
	*ret = (struct event_rows){ .model = model,
				    .slot = tui->picker->slot,
				    .search = tui->chooser->search.text,
				    .rate = rate };
	event_columns_make(&want, x, &ret->columns);
}

static void draw_head(const struct tui *tui, int y, int x, int width)
{
	struct event_rows rows;
	char rate[48];

	make_rows(tui, x, width, rate, sizeof(rate), &rows);
	event_head_draw(&rows, y);
}

static void draw_choice(const struct tui *tui, unsigned item, bool is_chosen, int y, int x,
			int width)
{
	struct event_rows rows;
	char rate[48];

	make_rows(tui, x, width, rate, sizeof(rate), &rows);
	event_row_draw(&rows, judged(tui, item), is_chosen, y);
}

/* "place on PMC5 (moves BR-MISP 5→6)" */
static void placing_text(const struct tui *tui, const struct choice *choice, char *buf, size_t size)
{
	unsigned to = choice->fits ? choice->slot : goal(tui, choice);
	const struct event *now = set_event(tui->model.set, to);
	char slot[32];

	name_slot(&tui->model, to, slot, sizeof(slot));
	if (choice->fits && *choice->moves)
		snprintf(buf, size, "place on %s (moves %s)", slot, choice->moves);
	else if (choice->fits || !now)
		snprintf(buf, size, "place on %s", slot);
	else if (event_is(now, choice->event->name))
		snprintf(buf, size, "go to %s, which counts it", slot);
	else
		snprintf(buf, size, "place on %s, not %s", slot, event_label(now).text);
}

/* "0x8d!" is typed. */
static bool is_forced(const struct tui *tui)
{
	const char *text = tui->chooser->search.text;

	return *text && text[strlen(text) - 1] == '!';
}

static const char *enter_text(const struct tui *tui, char *buf, size_t size)
{
	const struct choice *choice = chosen(tui);
	bool is_possible = choice && (choice->fits || goal(tui, choice) != tui->picker->slot);
	char slot[32];

	if (choice && !is_possible)
		return "says why not";
	if (choice && choice->pmu->kind == PMU_UNCORE)
		return "count it";
	if (choice)
		placing_text(tui, choice, buf, size);
	else
		snprintf(buf, size,
			 is_forced(tui) ? "force it onto %s: it may count nothing there"
					: "try it on %s",
			 name_slot(&tui->model, tui->picker->slot, slot, sizeof(slot)));
	return buf;
}

static void draw_foot(const struct tui *tui, int y, int x, int width)
{
	const char *why_not = preview_why_not(tui);
	const struct choice *choice = chosen(tui);
	unsigned next = next_slot(tui);
	char what[160], slot[32];
	int end = x + width;

	if (choice)
		draw_text(y - 1, x, width, ROLE_DIM, choice->event->what);
	x = chooser_hint(y, x, end, "Enter", enter_text(tui, what, sizeof(what)));
	name_slot(&tui->model, next, slot, sizeof(slot));
	snprintf(what, sizeof(what), "on %s", slot);
	if (next != tui->picker->slot)
		x = chooser_hint(y, x, end, "Tab", what);
	x = chooser_hint(y, x, end, "Esc", "leave");
	snprintf(what, sizeof(what), "preview %s", why_not ? why_not : "on");
	if (!tui->picker->is_of_devices && end - x >= draw_columns(what) + 3)
		chooser_hint(y, x, end, "^R", what);
}

static const char *title(const struct tui *tui, char *buf, size_t size)
{
	char slot[32];

	if (tui->picker->is_of_devices)
		return "Events of devices";
	snprintf(buf, size, "%s: event",
		 name_slot(&tui->model, tui->picker->slot, slot, sizeof(slot)));
	return buf;
}

static const struct chooser_ops picker_ops = {
	.title = title,
	.rank = rank,
	.head = draw_head,
	.draw = draw_choice,
	.foot = draw_foot,
	.n_foot = 2,
	.key = picker_key,
	.close = picker_close,
};
