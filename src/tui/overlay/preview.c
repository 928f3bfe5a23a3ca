/*
 * To learn the rate of an event one must count it. Of the ways to do that, this one harms least: for
 * one interval the set in force is multiplexed with a set of nothing but that event, on the counter
 * that is chosen for, and then it is loaded again.
 *
 * - No event moves or is taken off, so the event may be one for which others would have to move.
 * - No figure vanishes and no history or total is restarted, as it would be were the event put
 *   in the place of another: for that interval they are estimates, marked "~" like all such.
 * - It is one measurement and not a lasting change: the figure stays beside the event while the
 *   picker is open. No event is tried twice, none that is counted anyway, and none the cursor only
 *   passes.
 *
 * Never while a log runs: its readers have not asked for gaps and scaled counts. Nor in virtual
 * time, where looking must not change what is to come, nor where the load would be felt or the
 * wait be long.
 */
#include "tui/overlay/preview.h"

#include <string.h>

#include "base/clock.h"
#include "tui/counting/assign.h"
#include "tui/model/names.h"
#include "tui/screen/state.h"
#include "tui/model/event_list.h"
#include "tui/overlay/chooser.h"
#include "tui/overlay/picker.h"
#include "tui/counting/rotation.h"

enum {
	REST_MS = 700,       /* the cursor stays so long on an event before it is tried */
	FRAMES_MAX = 3,      /* whoever has not counted by then does not */
	CORES_AT_MOST = 128, /* groups are reopened on each of them, twice */
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

/* The set in force, and a last mux group of nothing but the event. */
static int make_set(const struct tui *tui, const char *name, struct set *ret, unsigned *ret_column)
{
	const struct set *now = tui->model.set;
	unsigned n = set_n_mux(now), slot = set_slot_of(now, tui->picker->slot);
	const struct set none = { 0 };
	struct set mux[MUX_MAX + 1], set;

	if (n >= MUX_MAX)
		return -1;
	for (unsigned i = 0; i < n; i++)
		set_mux_group(now, i, &mux[i]);
	if (set_change(tui->config->events, &none, slot, name, tui->model.privilege, &mux[n],
		       NULL) < 0 ||
	    set_join(mux, n + 1, &set, NULL) < 0 || set.first[n] != now->n_slots)
		return -1; /* no column of those in force may move */
	set.splits_metrics = now->splits_metrics;
	*ret = set;
	*ret_column = set_column_of(&set, n, slot);
	return 0;
}

static void begin(struct tui *tui, const char *name)
{
	struct preview *preview = tui->preview;
	char slot[32];
	struct set set;

	preview->due_ns = 0;
	if (make_set(tui, name, &set, &preview->column) < 0)
		return; /* not on this counter, at any rate */
	choice_of(tui, preview->item)->preview.quality = QUALITY_NOT_COUNTED;
	if (sampler_load(tui->config->sampler, &set, NULL) < 0)
		return;
	preview->set = sampler_set(tui->config->sampler)->number;
	preview->n_frames = 0;
	choice_of(tui, preview->item)->preview.quality = QUALITY_PENDING;
	tui_say(tui, ROLE_WARN,
		"previewing %s on %s: meanwhile all figures are estimates; Ctrl-R: no previews",
		name, name_slot(&tui->model, tui->picker->slot, slot, sizeof(slot)));
}

/* Count again what was counted, unless something else is by now. */
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

/* The event under the picker's cursor. @return -1: none, or it is closed */
static int item_now(const struct tui *tui)
{
	return tui->picker->list.n && tui->overlay == &chooser_overlay ? chooser_item(tui) : -1;
}

static bool is_worth_it(struct tui *tui, int item)
{
	return item >= 0 && !preview_why_not(tui) &&
	       choice_of(tui, item)->preview.quality == QUALITY_NONE &&
	       event_column_of(&tui->model, choice_of(tui, item)->event) < 0;
}

/* The cursor is elsewhere now. */
static bool move_to(struct tui *tui, int item, uint64_t now_ns)
{
	struct preview *preview = tui->preview;
	bool was_running = is_running(tui);

	/* it was not there long enough to tell: it may be tried again */
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
	int item = item_now(tui);

	if (item != preview->item)
		return move_to(tui, item, now_ns);
	if (!preview->due_ns || now_ns < preview->due_ns)
		return false;
	begin(tui, choice_of(tui, item)->event->name);
	return true;
}

uint64_t preview_due_ns(const struct tui *tui)
{
	return tui->preview->due_ns;
}

bool preview_owns(const struct tui *tui, const struct frame *frame)
{
	return tui->preview->set && frame->set->number == tui->preview->set;
}

/* What the selected row counts of it. */
static struct reading figure(const struct tui *tui, const struct frame *frame)
{
	const struct model *model = &tui->model;
	struct frame_row row;

	if (model->row.at >= model->n_lines)
		return (struct reading){ .quality = QUALITY_NOT_COUNTED };
	frame_row(frame, model->machine, model->metrics, model->line[model->row.at].by,
		  model->line[model->row.at].index, &row);
	return figure_of(&row, &frame->set->type[row.type], tui->preview->column, SHOW_RATE);
}

void preview_frame(struct tui *tui, const struct frame *frame)
{
	struct preview *preview = tui->preview;

	if (!preview_owns(tui, frame) || preview->item < 0 || !is_running(tui))
		return;

	struct reading rate = figure(tui, frame);

	/* the first windows may be short of a mux group */
	if (!quality_has_value(rate.quality) && ++preview->n_frames < FRAMES_MAX)
		return;
	if (rate.quality == QUALITY_NONE)
		rate.quality = QUALITY_NOT_COUNTED;
	choice_of(tui, preview->item)->preview = rate;
	take_back(tui);
}

void preview_toggle(struct tui *tui)
{
	tui->preview->is_off = !tui->preview->is_off;
	move_to(tui, -1, 0);
	tui_say(tui, ROLE_TEXT, "previews of rates are %s", tui->preview->is_off ? "off" : "on");
}
