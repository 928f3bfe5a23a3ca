/* The picture of a board: header with a bar, a table, lines about the selected row, help. */
#include <math.h>
#include <stdio.h>

#include "tui/screen/pager.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/term/keymap.h"
#include "tui/board/internal.h"

enum {
	AIRY_LINES = 16, /* from here on there is room for what can be done without */
	ROOMY_LINES = 30,
	GAP = 2,
	SHARE_WIDTH = 6, /* " 100 %" */
};

static bool is_airy(void)
{
	return LINES >= AIRY_LINES;
}

void board_fit(struct tui *tui)
{
	struct layout *layout = &tui->layout;

	layout->too_small = COLS < LAYOUT_MIN_WIDTH || LINES < LAYOUT_MIN_HEIGHT;
	layout->n_header = is_airy() ? 4 : 2;
	layout->n_rows = LINES > 12 ? LINES - 9 : 3; /* a page */
	layout->status_y = LINES - 1;
	layout->n_detail = LINES >= ROOMY_LINES ? 4 : is_airy() ? 3 : 1;
	layout->detail_y = layout->status_y - layout->n_detail;
}

/* ---- header ---- */

/* @return columns used at the right end */
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

static void draw_title(const struct board *board, int end)
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

static void draw_progress(const struct board_head *head, int y)
{
	draw_bar(y, 1, COLS - 2 - SHARE_WIDTH, ROLE_BAR, head->share);
	draw_printf(y, COLS - 1 - SHARE_WIDTH, SHARE_WIDTH, ROLE_TEXT, " %3.0f %%",
		    floor(head->share * 100));
}

void board_draw_header(struct tui *tui)
{
	const struct board *board = tui->board;

	draw_title(board, COLS - 2 - draw_state(&board->head));
	draw_progress(&board->head, 1);
	if (is_airy())
		draw_text(2, 1, COLS - 2, ROLE_DIM, board->table.table.said);
	if (!tui->status[0])
		tui_say(tui, ROLE_ERROR, "%s", board->head.last_error);
}

/* ---- table ---- */

static void draw_detail(const struct tui *tui)
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

void board_draw(struct tui *tui)
{
	struct sheet *sheet = board_sheet(tui);
	int y = tui->layout.n_header;

	if (is_airy())
		draw_text(y++, 1, COLS - 2, ROLE_TITLE, sheet->table.title);
	sheet_draw(sheet, y, tui->layout.detail_y - is_airy(), board_click_heading,
		   board_click_row);
	tui->n_seen = sheet->n_seen;
	draw_detail(tui);
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
	paper_hints(help_text, "Mouse", clicks);
	paper_hints(help_text, "In the table", board->config->legend);
}

void board_draw_help(struct tui *tui)
{
	struct help_text count = { .end = 0 };
	struct help_text help_text = { .y = tui->layout.n_header, .end = tui->layout.status_y };

	print_help(tui->board, &count);
	help_text.first = pager_fit(tui, help_text.y, count.line);
	print_help(tui->board, &help_text);
}
