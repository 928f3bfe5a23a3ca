#include "tui/picker.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "pmu/catalog.h"
#include "tui/actions.h"
#include "tui/draw.h"
#include "tui/keys.h"
#include "tui/names.h"
#include "tui/state.h"

static bool is_in_name(const struct catalog_event *event, const char *word)
{
	if (strcasestr(event->name, word) || strcasestr(event->short_name, word))
		return true;
	for (const char *const *alias = event->alias; *alias; alias++)
		if (strcasestr(*alias, word))
			return true;
	return false;
}

static bool is_in_text(const struct catalog_event *event, const char *word)
{
	char id[32];

	snprintf(id, sizeof(id), "0x%" PRIx64, event->id);
	return strcasestr(event->brief, word) || strcasestr(event->what, word) ||
	       strcasestr(event->topic, word) || (*event->terms && strcasestr(id, word));
}

enum picker_match picker_match(const struct catalog_event *event, const char *search)
{
	enum picker_match match = MATCH_NAME;
	char word[160];
	size_t n;

	for (search += strspn(search, " "); *search; search += n + strspn(search + n, " ")) {
		n = strcspn(search, " ");
		snprintf(word, sizeof(word), "%.*s", (int)n, search);
		if (is_in_name(event, word))
			continue;
		if (!is_in_text(event, word))
			return MATCH_NONE;
		match = MATCH_TEXT;
	}
	return match;
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
				  tui->config->levels, &next, NULL) == 0;
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

static void find_matching(struct picker *picker, enum picker_match match)
{
	for (unsigned i = 0; i < picker->n_choices; i++) {
		const struct choice *choice = &picker->choice[i];

		if (picker_match(choice->event, picker->search.text) != match)
			continue;
		picker->n_unfit += !choice->fits;
		if (choice->fits || picker->show_unfit)
			picker->found[picker->n_found++] = i;
	}
}

/* What the search leaves: first those that have it in their names. */
static void find(struct picker *picker)
{
	picker->n_found = picker->n_unfit = 0;
	find_matching(picker, MATCH_NAME);
	find_matching(picker, MATCH_TEXT);
	picker->row = picker->top = 0;
}

/* Begin on the event that the counter has now. */
static void find_current(struct tui *tui)
{
	struct picker *picker = &tui->picker;
	const struct event *now = set_event(tui->model.set, picker->slot);

	for (unsigned i = 0; now && i < picker->n_found; i++)
		if (event_is(now, picker->choice[picker->found[i]].event->name))
			picker->row = i;
}

int picker_open(struct tui *tui)
{
	struct picker *picker = &tui->picker;
	size_t cap = 0;

	picker_close(tui);
	picker->slot = tui->model.slot;
	for (unsigned type = 0; type < tui->model.machine->n_types; type++)
		if (add_catalog(tui, type, &cap) < 0)
			goto fail;
	picker->found = calloc(picker->n_choices + 1, sizeof(*picker->found));
	if (!picker->found)
		goto fail;
	find(picker);
	find_current(tui);
	tui->overlay = &picker_overlay;
	return 0;
fail:
	picker_close(tui);
	return -ENOMEM;
}

void picker_close(struct tui *tui)
{
	free(tui->picker.choice);
	free(tui->picker.found);
	tui->picker = (struct picker){ 0 };
	if (tui->overlay == &picker_overlay)
		tui->overlay = NULL;
}

static const struct choice *chosen(const struct picker *picker)
{
	return picker->row < picker->n_found ? &picker->choice[picker->found[picker->row]] : NULL;
}

/* Enter: the event under the cursor; what was typed where the list is empty, so that rNN and
 * pmu/terms/ can be typed too, and a refusal says its reason. */
static void place(struct tui *tui)
{
	const struct picker *picker = &tui->picker;
	const struct choice *choice = chosen(picker);
	const char *name = choice ? choice->event->name : picker->search.text;

	if (!*name)
		return;
	if (act_place(tui, picker->slot, name) == 0)
		picker_close(tui);
}

static void step(struct picker *picker, int by)
{
	long row = (long)picker->row + by;

	if (row >= (long)picker->n_found)
		row = (long)picker->n_found - 1;
	picker->row = row < 0 ? 0 : (unsigned)row;
}

static unsigned picker_key(struct tui *tui, int key)
{
	enum { TAB = '\t', CTRL_C = 3, CTRL_N = 14, CTRL_P = 16, PAGE = 8 };
	struct picker *picker = &tui->picker;

	switch (key) {
	case CTRL_C: return DID_QUIT;
	case KEYS_ESCAPE: picker_close(tui); break;
	case '\r':
	case '\n':
	case KEY_ENTER: place(tui); break;
	case KEY_DOWN:
	case CTRL_N: step(picker, 1); break;
	case KEY_UP:
	case CTRL_P: step(picker, -1); break;
	case KEY_NPAGE: step(picker, PAGE); break;
	case KEY_PPAGE: step(picker, -PAGE); break;
	case TAB:
		picker->show_unfit = !picker->show_unfit;
		find(picker);
		break;
	default:
		if (input_key(&picker->search, key))
			find(picker);
	}
	return DID_REDRAW;
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

static void draw_choice(const struct tui *tui, const struct choice *choice, int y, int x, int width)
{
	const struct catalog_event *event = choice->event;
	unsigned n_counters = tui->model.machine->type[0].n_counters;
	enum role role = choice->fits ? ROLE_TEXT : ROLE_DIM;
	bool is_chosen = choice == chosen(&tui->picker);
	int name_width = width < 70 ? 24 : 34, end = x + width, on = counted_on(tui, event);
	char text[96];

	if (is_chosen)
		draw_text(y, x, 1, ROLE_SELECTED, "▸");
	draw_text(y, x + 2, name_width, is_chosen ? ROLE_SELECTED : role, event->name);
	x += 2 + name_width + 1;
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
	const struct picker *picker = &tui->picker;
	const struct choice *choice = chosen(picker);
	char slot[32];
	int end = x + width;

	name_slot(&tui->model, picker->slot, slot, sizeof(slot));
	x += draw_text(y, x, end - x, ROLE_KEY, "Enter") + 1;
	if (choice && !choice->fits)
		x += draw_printf(y, x, end - x, ROLE_DIM, "says why not");
	else
		x += draw_printf(y, x, end - x, ROLE_TEXT, "%s %s%s%s%s",
				 choice ? "place on" : "try it on", slot,
				 choice && *choice->moves ? " (moves " : "",
				 choice ? choice->moves : "", choice && *choice->moves ? ")" : "");
	x += 3;
	x += draw_text(y, x, end - x, ROLE_KEY, "Tab") + 1;
	x += draw_printf(y, x, end - x, ROLE_TEXT,
			 picker->show_unfit ? "only what fits" : "%u that do not fit",
			 picker->n_unfit);
	x += 3;
	x += draw_text(y, x, end - x, ROLE_KEY, "Esc") + 1;
	draw_text(y, x, end - x, ROLE_TEXT, "leave");
}

static void follow(struct picker *picker, unsigned n_lines)
{
	if (picker->row < picker->top)
		picker->top = picker->row;
	if (picker->row >= picker->top + n_lines)
		picker->top = picker->row - n_lines + 1;
}

static void picker_draw(struct tui *tui)
{
	struct picker *picker = &tui->picker;
	int width = COLS - 4 < 110 ? COLS - 4 : 110;
	int height = LINES - 6 < 22 ? LINES - 6 : 22;
	int y = (LINES - height) / 3, x = (COLS - width) / 2;
	unsigned n_lines = height > 5 ? (unsigned)height - 4 : 1;
	char title[64], slot[32];

	if (height < 5)
		return;
	snprintf(title, sizeof(title), "%s: event",
		 name_slot(&tui->model, picker->slot, slot, sizeof(slot)));
	draw_box(y, x, height, width, title);
	x += 2;
	width -= 4;
	draw_text(y + 1, x, 1, ROLE_KEY, "/");
	draw_printf(y + 1, x + 2, width - 16, ROLE_INPUT, "%s ", picker->search.text);
	snprintf(title, sizeof(title), "%u of %u", picker->n_found, picker->n_choices);
	draw_right(y + 1, x, width, ROLE_DIM, title);
	follow(picker, n_lines);
	for (unsigned i = 0; i < n_lines && picker->top + i < picker->n_found; i++)
		draw_choice(tui, &picker->choice[picker->found[picker->top + i]], y + 2 + (int)i, x,
			    width);
	draw_foot(tui, y + height - 2, x, width);
}

const struct overlay picker_overlay = { .draw = picker_draw, .key = picker_key };
