/* The keys of a board, and its views. */
#include <stdio.h>

#include "tui/screen/list.h"
#include "tui/screen/pager.h"
#include "tui/term/key.h"
#include "tui/term/terminal.h"
#include "tui/board/internal.h"

enum { CTRL_C = 3, CTRL_L = 12, RETURN = '\r', NEWLINE = '\n' };

void board_click_heading(void *screen, int column)
{
	struct sheet *sheet = board_sheet(screen);

	if (!sheet || (unsigned)column >= sheet->table.n_columns)
		return;
	sheet_sort_by(sheet, (unsigned)column);
	tui_say(screen, ROLE_TEXT, "by %s, the %s first", sheet->table.column[column].heading,
		sheet->is_descending ? "largest" : "smallest");
}

static void act_sort(struct tui *tui, int key)
{
	const struct sheet *sheet = board_sheet(tui);
	unsigned n = sheet ? sheet->table.n_columns : 0;
	unsigned by = key == '>' ? 1 : key == '<' ? n - 1 : 0;

	if (n)
		board_click_heading(tui, (int)((sheet->column + by) % n));
}

static void act_open(struct tui *tui, int key)
{
	struct board *board = tui->board;

	(void)key;
	if (tui->view != BOARD_TABLE || !sheet_key(&board->table, &board->opened_key))
		return;
	sheet_fini(&board->opened);
	tui_show(tui, BOARD_OPENED);
	board_fill(tui);
}

/* Once selects, once more is Enter. */
void board_click_row(void *screen, int at)
{
	struct sheet *sheet = board_sheet(screen);

	if (!sheet || (unsigned)at >= sheet->table.n)
		return;
	if (sheet->cursor.at == (unsigned)at)
		act_open(screen, RETURN);
	sheet->cursor.at = (unsigned)at;
}

static void act_all(struct tui *tui, int key)
{
	struct board *board = tui->board;

	(void)key;
	board->shows_all = !board->shows_all;
	tui_say(tui, ROLE_TEXT, "%s", board->shows_all ? "all rows" : "only ids that respond");
	board_fill(tui);
}

static void act_freeze(struct tui *tui, int key)
{
	struct board *board = tui->board;

	(void)key;
	board->is_frozen = !board->is_frozen;
	if (!board->is_frozen)
		board_fill(tui);
}

static void act_help(struct tui *tui, int key)
{
	(void)key;
	if (tui->view == BOARD_HELP) {
		tui_show(tui, tui->board->behind_help);
		return;
	}
	tui->board->behind_help = tui->view;
	tui_show(tui, VIEW_HELP);
}

static void act_back(struct tui *tui, int key)
{
	if (tui->view == BOARD_HELP)
		act_help(tui, key);
	else
		tui_show(tui, BOARD_TABLE);
}

static void act_redraw(struct tui *tui, int key)
{
	(void)tui, (void)key;
	terminal_repaint();
}

static void act_quit(struct tui *tui, int key)
{
	if (key == 'q' && tui->view != BOARD_TABLE)
		act_back(tui, key);
	else
		tui->leave = true;
}

static const char keys[] = "Keys";

const struct key board_keys[] = {
	OWN_KEY("j k ↓ ↑", keys, "select the row below, above", act_move, 'j', 'k', KEY_DOWN,
		KEY_UP),
	OWN_KEY("PgDn PgUp", keys, "a page of rows down, up", act_move, KEY_NPAGE, KEY_PPAGE),
	OWN_KEY("g G", keys, "first row, last row", act_move, 'g', 'G', KEY_HOME, KEY_END),
	OWN_KEY("< >", keys, "sort by the column to the left, to the right", act_sort, '<', '>'),
	OWN_KEY("o", keys, "reverse the order: smallest or largest first", act_sort, 'o'),
	OWN_KEY("/", keys, "search as you type", act_search, '/'),
	OWN_KEY("n N", keys, "next, previous match", act_search_again, 'n', 'N'),
	OWN_KEY("Enter", keys, "details of the selected row", act_open, RETURN, NEWLINE, KEY_ENTER),
	OWN_KEY("v", keys, NULL, act_all, 'v'),
	OWN_KEY("Space", keys, "freeze the table; what runs goes on", act_freeze, ' '),
	OWN_KEY("Esc", keys, "back", act_back, KEYS_ESCAPE),
	OWN_KEY("? h F1", keys, "this help", act_help, '?', 'h', KEY_F(1)),
	OWN_KEY("Ctrl-L", keys, "redraw the screen", act_redraw, CTRL_L),
	OWN_KEY("q F10 Ctrl-C", keys, "stop and quit", act_quit, 'q', KEY_F(10), CTRL_C),
	{ 0 },
};

/* ---- views ---- */

static struct cursor *list(struct tui *tui, unsigned *ret_n)
{
	struct sheet *sheet = board_sheet(tui);

	*ret_n = (unsigned)sheet->table.n;
	return &sheet->cursor;
}

static const char *item(const struct tui *tui, unsigned i, char *buf, size_t size)
{
	const struct sheet *sheet = board_sheet(tui);

	return text_table_row_text(&sheet->table, sheet->order[i], buf, size);
}

static const struct view view_table = {
	.name = "Table",
	.hint = { { "?", "help" },
		  { "Enter", "details" },
		  { "q", "quit" },
		  { "v", "all" },
		  { "/", "search" },
		  { "< >", "sort" } },
	.draw = board_draw,
	.list = list,
	.item = item,
};

static const struct view view_opened = {
	.name = "Details",
	.hint = { { "Esc", "back" }, { "?", "help" } },
	.draw = board_draw,
	.list = list,
	.item = item,
};

static bool help_key(struct tui *tui, int key)
{
	if (key != KEYS_ESCAPE && key != 'q')
		return pager_key(tui, key);
	act_back(tui, key);
	return true;
}

static const struct view view_help = {
	.name = "Help",
	.hint = { { "Esc", "back" }, { "?", "help" } },
	.draw = board_draw_help,
	.key = help_key,
};

const struct view *const board_views[N_VIEWS] = {
	[BOARD_TABLE] = &view_table,
	[BOARD_OPENED] = &view_opened,
	[BOARD_HELP] = &view_help,
};
