#include "tui/keys.h"

#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "tui/actions.h"
#include "tui/column_chooser.h"
#include "tui/keymap.h"
#include "tui/list.h"
#include "tui/moment.h"
#include "tui/mouse.h"
#include "tui/playing.h"
#include "tui/rows_keys.h"
#include "tui/state.h"
#include "tui/writing.h"

enum { CTRL_C = 3, CTRL_L = 12, RETURN = '\r', NEWLINE = '\n' };

static const char counters[] = "Counters", picture[] = "Picture", rows[] = "Rows", past[] = "Past",
		  session[] = "Session", screens[] = "Screens";

const struct key key_table[] = {
	{ "0-9",
	  counters,
	  "select that counter: its column is marked",
	  { '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' },
	  act_select,
	  "select-0 select-1 select-2 select-3 select-4 select-5 select-6 select-7 select-8 "
	  "select-9" },
	{ "S-← S-→",
	  counters,
	  "select the counter to the left, to the right",
	  { KEY_SLEFT, KEY_SRIGHT },
	  act_select_beside,
	  "select-left select-right" },
	{ "Enter e",
	  counters,
	  "choose the selected counter's event from a list with search",
	  { RETURN, NEWLINE, KEY_ENTER, 'e' },
	  act_pick,
	  "choose-event" },
	{ "] [",
	  counters,
	  "next, previous event that is legal on the counter",
	  { ']', '[' },
	  act_step,
	  "next-event previous-event" },
	{ "x", counters, "clear the counter", { 'x' }, act_clear, "clear" },
	{ "M",
	  counters,
	  "choose metrics, and count what they need",
	  { 'M' },
	  act_metrics,
	  "choose-metrics" },
	{ "P",
	  counters,
	  "choose a preset, and which ones to rotate through",
	  { 'P' },
	  act_preset,
	  "choose-preset" },
	{ "R", counters, "rotate through presets on a timer; stop", { 'R' }, act_rotate, "rotate" },
	{ "K U",
	  counters,
	  "count the kernel alone, user mode alone; both",
	  { 'K', 'U' },
	  act_levels,
	  "kernel-only user-only" },
	{ "Y",
	  counters,
	  "yield the counters to another tool; take them back",
	  { 'Y' },
	  act_yield,
	  "yield" },
	{ "u", counters, "undo the last change of events", { 'u' }, act_undo, "undo" },

	{ "t", picture, "rows by core, cluster, type, system", { 't' }, act_group, "rows" },
	{ "r", picture, "rate, raw count, per 1000 instructions", { 'r' }, act_show, "figures" },
	{ "z", picture, "zero totals, minimum, mean and maximum", { 'z' }, act_zero, "zero" },
	{ "c",
	  picture,
	  "choose the columns of the Cores view",
	  { 'c' },
	  act_columns,
	  "choose-columns" },
	{ "( )",
	  picture,
	  "scroll the columns sideways",
	  { '(', ')' },
	  act_scroll,
	  "scroll-left scroll-right" },
	{ "a", picture, "add what is selected to the graph", { 'a' }, act_graph, "add-to-graph" },

	{ "j k ↓ ↑",
	  rows,
	  "select the row below, above",
	  { 'j', 'k', KEY_DOWN, KEY_UP },
	  act_move,
	  "down up" },
	{ "PgDn PgUp",
	  rows,
	  "a page of rows down, up",
	  { KEY_NPAGE, KEY_PPAGE },
	  act_move,
	  "page-down page-up" },
	{ "g G", rows, "first row, last row", { 'g', 'G' }, act_move, "first last" },
	{ "s",
	  rows,
	  "sort by what is selected; once more: the other way round",
	  { 's' },
	  act_sort_selected,
	  "sort" },
	{ "< >",
	  rows,
	  "sort by the column to the left, to the right",
	  { '<', '>' },
	  act_sort,
	  "sort-left sort-right" },
	{ "o",
	  rows,
	  "the other way round: smallest or largest first",
	  { 'o' },
	  act_turn_order,
	  "turn-order" },
	{ "f", rows, "fold the selected cluster, or unfold it", { 'f' }, act_fold, "fold" },
	{ "F", rows, "fold all clusters, or none", { 'F' }, act_fold_all, "fold-all" },
	{ "/", rows, "search in the list, while typing", { '/' }, act_search, "search" },
	{ "n N",
	  rows,
	  "next, previous row that was searched",
	  { 'n', 'N' },
	  act_search_again,
	  "search-next search-previous" },
	{ "\\ F4",
	  rows,
	  "only some cores: 0-3,8   P   cluster 1",
	  { '\\', KEY_F(4) },
	  act_filter,
	  "filter" },
	{ "Esc",
	  rows,
	  "all rows again, then in the machine's order",
	  { KEYS_ESCAPE },
	  act_escape,
	  "all-rows" },

	{ "Space",
	  past,
	  "freeze the picture; counting and logging go on",
	  { ' ' },
	  act_freeze,
	  "freeze" },
	{ "← →",
	  past,
	  "back and forth through what was",
	  { KEY_LEFT, KEY_RIGHT },
	  act_walk,
	  "back forth" },
	{ ", .  { }",
	  past,
	  "the same, ten and a hundred at a time",
	  { ',', '.', '{', '}' },
	  act_walk,
	  "back-10 forth-10 back-100 forth-100" },
	{ "Home", past, "the oldest that is kept", { KEY_HOME }, act_oldest, "oldest" },
	{ "End", past, "back to live", { KEY_END }, act_newest, "live" },
	{ "w", past, "write the past to a session file", { 'w' }, act_write, "write-history" },

	{ "d", session, "type the interval: 0.5, 20ms, 5s", { 'd' }, act_ask_interval, "interval" },
	{ "+ -",
	  session,
	  "longer, shorter interval",
	  { '+', '-', '=' },
	  act_step_interval,
	  "longer shorter" },
	{ "l", session, "start or stop the session log", { 'l' }, act_log, "log" },
	{ "m", session, "put a marker with a note into the log", { 'm' }, act_ask_mark, "mark" },
	{ "W",
	  session,
	  "write what the screen is now to the configuration",
	  { 'W' },
	  act_keep,
	  "write-config" },

	{ "Tab S-Tab",
	  screens,
	  "next, previous view",
	  { '\t', KEY_BTAB },
	  act_view,
	  "next-view previous-view" },
	{ "E", screens, "messages", { 'E' }, act_messages, "messages" },
	{ "? h F1", screens, "this help", { '?', 'h', KEY_F(1) }, act_help, "help" },
	{ "Ctrl-L", screens, "draw the whole screen anew", { CTRL_L }, act_redraw, "redraw" },
	{ "q F10 Ctrl-C", screens, "quit", { 'q', KEY_F(10), CTRL_C }, act_quit, "quit" },
	{ 0 },
};

/* A report of the mouse that has not come to its end yet. */
static struct {
	bool is_open;
	enum mouse_report report;
	char text[24];
	size_t n;
} pending;

static void begin_report(enum mouse_report report)
{
	memset(&pending, 0, sizeof(pending));
	pending.is_open = true;
	pending.report = report;
}

static bool is_complete(void)
{
	char last = pending.text[pending.n - 1];

	if (pending.report == MOUSE_X10)
		return pending.n == 3;
	return last == 'M' || last == 'm' || pending.n == sizeof(pending.text) - 1;
}

/* By bytes: the columns of X10 are no characters. @return KEYS_MOUSE at the end of a report */
static int read_report(struct mouse *ret)
{
	int c = getch();

	for (; c != ERR; c = getch()) {
		if (c > UCHAR_MAX) /* it was resized meanwhile */
			continue;
		pending.text[pending.n++] = (char)c;
		if (!is_complete())
			continue;
		pending.is_open = false;
		*ret = (struct mouse){ 0 };
		mouse_parse(pending.report, pending.text, ret);
		return KEYS_MOUSE;
	}
	return 0;
}

int keys_read(struct mouse *ret)
{
	wint_t c;

	if (pending.is_open)
		return read_report(ret);

	int kind = get_wch(&c);

	if (kind == ERR)
		return 0;
	if (kind == KEY_CODE_YES && (c == KEYS_SGR || c == KEYS_X10)) {
		begin_report(c == KEYS_SGR ? MOUSE_SGR : MOUSE_X10);
		return read_report(ret);
	}
	if (kind == KEY_CODE_YES || c < 128)
		return (int)c;
	return KEYS_WIDE + (int)c;
}

bool keys_changes(const struct key *row)
{
	static unsigned (*const changing[])(struct tui * tui, int key) = {
		act_pick,   act_step,        act_clear,        act_undo,          act_metrics,
		act_preset, act_rotate,      act_ask_interval, act_step_interval, act_levels,
		act_yield,  act_pick_device, act_clear_device,
	};

	for (size_t i = 0; i < ARRAY_SIZE(changing); i++)
		if (changing[i] == row->act)
			return true;
	return false;
}

const struct key *keys_find(const struct key *table, int key)
{
	for (const struct key *row = table; row->name; row++)
		for (int i = 0; i < KEYS_CODES && row->code[i]; i++)
			if (row->code[i] == key)
				return row;
	return NULL;
}

const struct key *keys_find_own(const struct view *view, int key)
{
	const struct key *row = NULL;

	for (size_t i = 0; !row && view->keys[i]; i++)
		row = keys_find(view->keys[i], key);
	return row;
}

unsigned keys_dispatch(struct tui *tui, int key)
{
	const struct view *view = tui->view;
	unsigned did = DID_NOTHING;
	bool is_taken;

	if (tui->overlay)
		return tui->overlay->key(tui, key);
	key = keymap_code(tui->config->keymap, key, &is_taken);

	const struct key *row = is_taken ? NULL : keys_find(key_table, key);
	const struct key *playing = playing_is_on(tui) ? keys_find(playing_keys, key) : NULL;
	const struct key *own = keys_find_own(view, key);

	if (view->key)
		did = view->key(tui, key);
	if (!did && own)
		did = keys_changes(own) && !moment_may_change(tui) ? DID_REDRAW
								   : own->act(tui, key);
	if (!did && playing)
		did = playing->act(tui, key);
	else if (!did && row && keys_changes(row) && !moment_may_change(tui))
		did = DID_REDRAW;
	else if (!did && row)
		did = row->act(tui, key);
	if (tui->view == view && (view == &view_cores || view == &view_metrics))
		tui->acted = view;
	return did;
}
