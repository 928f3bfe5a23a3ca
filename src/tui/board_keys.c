/* The keys of a board. */
#include <stdio.h>
#include <string.h>

#include "tui/board_internal.h"
#include "tui/draw.h"
#include "tui/keymap.h"
#include "tui/keys.h"
#include "tui/terminal.h"

enum { CTRL_C = 3, CTRL_L = 12, RETURN = '\r', NEWLINE = '\n' };

static unsigned act_move(struct board *board, int key)
{
	struct sheet *sheet = board_sheet(board);
	unsigned page = LINES > 12 ? (unsigned)LINES - 10 : 2;
	int arrow = key == KEY_HOME || key == KEY_END ? key : cursor_letter(key);

	if (sheet)
		cursor_key(&sheet->cursor, arrow, (unsigned)sheet->table.n, page);
	else
		cursor_key(&board->help, arrow, board->n_help + 1, page);
	return DID_REDRAW;
}

void board_sort_by(struct board *board, unsigned column)
{
	struct sheet *sheet = board_sheet(board);

	if (!sheet || column >= sheet->table.n_columns)
		return;
	sheet->is_descending = column == sheet->column && !sheet->is_descending;
	sheet->column = column;
	sheet_sort(sheet);
	board_say(board, ROLE_TEXT, "by %s, the %s first", sheet->table.column[column].heading,
		  sheet->is_descending ? "largest" : "smallest");
}

static unsigned act_sort(struct board *board, int key)
{
	struct sheet *sheet = board_sheet(board);
	unsigned n = sheet ? sheet->table.n_columns : 0;

	if (n)
		board_sort_by(board, (sheet->column + (key == '>' ? 1 : n - 1)) % n);
	return DID_REDRAW;
}

static unsigned act_turn_order(struct board *board, int key)
{
	struct sheet *sheet = board_sheet(board);

	(void)key;
	if (sheet)
		board_sort_by(board, sheet->column);
	return DID_REDRAW;
}

/* From a row on, round and round. @step  1 or -1 */
static bool find(struct board *board, unsigned from, int step)
{
	struct sheet *sheet = board_sheet(board);
	unsigned n = sheet ? (unsigned)sheet->table.n : 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned at = step > 0 ? (from + i) % n : (from + n - i) % n;

		if (!board_row_has(&sheet->table, sheet->order[at], board->search))
			continue;
		sheet->cursor.at = at;
		return true;
	}
	return false;
}

static void say_missing(struct board *board)
{
	board_say(board, ROLE_WARN, "nothing here has \"%s\"", board->search);
}

static unsigned act_search(struct board *board, int key)
{
	const struct sheet *sheet = board_sheet(board);

	(void)key;
	if (!sheet)
		return DID_REDRAW;
	board->asks = true;
	board->before = sheet->cursor.at;
	board->input = (struct input){ 0 };
	return DID_REDRAW;
}

static unsigned act_search_again(struct board *board, int key)
{
	const struct sheet *sheet = board_sheet(board);
	unsigned n = sheet ? (unsigned)sheet->table.n : 0, step = key == 'n' ? 1 : n - 1;

	if (!board->search[0])
		board_say(board, ROLE_WARN, "nothing has been searched for: / does");
	else if (n && !find(board, (sheet->cursor.at + step) % n, key == 'n' ? 1 : -1))
		say_missing(board);
	return DID_REDRAW;
}

static void typed(struct board *board)
{
	snprintf(board->search, sizeof(board->search), "%s", board->input.text);
	if (!board->search[0] || !find(board, board->before, 1))
		board_sheet(board)->cursor.at = board->before;
}

static unsigned press_asking(struct board *board, int key)
{
	if (key == CTRL_C)
		return DID_QUIT;
	if (key == RETURN || key == NEWLINE || key == KEY_ENTER) {
		board->asks = false;
		if (board->search[0] && !find(board, board->before, 1))
			say_missing(board);
	} else if (key == KEYS_ESCAPE) {
		board->asks = false;
		board_sheet(board)->cursor.at = board->before;
	} else if (input_key(&board->input, key)) {
		typed(board);
	}
	return DID_REDRAW;
}

static unsigned act_open(struct board *board, int key)
{
	(void)key;
	if (board->page != PAGE_TABLE || !sheet_key(&board->table, &board->opened_key))
		return DID_REDRAW;
	sheet_fini(&board->opened);
	board->page = PAGE_OPENED;
	if (board_fill(board))
		board_say(board, ROLE_ERROR, "out of memory");
	return DID_REDRAW;
}

static unsigned act_all(struct board *board, int key)
{
	(void)key;
	board->shows_all = !board->shows_all;
	if (board_fill(board))
		board_say(board, ROLE_ERROR, "out of memory");
	else
		board_say(board, ROLE_TEXT, "%s",
			  board->shows_all ? "all rows" : "only rows that say something");
	return DID_REDRAW;
}

static unsigned act_help(struct board *board, int key)
{
	(void)key;
	if (board->page == PAGE_HELP) {
		board->page = board->behind_help;
		return DID_REDRAW;
	}
	board->behind_help = board->page;
	board->page = PAGE_HELP;
	board->help = (struct cursor){ 0 };
	return DID_REDRAW;
}

static unsigned act_back(struct board *board, int key)
{
	if (board->page == PAGE_HELP)
		return act_help(board, key);
	board->page = PAGE_TABLE;
	return DID_REDRAW;
}

static unsigned act_redraw(struct board *board, int key)
{
	(void)board, (void)key;
	terminal_repaint();
	return DID_REDRAW;
}

static unsigned act_quit(struct board *board, int key)
{
	return key == 'q' && board->page != PAGE_TABLE ? act_back(board, key) : DID_QUIT;
}

const struct board_key board_key_table[] = {
	{ "j k ↓ ↑", "select the row below, above", { 'j', 'k', KEY_DOWN, KEY_UP }, act_move },
	{ "PgDn PgUp", "a page of rows down, up", { KEY_NPAGE, KEY_PPAGE, ' ' }, act_move },
	{ "g G", "first row, last row", { 'g', 'G', KEY_HOME, KEY_END }, act_move },
	{ "< >", "sort by the column to the left, to the right", { '<', '>' }, act_sort },
	{ "o", "the other way round: smallest or largest first", { 'o' }, act_turn_order },
	{ "/", "search, while typing", { '/' }, act_search },
	{ "n N", "next, previous row that was searched", { 'n', 'N' }, act_search_again },
	{ "Enter", "everything about the selected row", { RETURN, NEWLINE, KEY_ENTER }, act_open },
	{ "v", NULL, { 'v' }, act_all },
	{ "Esc", "back", { KEYS_ESCAPE }, act_back },
	{ "? h F1", "this help", { '?', 'h', KEY_F(1) }, act_help },
	{ "Ctrl-L", "draw the whole screen anew", { CTRL_L }, act_redraw },
	{ "q F10 Ctrl-C", "stop and quit", { 'q', KEY_F(10), CTRL_C }, act_quit },
	{ 0 },
};

static const struct board_key *find_key(int key)
{
	for (const struct board_key *row = board_key_table; row->name; row++)
		for (size_t i = 0; i < sizeof(row->code) / sizeof(row->code[0]); i++)
			if (row->code[i] && row->code[i] == key)
				return row;
	return NULL;
}

unsigned board_press(void *screen, int key)
{
	struct board *board = screen;
	bool is_taken;
	const struct board_key *row;

	if (board->asks)
		return press_asking(board, key);
	key = keymap_code(board->config->keymap, key, &is_taken);
	row = is_taken ? NULL : find_key(key);
	return row ? row->act(board, key) : DID_NOTHING;
}
