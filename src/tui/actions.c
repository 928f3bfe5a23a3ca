#include "tui/actions.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tui/change.h"
#include "tui/fit.h"
#include "tui/interval.h"
#include "tui/keys.h"
#include "tui/metric_chooser.h"
#include "tui/moment.h"
#include "tui/names.h"
#include "tui/place.h"
#include "tui/playing.h"
#include "tui/preset_chooser.h"
#include "tui/state.h"

const char *const levels_name[] = {
	[LEVELS_BOTH] = "user+kernel",
	[LEVELS_USER] = "user",
	[LEVELS_KERNEL] = "kernel",
};

static unsigned say_error(struct tui *tui, const struct err *err)
{
	change_refused(tui, err);
	return DID_REDRAW;
}

unsigned act_select(struct tui *tui, int key)
{
	unsigned slot = (unsigned)(key - '0'), column = model_column(&tui->model, slot);

	place_show(tui);

	if (column < model_n_slots(&tui->model))
		tui->model.slot = column;
	else if (set_n_turns(tui->model.set) > 1)
		tui_say(tui, ROLE_WARN, "the first set in turn has no column %u", slot);
	else
		tui_say(tui, ROLE_WARN, "there is no counter %u here: 0 to %u", slot,
			model_n_slots(&tui->model) - 1);
	return DID_REDRAW;
}

unsigned act_select_beside(struct tui *tui, int key)
{
	struct model *model = &tui->model;

	model->slot = columns_beside(&model->columns, model->slot, key == KEY_SLEFT ? -1 : 1,
				     model_n_slots(model));
	return DID_REDRAW;
}

unsigned act_pick(struct tui *tui, int key)
{
	(void)key;
	if (picker_open(tui) < 0)
		tui_say(tui, ROLE_ERROR, "out of memory");
	return DID_REDRAW;
}

unsigned act_step(struct tui *tui, int key)
{
	struct err err = { 0 };
	struct set next;

	place_show(tui);

	int r = set_step(tui->config->events, tui->model.set, tui->model.slot, key == ']' ? 1 : -1,
			 tui->model.levels, &next, &err);

	if (r < 0)
		return say_error(tui, &err);
	place_set(tui, &next, tui->model.slot);
	return DID_REDRAW;
}

unsigned act_clear(struct tui *tui, int key)
{
	(void)key;
	place_show(tui);

	char where[32];

	if (set_event(tui->model.set, tui->model.slot))
		place_nothing(tui, UINT64_C(1) << tui->model.slot);
	else
		tui_say(tui, ROLE_TEXT, "%s is free already",
			name_slot(&tui->model, tui->model.slot, where, sizeof(where)));
	return DID_REDRAW;
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
	bool is_of_levels = tui->model.levels != before->levels;
	char back[160];

	tui->model.levels = before->levels;
	if (is_of_levels)
		snprintf(back, sizeof(back), "counting %s again", levels_name[before->levels]);
	else
		back_text(tui, was, back, sizeof(back));
	tui_say(tui, ROLE_TEXT, "undone: %s; %u more%s", back, tui->model.n_undo,
		rotation_stop(tui));
}

unsigned act_undo(struct tui *tui, int key)
{
	struct set was = *tui->model.set;
	struct change before;

	(void)key;
	if (!model_undo_pop(&tui->model, &before))
		tui_say(tui, ROLE_WARN, "nothing to undo");
	else if (change_load(tui, &before) < 0)
		model_undo_push(&tui->model, &before);
	else
		undone(tui, &before, &was);
	return DID_REDRAW;
}

/* K: the kernel alone, and once more both; U: likewise. */
unsigned act_levels(struct tui *tui, int key)
{
	struct model *model = &tui->model;
	enum event_levels one = key == 'K' ? LEVELS_KERNEL : LEVELS_USER;
	enum event_levels levels = model->levels == one ? LEVELS_BOTH : one;
	struct change next = { .chosen = model->chosen };
	struct err err = { 0 };
	const char *aside;

	if (set_levels(tui->config->events, model->set, levels, &next.set, &err) < 0)
		return say_error(tui, &err);
	if (change_make(tui, &next, &aside) < 0)
		return DID_REDRAW;
	model->levels = levels;
	if (levels == LEVELS_BOTH)
		tui_say(tui, ROLE_TEXT, "counting %s%s", levels_name[levels], aside);
	else
		tui_say(tui, ROLE_TEXT, "counting %s alone; %s: %s again%s", levels_name[levels],
			tui_key(tui, key).name, levels_name[LEVELS_BOTH], aside);
	return DID_REDRAW;
}

unsigned act_yield(struct tui *tui, int key)
{
	struct change now;

	(void)key;
	if (!tui->model.yielded) {
		if (change_yield(tui) == 0)
			tui_say(tui, ROLE_TEXT,
				"counters are free for another tool; %s takes them back",
				tui_key(tui, 'Y').name);
		return DID_REDRAW;
	}
	model_now(&tui->model, &now);
	if (change_load(tui, &now) == 0)
		tui_say(tui, ROLE_TEXT, "counting again");
	return DID_REDRAW;
}

unsigned act_metrics(struct tui *tui, int key)
{
	(void)key;
	if (metric_chooser_open(tui) < 0)
		tui_say(tui, ROLE_ERROR, "out of memory");
	return DID_REDRAW;
}

unsigned act_rotate(struct tui *tui, int key)
{
	(void)key;
	rotation_toggle(tui);
	return DID_REDRAW;
}

unsigned act_preset(struct tui *tui, int key)
{
	(void)key;
	if (preset_chooser_open(tui) < 0)
		tui_say(tui, ROLE_ERROR, "out of memory");
	return DID_REDRAW;
}

unsigned act_group(struct tui *tui, int key)
{
	enum frame_by by = (tui->model.by + 1) % BY_DEVICE;

	(void)key;
	model_group(&tui->model, by);
	tui_say(tui, ROLE_TEXT, "rows by %s%s", frame_by_name[by],
		by == BY_SYSTEM && tui->model.machine->n_types > 1
			? ": one a core type, their figures are never mixed"
			: "");
	return DID_REDRAW;
}

unsigned act_show(struct tui *tui, int key)
{
	(void)key;
	model_show(&tui->model, (tui->model.show + 1) % N_SHOW);
	tui_say(tui, ROLE_TEXT, "figures are %s", show_name[tui->model.show]);
	return DID_REDRAW;
}

unsigned act_zero(struct tui *tui, int key)
{
	(void)key;
	model_zero(&tui->model);
	tui_say(tui, ROLE_TEXT, "totals, minimum, mean and maximum begin now");
	return DID_REDRAW;
}

unsigned act_scroll(struct tui *tui, int key)
{
	struct model *model = &tui->model;

	/* drawing brings it back when that was too far */
	if (key == '(' && model->first > 0)
		model->first--;
	if (key == ')' && model->first + 1 < fit_n_columns(tui))
		model->first++;
	return DID_REDRAW;
}

unsigned act_move(struct tui *tui, int key)
{
	unsigned page = tui->layout.n_rows > 1 ? (unsigned)tui->layout.n_rows - 1 : 1;

	cursor_key(&tui->model.row, cursor_letter(key), tui->model.n_lines, page);
	return DID_REDRAW;
}

static void set_interval(struct tui *tui, uint64_t interval_ns)
{
	struct err err = { 0 };
	char text[32];

	if (sampler_set_interval(tui->config->sampler, interval_ns, &err) < 0) {
		say_error(tui, &err);
		return;
	}
	tui->halted = false;
	tui_say(tui, ROLE_TEXT, "every %s",
		interval_text(sampler_interval(tui->config->sampler), text, sizeof(text)));
}

static void interval_typed(struct tui *tui, const char *text)
{
	uint64_t interval_ns;

	if (interval_parse(text, &interval_ns) < 0)
		tui_say(tui, ROLE_ERROR, "\"%s\" is no interval: type 0.5, 20ms, 5s, 1min", text);
	else
		set_interval(tui, interval_ns);
}

unsigned act_ask_interval(struct tui *tui, int key)
{
	(void)key;
	prompt_open(tui, "interval", "0.5, 20ms, 5s; 1 ms to 1 h", interval_typed);
	return DID_REDRAW;
}

unsigned act_step_interval(struct tui *tui, int key)
{
	uint64_t now_ns = sampler_interval(tui->config->sampler);
	uint64_t next_ns = interval_next(now_ns, key == '-' ? -1 : 1);

	if (next_ns != now_ns)
		set_interval(tui, next_ns);
	return DID_REDRAW;
}

static int start_log(struct tui *tui, struct err *err)
{
	int r = tui->config->log.start(tui->config->log.data, err);

	tui_refresh_log(tui);
	if (r == 0)
		tui_say(tui, ROLE_GOOD, "logging to %s", tui->log);
	return r;
}

/* What is queued of a large log takes a while: tui_refresh_log says when it is closed. */
static int stop_log(struct tui *tui, struct err *err)
{
	int r = tui->config->log.stop(tui->config->log.data, err);

	tui_refresh_log(tui);
	if (r == 0 && tui->log[0])
		tui_say(tui, ROLE_TEXT, "%s …", tui->log);
	return r;
}

unsigned act_log(struct tui *tui, int key)
{
	struct err err = { 0 };

	(void)key;
	if (!tui->config->log.start)
		tui_say(tui, ROLE_WARN, "this is a recorded session: it is a file already");
	else if ((tui->log[0] ? stop_log : start_log)(tui, &err) < 0)
		return say_error(tui, &err);
	return DID_REDRAW;
}

static void mark_typed(struct tui *tui, const char *text)
{
	const struct tui_log *log = &tui->config->log;
	struct err err = { 0 };

	if (log->mark(log->data, text, &err) < 0)
		say_error(tui, &err);
	else
		tui_say(tui, ROLE_TEXT, "marked \"%s\"", text);
}

unsigned act_ask_mark(struct tui *tui, int key)
{
	(void)key;
	if (playing_is_on(tui))
		tui_say(tui, ROLE_WARN, "this is a recorded session: its markers are in the file");
	else if (!tui->log[0])
		tui_say(tui, ROLE_WARN, "a marker goes into the log: start it with %s",
			tui_key(tui, 'l').name);
	else
		prompt_open(tui, "note", "", mark_typed);
	return DID_REDRAW;
}

unsigned act_keep(struct tui *tui, int key)
{
	const struct tui_keeper *keeper = &tui->config->keeper;
	struct err err = { 0 };
	char where[256];

	(void)key;
	if (!keeper->write)
		tui_say(tui, ROLE_WARN, "this is a recorded session: the live screen is kept");
	else if (keeper->write(keeper->data, tui, where, sizeof(where), &err) < 0)
		return say_error(tui, &err);
	else
		tui_say(tui, ROLE_TEXT, "written to %s", where);
	return DID_REDRAW;
}

static unsigned toggle(struct tui *tui, const struct view *view)
{
	tui_show(tui, tui->view == view ? view_table[0] : view);
	return DID_REDRAW;
}

unsigned act_view(struct tui *tui, int key)
{
	unsigned last = 0, at = 0;

	while (view_table[last + 1])
		last++;
	while (at < last && view_table[at] != tui->view)
		at++;
	if (key == KEY_BTAB)
		at = at ? at - 1 : last;
	else
		at = at < last ? at + 1 : 0;
	tui_show(tui, view_table[at]);
	return DID_REDRAW;
}

unsigned act_messages(struct tui *tui, int key)
{
	(void)key;
	return toggle(tui, &view_messages);
}

unsigned act_help(struct tui *tui, int key)
{
	(void)key;
	return toggle(tui, &view_help);
}

unsigned act_redraw(struct tui *tui, int key)
{
	(void)tui;
	(void)key;
	clearok(curscr, TRUE);
	return DID_REDRAW;
}

unsigned act_quit(struct tui *tui, int key)
{
	(void)tui;
	(void)key;
	return DID_QUIT;
}
