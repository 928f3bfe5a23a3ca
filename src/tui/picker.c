#include "tui/picker.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "pmu/catalog.h"
#include "tui/actions.h"
#include "tui/draw.h"
#include "tui/names.h"
#include "tui/state.h"

static bool is_in_name(const void *item, const char *word)
{
	const struct catalog_event *event = item;

	if (strcasestr(event->name, word) || strcasestr(event->short_name, word))
		return true;
	for (const char *const *alias = event->alias; *alias; alias++)
		if (strcasestr(*alias, word))
			return true;
	return false;
}

static bool is_in_text(const void *item, const char *word)
{
	const struct catalog_event *event = item;
	char id[32];

	snprintf(id, sizeof(id), "0x%" PRIx64, event->id);
	return strcasestr(event->brief, word) || strcasestr(event->what, word) ||
	       strcasestr(event->topic, word) || (*event->terms && strcasestr(id, word));
}

enum match picker_match(const struct catalog_event *event, const char *search)
{
	return match_words(search, is_in_name, is_in_text, event);
}

/* Is the event already there from the catalogue of an earlier type? */
static bool is_listed(const struct machine *machine, unsigned type, const char *name)
{
	const struct catalog_event *found;

	for (unsigned i = 0; i < type; i++)
		if (machine->type[i].catalog == machine->type[type].catalog ||
		    (catalog_lookup(machine->type[i].catalog, name, &found, 1) > 0 &&
		     strcasecmp(found->name, name) == 0))
			return true;
	return false;
}

static void judge(const struct tui *tui, struct choice *choice)
{
	const struct set *now = tui->model.set;
	struct set next;

	choice->fits = set_change(tui->config->events, now, tui->picker.slot, choice->event->name,
				  tui->model.levels, &next, NULL) == 0;
	if (choice->fits)
		name_moves(now, &next, tui->picker.slot, choice->moves, sizeof(choice->moves));
}

static int add_catalog(struct tui *tui, unsigned type, size_t *cap)
{
	struct picker *picker = &tui->picker;
	const struct catalog *catalog = tui->model.machine->type[type].catalog;

	for (size_t i = 0; i < catalog->n_events; i++) {
		const struct catalog_event *event = &catalog->event[i];

		if (is_listed(tui->model.machine, type, event->name))
			continue;
		if (array_reserve((void **)&picker->choice, cap, picker->n_choices,
				  sizeof(*picker->choice)) < 0)
			return -ENOMEM;
		picker->choice[picker->n_choices] = (struct choice){ .event = event };
		judge(tui, &picker->choice[picker->n_choices++]);
	}
	return 0;
}

static enum match match(const struct tui *tui, unsigned item, const char *search)
{
	const struct choice *choice = &tui->picker.choice[item];

	return choice->fits || tui->picker.show_unfit ? picker_match(choice->event, search)
						      : MATCH_NONE;
}

/* How many the search would leave if they could be placed. */
static unsigned count_unfit(const struct tui *tui)
{
	const struct picker *picker = &tui->picker;
	unsigned n = 0;

	for (unsigned i = 0; picker->choice && i < picker->n_choices; i++)
		n += !picker->choice[i].fits &&
		     picker_match(picker->choice[i].event, tui->chooser.search.text) != MATCH_NONE;
	return n;
}

static void picker_close(struct tui *tui)
{
	free(tui->picker.choice);
	tui->picker = (struct picker){ 0 };
}

static const struct chooser_ops picker_ops;

/* Begin on the event that the counter has now. */
static void select_current(struct tui *tui)
{
	const struct picker *picker = &tui->picker;
	const struct event *now = set_event(tui->model.set, picker->slot);

	for (unsigned i = 0; now && i < picker->n_choices; i++)
		if (event_is(now, picker->choice[i].event->name))
			chooser_select(tui, i);
}

int picker_open(struct tui *tui)
{
	size_t cap = 0;

	chooser_close(tui);
	tui->picker.slot = tui->model.slot;
	for (unsigned type = 0; type < tui->model.machine->n_types; type++) {
		if (add_catalog(tui, type, &cap) < 0) {
			picker_close(tui);
			return -ENOMEM;
		}
	}
	if (chooser_open(tui, &picker_ops, tui->picker.n_choices) < 0)
		return -ENOMEM;
	select_current(tui);
	return 0;
}

static const struct choice *chosen(const struct tui *tui)
{
	int item = chooser_item(tui);

	return item >= 0 ? &tui->picker.choice[item] : NULL;
}

/* Enter: the event under the cursor; what was typed where the list is empty, so that rNN and
 * pmu/terms/ can be typed too, and a refusal says its reason. */
static void place(struct tui *tui)
{
	const struct choice *choice = chosen(tui);
	const char *name = choice ? choice->event->name : tui->chooser.search.text;

	if (*name && act_place(tui, tui->picker.slot, name) == 0)
		chooser_close(tui);
}

static bool picker_key(struct tui *tui, int key)
{
	if (chooser_is_enter(key)) {
		place(tui);
	} else if (key == '\t') {
		tui->picker.show_unfit = !tui->picker.show_unfit;
		chooser_find(tui);
	} else {
		return false;
	}
	return true;
}

/* One dot a counter, filled where the event is legal. */
static void dots(const struct tui *tui, const struct catalog_event *event, char *buf, size_t size)
{
	unsigned n_counters = tui->model.machine->type[0].n_counters;
	size_t n = 0;

	buf[0] = '\0';
	if (*event->pmu)
		n_counters = 0;
	for (unsigned i = 0; i < n_counters && n + 4 < size; i++) {
		bool legal = !event->counters || event->counters >> i & 1;

		n += (size_t)snprintf(buf + n, size - n, "%s", legal ? "●" : "·");
	}
}

/* Where the event is counted now. @return slot or -1 */
static int counted_on(const struct tui *tui, const struct catalog_event *event)
{
	for (unsigned slot = 0; slot < COLUMNS_MAX; slot++) {
		const struct event *now = set_event(tui->model.set, slot);

		if (now && event_is(now, event->name))
			return (int)set_slot_of(tui->model.set, slot);
	}
	return -1;
}

static void draw_choice(const struct tui *tui, unsigned item, bool is_chosen, int y, int x,
			int width)
{
	const struct choice *choice = &tui->picker.choice[item];
	const struct catalog_event *event = choice->event;
	unsigned n_counters = tui->model.machine->type[0].n_counters;
	enum role role = choice->fits ? ROLE_TEXT : ROLE_DIM;
	int name_width = width < 68 ? 24 : 34, end = x + width, on = counted_on(tui, event);
	char text[96];

	draw_text(y, x, name_width, is_chosen ? ROLE_SELECTED : role, event->name);
	x += name_width + 1;
	if (!*event->pmu)
		draw_printf(y, x, end - x, ROLE_DIM, "%#5" PRIx64, event->id);
	x += 7;
	dots(tui, event, text, sizeof(text));
	draw_text(y, x, end - x, ROLE_KEY, text);
	x += (int)n_counters + 2;
	if (on >= 0)
		x += draw_printf(y, x, end - x, ROLE_GOOD, "on %d  ", on);
	draw_text(y, x, end - x, role, event->brief);
}

static void draw_foot(const struct tui *tui, int y, int x, int width)
{
	const struct choice *choice = chosen(tui);
	bool moves = choice && choice->fits && *choice->moves;
	char slot[32], what[160];
	int end = x + width;

	name_slot(&tui->model, tui->picker.slot, slot, sizeof(slot));
	snprintf(what, sizeof(what), "%s %s%s%s%s", choice ? "place on" : "try it on", slot,
		 moves ? " (moves " : "", moves ? choice->moves : "", moves ? ")" : "");
	x = chooser_hint(y, x, end, "Enter", choice && !choice->fits ? "says why not" : what);
	snprintf(what, sizeof(what),
		 tui->picker.show_unfit ? "only what fits" : "%u that do not fit",
		 count_unfit(tui));
	x = chooser_hint(y, x, end, "Tab", what);
	chooser_hint(y, x, end, "Esc", "leave");
}

static const char *title(const struct tui *tui, char *buf, size_t size)
{
	char slot[32];

	snprintf(buf, size, "%s: event",
		 name_slot(&tui->model, tui->picker.slot, slot, sizeof(slot)));
	return buf;
}

static const struct chooser_ops picker_ops = {
	.title = title,
	.match = match,
	.draw = draw_choice,
	.foot = draw_foot,
	.n_foot = 1,
	.key = picker_key,
	.close = picker_close,
};
