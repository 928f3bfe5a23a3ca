/*
 * events.c: the Events view lists all events with a description, legal and current counters; Enter
 * puts one on the selected counter. While sets are multiplexed, as for every event (key A), it is a
 * table of their figures on the selected row.
 *
 * On a small terminal lines are dropped in this order: blanks, the event's details from the last one
 * up to its description, lines of the list. For columns see event_row.h.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "tui/counters/assign.h"
#include "tui/model/baseline.h"
#include "tui/model/figure.h"
#include "tui/model/names.h"
#include "tui/model/series.h"
#include "tui/screen/event_row.h"
#include "tui/screen/list.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/view/figures.h"
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
	const struct pmu *last = NULL;

	for (unsigned type = 0; type < machine->n_types; type++) {
		const struct event *event = event_on(tui, type, known);

		if (!event || !event->pmu || event->pmu == last)
			continue;
		last = event->pmu;
		text_printf(text, "%s", comma(text));
		if (last->kind == PMU_CORE && machine->n_types > 1)
			text_printf(text, "%s ", machine->type[type].name);
		text_printf(text, "%s/%s/", last->name,
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

/* Describe the counters: "fits PMC5-7, counted on PMC5". */
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
		text_printf(text, "fits %s",
			    counters_text(event->counters, counters, sizeof(counters)));
	else
		text_printf(text, "fits any counter");
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
	AUTO_TEXT struct text text = { 0 };
	int x = 1, end = COLS - 1;

	say_counters(tui, choice, &text);
	x += draw_text(y, x, end - x, ROLE_SELECTED, event->name) + 1;
	if (!*event->pmu)
		x += draw_printf(y, x, end - x, ROLE_TEXT, "%#" PRIx64, event->id) + 2;
	x += draw_text(y, x, end - x, ROLE_DIM, event_group(event)) + 1;
	if (text.bytes && end - x > draw_columns(text.bytes))
		draw_right(y, x, end - x, ROLE_DIM, text.bytes);
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
	return !view->is_flat && !is_searched(view) && !view->order;
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
	for (unsigned i = 0; view->past && i < view->list.n; i++)
		track_fini(&view->past[i]);
	free(view->past);
	free(view->live);
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
	    found_init(&view->found, view->list.n) == 0) {
		view->live = calloc(view->list.n + 1, sizeof(*view->live));
		view->past = calloc(view->list.n + 1, sizeof(*view->past));
		view->all = calloc(2 * (size_t)view->list.n + 1, sizeof(*view->all));
	}
	if (!view->all || !view->live || !view->past) {
		events_view_fini(view);
		tui_say(tui, ROLE_ERROR, "out of memory");
		return;
	}
	events_find(view, false);
	select_event(view, now && set_n_mux(tui->model.set) == 1 ? now->known : NULL);
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
	const struct line *line = model_selected(&tui->model);
	bool is_typed = tui->overlay, is_row = view->is_live && line;
	char text[64];
	int x = 1, end = COLS - 1;

	snprintf(text, sizeof(text), "%u of %u", view->found.n, view->list.n);
	end -= draw_right(y, x, end - x, ROLE_DIM, text) + 2;
	x += draw_text(y, x, end - x, ROLE_SELECTED,
		       is_row ? name_row(&tui->model, line, false).text
			      : name_slot(&tui->model, tui->model.slot).text) +
	     1;
	if (is_typed || is_searched(view)) {
		x += draw_text(y, x, end - x, ROLE_KEY, "/") + 1;
		draw_printf(y, x, end - x, ROLE_INPUT, "%s%s", view->search.text,
			    is_typed ? " " : "");
		return;
	}
	if (is_row)
		draw_printf(y, x, end - x, ROLE_DIM, "· %u multiplexed sets; ( ) other rows",
			    set_n_mux(tui->model.set));
	else
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

/* ---- the live table ---- */

enum { PAST_MIN = 8, PAST_MAX = 30, LIVE_NAME_MIN = 18, LIVE_BRIEF_MIN = 24 };

static const struct {
	const char *heading;
	int width;
} live_column[N_LIVE_COLUMNS] = {
	[LIVE_NAME] = { "event", 0 },    [LIVE_RATE] = { "rate/s", 8 },
	[LIVE_PER_KI] = { "/Kinst", 7 }, [LIVE_ERROR] = { "±%", 6 },
	[LIVE_SHARE] = { "time%", 6 },   [LIVE_CHANGE] = { "change", 7 },
};

/* Layout of the live table; width 0: left out. */
struct live_layout {
	int x[N_LIVE_COLUMNS], width[N_LIVE_COLUMNS];
	int past_x, past, brief_x, brief;
};

static void live_lay_out(const struct tui *tui, struct live_layout *ret)
{
	static const enum live_column first[] = { LIVE_RATE, LIVE_PER_KI, LIVE_CHANGE, LIVE_ERROR };
	int left = COLS - 4 - LIVE_NAME_MIN, x = 3, more, share = live_column[LIVE_SHARE].width;
	struct live_layout layout = { .past = 0 };

	for (size_t i = 0; i < ARRAY_SIZE(first); i++) {
		int width = live_column[first[i]].width;

		if (first[i] != LIVE_CHANGE || tui->model.baseline)
			table_widen(&left, TABLE_GAP, &layout.width[first[i]], width, width);
	}
	table_widen(&left, TABLE_GAP, &layout.past, PAST_MIN, PAST_MIN);
	table_widen(&left, TABLE_GAP, &layout.width[LIVE_SHARE], share, share);
	more = tui->events->list.name_width - LIVE_NAME_MIN;
	more = more > left ? left : more > 0 ? more : 0;
	layout.width[LIVE_NAME] = LIVE_NAME_MIN + more;
	left -= more;
	if (left >= LIVE_BRIEF_MIN + TABLE_GAP + PAST_MAX - PAST_MIN)
		table_widen(&left, TABLE_GAP, &layout.brief, LIVE_BRIEF_MIN,
			    left - TABLE_GAP - (PAST_MAX - PAST_MIN));
	if (layout.past)
		layout.past += left < PAST_MAX - PAST_MIN ? left : PAST_MAX - PAST_MIN;
	for (int i = LIVE_NAME; i < N_LIVE_COLUMNS; i++) {
		layout.x[i] = x;
		x += layout.width[i] ? layout.width[i] + TABLE_GAP : 0;
	}
	layout.past_x = x;
	layout.brief_x = x + layout.past + TABLE_GAP;
	*ret = layout;
}

/* Find the first column of a catalog event on a core type. @return COLUMN_NONE: not counted */
static unsigned live_slot(const struct set *set, unsigned type, const struct catalog_event *known)
{
	for (unsigned i = 0; i < set->n_slots; i++) {
		const struct event *event = set->type[type].event[i];

		if (event && event->known && ascii_casecmp(event->known->name, known->name) == 0)
			return i;
	}
	return COLUMN_NONE;
}

static struct reading percent(double share, bool is_known)
{
	return (struct reading){ 100 * share, is_known ? QUALITY_OK : QUALITY_NONE };
}

static void live_fill(const struct model *model, const struct frame_row *row,
		      const struct catalog_event *known, struct live_event *ret)
{
	const struct set *set = model->shown->set;
	unsigned slot = live_slot(set, row->type, known);
	struct reading *value = ret->value;
	struct count count;

	*ret = (struct live_event){ .slot = slot };
	if (slot == COLUMN_NONE)
		return;
	count = frame_row_event(row, set, slot);
	value[LIVE_RATE] = count_rate(&count);
	value[LIVE_RATE].value *= set->type[row->type].event[slot]->scale;
	value[LIVE_PER_KI] = figure_of(row, set, slot, SHOW_PER_KI);
	value[LIVE_ERROR] = percent(count_error(&count), count_error(&count) > 0);
	if (count.enabled_ns)
		value[LIVE_SHARE] = percent((double)count.running_ns / (double)count.enabled_ns,
					    quality_has_value(count.quality));
	if (!model->baseline)
		return;
	value[LIVE_CHANGE] = baseline_change(value[LIVE_RATE],
					     baseline_slot(model, row, slot, SHOW_RATE), false);
	ret->least_change = baseline_least_change(model, row, slot);
}

/* Get the number that sorts an event, the largest first. */
static double live_key(const struct events_view *view, unsigned item)
{
	const struct live_event *live = &view->live[item];
	const struct reading *value = &live->value[view->order];

	if (view->order == LIVE_CHANGE && live->slot != COLUMN_NONE)
		return live->least_change;
	return quality_has_value(value->quality) ? value->value : -INFINITY;
}

static int live_compare(const void *one, const void *two, void *data)
{
	const struct events_view *view = data;
	unsigned a = ((const struct found_item *)one)->item,
		 b = ((const struct found_item *)two)->item;
	double x = live_key(view, a), y = live_key(view, b);
	int r = (x < y) - (x > y);

	if (view->order == LIVE_NAME)
		r = ascii_casecmp(view->list.choice[a].event->name,
				  view->list.choice[b].event->name);
	else if (!r)
		return (a > b) - (a < b);
	else if (isinf(x) || isinf(y)) /* events without a value come last */
		return r;
	return view->is_turned ? -r : r;
}

/* Calculate the figures of the displayed frame, and sort by them. */
static void live_follow(struct tui *tui)
{
	struct events_view *view = tui->events;
	const struct model *model = &tui->model;
	const struct line *line = model_selected(model);
	struct frame_row row;
	bool has_row = line && model_row(model, line, &row) &&
		       model->shown->set->number == model->set->number;

	if (!model->baseline != !view->had_baseline &&
	    (model->baseline || view->order == LIVE_CHANGE)) {
		view->order = model->baseline ? LIVE_CHANGE : LIVE_TOPICS;
		view->is_turned = false;
		events_find(view, false);
	}
	view->had_baseline = model->baseline;
	for (unsigned i = 0; i < view->list.n; i++)
		if (has_row)
			live_fill(model, &row, view->list.choice[i].event, &view->live[i]);
		else
			view->live[i] = (struct live_event){ .slot = COLUMN_NONE };
	if (!view->order)
		return;
	qsort_r(view->found.at, view->found.n, sizeof(*view->found.at), live_compare, view);
	events_make_lines(view);
}

static void live_sort(struct tui *tui, enum live_column order, bool is_turned)
{
	struct events_view *view = tui->events;

	view->order = order;
	view->is_turned = is_turned;
	events_find(view, false);
	if (!order)
		tui_say(tui, ROLE_TEXT, "events by topic");
	else
		tui_say(tui, ROLE_TEXT, "events by %s%s", live_column[order].heading,
			order == LIVE_CHANGE ? ": what changed most, beyond the errors, comes first"
					     : "");
}

static void live_click(struct tui *tui, int column)
{
	bool is_same = tui->events->order == (enum live_column)column;

	live_sort(tui, (enum live_column)column, is_same && !tui->events->is_turned);
}

static void live_draw_head(const struct tui *tui, const struct live_layout *layout, int y)
{
	const struct events_view *view = tui->events;

	for (int i = LIVE_NAME; i < N_LIVE_COLUMNS; i++) {
		bool is_order = (int)view->order == i;
		struct table_heading heading = {
			.y = y,
			.x = layout->x[i],
			.width = i == LIVE_NAME ? 5 : layout->width[i],
			.text = live_column[i].heading,
			.arrow = !is_order                            ? NULL
				 : view->is_turned ^ (i == LIVE_NAME) ? "▴"
								      : "▾",
			.above_y = -1,
			.unit_y = -1,
		};

		if (!layout->width[i])
			continue;
		table_heading_draw(&heading);
		mouse_area(y, heading.x, 1, layout->width[i], live_click, i);
	}
	draw_text(y, layout->past_x, layout->past, ROLE_HEADING, "history");
	draw_text(y, layout->brief_x, layout->brief, ROLE_HEADING, "what it counts");
}

/* Context of the live table's rows. */
struct live_list {
	struct events_list list; /* first: is_heading reads it */
	struct live_layout layout;
};

static void live_draw_past(const struct live_list *list, unsigned item, int y)
{
	const struct tui *tui = list->list.tui;
	const struct model *model = &tui->model;
	const struct series series = { .line = *model_selected(model),
				       .quantity = quantity_of_slot(model,
								    tui->events->live[item].slot) };
	int n = list->layout.past;
	float value[PAST_MAX];
	double max = 0;

	model_past(model, &series, model_cell_ns(model), &tui->events->past[item], value,
		   (unsigned)n);
	for (int i = 0; i < n; i++)
		max = fmax(max, (double)value[i]);
	figures_curve(y, list->layout.past_x, value, (unsigned)n, max);
}

static void live_draw_line(const void *data, unsigned i, int y)
{
	const struct live_list *list = data;
	const struct live_layout *layout = &list->layout;
	const struct events_view *view = list->list.tui->events;
	unsigned item = view->all[i].item;
	const struct catalog_event *event = view->list.choice[item].event;
	const struct live_event *live = &view->live[item];
	bool is_counted = live->slot != COLUMN_NONE;

	if (is_heading(data, i)) {
		draw_text(y, 1, COLS - 2, ROLE_TITLE, event_group(event));
		return;
	}
	draw_text(y, layout->x[LIVE_NAME], layout->width[LIVE_NAME],
		  i == view->line.at ? ROLE_SELECTED
		  : is_counted       ? ROLE_TEXT
				     : ROLE_DIM,
		  event->name);
	for (int c = LIVE_RATE; c < N_LIVE_COLUMNS && is_counted; c++) {
		struct reading value = live->value[c];
		struct label text = c == LIVE_CHANGE ? baseline_text(value, 7)
				    : c == LIVE_ERROR || c == LIVE_SHARE
					    ? figure_metric(value, 1, 6)
					    : figure_text(value, 7);

		draw_right(y, layout->x[c], layout->width[c], ROLE_TEXT, text.text);
	}
	if (is_counted && layout->past)
		live_draw_past(list, item, y);
	draw_text(y, layout->brief_x, layout->brief, ROLE_DIM, event->brief);
}

static const struct table_ops live_ops = {
	.draw = live_draw_line,
	.is_heading = is_heading,
	.mark = ROLE_SELECTED,
};

static void live_draw(struct tui *tui, const struct shown_lines *lines)
{
	struct live_list list = { .list.tui = tui };

	live_lay_out(tui, &list.layout);
	list_draw(tui, &live_ops, &list, lines->list_y, lines->n_list);
	live_draw_head(tui, &list.layout, lines->head_y);
}

static void events_draw_catalogue(struct tui *tui, const struct shown_lines *lines)
{
	struct events_view *view = tui->events;
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

	event_columns_make(&want, 3, &list.rows.columns);
	event_head_draw(&list.rows, lines->head_y);
	list_draw(tui, &row_ops, &list, lines->list_y, lines->n_list);
}

static void events_draw(struct tui *tui)
{
	struct events_view *view = tui->events;
	const struct shown_lines lines = place_lines(tui);

	view->is_live = set_n_mux(tui->model.set) > 1;
	if (!view->is_live && view->order) {
		view->order = LIVE_TOPICS;
		events_find(view, true);
	}
	if (view->is_live)
		live_follow(tui);
	event_list_set_target(&view->list, &tui->model, tui->model.slot);
	events_draw_title(tui, lines.title_y);
	if (view->line.at == 1) /* the first event: its heading is visible too */
		view->line.top = 0;
	if (view->is_live)
		live_draw(tui, &lines);
	else
		events_draw_catalogue(tui, &lines);
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

/* Count every event, or what was counted before. */
static void act_all(struct tui *tui, int key UNUSED)
{
	struct planner_request request = *tui->config->plain;
	struct events_view *view = tui->events;
	bool is_all = strcmp(tui->model.set->preset, PRESET_ALL) == 0;
	struct change next = { .privilege = tui->model.privilege }, before;
	struct err err = { 0 };
	const char *aside;

	request.preset = PRESET_ALL;
	request.privilege = tui->model.privilege;
	model_now(&tui->model, &before);
	if (is_all && view->has_before) {
		next = view->before;
	} else if (is_all) {
		tui_say(tui, ROLE_TEXT, "every event is counted already");
		return;
	} else if (planner_make(&request, &next.set, &err) < 0) {
		tui_refuse(tui, &err);
		return;
	}
	if (assign_change(tui, &next, &aside) < 0)
		return;
	view->before = before;
	view->has_before = !is_all;
	if (is_all)
		tui_say(tui, ROLE_TEXT, "counting what was counted before%s", aside);
	else
		tui_say(tui, ROLE_TEXT,
			"counting every event with %u multiplexed sets: ~ marks estimates; %s: as "
			"before%s",
			set_n_mux(tui->model.set), tui_key(tui, 'A').name, aside);
}

/* Say how to get figures while there are none. @return whether there are */
static bool has_figures(struct tui *tui)
{
	if (!tui->events->is_live)
		tui_say(tui, ROLE_WARN, "there are no figures here: %s counts every event",
			tui_key(tui, 'A').name);
	return tui->events->is_live;
}

static void act_live_order(struct tui *tui, int key)
{
	const struct events_view *view = tui->events;
	int n = tui->model.baseline ? N_LIVE_COLUMNS : LIVE_CHANGE, at = (int)view->order;

	if (!has_figures(tui))
		return;
	if (key == 'o')
		live_sort(tui, view->order, !view->is_turned);
	else
		live_sort(tui, (enum live_column)((key == '<' ? at + n - 1 : at + 1) % n), false);
}

static void act_live_row(struct tui *tui, int key)
{
	struct model *model = &tui->model;
	unsigned n = model->n_lines;

	if (has_figures(tui) && n)
		model->row.at = (model->row.at + (key == '(' ? n - 1 : 1)) % n;
}

static const char events_group[] = "In Events";

static const struct key events_keys[] = {
	KEY("A", events_group, "count every event, live; again: what was counted before", COUNTS,
	    act_all, NULL, 'A'),
	OWN_KEY("< > s", events_group,
		"sort the live events by the column to the left, to the right", act_live_order, '<',
		'>', 's'),
	OWN_KEY("o", events_group, "reverse their order", act_live_order, 'o'),
	OWN_KEY("( )", events_group, "their figures on the row before, after", act_live_row, '(',
		')'),
	{ 0 },
};

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
	} else if (key == 'B' && !has_figures(tui)) {
		return true;
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
	.parts = CHANGES,
	.keys = { events_keys },
	.hint = { { "?", "help" },
		  { "Enter", "count it" },
		  { "A", "all live" },
		  { "0-9", "counter" },
		  { "/", "search" },
		  { "t", "topics" } },
	.enter = events_enter,
	.draw = events_draw,
	.key = events_key,
	.list = events_list,
	.item = events_item,
};
