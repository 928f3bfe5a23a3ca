#include "tui/keys.h"

#include "tui/actions.h"
#include "tui/keymap.h"
#include "tui/state.h"

enum { CTRL_C = 3, CTRL_L = 12, RETURN = '\r', NEWLINE = '\n' };

static const char counters[] = "Counters", picture[] = "Picture", session[] = "Session",
		  screens[] = "Screens";

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
	  "choose a preset, and which ones R goes through",
	  { 'P' },
	  act_preset,
	  "choose-preset" },
	{ "R",
	  counters,
	  "rotate through presets, five seconds each; stop",
	  { 'R' },
	  act_rotate,
	  "rotate" },
	{ "u", counters, "undo the last change of events", { 'u' }, act_undo, "undo" },

	{ "Space",
	  picture,
	  "freeze the picture; counting and logging go on",
	  { ' ' },
	  act_freeze,
	  "freeze" },
	{ "t", picture, "rows by core, cluster, type, system", { 't' }, act_group, "rows" },
	{ "r", picture, "rate, raw count, per 1000 instructions", { 'r' }, act_show, "figures" },
	{ "z", picture, "zero totals, minimum, mean and maximum", { 'z' }, act_zero, "zero" },
	{ "← →",
	  picture,
	  "scroll the columns sideways",
	  { KEY_LEFT, KEY_RIGHT },
	  act_scroll,
	  "scroll-left scroll-right" },
	{ "j k ↓ ↑",
	  picture,
	  "select the row below, above",
	  { 'j', 'k', KEY_DOWN, KEY_UP },
	  act_move,
	  "down up" },
	{ "PgDn PgUp",
	  picture,
	  "a page of rows down, up",
	  { KEY_NPAGE, KEY_PPAGE },
	  act_move,
	  "page-down page-up" },
	{ "g G",
	  picture,
	  "first row, last row",
	  { 'g', 'G', KEY_HOME, KEY_END },
	  act_move,
	  "first last" },

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

int keys_read(void)
{
	wint_t c;
	int kind = get_wch(&c);

	if (kind == ERR)
		return 0;
	if (kind == KEY_CODE_YES || c < 128)
		return (int)c;
	return KEYS_WIDE + (int)c;
}

static const struct key *find(int key)
{
	for (const struct key *row = key_table; row->name; row++)
		for (int i = 0; i < KEYS_CODES && row->code[i]; i++)
			if (row->code[i] == key)
				return row;
	return NULL;
}

unsigned keys_dispatch(struct tui *tui, int key)
{
	unsigned did = DID_NOTHING;
	bool is_taken;

	if (tui->overlay)
		return tui->overlay->key(tui, key);
	key = keymap_code(tui->config->keymap, key, &is_taken);

	const struct key *row = is_taken ? NULL : find(key);

	if (tui->view->key)
		did = tui->view->key(tui, key);
	if (!did && row)
		did = row->act(tui, key);
	return did;
}
