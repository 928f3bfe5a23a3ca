#include "tui/board.h"

#include <math.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "tui/live/loop.h"
#include "tui/screen/list.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/term/keymap.h"
#include "tui/term/terminal.h"
#include "tui/widget/sheet.h"

/* Views of a board, by view number. */
#define BOARD_TABLE  VIEW_CORES
#define BOARD_OPENED VIEW_METRICS
#define BOARD_HELP   VIEW_HELP

struct board {
	const struct board_config *config;
	struct board_head head;
	struct sheet table, opened;
	uint64_t opened_key;
	enum view_id behind_help;
	bool shows_all, is_frozen;
	size_t version;        /* of the displayed table */
	uint64_t next_fill_ns; /* earliest time of the next board_fill, ns */
};

enum {
	LOOK_EVERY_MS = 200,
	FILL_EVERY_MS = 500,
	FILL_SPARING = 20, /* filling the table takes at most 1/FILL_SPARING of the time */
};

static struct sheet *board_sheet(const struct tui *tui)
{
	switch (tui->view) {
	case BOARD_TABLE: return &tui->board->table;
	case BOARD_OPENED: return &tui->board->opened;
	default: return NULL;
	}
}

/* ---- filling the tables ---- */

/* Fill one of the tables; it stays as it is without memory. */
static int fill_sheet(struct board *board, bool is_opened)
{
	const struct board_source *source = &board->config->source;
	struct text_table table = { 0 };
	int rc = is_opened ? source->open(source->data, board->opened_key, &table)
			   : source->fill(source->data, board->shows_all, &table);

	if (!rc)
		return sheet_take(is_opened ? &board->opened : &board->table, &table);
	text_table_fini(&table);
	return rc;
}

static void board_fill(struct tui *tui)
{
	struct board *board = tui->board;
	enum view_id behind = tui->view == VIEW_HELP ? board->behind_help : tui->view;
	uint64_t from_ns = clock_now_ns(), took_ns;
	int rc = fill_sheet(board, false);

	if (!rc && behind == BOARD_OPENED)
		rc = fill_sheet(board, true);
	took_ns = (clock_now_ns() - from_ns) * FILL_SPARING;
	if (took_ns < FILL_EVERY_MS * NS_PER_MS)
		took_ns = FILL_EVERY_MS * NS_PER_MS;
	board->next_fill_ns = clock_now_ns() + took_ns;
	board->version = board->head.version;
	if (rc)
		tui_say(tui, ROLE_ERROR, "out of memory");
}

/* ---- keys ---- */

static void board_click_heading(void *screen, int column)
{
	struct sheet *sheet = board_sheet(screen);

	if (!sheet || (unsigned)column >= sheet->table.n_columns)
		return;
	sheet_sort_by(sheet, (unsigned)column, false);
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

static void act_open(struct tui *tui, int key UNUSED)
{
	struct board *board = tui->board;

	if (tui->view != BOARD_TABLE || !sheet_key(&board->table, &board->opened_key))
		return;
	sheet_fini(&board->opened);
	tui_show(tui, BOARD_OPENED);
	board_fill(tui);
}

/* The first click selects, a second one acts as Enter. */
static void board_click_row(void *screen, int at)
{
	struct sheet *sheet = board_sheet(screen);

	if (!sheet || (unsigned)at >= sheet->table.n)
		return;
	if (sheet->cursor.at == (unsigned)at)
		act_open(screen, RETURN);
	sheet->cursor.at = (unsigned)at;
}

static void act_all(struct tui *tui, int key UNUSED)
{
	struct board *board = tui->board;

	board->shows_all = !board->shows_all;
	tui_say(tui, ROLE_TEXT, "%s", board->shows_all ? "all rows" : "only ids that respond");
	board_fill(tui);
}

static void act_freeze(struct tui *tui, int key UNUSED)
{
	struct board *board = tui->board;

	board->is_frozen = !board->is_frozen;
	if (!board->is_frozen)
		board_fill(tui);
}

static void act_help(struct tui *tui, int key UNUSED)
{
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

static void act_redraw(struct tui *tui UNUSED, int key UNUSED)
{
	terminal_repaint();
}

static void act_quit(struct tui *tui, int key)
{
	if (key == 'q' && tui->view != BOARD_TABLE)
		act_back(tui, key);
	else
		tui->leave = true;
}

static const char group[] = "Keys";

/* A row without help shows `all` of the configuration. */
static const struct key board_keys[] = {
	OWN_KEY("j k ↓ ↑", group, "select the row below, above", act_move, 'j', 'k', KEY_DOWN,
		KEY_UP),
	OWN_KEY("PgDn PgUp", group, "a page of rows down, up", act_move, KEY_NPAGE, KEY_PPAGE),
	OWN_KEY("g G", group, "first row, last row", act_move, 'g', 'G', KEY_HOME, KEY_END),
	OWN_KEY("< >", group, "sort by the column to the left, to the right", act_sort, '<', '>'),
	OWN_KEY("o", group, "reverse the order: smallest or largest first", act_sort, 'o'),
	OWN_KEY("/", group, "search as you type", act_search, '/'),
	OWN_KEY("n N", group, "next, previous match", act_search_again, 'n', 'N'),
	OWN_KEY("Enter", group, "details of the selected row", act_open, RETURN, NEWLINE,
		KEY_ENTER),
	OWN_KEY("v", group, NULL, act_all, 'v'),
	OWN_KEY("Space", group, "freeze the table; what runs goes on", act_freeze, ' '),
	OWN_KEY("Esc", group, "back", act_back, KEYS_ESCAPE),
	OWN_KEY("? h F1", group, "this help", act_help, '?', 'h', KEY_F(1)),
	OWN_KEY("Ctrl-L", group, "redraw the screen", act_redraw, CTRL_L),
	OWN_KEY("q F10 Ctrl-C", group, "stop and quit", act_quit, 'q', KEY_F(10), CTRL_C),
	{ 0 },
};

/* ---- layout ---- */

enum {
	AIRY_LINES = 16, /* minimum height for optional lines */
	ROOMY_LINES = 30,
	GAP = 2,
	SHARE_WIDTH = 6, /* " 100 %" */
};

static bool is_airy(void)
{
	return LINES >= AIRY_LINES;
}

static void board_fit(struct tui *tui)
{
	struct layout *layout = &tui->layout;

	layout->too_small = COLS < LAYOUT_MIN_WIDTH || LINES < LAYOUT_MIN_HEIGHT;
	layout->n_header = is_airy() ? 4 : 2;
	layout->n_rows = LINES > 12 ? LINES - 9 : 3; /* one page */
	layout->status_y = LINES - 1;
	layout->n_detail = LINES >= ROOMY_LINES ? 4 : is_airy() ? 3 : 1;
	layout->detail_y = layout->status_y - layout->n_detail;
}

/* ---- header ---- */

/* Draw the state at the right end. @return columns used */
static int draw_state(const struct board_head *head)
{
	char text[192];
	int width, room = COLS * 3 / 5;

	snprintf(text, sizeof(text), "%s%s%s", head->state, *head->left ? "  " : "", head->left);
	width = draw_columns(text);
	if (width > room)
		width = room;
	draw_text(0, COLS - 1 - width, width, head->role, text);
	return width + 1;
}

static void board_draw_title(const struct board *board, int end)
{
	const struct board_head *head = &board->head;
	int x = 1 + draw_text(0, 1, end - 1, ROLE_TITLE, board->config->name) + GAP;
	char flags[32];

	snprintf(flags, sizeof(flags), "%s%s", head->flag, board->is_frozen ? " FROZEN" : "");

	int room = end - x - draw_columns(flags) - 1;

	if (room >= 8)
		x += draw_text(0, x, room, ROLE_TEXT, head->what) + 1;
	draw_text(0, x, end - x, ROLE_WARN, flags);
}

static void board_draw_header(struct tui *tui)
{
	const struct board *board = tui->board;

	board_draw_title(board, COLS - 2 - draw_state(&board->head));
	draw_bar(1, 1, COLS - 2 - SHARE_WIDTH, ROLE_BAR, board->head.share);
	draw_printf(1, COLS - 1 - SHARE_WIDTH, SHARE_WIDTH, ROLE_TEXT, " %3.0f %%",
		    floor(board->head.share * 100));
	if (is_airy())
		draw_text(2, 1, COLS - 2, ROLE_DIM, board->table.table.said);
	if (!tui->status[0])
		tui_say(tui, ROLE_ERROR, "%s", board->head.last_error);
}

/* ---- table ---- */

static void board_draw_detail(const struct tui *tui)
{
	const struct board *board = tui->board;
	const struct board_source *source = &board->config->source;
	struct board_place place = { .is_open = tui->view == BOARD_OPENED,
				     .opened = board->opened_key };
	struct text text = { 0 };

	if (!sheet_key(board_sheet(tui), &place.key))
		return;
	source->tell(source->data, &place, &text);
	if (text.n && !text.failed)
		draw_wrapped(tui->layout.detail_y, 1, COLS - 2, tui->layout.n_detail, ROLE_TEXT,
			     text.bytes);
	text_fini(&text);
}

static void board_draw(struct tui *tui)
{
	static const struct sheet_clicks clicks = { .heading = board_click_heading,
						    .row = board_click_row };
	struct sheet *sheet = board_sheet(tui);
	int y = tui->layout.n_header;

	if (is_airy())
		draw_text(y++, 1, COLS - 2, ROLE_TITLE, sheet->table.title);
	sheet_draw(sheet, &clicks, y, tui->layout.detail_y - is_airy());
	tui->n_seen = sheet->n_seen;
	board_draw_detail(tui);
}

/* ---- help ---- */

static void print_help(const struct board *board, struct help_text *help_text)
{
	static const struct hint clicks[] = {
		{ "row", "selects it; again: Enter" },
		{ "heading", "sorts by it; again: reverses" },
		{ "with Shift", "the terminal selects text as usual" },
		{ 0 },
	};
	const struct keymap *keymap = board->config->keymap;
	char keys[128];

	help_text_print(help_text, ROLE_TITLE, "Keys", NULL);
	for (const struct key *key = board_keys; key->name; key++)
		help_text_print(help_text, ROLE_KEY,
				keymap_hint_text(keymap, key->name, keys, sizeof(keys)),
				key->help ? key->help : board->config->all);
	help_text_hints(help_text, "Mouse", clicks);
	help_text_hints(help_text, "In the table", board->config->legend);
}

static void board_draw_help(struct tui *tui)
{
	struct help_text count = { .find = tui->find };
	struct help_text help_text = { .y = tui->layout.n_header,
				       .end = tui->layout.status_y,
				       .find = tui->find };

	print_help(tui->board, &count);
	help_text.first = pager_fit(tui, help_text.y, count.line);
	print_help(tui->board, &help_text);
}

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
	if ((key != KEYS_ESCAPE && key != 'q') || tui->find[0])
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

static const struct view *const board_views[N_VIEWS] = {
	[BOARD_TABLE] = &view_table,
	[BOARD_OPENED] = &view_opened,
	[BOARD_HELP] = &view_help,
};

/* ---- run ---- */

/* Update the state, and fill in new rows if enough time has passed. */
static enum picture board_look(struct tui *tui, uint64_t now_ns)
{
	struct board *board = tui->board;
	const struct board_source *source = &board->config->source;
	size_t version = board->head.version, shown = board->version;

	source->look(source->data, &board->head);
	if (shown != board->head.version && !board->is_frozen &&
	    (board->head.is_over || now_ns >= board->next_fill_ns))
		board_fill(tui);
	return version != board->head.version || shown != board->version ? PICTURE_OTHER
									 : PICTURE_SAME;
}

static int board_start(struct tui *tui, struct err *err)
{
	const struct board_source *source = &tui->board->config->source;

	return source->start(source->data, err);
}

static void board_begin(struct tui *tui)
{
	board_look(tui, clock_now_ns());
}

static uint64_t wake_ns(const struct tui *tui UNUSED, uint64_t now_ns)
{
	return now_ns + LOOK_EVERY_MS * NS_PER_MS;
}

static void board_stop(struct tui *tui)
{
	sheet_fini(&tui->board->table);
	sheet_fini(&tui->board->opened);
}

int board_run(const struct board_config *config, struct err *err)
{
	static const struct loop_source source = {
		.start = board_start,
		.begin = board_begin,
		.stop = board_stop,
		.take = board_look,
		.wake_ns = wake_ns,
		.fit = board_fit,
		.header = board_draw_header,
	};
	const struct tui_config of_screen = {
		.theme = config->theme,
		.keymap = config->keymap,
		.ascii = config->ascii,
		.mouse = config->mouse,
	};
	struct board board = { .config = config, .version = SIZE_MAX /* nothing is shown yet */ };
	struct tui tui = {
		.config = &of_screen, .keys = board_keys, .views = board_views, .board = &board
	};

	return loop_run(&tui, &source, err);
}
