/* The picture of a board: header with a bar, a table, lines about the selected row, keys. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/board_internal.h"
#include "tui/dots.h"
#include "tui/draw.h"
#include "tui/keymap.h"
#include "tui/keys.h"
#include "tui/layout.h"
#include "tui/mouse.h"
#include "tui/paper.h"
#include "tui/prompt.h"
#include "tui/terminal.h"

enum {
	AIRY_LINES = 16, /* from here on there is room for what can be done without */
	ROOMY_LINES = 30,
	GAP = 2,
	RANGE_MIN_WIDTH = 60,
	SHARE_WIDTH = 6, /* " 100 %" */
};

static bool is_airy(void)
{
	return LINES >= AIRY_LINES;
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
	int flag = draw_columns(head->flag);
	int x = 1 + draw_text(0, 1, end - 1, ROLE_TITLE, board->config->name) + GAP;
	int room = end - x - flag - 1;

	if (room >= 8)
		x += draw_text(0, x, room, ROLE_TEXT, head->what) + 1;
	draw_text(0, x, end - x, ROLE_WARN, head->flag);
}

static void draw_progress(const struct board_head *head, int y)
{
	draw_bar(y, 1, COLS - 2 - SHARE_WIDTH, ROLE_BAR, head->share);
	draw_printf(y, COLS - 1 - SHARE_WIDTH, SHARE_WIDTH, ROLE_TEXT, " %3.0f %%",
		    floor(head->share * 100));
}

/* @return the first line below */
static int draw_head(const struct board *board)
{
	draw_title(board, COLS - 2 - draw_state(&board->head));
	draw_progress(&board->head, 1);
	if (!is_airy())
		return 2;
	draw_text(2, 1, COLS - 2, ROLE_DIM, board->table.table.said);
	return 4;
}

/* ---- table ---- */

struct columns {
	int x[BOARD_COLUMNS_MAX], width[BOARD_COLUMNS_MAX];
};

static unsigned click_heading(void *screen, int column)
{
	board_sort_by(screen, (unsigned)column);
	return DID_REDRAW;
}

/* Once selects, once more is Enter. */
static unsigned click_row(void *screen, int at)
{
	struct board *board = screen;
	struct sheet *sheet = board_sheet(board);

	if (!sheet || (unsigned)at >= sheet->table.n)
		return DID_NOTHING;
	if (sheet->cursor.at == (unsigned)at)
		return board_press(board, '\r');
	sheet->cursor.at = (unsigned)at;
	return DID_REDRAW;
}

/* Of cells, heading with its mark, and dots. */
static int widest(const struct sheet *sheet, unsigned column)
{
	const struct board_column *of = &sheet->table.column[column];
	int most = of->n_dots ? of->n_dots : draw_columns(of->heading);

	if (of->n_dots || column == sheet->column)
		most += 2;
	return most > sheet->width[column] ? most : sheet->width[column];
}

static void place(const struct sheet *sheet, struct columns *ret)
{
	const struct board_table *table = &sheet->table;
	int want[BOARD_COLUMNS_MAX], x = GAP;

	for (unsigned i = 0; i < table->n_columns; i++)
		want[i] = widest(sheet, i);
	board_fit(table->column, table->n_columns, want, COLS - GAP - 1, ret->width);
	for (unsigned i = 0; i < table->n_columns; i++) {
		ret->x[i] = x;
		x += ret->width[i] ? ret->width[i] + GAP : 0;
	}
}

static void draw_heading(const struct sheet *sheet, const struct columns *columns, unsigned i,
			 int y)
{
	const struct board_column *of = &sheet->table.column[i];
	bool is_sorted = i == sheet->column;
	int x = columns->x[i], width = columns->width[i];
	char text[48];

	if (!width)
		return;
	snprintf(text, sizeof(text), "%s%s", of->heading,
		 !is_sorted             ? ""
		 : sheet->is_descending ? " ▾"
					: " ▴");
	if (of->n_dots)
		dots_head_draw(y, x, of->n_dots, of->first_dot, UINT32_MAX);
	else if (of->is_right)
		draw_right(y, x, width, is_sorted ? ROLE_SELECTED : ROLE_HEADING, text);
	else
		draw_text(y, x, width, is_sorted ? ROLE_SELECTED : ROLE_HEADING, text);
	if (of->n_dots && is_sorted)
		draw_text(y, x + of->n_dots, width - of->n_dots, ROLE_SELECTED,
			  sheet->is_descending ? " ▾" : " ▴");
	mouse_area(y, x - 1, 1, width + GAP, click_heading, (int)i);
}

static void draw_cell(const struct sheet *sheet, const struct columns *columns, unsigned row,
		      unsigned i, int y)
{
	const struct board_column *of = &sheet->table.column[i];
	const struct board_cell *cell = board_cell_of(&sheet->table, row, i);
	const char *text = board_text_of(&sheet->table, row, i);
	int x = columns->x[i], width = columns->width[i];

	if (!width)
		return;
	if (of->n_dots && cell->dots) {
		dots_draw(y, x, of->n_dots, of->first_dot, cell->dots);
		x += of->n_dots + 1;
		width -= of->n_dots + 1;
	}
	if (of->is_right)
		draw_right(y, x, width, cell->role, text);
	else
		draw_text(y, x, width, cell->role, text);
}

static void draw_rows(struct sheet *sheet, const struct columns *columns, int y, int end)
{
	struct cursor *cursor = &sheet->cursor;
	unsigned n = (unsigned)sheet->table.n, room = end > y ? (unsigned)(end - y) : 0;

	cursor_follow(cursor, n, room);
	sheet->n_seen = n < room ? n : room;
	for (unsigned at = cursor->top; at < n && at < cursor->top + room; at++, y++) {
		if (at == cursor->at)
			draw_text(y, 0, 1, ROLE_KEY, "▸");
		mouse_area(y, 0, 1, COLS, click_row, (int)at);
		for (unsigned i = 0; i < sheet->table.n_columns; i++)
			draw_cell(sheet, columns, sheet->order[at], i, y);
	}
}

static void draw_sheet(struct sheet *sheet, int y, int end)
{
	struct columns columns;

	if (is_airy()) {
		draw_text(y, 1, COLS - 2, ROLE_TITLE, sheet->table.title);
		y += 1;
	}
	place(sheet, &columns);
	for (unsigned i = 0; i < sheet->table.n_columns; i++)
		draw_heading(sheet, &columns, i, y);
	draw_rows(sheet, &columns, y + 1, end);
}

/* ---- below ---- */

static int n_detail(void)
{
	return LINES >= ROOMY_LINES ? 4 : is_airy() ? 3 : 1;
}

static void draw_detail(struct board *board, int y)
{
	const struct board_source *source = &board->config->source;
	struct board_place place = { .is_open = board->page == PAGE_OPENED,
				     .opened = board->opened_key };
	struct text text = { 0 };

	if (!sheet_key(board_sheet(board), &place.key))
		return;
	source->tell(source->data, &place, &text);
	if (text.n && !text.failed)
		draw_wrapped(y, 1, COLS - 2, n_detail(), ROLE_TEXT, text.bytes);
	text_fini(&text);
}

/* Where in the table the picture is, where that is not all. @return where it begins */
static int draw_range(const struct sheet *sheet, int y, int end)
{
	char text[48];

	if (!sheet || COLS < RANGE_MIN_WIDTH || sheet->table.n <= sheet->n_seen)
		return end;
	snprintf(text, sizeof(text), "%u–%u of %zu", sheet->cursor.top + 1,
		 sheet->cursor.top + sheet->n_seen, sheet->table.n);
	draw_right(y, 1, end - 1, ROLE_DIM, text);
	return end - draw_columns(text) - GAP;
}

static void draw_status(struct board *board)
{
	static const struct hint in_table[] = { { "?", "help" },
						{ "Enter", "details" },
						{ "q", "quit" },
						{ "v", "all" },
						{ "/", "search" },
						{ "< >", "sort" },
						{ 0 } };
	static const struct hint elsewhere[] = { { "Esc", "back" }, { "?", "help" }, { 0 } };
	int y = LINES - 1, x = 1;

	if (board->asks) {
		prompt_line_draw(y, "search", &board->input, "then n, N: next, previous");
		return;
	}
	if (board->status[0])
		x += draw_text(y, x, COLS - 2, board->status_role, board->status);
	else
		x += draw_text(y, x, COLS - 2, ROLE_ERROR, board->head.trouble);
	hints_draw(board->page == PAGE_TABLE ? in_table : elsewhere, board->config->keymap, y,
		   x + GAP, draw_range(board_sheet(board), y, COLS - 1));
}

/* ---- help ---- */

static void print_help(const struct board *board, struct paper *paper)
{
	char keys[128];

	paper_print(paper, ROLE_TITLE, "Keys", NULL);
	for (const struct board_key *key = board_key_table; key->name; key++)
		paper_print(paper, ROLE_KEY,
			    keymap_hint_text(board->config->keymap, key->name, keys, sizeof(keys)),
			    key->help ? key->help : board->config->all);
	paper_print(paper, ROLE_TITLE, "Mouse", NULL);
	paper_print(paper, ROLE_KEY, "row", "selects it; once more is Enter");
	paper_print(paper, ROLE_KEY, "heading", "sorts by it; once more: the other way round");
	paper_print(paper, ROLE_KEY, "with Shift", "the terminal selects text, as ever");
	paper_print(paper, ROLE_TITLE, "In the table", NULL);
	for (const struct hint *mark = board->config->legend; mark->key; mark++)
		paper_print(paper, ROLE_KEY, mark->key, mark->what);
}

static void draw_help(struct board *board, int y)
{
	struct paper count = { .end = 0 }, paper = { .y = y, .end = LINES - 1 };

	print_help(board, &count);

	unsigned room = paper.end > y ? (unsigned)(paper.end - y) : 0;

	board->n_help = count.line > room ? count.line - room : 0;
	if (board->help.at > board->n_help)
		board->help.at = board->n_help;
	paper.first = board->help.at;
	print_help(board, &paper);
}

void board_draw(struct board *board)
{
	int y;

	erase();
	mouse_clear();
	if (COLS < LAYOUT_MIN_WIDTH || LINES < LAYOUT_MIN_HEIGHT) {
		draw_too_small();
	} else {
		y = draw_head(board);
		if (board->page == PAGE_HELP) {
			draw_help(board, y);
		} else {
			draw_sheet(board_sheet(board), y, LINES - 1 - n_detail() - is_airy());
			draw_detail(board, LINES - 1 - n_detail());
		}
		draw_status(board);
	}
	wnoutrefresh(stdscr);
	terminal_show();
}
