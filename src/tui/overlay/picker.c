#include "tui/overlay/picker.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "tui/counters/assign.h"
#include "tui/counters/rotation.h"
#include "tui/model/event_list.h"
#include "tui/model/names.h"
#include "tui/overlay/chooser.h"
#include "tui/screen/event_row.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"

/* ---- preview ---- */

/*
 * The rate of an event can only be found by counting it. A preview does this with the least disturbance:
 * for one interval the current set is multiplexed with a set of that event alone, on the counter that
 * is chosen for; then the current set is loaded again.
 *
 * - No event moves or is removed, so the event may be one for which others would have to move.
 * - No figure vanishes and no history or total is restarted, as it would be if the event replaced
 *   another: for that interval all figures are estimates, marked "~" as usual.
 * - It is one measurement and not a lasting change: the figure stays beside the event while the
 *   picker is open. No event is tried twice; none that is counted anyway or that the cursor only
 *   passes is tried.
 *
 * There is no preview while a log runs, whose readers do not expect gaps and scaled counts; in virtual
 * time, where looking must not change the future; if the load would be noticeable or the wait long.
 */

enum {
	REST_MS = 700,       /* rest of the cursor on an event before it is tried */
	FRAMES_MAX = 3,      /* an event that did not count in so many frames is given up, */
	LATE_MAX = 20,       /* or was late or lost in so many */
	CORES_AT_MOST = 128, /* groups are reopened on each core, twice */
	INTERVAL_MAX_S = 2,
};

static struct choice *choice_of(struct tui *tui, int item)
{
	return &tui->picker->list.choice[item];
}

static bool is_running(const struct tui *tui)
{
	return tui->preview->set && tui->preview->set == sampler_set(tui->config->sampler)->number;
}

const char *preview_why_not(const struct tui *tui)
{
	const struct sampler *sampler = tui->config->sampler;

	if (tui->preview->is_off)
		return "off";
	if (tui->log[0])
		return "off while a log runs";
	if (sampler_backend(sampler)->virtual_clock)
		return "off in virtual time";
	if (tui->rotation->is_on)
		return "off during a rotation";
	if (tui->model.yielded)
		return "off while the counters are yielded";
	if (tui->model.frozen)
		return "off while frozen";
	if (sampler_interval(sampler) > INTERVAL_MAX_S * NS_PER_S)
		return "off at this long interval";
	if (tui->model.machine->n_cores > CORES_AT_MOST)
		return "off on so many cores";
	return NULL;
}

/* Make the current set with a last mux group of the event alone. */
static int preview_make_set(const struct tui *tui, const char *name, struct set *ret,
			    unsigned *ret_column)
{
	const struct set *now = tui->model.set;
	unsigned n = set_n_mux(now), slot = set_slot_of(now, tui->picker->slot);
	const struct set none = { 0 };
	AUTO_FREE struct set *mux = calloc(n + 1, sizeof(*mux));
	struct set set;

	if (n >= MUX_MAX || !mux)
		return -1;
	for (unsigned i = 0; i < n; i++)
		set_mux_group(now, i, &mux[i]);
	if (set_change(tui->config->events, &none, slot, name, tui->model.privilege, &mux[n],
		       NULL) < 0 ||
	    set_join(mux, n + 1, &set, NULL) < 0 || set.first[n] != now->n_slots)
		return -1; /* current columns must not move */
	set.splits_metrics = now->splits_metrics;
	*ret = set;
	*ret_column = set_column_of(&set, n, slot);
	return 0;
}

static void preview_begin(struct tui *tui, const char *name)
{
	struct preview *preview = tui->preview;
	struct set set;

	preview->due_ns = 0;
	if (preview_make_set(tui, name, &set, &preview->column) < 0)
		return; /* not possible on this counter */
	choice_of(tui, preview->item)->preview.quality = QUALITY_NOT_COUNTED;
	if (sampler_load(tui->config->sampler, &set, NULL) < 0)
		return;
	preview->set = sampler_set(tui->config->sampler)->number;
	preview->n_frames = preview->n_late = 0;
	choice_of(tui, preview->item)->preview.quality = QUALITY_PENDING;
	tui_say(tui, ROLE_WARN,
		"previewing %s on %s: meanwhile all figures are estimates; Ctrl-R: no previews",
		name, name_slot(&tui->model, tui->picker->slot).text);
}

/* Load the previous set again unless another one is loaded by now. */
static void take_back(struct tui *tui)
{
	struct change before;
	bool was_running = is_running(tui);

	model_now(&tui->model, &before);
	tui->preview->set = 0;
	if (!was_running)
		return;
	tui->status[0] = '\0';
	assign_load(tui, &before);
}

static bool is_worth_it(struct tui *tui, int item)
{
	return item >= 0 && !preview_why_not(tui) &&
	       choice_of(tui, item)->preview.quality == QUALITY_NONE &&
	       event_column_of(&tui->model, choice_of(tui, item)->event) < 0;
}

/* Handle a move of the cursor. @return whether a preview was running */
static bool move_to(struct tui *tui, int item, uint64_t now_ns)
{
	struct preview *preview = tui->preview;
	bool was_running = is_running(tui);

	/* it was not counted long enough: it may be tried again */
	if (was_running && preview->item >= 0 && (unsigned)preview->item < tui->picker->list.n)
		choice_of(tui, preview->item)->preview.quality = QUALITY_NONE;
	take_back(tui);
	preview->item = item;
	preview->due_ns = is_worth_it(tui, item) ? now_ns + REST_MS * NS_PER_MS : 0;
	return was_running;
}

bool preview_turn(struct tui *tui, uint64_t now_ns)
{
	struct preview *preview = tui->preview;
	bool is_open = tui->picker->list.n && tui->overlay == &chooser_overlay;
	int item = is_open ? chooser_item(tui) : -1;

	if (item != preview->item)
		return move_to(tui, item, now_ns);
	if (!preview->due_ns || now_ns < preview->due_ns)
		return false;
	preview_begin(tui, choice_of(tui, item)->event->name);
	return true;
}

bool preview_owns(const struct tui *tui, const struct frame *frame)
{
	return tui->preview->set && frame->set->number == tui->preview->set;
}

/* Return what the selected row counts of the event. */
static struct reading preview_figure(const struct tui *tui, const struct frame *frame)
{
	const struct model *model = &tui->model;
	struct frame_row row;

	if (model->row.at >= model->n_lines)
		return (struct reading){ .quality = QUALITY_NOT_COUNTED };
	frame_row(frame, model->machine, model->metrics, model->line[model->row.at].by,
		  model->line[model->row.at].index, &row);
	return figure_of(&row, frame->set, tui->preview->column, SHOW_RATE);
}

void preview_frame(struct tui *tui, const struct frame *frame)
{
	struct preview *preview = tui->preview;

	if (!preview_owns(tui, frame) || preview->item < 0 || !is_running(tui))
		return;

	struct reading rate = preview_figure(tui, frame);

	if ((rate.quality == QUALITY_LOST || rate.quality == QUALITY_PENDING) &&
	    ++preview->n_late < LATE_MAX)
		return;
	/* the first windows may lack a mux group */
	if (!quality_has_value(rate.quality) && ++preview->n_frames < FRAMES_MAX)
		return;
	if (rate.quality == QUALITY_NONE)
		rate.quality = QUALITY_NOT_COUNTED;
	choice_of(tui, preview->item)->preview = rate;
	take_back(tui);
}

/* ---- list ---- */

/* Rank an event; of equal matches those that are legal on the slot come first. An event that this machine
 * cannot count is left out. */
static unsigned picker_rank(const struct tui *tui, unsigned item, const char *search)
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
	return match_prefer(rank, is_legal);
}

static void picker_close(struct tui *tui)
{
	event_list_fini(&tui->picker->list);
}

static void choose_for(struct tui *tui, unsigned slot)
{
	struct picker *picker = tui->picker;

	picker->slot = slot;
	event_list_set_target(&picker->list, &tui->model, picker->is_of_devices ? SLOT_FREE : slot);
}

static const struct chooser_ops picker_ops;

/* Put the cursor on the event that the counter has now. */
static void select_current(struct tui *tui)
{
	const struct event_list *list = &tui->picker->list;
	const struct event *now = set_event(tui->model.set, tui->picker->slot);

	for (unsigned i = 0; now && i < list->n; i++)
		if (event_is(now, list->choice[i].event->name))
			chooser_select(tui, i);
}

static void picker_begin(struct tui *tui, bool is_of_devices)
{
	chooser_close(tui);
	if (event_list_make(tui->model.machine, !is_of_devices, &tui->picker->list)) {
		tui_say(tui, ROLE_ERROR, "out of memory");
		return;
	}
	tui->picker->is_of_devices = is_of_devices;
	choose_for(tui, tui->model.slot);
	if (chooser_open(tui, &picker_ops, tui->picker->list.n) == 0 && !tui->recents.n)
		select_current(tui);
}

void act_pick(struct tui *tui, int key UNUSED)
{
	picker_begin(tui, false);
}

void act_pick_device(struct tui *tui, int key UNUSED)
{
	char names[800];

	if (!*pmus_names(&tui->model.machine->pmus, PMU_UNCORE, names, sizeof(names)))
		tui_say(tui, ROLE_WARN, "this machine has no devices with counters");
	else
		picker_begin(tui, true);
}

static const struct choice *judged(const struct tui *tui, unsigned item)
{
	return event_list_check(&tui->picker->list, item, tui->config->events,
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
					 tui->picker->slot)
		       : tui->picker->slot;
}

/* Return the slot for an event: another one if it cannot be placed on the chosen one. */
static unsigned goal(const struct tui *tui, const struct choice *choice)
{
	const struct picker *picker = tui->picker;

	if (!choice || choice->fits || picker->is_of_devices)
		return picker->list.slot;
	return event_best_slot(&tui->model, tui->config->events, choice->event, picker->slot);
}

/* Handle Enter: place the event under the cursor; if the list is empty, the typed one, so that rNN and
 * pmu/terms/ can be typed and a refusal shows its reason. */
static void picker_place(struct tui *tui)
{
	const struct choice *choice = chosen(tui);
	const char *name = choice ? choice->event->name : tui->chooser->search.text;

	if (*name && assign_event(tui, goal(tui, choice), name) == 0)
		chooser_close(tui);
}

/* Move on to the next slot. This reorders the list; its cursor stays on the event. */
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
	if (key_is_enter(key)) {
		picker_place(tui);
	} else if (key == '\t') {
		go_to_next_slot(tui);
	} else if (key == CTRL_R) {
		tui->preview->is_off = !tui->preview->is_off;
		move_to(tui, -1, 0);
		tui_say(tui, ROLE_TEXT, "previews of rates are %s",
			tui->preview->is_off ? "off" : "on");
	} else {
		return false;
	}
	return true;
}

static void make_rows(const struct tui *tui, int x, int width, struct label *ret_rate,
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

	*ret_rate = line ? name_line(model, line, true) : label_printf("/s");
	*ret = (struct event_rows){ .model = model,
				    .slot = tui->picker->slot,
				    .search = tui->chooser->search.text,
				    .rate = ret_rate->text };
	event_columns_make(&want, x, &ret->columns);
}

static void draw_head(const struct tui *tui, int y, int x, int width)
{
	struct event_rows rows;
	struct label rate;

	make_rows(tui, x, width, &rate, &rows);
	event_head_draw(&rows, y);
}

static void draw_choice(const struct tui *tui, unsigned item, bool is_chosen, int y, int x,
			int width)
{
	struct event_rows rows;
	struct label rate;

	make_rows(tui, x, width, &rate, &rows);
	event_row_draw(&rows, judged(tui, item), is_chosen, y);
}

/* Format "place on PMC5 (moves BR-MISP 5→6)". */
static struct label placing_text(const struct tui *tui, const struct choice *choice)
{
	unsigned to = choice->fits ? choice->slot : goal(tui, choice);
	const struct event *now = set_event(tui->model.set, to);
	struct label slot = name_slot(&tui->model, to);

	if (choice->fits && *choice->moves)
		return label_printf("place on %s (moves %s)", slot.text, choice->moves);
	if (choice->fits || !now)
		return label_printf("place on %s", slot.text);
	if (event_is(now, choice->event->name))
		return label_printf("go to %s, which counts it", slot.text);
	return label_printf("place on %s, not %s", slot.text, event_label(now).text);
}

/* Whether the typed event is forced: "0x8d!". */
static bool is_forced(const struct tui *tui)
{
	const char *text = tui->chooser->search.text;

	return *text && text[strlen(text) - 1] == '!';
}

static struct label enter_text(const struct tui *tui)
{
	const struct choice *choice = chosen(tui);
	bool is_possible = choice && (choice->fits || goal(tui, choice) != tui->picker->slot);

	if (choice && !is_possible)
		return label_printf("says why not");
	if (choice && choice->pmu->kind == PMU_UNCORE)
		return label_printf("count it");
	if (choice)
		return placing_text(tui, choice);
	return label_printf(is_forced(tui) ? "force it onto %s: it may count nothing there"
					   : "try it on %s",
			    name_slot(&tui->model, tui->picker->slot).text);
}

static void picker_draw_foot(const struct tui *tui, int y, int x, int width)
{
	const char *why_not = preview_why_not(tui);
	const struct choice *choice = chosen(tui);
	unsigned next = next_slot(tui);
	char what[160];
	int end = x + width;

	if (choice)
		draw_text(y - 1, x, width, ROLE_DIM, choice->event->what);
	x = chooser_hint(y, x, end, "Enter", enter_text(tui).text);
	snprintf(what, sizeof(what), "on %s", name_slot(&tui->model, next).text);
	if (next != tui->picker->slot)
		x = chooser_hint(y, x, end, "Tab", what);
	x = chooser_hint(y, x, end, "Esc", "leave");
	snprintf(what, sizeof(what), "preview %s", why_not ? why_not : "on");
	if (!tui->picker->is_of_devices && end - x >= draw_columns(what) + 3)
		chooser_hint(y, x, end, "^R", what);
}

static const char *title(const struct tui *tui, char *buf, size_t size)
{
	if (tui->picker->is_of_devices)
		return "Events of devices";
	snprintf(buf, size, "%s: event", name_slot(&tui->model, tui->picker->slot).text);
	return buf;
}

static const struct chooser_ops picker_ops = {
	.title = title,
	.rank = picker_rank,
	.head = draw_head,
	.draw = draw_choice,
	.foot = picker_draw_foot,
	.has_note = true,
	.key = picker_key,
	.close = picker_close,
};
