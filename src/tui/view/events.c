/*
 * events.c: the Events view lists all events with a description, legal and current counters; Enter
 * puts one on the selected counter.
 *
 * On a small terminal lines are dropped in this order: blanks, the event's details from the last one
 * up to its description, lines of the list. For columns see event_row.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "tui/counters/assign.h"
#include "tui/model/names.h"
#include "tui/screen/event_row.h"
#include "tui/screen/list.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/view/views.h"
#include "tui/widget/table.h"

/* ---- details of an event: text, legal counters, encodings, names, users ---- */

/* Get the specs of a catalog event: one, or one per device that has it.
 * @return specs, for the caller to free */
static struct event_spec *specs_of(const struct tui *tui, const struct catalog_event *known,
				   size_t *ret_n)
{
	struct event_spec spec = { .slot = -1, .is_data = true };
	struct event_spec *specs = NULL;

	*ret_n = 0;
	snprintf(spec.text, sizeof(spec.text), "%s", known->name);
	if (event_specs_expand(tui->config->events, &spec, 1, &specs, ret_n, NULL) < 0)
		return NULL;
	return specs;
}

/* Get the event on one core type; of several devices that of the first one.
 * @return NULL: the type does not have it */
static const struct event *event_on(const struct tui *tui, unsigned type,
				    const struct catalog_event *known)
{
	size_t n;
	AUTO_FREE struct event_spec *spec = specs_of(tui, known, &n);
	const struct event *event;

	if (!n ||
	    event_resolve(tui->config->events, type, spec, tui->model.privilege, &event, NULL))
		return NULL;
	return *event->refused ? NULL : event;
}

/* Describe the devices: "takes none of the cores' counters, counts on smmuv3_pmcg_2b440". */
static void say_devices(const struct tui *tui, const struct choice *choice, struct text *text)
{
	size_t n;

	free(specs_of(tui, choice->event, &n));
	text_printf(text, "takes none of the cores' counters");
	if (n > 1)
		text_printf(text, ", counts on %zu devices", n);
	else if (choice->pmu->kind == PMU_UNCORE)
		text_printf(text, ", counts on %s", choice->pmu->name);
}

/* Get the separator between two items of a list. */
static const char *comma(const struct text *text)
{
	return text->n ? ", " : "";
}

/* List the encodings: "E apple_icestorm_pmu/event=0x8d/, P apple_firestorm_pmu/event=0x8d/"; an
 * encoding of another PMU is the same for all types and listed once. */
static void say_encodings(const struct tui *tui, const struct catalog_event *known,
			  struct text *text)
{
	const struct machine *machine = tui->model.machine;
	const struct pmu *said = NULL;

	for (unsigned type = 0; type < machine->n_types; type++) {
		const struct event *event = event_on(tui, type, known);

		if (!event || !event->pmu || event->pmu == said)
			continue;
		said = event->pmu;
		text_printf(text, "%s", comma(text));
		if (said->kind == PMU_CORE && machine->n_types > 1)
			text_printf(text, "%s ", machine->type[type].name);
		text_printf(text, "%s/%s/", said->name,
			    event->known ? event->known->terms : known->terms);
	}
}

static bool preset_has(const struct catalog_preset *preset, const struct event *event)
{
	for (const char *const *name = preset->event; name && *name; name++)
		if (**name && event_is(event, *name))
			return true;
	return false;
}

static void say_presets(const struct tui *tui, const struct event *event, struct text *text)
{
	for (unsigned i = 0; i < tui->presets.n; i++) {
		const struct catalog_preset *preset = tui->presets.preset[i].known;

		if (preset_has(preset, event))
			text_printf(text, "%s%s", comma(text), preset->name);
	}
}

static bool metric_has(const struct metric *metric, unsigned type, const struct event *event)
{
	const char *input;

	for (unsigned i = 0;
	     metric->program[type] && (input = metric_input(metric->program[type], i)); i++)
		if (metric_input_is(event, input))
			return true;
	return false;
}

static void say_metrics(const struct tui *tui, unsigned type, const struct event *event,
			struct text *text)
{
	const struct metrics *metrics = tui->model.metrics;

	for (unsigned i = 0; i < metrics->n; i++)
		if (metric_has(&metrics->metric[i], type, event))
			text_printf(text, "%s%s", comma(text), metrics->metric[i].name);
}

/* Describe the counters: "legal on PMC5-7, counted on PMC5". */
static void say_counters(const struct tui *tui, const struct choice *choice, struct text *text)
{
	const struct catalog_event *event = choice->event;
	int column = event_column_of(&tui->model, event);
	char counters[64];

	if (!event_on(tui, choice->type, event))
		text_printf(text, "cannot be counted on this machine");
	else if (*event->pmu)
		say_devices(tui, choice, text);
	else if (event->counters)
		text_printf(text, "legal on %s",
			    counters_text(event->counters, counters, sizeof(counters)));
	else
		text_printf(text, "legal on any counter");
	if (column >= 0 && *event->pmu)
		text_printf(text, ": counted");
	else if (column >= 0)
		text_printf(text, ", counted on %s", name_slot(&tui->model, (unsigned)column).text);
	else if (*choice->moves)
		text_printf(text, ", here it moves %s", choice->moves);
}

/* Draw a text with its label, unless it is empty. @return next line */
static int draw_labelled(int y, int end, const char *label, const char *what)
{
	enum { LABEL = 10, MANY = 40 };
	int most = LINES < MANY || end - y < 2 ? 1 : 2;

	if (!what || !*what || y >= end)
		return y;
	draw_text(y, 1, LABEL, ROLE_DIM, label);
	return y + draw_wrapped(y, 1 + LABEL, COLS - 2 - LABEL, most, ROLE_TEXT, what);
}

static int event_detail_draw_title(const struct tui *tui, const struct choice *choice, int y)
{
	const struct catalog_event *event = choice->event;
	struct text text = { 0 };
	int x = 1, end = COLS - 1;

	say_counters(tui, choice, &text);
	x += draw_text(y, x, end - x, ROLE_SELECTED, event->name) + 1;
	if (!*event->pmu)
		x += draw_printf(y, x, end - x, ROLE_TEXT, "%#" PRIx64, event->id) + 2;
	x += draw_text(y, x, end - x, ROLE_DIM, event_group(event)) + 1;
	if (text.bytes && end - x > draw_columns(text.bytes))
		draw_right(y, x, end - x, ROLE_DIM, text.bytes);
	text_fini(&text);
	return y + 1;
}

/* Draw the lines below the description, the most useful first. */
static void draw_facts(const struct tui *tui, const struct choice *choice, int y, int end)
{
	const struct catalog_event *known = choice->event;
	const struct event *event = event_on(tui, choice->type, known);
	struct text fact[4] = { { 0 } };

	if (event) {
		say_presets(tui, event, &fact[0]);
		say_metrics(tui, choice->type, event, &fact[1]);
	}
	say_encodings(tui, known, &fact[2]);
	for (const char *const *alias = known->alias; *alias; alias++)
		text_printf(&fact[3], "%s%s", comma(&fact[3]), *alias);
	y = draw_labelled(y, end, "presets", fact[0].bytes);
	y = draw_labelled(y, end, "metrics", fact[1].bytes);
	y = draw_labelled(y, end, "encoding", fact[2].bytes);
	y = draw_labelled(y, end, "also", fact[3].bytes);
	draw_labelled(y, end, "source", known->source);
	for (size_t i = 0; i < ARRAY_SIZE(fact); i++)
		text_fini(&fact[i]);
}

/* Draw an event's details in `n_lines` from line y, the most important first. */
static void event_detail_draw(const struct tui *tui, const struct choice *choice, int y,
			      int n_lines)
{
	int end = y + n_lines, n_text = n_lines > 6 ? n_lines - 6 : n_lines - 1;

	if (n_lines == 1) {
		draw_text(y, 1, COLS - 2, ROLE_TEXT, choice->event->brief);
		return;
	}
	y = event_detail_draw_title(tui, choice, y);
	y += draw_wrapped(y, 1, COLS - 2, n_text < 4 ? n_text : 4, ROLE_TEXT, choice->event->what);
	draw_facts(tui, choice, y, end);
}

static bool is_searched(const struct events_view *view)
{
	return view->search.text[strspn(view->search.text, " ")];
}

static bool is_grouped(const struct events_view *view)
{
	return !view->is_flat && !is_searched(view);
}

static unsigned view_events_rank(const void *data, unsigned item)
{
	const struct events_view *view = data;
	const struct choice *choice = &view->list.choice[item];

	if (is_grouped(view))
		return 1 + view->list.n_groups - choice->group;
	return event_rank(choice->event, view->search.text);
}

/* Make the lines from the search result, with a heading before each group. */
static void events_make_lines(struct events_view *view)
{
	unsigned n = 0;

	for (unsigned i = 0; i < view->found.n; i++) {
		unsigned item = view->found.at[i].item;

		if (is_grouped(view) &&
		    (!i || view->found.at[i].rank != view->found.at[i - 1].rank))
			view->all[n++] = (struct events_line){ .is_heading = true, .item = item };
		view->all[n++] = (struct events_line){ .item = item };
	}
	view->n_lines = n;
}

/* Move the cursor off a heading, to the next line or, upwards, to the previous one. */
static void leave_heading(struct events_view *view, bool upwards)
{
	struct cursor *cursor = &view->line;

	if (cursor->at >= view->n_lines || !view->all[cursor->at].is_heading)
		return;
	if (upwards && cursor->at > 0)
		cursor->at--;
	else
		cursor->at++;
}

static const struct choice *selected(const struct events_view *view)
{
	unsigned at = view->line.at;

	return at < view->n_lines ? &view->list.choice[view->all[at].item] : NULL;
}

static void select_event(struct events_view *view, const struct catalog_event *event)
{
	view->line = (struct cursor){ 0 };
	for (unsigned i = 0; event && i < view->n_lines; i++)
		if (!view->all[i].is_heading && view->list.choice[view->all[i].item].event == event)
			view->line.at = i;
	leave_heading(view, false);
}

/* Rebuild the list. @keep  the cursor stays on its event if that is still listed */
static void events_find(struct events_view *view, bool keep)
{
	const struct choice *before = keep ? selected(view) : NULL;

	found_make(&view->found, view->list.n, view_events_rank, view);
	events_make_lines(view);
	select_event(view, before ? before->event : NULL);
}

void events_view_fini(struct events_view *view)
{
	event_list_fini(&view->list);
	found_fini(&view->found);
	free(view->all);
	*view = (struct events_view){ 0 };
}

static void events_enter(struct tui *tui)
{
	struct events_view *view = tui->events;
	const struct event *now = set_event(tui->model.set, tui->model.slot);

	if (view->all)
		return;
	if (event_list_make(tui->model.machine, false, &view->list) == 0 &&
	    found_init(&view->found, view->list.n) == 0)
		view->all = calloc(2 * (size_t)view->list.n + 1, sizeof(*view->all));
	if (!view->all) {
		events_view_fini(view);
		tui_say(tui, ROLE_ERROR, "out of memory");
		return;
	}
	events_find(view, false);
	select_event(view, now ? now->known : NULL);
}

/* Layout of the view, from top to bottom. */
struct shown_lines {
	int title_y, head_y, list_y, n_list, detail_y, n_detail;
};

static struct shown_lines place_lines(const struct tui *tui)
{
	int blank = LINES >= 18, end = tui->layout.status_y;
	struct shown_lines lines = { .title_y = tui->layout.view_y };

	lines.n_detail = LINES >= 40 ? 9 : LINES >= 22 ? 7 : LINES >= 14 ? 3 : 1;
	lines.head_y = lines.title_y + 1;
	lines.list_y = lines.head_y + 1;
	lines.detail_y = end - lines.n_detail;
	lines.n_list = lines.detail_y - blank - lines.list_y;
	return lines;
}

static void events_draw_title(const struct tui *tui, int y)
{
	const struct events_view *view = tui->events;
	const struct event *now = set_event(tui->model.set, tui->model.slot);
	bool is_typed = tui->overlay;
	char text[64];
	int x = 1, end = COLS - 1;

	snprintf(text, sizeof(text), "%u of %u", view->found.n, view->list.n);
	end -= draw_right(y, x, end - x, ROLE_DIM, text) + 2;
	x += draw_text(y, x, end - x, ROLE_SELECTED, name_slot(&tui->model, tui->model.slot).text) +
	     1;
	if (is_typed || is_searched(view)) {
		x += draw_text(y, x, end - x, ROLE_KEY, "/") + 1;
		draw_printf(y, x, end - x, ROLE_INPUT, "%s%s", view->search.text,
			    is_typed ? " " : "");
		return;
	}
	draw_text(y, x, end - x, now ? ROLE_TOTAL : ROLE_DIM, now ? now->name : "is free");
}

static const struct choice *judged(const struct tui *tui, unsigned item)
{
	return event_list_check(&tui->events->list, item, tui->config->events,
				tui->model.privilege);
}

/* Context of the list's rows. */
struct events_list {
	const struct tui *tui;
	struct event_rows rows;
};

static bool is_heading(const void *data, unsigned i)
{
	const struct events_list *list = data;

	return list->tui->events->all[i].is_heading;
}

static void events_draw_line(const void *data, unsigned i, int y)
{
	const struct events_list *list = data;
	const struct events_view *view = list->tui->events;
	unsigned item = view->all[i].item;

	if (is_heading(data, i))
		draw_text(y, 1, COLS - 2, ROLE_TITLE, event_group(view->list.choice[item].event));
	else
		event_row_draw(&list->rows, judged(list->tui, item), i == view->line.at, y);
}

static const struct table_ops row_ops = {
	.draw = events_draw_line,
	.is_heading = is_heading,
	.mark = ROLE_SELECTED,
};

/* Get the width of the widest group name; 0 if the events are grouped under headings. */
static int topic_width(const struct events_view *view)
{
	int width = 0;

	for (unsigned i = 0; !is_grouped(view) && i < view->list.n; i++) {
		int one = draw_columns(event_group(view->list.choice[i].event));

		width = one > width ? one : width;
	}
	return width;
}

static void events_draw(struct tui *tui)
{
	struct events_view *view = tui->events;
	const struct shown_lines lines = place_lines(tui);
	const struct event_want want = {
		.width = COLS - 4,
		.name = view->list.name_width,
		.n_dots = event_n_dots(tui->model.machine),
		.topic = topic_width(view),
	};
	struct events_list list = { .tui = tui,
				    .rows = { .model = &tui->model,
					      .slot = tui->model.slot,
					      .search = view->search.text,
					      .rate = "" } };

	event_list_set_target(&view->list, &tui->model, tui->model.slot);
	event_columns_make(&want, 3, &list.rows.columns);
	events_draw_title(tui, lines.title_y);
	event_head_draw(&list.rows, lines.head_y);
	if (view->line.at == 1) /* the first event: its heading is visible too */
		view->line.top = 0;
	list_draw(tui, &row_ops, &list, lines.list_y, lines.n_list);
	if (!view->n_lines)
		draw_text(lines.list_y, 1, COLS - 2, ROLE_DIM, "no event matches; Esc shows all");
	if (selected(view))
		event_detail_draw(tui, judged(tui, view->all[view->line.at].item), lines.detail_y,
				  lines.n_detail);
}

/* Handle a key while a search is typed: the list follows the search, and the cursor moves in it. */
static void search_key(struct tui *tui, int key)
{
	enum { PAGE = 8 };
	struct events_view *view = tui->events;

	if (key == KEYS_ESCAPE)
		view->search = (struct input){ 0 };
	if (key == KEYS_ESCAPE || key_is_enter(key)) {
		tui->overlay = NULL;
		events_find(view, true);
	} else if (cursor_key(&view->line, key, view->n_lines, PAGE)) {
		leave_heading(view, key == KEY_UP);
	} else if (input_key(&view->search, key)) {
		events_find(view, false);
	}
}

/* The view itself draws the input. */
static const struct overlay search_overlay = { .key = search_key };

/* Place the selected event on the counter, or on the best other one. The previous key may have
 * changed the selected counter. */
static void events_place(struct tui *tui)
{
	struct events_view *view = tui->events;
	const struct choice *choice;
	unsigned slot = tui->model.slot;

	if (!selected(view))
		return;
	event_list_set_target(&view->list, &tui->model, slot);
	choice = judged(tui, view->all[view->line.at].item);
	assign_event(tui,
		     choice->fits ? slot
				  : event_best_slot(&tui->model, tui->config->events, choice->event,
						    slot),
		     choice->event->name);
}

static bool walk(struct tui *tui, int key)
{
	struct events_view *view = tui->events;
	struct shown_lines lines = place_lines(tui);
	unsigned page = lines.n_list > 1 ? (unsigned)lines.n_list - 1 : 1;

	key = cursor_letter(key);
	if (!cursor_key(&view->line, key, view->n_lines, page))
		return false;
	leave_heading(view, key == KEY_UP || key == KEY_PPAGE);
	return true;
}

static bool events_key(struct tui *tui, int key)
{
	struct events_view *view = tui->events;

	if (key_is_enter(key)) {
		events_place(tui);
	} else if (key == '/') {
		tui->overlay = &search_overlay;
	} else if (key == 't') {
		view->is_flat = !view->is_flat;
		events_find(view, true);
	} else if (key == KEYS_ESCAPE && is_searched(view)) {
		view->search = (struct input){ 0 };
		events_find(view, true);
	} else {
		return walk(tui, key);
	}
	return true;
}

static struct cursor *events_list(struct tui *tui, unsigned *ret_n)
{
	*ret_n = tui->events->n_lines;
	return &tui->events->line;
}

/* Get an item's text for the search; "" for headings, which cannot be selected. */
static const char *events_item(const struct tui *tui, unsigned i, char *buf, size_t size)
{
	const struct events_line *line = &tui->events->all[i];

	snprintf(buf, size, "%s",
		 line->is_heading ? "" : tui->events->list.choice[line->item].event->name);
	return buf;
}

const struct view view_events = {
	.name = "Events",
	.what = "every event: what it counts, and on which counters",
	.has_counter = true,
	.hint = { { "?", "help" },
		  { "Enter", "count it" },
		  { "0-9", "counter" },
		  { "/", "search" },
		  { "t", "topics" } },
	.enter = events_enter,
	.draw = events_draw,
	.key = events_key,
	.list = events_list,
	.item = events_item,
};
