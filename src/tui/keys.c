#include "tui/keys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "sampler/sampler.h"
#include "tui/counters/assign.h"
#include "tui/counters/rotation.h"
#include "tui/history/playing.h"
#include "tui/history/time_keys.h"
#include "tui/model/names.h"
#include "tui/overlay/chooser.h"
#include "tui/overlay/picker.h"
#include "tui/tui.h"
#include "tui/screen/state.h"
#include "tui/term/terminal.h"
#include "tui/view/figures.h"
#include "tui/view/graph.h"
#include "tui/view/topdown.h"
#include "tui/view/views.h"

static void group(struct tui *tui, enum frame_by by)
{
	model_group(&tui->model, by);
	tui_say(tui, ROLE_TEXT, "rows by %s%s", frame_by_name(by),
		by == BY_SYSTEM && tui->model.machine->n_types > 1
			? ": one per core type, whose figures are never added up"
			: "");
}

/* Select the next row grouping; skip those without rows of their own, as without SMT or several sockets. */
static void act_group(struct tui *tui, int key UNUSED)
{
	enum frame_by by = tui->model.by;

	do
		by = (by + 1) % BY_DEVICE;
	while (by != BY_SYSTEM && !frame_n_own_rows(tui->model.machine, by));
	group(tui, by);
}

static void act_threads(struct tui *tui, int key UNUSED)
{
	if (machine_has_smt(tui->model.machine))
		group(tui, tui->model.by == BY_PHYSICAL ? BY_CORE : BY_PHYSICAL);
	else
		tui_say(tui, ROLE_WARN, "no core here has more than one thread");
}

static void act_show(struct tui *tui, int key UNUSED)
{
	model_show(&tui->model, (tui->model.show + 1) % N_SHOW);
	tui_say(tui, ROLE_TEXT, "figures are %s", show_name[tui->model.show]);
}

static void act_zero(struct tui *tui, int key UNUSED)
{
	model_zero(&tui->model);
	tui_say(tui, ROLE_TEXT, "totals, minimum, mean and maximum start from zero");
}

static void act_scroll(struct tui *tui, int key)
{
	struct model *model = &tui->model;

	/* drawing corrects it if that is too far */
	if (key == '(' && model->first > 0)
		model->first--;
	if (key == ')' && model->first + 1 < figures_n(tui))
		model->first++;
	model->scrolled_from = model->slot;
}

static void set_interval(struct tui *tui, uint64_t interval_ns)
{
	struct err err = { 0 };
	char text[32], was[32];

	interval_text(sampler_interval(tui->config->sampler), was, sizeof(was));
	if (sampler_set_interval(tui->config->sampler, interval_ns, &err) < 0) {
		tui_refuse(tui, &err);
		return;
	}
	tui->halted = false;
	tui_say(tui, ROLE_TEXT, "every %s, before that every %s",
		interval_text(sampler_interval(tui->config->sampler), text, sizeof(text)), was);
}

static void interval_typed(struct tui *tui, const char *text)
{
	uint64_t interval_ns;

	if (interval_parse(text, &interval_ns) < 0)
		tui_say(tui, ROLE_ERROR, "\"%s\" is not an interval: type 0.5, 20ms, 5s, 1min",
			text);
	else
		set_interval(tui, interval_ns);
}

static void act_ask_interval(struct tui *tui, int key UNUSED)
{
	prompt_open(tui, &(struct prompt){ .question = "interval",
					   .hint = "0.5, 20ms, 5s; 1 ms to 1 h",
					   .done = interval_typed });
}

static void act_step_interval(struct tui *tui, int key)
{
	uint64_t now_ns = sampler_interval(tui->config->sampler);
	uint64_t next_ns = interval_next(now_ns, key == '-' ? -1 : 1);

	if (next_ns != now_ns)
		set_interval(tui, next_ns);
}

static int start_log(struct tui *tui, struct err *err)
{
	char path[512];
	int r = log_control_start(tui->config->log, err);

	if (r == 0)
		tui_say(tui, ROLE_GOOD, "logging to %s",
			log_path(tui->config->log->log, path, sizeof(path)));
	tui_refresh_log(tui);
	return r;
}

/* End the log. Writing a long queue takes time: the header shows it, a message follows when the log is closed. */
static int stop_log(struct tui *tui, struct err *err)
{
	int r = log_control_end(tui->config->log, err);

	tui_refresh_log(tui);
	return r;
}

static void act_log(struct tui *tui, int key UNUSED)
{
	struct err err = { 0 };

	if (!tui->config->log)
		tui_say(tui, ROLE_WARN, "this is a recorded session: it is already in a file");
	else if ((tui->log[0] ? stop_log : start_log)(tui, &err) < 0)
		tui_refuse(tui, &err);
}

static void mark_typed(struct tui *tui, const char *text)
{
	struct err err = { 0 };

	if (log_control_mark(tui->config->log, text, &err) < 0)
		tui_refuse(tui, &err);
	else
		tui_say(tui, ROLE_TEXT, "marked \"%s\"", text);
}

static void act_ask_mark(struct tui *tui, int key UNUSED)
{
	if (tui_is_playing(tui))
		tui_say(tui, ROLE_WARN, "this is a recorded session: its markers are in the file");
	else if (!tui->log[0])
		tui_say(tui, ROLE_WARN, "a marker goes into the log: start it with %s",
			tui_key(tui, 'l').name);
	else
		prompt_open(tui,
			    &(struct prompt){ .question = "note", .hint = "", .done = mark_typed });
}

static void act_keep(struct tui *tui, int key UNUSED)
{
	const struct config_writer *writer = &tui->config->config_writer;
	struct err err = { 0 };
	char where[256];

	if (!writer->write)
		tui_say(tui, ROLE_WARN,
			"this is a recorded session: only the live screen saves its settings");
	else if (writer->write(writer->data, tui, where, sizeof(where), &err) < 0)
		tui_refuse(tui, &err);
	else
		tui_say(tui, ROLE_TEXT, "written to %s", where);
}

static void act_view(struct tui *tui, int key)
{
	enum view_id id = tui->view;

	do
		id = (id + (key == KEY_BTAB ? N_VIEWS - 1 : 1)) % N_VIEWS;
	while (tui_has_nothing_for(tui, id));
	tui_show(tui, id);
}

/* Switch between the messages or the help and the view before. */
static void act_toggle(struct tui *tui, int key)
{
	enum view_id view = key == 'E' ? VIEW_MESSAGES : VIEW_HELP;

	tui_show(tui, tui->view == view ? tui->back : view);
}

static void act_redraw(struct tui *tui UNUSED, int key UNUSED)
{
	terminal_repaint();
}

static void act_quit(struct tui *tui, int key UNUSED)
{
	tui->leave = true;
}

/* ---- rows ---- */

/* Sort by the next column; machine order is beside the first and the last one. */
static void act_sort(struct tui *tui, int key)
{
	struct order order[1 + FIGURES_ORDERS_MAX] = { { .by = ORDER_MACHINE } };
	const struct order *now = &tui->model.rows.order;
	unsigned n = 1 + figures_orders(tui, order + 1), at = 0;

	for (unsigned i = 0; i < n; i++)
		if (order[i].by == now->by && order[i].number == now->number)
			at = i;
	if (key == '>')
		at = at + 1 < n ? at + 1 : 0;
	else
		at = at ? at - 1 : n - 1;
	rows_sort_by(tui, order[at].by, order[at].number);
}

static void act_sort_selected(struct tui *tui, int key UNUSED)
{
	const struct model *model = &tui->model;

	enum order_by by = model->selected.by;

	rows_sort_by(tui, by, by == ORDER_SLOT ? model->slot : model->selected.number);
}

static void act_turn_order(struct tui *tui, int key UNUSED)
{
	const struct order *order = &tui->model.rows.order;

	if (order->by != ORDER_MACHINE)
		rows_sort_by(tui, order->by, order->number);
	else
		tui_say(tui, ROLE_WARN, "rows are in the machine's order: %s sorts them",
			tui_key(tui, 's').name);
}

static void act_fold(struct tui *tui, int key UNUSED)
{
	if (!rows_fold(&tui->model, tui->model.row.at))
		tui_say(tui, ROLE_WARN,
			"only a cluster or cache can be folded, while rows are cores in the "
			"machine's order");
}

static void act_fold_all(struct tui *tui, int key UNUSED)
{
	bool folded = !rows_has_folded(&tui->model);

	rows_fold_all(&tui->model, folded);
	tui_say(tui, ROLE_TEXT, folded ? "clusters are folded" : "clusters are unfolded");
}

static void filter_typed(struct tui *tui, const char *text)
{
	rows_filter(&tui->model, text);
}

static void filter_entered(struct tui *tui, const char *text)
{
	if (*text && !tui->model.n_lines)
		tui_say(tui, ROLE_WARN, "no core matches \"%s\"; %s shows all", text,
			tui_key(tui, KEYS_ESCAPE).name);
	else if (*text)
		tui_say(tui, ROLE_TEXT, "%u of %u cores; %s shows all", rows_n_cores(&tui->model),
			tui->model.machine->n_cores, tui_key(tui, KEYS_ESCAPE).name);
}

static void act_filter(struct tui *tui, int key UNUSED)
{
	chooser_close(tui); /* from the list of settings */
	prompt_open(tui, &(struct prompt){ .question = "filter",
					   .hint = "0-3,8   P,cluster 3   node0",
					   .done = filter_entered,
					   .changed = filter_typed });
}

/* ---- counters ---- */

static void act_select(struct tui *tui, int key)
{
	unsigned slot = (unsigned)(key - '0'), column = model_column(&tui->model, slot);

	assign_show(tui);

	if (column < model_n_slots(&tui->model) && !set_is_of_device(tui->model.set, column))
		model_select(&tui->model, ORDER_SLOT, column);
	else if (column < model_n_slots(&tui->model))
		tui_say(tui, ROLE_WARN, "what column %u counts is a device's: see Uncore", slot);
	else
		tui_say(tui, ROLE_WARN, "the first multiplexed set has no column %u", slot);
}

static void act_select_beside(struct tui *tui, int key)
{
	struct order order[FIGURES_ORDERS_MAX];
	unsigned n = figures_orders(tui, order), at = 0;

	while (at < n && !model_is_selected(&tui->model, order[at].by, order[at].number))
		at++;
	if (at == n) /* hidden */
		at = 0;
	else if (key == KEY_SLEFT)
		at -= at > 0;
	else
		at += at + 1 < n;
	if (n)
		model_select(&tui->model, order[at].by, order[at].number);
}

static void act_step(struct tui *tui, int key)
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

static void act_clear(struct tui *tui, int key UNUSED)
{
	assign_show(tui);

	const struct event *event = set_event(tui->model.set, tui->model.slot);
	struct column_set only = { { 0 } };

	column_set_add(&only, tui->model.slot);
	if (tui->model.selected.by != ORDER_SLOT)
		tui_say(tui, ROLE_WARN, "the selected column is no counter: %s selects one",
			tui_key(tui, '0').name);
	else if (!event)
		tui_say(tui, ROLE_TEXT, "%s is already free",
			name_slot(&tui->model, tui->model.slot).text);
	else if (event_is_activity(event) && !*event->refused)
		tui_say(tui, ROLE_WARN,
			"%s stays: how busy and how fast each core is, the screen always counts",
			event->name);
	else
		assign_nothing(tui, &only);
}

static bool is_same_event(const struct event *a, const struct event *b)
{
	return a == b || (a && b && strcmp(a->name, b->name) == 0);
}

/* Count the columns whose events differ between two sets. @ret_slot  last such column */
static unsigned n_changed(const struct set *was, const struct set *now, unsigned *ret_slot)
{
	unsigned n = 0, n_slots = was->n_slots > now->n_slots ? was->n_slots : now->n_slots;

	for (unsigned i = 0; i < n_slots; i++) {
		if (is_same_event(set_event(was, i), set_event(now, i)))
			continue;
		n++;
		*ret_slot = i;
	}
	return n;
}

/* Describe what an undo restored: "PMC5 counts INST_BRANCH again". */
static struct label undo_text(const struct tui *tui, const struct set *was)
{
	const struct set *now = tui->model.set;
	unsigned slot = 0, n = n_changed(was, now, &slot);
	const struct event *event = n ? set_event(now, slot) : NULL;
	const struct event *before = n ? set_event(was, slot) : NULL;

	if (n && (event ? event_is_of_device(event) : event_is_of_device(before)))
		return label_printf("devices count as before");
	if (n == 1)
		return label_printf("%s %s%s again", name_slot(&tui->model, slot).text,
				    event ? "counts " : "is free", event ? event->name : "");
	return label_printf(n ? "%u counters as before" : "metrics as before", n);
}

static void say_undone(struct tui *tui, const struct change *before, const struct set *was)
{
	bool is_of_privilege = tui->model.privilege != before->privilege;
	struct label back = is_of_privilege ? label_printf("counting %s again",
							   privilege_name[before->privilege])
					    : undo_text(tui, was);

	tui->model.privilege = before->privilege;
	tui_say(tui, ROLE_TEXT, "undone: %s; %u more to undo%s", back.text, tui->model.n_undo,
		rotation_stop(tui));
}

static void act_undo(struct tui *tui, int key UNUSED)
{
	struct model *model = &tui->model;
	struct set was = *model->set;
	struct change before;

	if (!model->n_undo) {
		tui_say(tui, ROLE_WARN, "nothing to undo");
		return;
	}
	before = model->undo[--model->n_undo];
	if (assign_load(tui, &before) < 0)
		model->n_undo++;
	else
		say_undone(tui, &before, &was);
}

/* Key K: kernel mode only, or both modes if pressed again; U: likewise for user mode. */
static void act_privilege(struct tui *tui, int key)
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

static void act_yield(struct tui *tui, int key UNUSED)
{
	static const struct set nothing;
	struct change now;
	struct err err = { 0 };

	if (tui->model.yielded) {
		model_now(&tui->model, &now);
		if (assign_load(tui, &now) == 0)
			tui_say(tui, ROLE_TEXT, "counting again");
	} else if (sampler_load(tui->config->sampler, &nothing, &err) < 0) {
		tui_refuse(tui, &err);
	} else {
		rotation_stop(tui);
		tui->model.yielded = true;
		tui_say(tui, ROLE_TEXT, "counters are free for another tool; %s takes them back",
			tui_key(tui, 'Y').name);
	}
}

/* ---- history ---- */

/* Resume: show what is counted now. */
static void time_live(struct tui *tui)
{
	const struct metric_list none = { 0 };
	const struct set *counted = sampler_set(tui->config->sampler);

	model_freeze(&tui->model, false);
	/* a rotation may have changed the set since */
	if (counted && !tui->model.yielded && tui->model.loaded.number != counted->number)
		model_load(&tui->model, counted, &none);
}

static void act_freeze(struct tui *tui, int key UNUSED)
{
	char text[32];

	if (tui->model.frozen) {
		time_live(tui);
		tui_say(tui, ROLE_TEXT, "live again");
		return;
	}
	model_freeze(&tui->model, true);
	tui_say(tui, ROLE_TEXT,
		"picture frozen; counting and logging continue; %s goes back, %s kept",
		tui_key(tui, KEY_LEFT).name,
		duration_text(scrub_depth_ns(&tui->model), text, sizeof(text)));
}

static void act_scrub(struct tui *tui, int key)
{
	int step = time_step(key), r = scrub_by(&tui->model, step);

	if (r == -ENOMEM)
		tui_say(tui, ROLE_ERROR, "out of memory");
	else if (r && step < 0)
		tui_say(tui, ROLE_WARN, "this is the oldest frame kept");
	else if (r && tui->model.frozen)
		tui_say(tui, ROLE_TEXT, "this is the newest; %s returns to live",
			tui_key(tui, KEY_END).name);
	else if (r)
		tui_say(tui, ROLE_TEXT, "this is the newest");
}

/* Go five seconds back, or to the oldest frame. */
static void act_go_back(struct tui *tui, int key)
{
	uint64_t t_ns = key == ';' && tui->model.shown ? tui->model.shown->t_ns : 0;

	if (history_n(tui->model.history))
		playing_go(tui, t_ns > 5 * NS_PER_S ? t_ns - 5 * NS_PER_S : 0);
}

static void act_newest(struct tui *tui, int key UNUSED)
{
	if (tui->model.frozen)
		tui_say(tui, ROLE_TEXT, "live again");
	time_live(tui);
}

/* Add the selection to the graph. */
static void act_graph(struct tui *tui, int key UNUSED)
{
	struct series selected[2];

	if (tui_view(tui)->selected) /* even before any other key in this view */
		tui->acted = tui->view;
	graph_take(tui, selected, tui_selected(tui, selected));
}

/* Show the tasks of the selected row's cores. */
static void act_tasks(struct tui *tui, int key UNUSED)
{
	struct task_list *list = &tui->tasks->list;
	const struct line *line = model_selected(&tui->model);

	tui_show(tui, VIEW_TASKS);
	list->at = (struct cursor){ 0 };
	list->is_stale = true;
	list->has_place = line;
	if (!line)
		return;
	list->place = *line;
	tui_say(tui, ROLE_TEXT, "what ran on %s; %s: on all cores",
		name_row(&tui->model, line, false).text, tui_key(tui, KEYS_ESCAPE).name);
}

/* ---- the table ---- */

static const char counters[] = "Counters", picture[] = "Picture", rows[] = "Rows",
		  history[] = "Past", session[] = "Session", screens[] = "Screens";

const struct key key_table[] = {
	KEY("0-9", counters, "select that counter", SHOWS, act_select,
	    "select-0 select-1 select-2 select-3 select-4 select-5 select-6 select-7 select-8 "
	    "select-9",
	    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'),
	KEY("S-← S-→", counters, "select the column to the left, to the right", COLUMNS,
	    act_select_beside, "select-left select-right", KEY_SLEFT, KEY_SRIGHT),
	KEY("Enter e", counters, "choose the selected counter's event from a list", COUNTS,
	    act_pick, "choose-event", RETURN, NEWLINE, KEY_ENTER, 'e'),
	KEY("] [", counters, "next, previous event that the counter can count", COUNTS, act_step,
	    "next-event previous-event", ']', '['),
	KEY("x", counters, "clear the counter", COUNTS, act_clear, "clear", 'x'),
	KEY("M", counters, "choose metrics and count what they need", COUNTS, act_metrics,
	    "choose-metrics", 'M'),
	KEY("P", counters, "choose a preset, or presets to rotate through", COUNTS, act_preset,
	    "choose-preset", 'P'),
	KEY("b", counters, "why: count the preset that explains the row's largest loss", COUNTS,
	    act_explain, "explain", 'b'),
	KEY("R", counters, "start or stop rotating through presets", COUNTS, act_rotate, "rotate",
	    'R'),
	KEY("K U", counters, "count only the kernel, only user mode; both", COUNTS, act_privilege,
	    "kernel-only user-only", 'K', 'U'),
	KEY("Y", counters, "yield the counters to another tool; take them back", COUNTS, act_yield,
	    "yield", 'Y'),
	KEY("u", counters, "undo the last change of events", COUNTS, act_undo, "undo", 'u'),

	KEY("t", picture, "rows by core, cluster, cache, node, socket, type, system", ROWS,
	    act_group, "rows", 't'),
	KEY("r", picture, "rate, raw count, per 1000 instructions", UNITS, act_show, "figures",
	    'r'),
	KEY("B", picture, "baseline: changes from the mean of the last 10 s; or figures", CHANGES,
	    act_baseline, "baseline", 'B'),
	KEY("z", picture, "reset totals, minimum, mean and maximum to zero", TOTALS, act_zero,
	    "zero", 'z'),
	KEY("C", picture, "choose the columns of Cores and Tasks", SHOWS, act_columns,
	    "choose-columns", 'C'),
	KEY("F2", picture, "settings: theme, interval, units, rows, columns", SHOWS, act_settings,
	    "settings", KEY_F(2)),
	KEY("( )", picture, "scroll the columns sideways", COLUMNS, act_scroll,
	    "scroll-left scroll-right", '(', ')'),
	KEY("a", picture, "add the selection to the graph", SHOWS, act_graph, "add-to-graph", 'a'),

	KEY("j k ↓ ↑", rows, "select the row below, above", SHOWS, act_move, "down up", 'j', 'k',
	    KEY_DOWN, KEY_UP),
	KEY("PgDn PgUp", rows, "a page of rows down, up", SHOWS, act_move, "page-down page-up",
	    KEY_NPAGE, KEY_PPAGE),
	KEY("g G", rows, "first row, last row", SHOWS, act_move, "first last", 'g', 'G'),
	KEY("s", rows, "sort by the selected column; again: reverse", ROWS, act_sort_selected,
	    "sort", 's'),
	KEY("< >", rows, "sort by the column to the left, to the right", ROWS, act_sort,
	    "sort-left sort-right", '<', '>'),
	KEY("o", rows, "reverse the order: smallest or largest first", ROWS, act_turn_order,
	    "turn-order", 'o'),
	KEY("f", rows, "fold or unfold the selected cluster or cache", ROWS, act_fold, "fold", 'f'),
	KEY("F", rows, "fold or unfold all clusters or caches", ROWS, act_fold_all, "fold-all",
	    'F'),
	KEY("c", rows, "fold the threads of each core into a row, or unfold them", ROWS,
	    act_threads, "fold-threads", 'c'),
	KEY("T", rows, "the tasks of the selected row, by the selected counter", SHOWS, act_tasks,
	    "tasks", 'T'),
	KEY("H", rows, "functions behind the selected column of the row", SHOWS, act_hot, "hot",
	    'H'),
	KEY("/ F3", rows, "search as you type", SHOWS, act_search, "search", '/', KEY_F(3)),
	KEY("n N", rows, "next, previous match", SHOWS, act_search_again,
	    "search-next search-previous", 'n', 'N'),
	KEY("\\ F4", rows, "filter: show only some cores: 0-3,8   P,cluster 3   node0", ROWS,
	    act_filter, "filter", '\\', KEY_F(4)),
	KEY("Esc", rows, "show all rows, then restore the machine's order", ROWS, rows_act_restore,
	    "all-rows", KEYS_ESCAPE),

	KEY("Space", history, "freeze or pause the picture; counting and logging continue", SHOWS,
	    act_freeze, "freeze", ' '),
	KEY("← →", history, "back and forward through history", SHOWS, act_scrub, "back forth",
	    KEY_LEFT, KEY_RIGHT),
	KEY(", .  { }", history, "the same by ten, by a hundred", SHOWS, act_scrub,
	    "back-10 forth-10 back-100 forth-100", ',', '.', '{', '}'),
	KEY(";", history, "five seconds back", SHOWS, act_go_back, "back-5s", ';'),
	KEY("Home", history, "the oldest frame kept", SHOWS, act_go_back, "oldest", KEY_HOME),
	KEY("End", history, "back to live", SHOWS, act_newest, "live", KEY_END),
	KEY("X", history, "excursions: what went beyond its threshold, and when", SHOWS,
	    act_excursions, "excursions", 'X'),
	KEY("w", history, "write history to a session file", SHOWS, act_write, "write-history",
	    'w'),

	KEY("d", session, "type the interval: 0.5, 20ms, 5s", COUNTS, act_ask_interval, "interval",
	    'd'),
	KEY("+ -", session, "longer, shorter interval", COUNTS, act_step_interval, "longer shorter",
	    '+', '-', '='),
	KEY("l", session, "start or stop the session log", SHOWS, act_log, "log", 'l'),
	KEY("m", session, "put a marker with a note into the log", SHOWS, act_ask_mark, "mark",
	    'm'),
	KEY("W", session, "save the screen's settings as configuration", SHOWS, act_keep,
	    "write-config", 'W'),

	KEY("Tab S-Tab", screens, "next, previous view", SHOWS, act_view, "next-view previous-view",
	    '\t', KEY_BTAB),
	KEY("E", screens, "messages", SHOWS, act_toggle, "messages", 'E'),
	KEY("? h F1", screens, "this help", SHOWS, act_toggle, "help", '?', 'h', KEY_F(1)),
	KEY("Ctrl-L", screens, "redraw the screen", SHOWS, act_redraw, "redraw", CTRL_L),
	KEY("q F10 Ctrl-C", screens, "quit", SHOWS, act_quit, "quit", 'q', KEY_F(10), CTRL_C),
	{ 0 },
};

/* Handle only the key that quits: other keys have no visible effect. */
static void quit_alone(struct tui *tui, int key)
{
	bool is_taken;
	const struct key *row =
		keys_find(tui->keys, keymap_code(tui->config->keymap, key, &is_taken));

	if (row && row->code[0] == 'q')
		row->act(tui, key);
}

/* Whether the counted events may be changed. Leaves the history for live; a recorded session shows a
 * message with the reason. */
static bool time_may_change(struct tui *tui)
{
	struct err err = { 0 };

	if (!tui_is_playing(tui)) {
		if (scrub_is_on(&tui->model))
			time_live(tui);
		return true;
	}
	/* its error is the reason */
	sampler_load(tui->config->sampler, tui->model.set, &err);
	tui_refuse(tui, &err);
	return false;
}

/* Report a key without an action; for those of htop name what does the same here. */
static void say_unknown(struct tui *tui, int key)
{
	static const struct {
		int key, code;
		const char *what;
	} of_htop[] = { { KEY_F(5), 't', "other rows" },
			{ KEY_F(6), 's', "sort" },
			{ KEY_F(9), 'T', "tasks, and Enter there: signals" } };
	char name[32], other[96] = "";

	for (size_t i = 0; i < ARRAY_SIZE(of_htop); i++)
		if (of_htop[i].key == key)
			snprintf(other, sizeof(other), "%s %s, ",
				 tui_key(tui, of_htop[i].code).name, of_htop[i].what);
	tui_say(tui, ROLE_WARN, "%s: no such key here; %s%s help",
		key_text(key, name, sizeof(name)), other, tui_key(tui, '?').name);
}

void keys_act(struct tui *tui, const struct key *row, int key)
{
	if (row->scope != COUNTS || time_may_change(tui))
		row->act(tui, key);
}

/* Do what a row says, if it acts in this view. */
static void act_as(struct tui *tui, const struct key *row, int key)
{
	const struct view *view = tui_view(tui);

	if (view->is_text && row->group != screens)
		tui_say(tui, ROLE_WARN, "%s acts in the other views; %s goes back", row->name,
			tui_key(tui, KEYS_ESCAPE).name);
	else if (row->scope != COUNTS && row->scope & ~view->parts)
		tui_say(tui, ROLE_WARN, "%s acts in Cores", row->name);
	else
		keys_act(tui, row, key);
}

/* Press the key that a search of the help has found. */
static bool act_found(struct tui *tui)
{
	const struct key *row = help_leave(tui);

	if (row)
		act_as(tui, row, row->code[0]);
	else if (!*tui->status)
		tui_say(tui, ROLE_WARN, "none of these lines is a key's");
	return true;
}

bool keys_dispatch(struct tui *tui, int key)
{
	enum view_id id = tui->view;
	const struct view *view = tui_view(tui);
	const struct key *row;
	bool is_taken, is_known;

	if (tui->layout.too_small) {
		quit_alone(tui, key);
		return true;
	}
	if (tui->overlay) {
		if (key == CTRL_C)
			tui->leave = true;
		else
			tui->overlay->key(tui, key);
		return true;
	}
	if (tui->view == VIEW_HELP && tui->find[0] && key_is_enter(key))
		return act_found(tui);
	key = keymap_code(tui->config->keymap, key, &is_taken);
	row = view_find_key(view, key);
	if (!row && tui_is_playing(tui))
		row = keys_find(playing_keys, key);
	if (!row && !is_taken)
		row = keys_find(tui->keys, key);
	is_known = view->key && view->key(tui, key);
	if (!is_known && row)
		act_as(tui, row, key);
	if (tui->view == id && view->selected)
		tui->acted = id;
	if (!is_known && !row && key != KEYS_WHEEL_UP && key != KEYS_WHEEL_DOWN)
		say_unknown(tui, key);
	return is_known || row;
}
