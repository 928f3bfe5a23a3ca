/*
 * events.c: every event there is: what it counts, where it may be counted and where it is; Enter
 * puts it on the selected counter.
 *
 * What gives way on a small terminal: of the lines first the blanks, then the event's details from
 * the last one on, down to its description, then lines of the list; of the columns what
 * event_row.h says.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/term/draw.h"
#include "tui/screen/event_row.h"
#include "tui/view/events_view.h"
#include "tui/term/key.h"
#include "tui/screen/list.h"
#include "tui/widget/table.h"
#include "tui/model/names.h"
#include "tui/counting/assign.h"
#include "tui/screen/state.h"

static bool is_searched(const struct events_view *view)
{
	return view->search.text[strspn(view->search.text, " ")];
}

static bool is_grouped(const struct events_view *view)
{
	return !view->is_flat && !is_searched(view);
}

static unsigned rank(const void *data, unsigned item)
{
	const struct events_view *view = data;
	const struct choice *choice = &view->list.choice[item];

	if (is_grouped(view))
		return 1 + view->list.n_groups - choice->group;
	return event_rank(choice->event, view->search.text);
}

/* Lines from what was found: where the group changes its heading stands first. */
static void make_lines(struct events_view *view)
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

/* The first line that is an event's, from the cursor on, or before it. */
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

/* Rebuild the list; the cursor stays on its event where that is still there. */
static void find(struct events_view *view, bool keep)
{
	const struct choice *before = keep ? selected(view) : NULL;

	found_make(&view->found, view->list.n, rank, view);
	make_lines(view);
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
	if (event_list_make(tui->model.machine, &view->list) == 0 &&
	    found_init(&view->found, view->list.n) == 0)
		view->all = calloc(2 * (size_t)view->list.n + 1, sizeof(*view->all));
	if (!view->all) {
		events_view_fini(view);
		tui_say(tui, ROLE_ERROR, "out of memory");
		return;
	}
	find(view, false);
	select_event(view, now ? now->known : NULL);
}

/* Where things stand, from top to bottom. */
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

static void draw_title(const struct tui *tui, int y)
{
	const struct events_view *view = tui->events;
	const struct event *now = set_event(tui->model.set, tui->model.slot);
	bool is_typed = tui->overlay;
	char slot[32], text[64];
	int x = 1, end = COLS - 1;

	snprintf(text, sizeof(text), "%u of %u", view->found.n, view->list.n);
	end -= draw_right(y, x, end - x, ROLE_DIM, text) + 2;
	x += draw_text(y, x, end - x, ROLE_SELECTED,
		       name_slot(&tui->model, tui->model.slot, slot, sizeof(slot))) +
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
	return event_list_judge(&tui->events->list, item, tui->config->events,
				tui->model.privilege);
}

/* What its rows need. */
struct events_list {
	const struct tui *tui;
	struct event_rows rows;
};

static bool is_heading(const void *data, unsigned i)
{
	const struct events_list *list = data;

	return list->tui->events->all[i].is_heading;
}

static void draw_line(const void *data, unsigned i, int y)
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
	.draw = draw_line,
	.is_heading = is_heading,
	.mark = ROLE_SELECTED,
};

/* With the first event its heading comes into sight, too. */
static void draw_list(struct tui *tui, const struct events_list *list,
		      const struct shown_lines *lines)
{
	struct events_view *view = tui->events;

	if (view->line.at == 1)
		view->line.top = 0;
	list_draw(tui, &row_ops, list, lines->list_y, lines->n_list);
	if (!view->n_lines)
		draw_text(lines->list_y, 1, COLS - 2, ROLE_DIM, "no event matches; Esc shows all");
}

/* The widest group's name, where events stand without their headings. */
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

	event_list_aim(&view->list, &tui->model, tui->model.slot);
	event_columns_make(&want, 3, &list.rows.columns);
	draw_title(tui, lines.title_y);
	event_head_draw(&list.rows, lines.head_y);
	draw_list(tui, &list, &lines);
	if (selected(view))
		event_detail_draw(tui, judged(tui, view->all[view->line.at].item), lines.detail_y,
				  lines.n_detail);
}

/* While a search is typed: the list follows it, and can be walked through. */
static void search_key(struct tui *tui, int key)
{
	enum { PAGE = 8 };
	struct events_view *view = tui->events;

	if (key == KEYS_ESCAPE)
		view->search = (struct input){ 0 };
	if (key == KEYS_ESCAPE || key_is_enter(key)) {
		tui->overlay = NULL;
		find(view, true);
	} else if (cursor_key(&view->line, key, view->n_lines, PAGE)) {
		leave_heading(view, key == KEY_UP);
	} else if (input_key(&view->search, key)) {
		find(view, false);
	}
}

/* The view shows what is typed. */
static const struct overlay search_overlay = { .key = search_key };

/* What cannot be placed on the counter goes where it can, as from the picker. The counter may have
 * been selected by the key before. */
static void place(struct tui *tui)
{
	struct events_view *view = tui->events;
	const struct choice *choice;
	unsigned slot = tui->model.slot;

	if (!selected(view))
		return;
	event_list_aim(&view->list, &tui->model, slot);
	choice = judged(tui, view->all[view->line.at].item);
	assign_event(tui,
		     choice->fits ? slot
				  : event_best_slot(&tui->model, tui->config->events, choice->event,
						    slot, tui->model.privilege),
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
		place(tui);
	} else if (key == '/') {
		tui->overlay = &search_overlay;
	} else if (key == 't') {
		view->is_flat = !view->is_flat;
		find(view, true);
	} else if (key == KEYS_ESCAPE && is_searched(view)) {
		view->search = (struct input){ 0 };
		find(view, true);
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

/* Headings are nothing that can be gone to. */
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
