#include "tui/overlay/chooser.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/widget/table.h"
#include "tui/screen/state.h"

enum { PAGE = 8 };

static bool is_folded(const struct tui *tui, unsigned item)
{
	const struct chooser *chooser = tui->chooser;

	return !*chooser->search.text && chooser->ops->is_folded &&
	       chooser->ops->is_folded(tui, item);
}

static unsigned chooser_rank(const void *data, unsigned item)
{
	const struct tui *tui = data;

	if (is_folded(tui, item))
		return 0;
	return tui->chooser->ops->rank(tui, item, tui->chooser->search.text);
}

static unsigned n_folded(const struct tui *tui)
{
	unsigned n = 0;

	for (unsigned i = 0; i < tui->chooser->n_items; i++)
		n += is_folded(tui, i);
	return n;
}

void chooser_find(struct tui *tui)
{
	struct chooser *chooser = tui->chooser;

	found_make(&chooser->found, chooser->n_items, chooser_rank, tui);
	chooser->cursor = (struct cursor){ 0 };
	if (!*chooser->search.text)
		chooser->n_all = chooser->found.n + n_folded(tui);
}

int chooser_open(struct tui *tui, const struct chooser_ops *ops, unsigned n_items)
{
	chooser_close(tui);
	*tui->chooser = (struct chooser){ .ops = ops, .n_items = n_items };
	if (found_init(&tui->chooser->found, n_items) < 0) {
		chooser_close(tui);
		tui_say(tui, ROLE_ERROR, "out of memory");
		return -ENOMEM;
	}
	chooser_find(tui);
	tui->overlay = &chooser_overlay;
	return 0;
}

void chooser_close(struct tui *tui)
{
	const struct chooser_ops *ops = tui->chooser->ops;

	found_fini(&tui->chooser->found);
	*tui->chooser = (struct chooser){ 0 };
	if (ops && ops->close)
		ops->close(tui);
	if (tui->overlay == &chooser_overlay)
		tui->overlay = NULL;
}

void chooser_select(struct tui *tui, unsigned item)
{
	for (unsigned i = 0; i < tui->chooser->found.n; i++)
		if (tui->chooser->found.at[i].item == item)
			tui->chooser->cursor.at = i;
}

int chooser_item(const struct tui *tui)
{
	const struct chooser *chooser = tui->chooser;

	return chooser->cursor.at < chooser->found.n
		       ? (int)chooser->found.at[chooser->cursor.at].item
		       : -1;
}

/* Translate Ctrl-N and Ctrl-P into arrow keys, as in a shell. */
static int as_arrow(int key)
{
	return key == CTRL_N ? KEY_DOWN : key == CTRL_P ? KEY_UP : key;
}

static void tick(struct tui *tui)
{
	struct chooser *chooser = tui->chooser;
	int item = chooser_item(tui);

	if (item >= 0)
		chooser->ops->tick(tui, (unsigned)item);
	cursor_key(&chooser->cursor, KEY_DOWN, chooser->found.n, 1);
}

static void chooser_key(struct tui *tui, int key)
{
	struct chooser *chooser = tui->chooser;
	char name[32];

	tui->status[0] = '\0';
	if (key == KEYS_ESCAPE)
		chooser_close(tui);
	else if (chooser->ops->tick && (key == '\t' || (key == ' ' && !*chooser->search.text)))
		tick(tui);
	else if (chooser->ops->tick && key == KEY_BTAB)
		chooser->ops->untick(tui);
	else if (chooser->ops->key(tui, key) ||
		 cursor_key(&chooser->cursor, as_arrow(key), chooser->found.n, PAGE))
		return;
	else if (input_key(&chooser->search, key))
		chooser_find(tui);
	else if (key_plain(key) != KEY_BACKSPACE)
		tui_say(tui, ROLE_WARN, "%s: no such key in this list; Esc closes it",
			key_text(key, name, sizeof(name)));
}

/* Handle a click: the first selects an item, the second is Enter. */
static void click_item(struct tui *tui, int at)
{
	struct chooser *chooser = tui->chooser;

	if (chooser->cursor.at == (unsigned)at)
		chooser_key(tui, '\r');
	else
		chooser->cursor.at = (unsigned)at;
}

void chooser_brief(int y, int x, int end, enum role role, const char *text)
{
	enum { BRIEF_MIN = 12 };

	if (end - x >= BRIEF_MIN)
		draw_text(y, x, end - x, role, text);
}

int chooser_hint(int y, int x, int end, const char *key, const char *what)
{
	int from = x, width = draw_columns(key) + 1 + draw_columns(what);

	if (end - x < width && end - x < 20)
		return end;
	x += draw_text(y, x, end - x, ROLE_KEY, key) + 1;
	x += draw_text(y, x, end - x, ROLE_TEXT, what);
	mouse_hint(y, from, x - from, key);
	return x + 3;
}

static void draw_search(const struct chooser *chooser, int y, int x, int width)
{
	unsigned n_folded = *chooser->search.text ? 0 : chooser->n_all - chooser->found.n;
	char text[32];
	int end = x + 2;

	draw_text(y, x, 1, ROLE_KEY, "/");
	end += draw_tail(y, end, width - 17, ROLE_INPUT, chooser->search.text);
	draw_text(y, end, 1, ROLE_INPUT, " ");
	if (n_folded)
		draw_printf(y, end + 2, x + width - 10 - end, ROLE_DIM, "%s: %u more",
			    chooser->ops->folded, n_folded);
	snprintf(text, sizeof(text), "%u of %u", chooser->found.n, chooser->n_all);
	draw_right(y, x, width, ROLE_DIM, text);
}

struct items {
	const struct tui *tui;
	int x, width;
};

static void draw_item(const void *data, unsigned at, int y)
{
	const struct items *items = data;
	const struct chooser *chooser = items->tui->chooser;

	chooser->ops->draw(items->tui, chooser->found.at[at].item, at == chooser->cursor.at, y,
			   items->x + 2, items->width - 2);
}

static const struct table_ops row_ops = { .draw = draw_item, .mark = ROLE_SELECTED };

static void draw_items(struct tui *tui, int n_lines, int y, int x, int width)
{
	struct chooser *chooser = tui->chooser;
	const struct items items = { tui, x, width };
	const struct table_rows rows = {
		.cursor = &chooser->cursor,
		.n = chooser->found.n,
		.y = y,
		.n_seen = n_lines,
		.x = x,
		.width = width,
		.has_arrows = n_lines > 1,
		.ops = &row_ops,
		.data = &items,
		.click = click_item,
	};

	if (!chooser->found.n && chooser->ops->none)
		draw_wrapped(y, x + 2, width - 2, n_lines, ROLE_DIM, chooser->ops->none(tui));
	table_rows_draw(&rows);
}

void chooser_texts(int y, int x, int width, int n_lines, const char *what, const char *parts)
{
	int n_what = draw_wrapped(-1, x, width, n_lines - 1, ROLE_TEXT, what);
	int n_parts = draw_wrapped(-1, x, width, n_lines - n_what, ROLE_TEXT, parts);

	y += n_lines - n_what - n_parts;
	draw_wrapped(y, x, width, n_what, ROLE_TEXT, what);
	draw_wrapped(y + n_what, x, width, n_parts, ROLE_DIM, parts);
}

/* Return the lines of detail: room for the longest text and a line of its parts if the box is large. */
static int n_detail(const struct chooser_ops *ops, int height, int width)
{
	if (!ops->detail)
		return 0;
	if (height < 18)
		return height >= 12 ? 3 : 1;
	return width >= 100 ? 5 : 6;
}

static void box_rule(int y, int x, int width, const char *left, const char *right)
{
	draw_text(y, x, 1, ROLE_TITLE, left);
	for (int i = 1; i < width - 1; i++)
		draw_text(y, x + i, 1, ROLE_TITLE, "─");
	draw_text(y, x + width - 1, 1, ROLE_TITLE, right);
}

/* Draw a frame and a title around blanks. */
static void draw_box(int y, int x, int height, int width, const char *title)
{
	box_rule(y, x, width, "┌", "┐");
	for (int i = 1; i < height - 1; i++) {
		draw_text(y + i, x, 1, ROLE_TITLE, "│");
		draw_text(y + i, x + width - 1, 1, ROLE_TITLE, "│");
	}
	box_rule(y + height - 1, x, width, "└", "┘");
	draw_printf(y, x + 2, width - 4, ROLE_TITLE, " %s ", title);
}

static void chooser_draw(struct tui *tui)
{
	int width = COLS - 4 < 110 ? COLS - 4 : 110;
	int height = LINES - 6 < 22 ? LINES - 6 : 22;
	int y = (LINES - height) / 3, x = (COLS - width) / 2, hint_x = x + 2;
	const struct chooser_ops *ops = tui->chooser->ops;
	int n_head = ops->head != NULL, n_lines, n_foot, item = chooser_item(tui);
	char title[64];

	if (LINES < 14) { /* the whole screen except its header */
		height = LINES - 1;
		y = 1;
	}
	mouse_area(0, 0, LINES, COLS, NULL, 0);
	/* whole lines, so that no figure is cut at the edges */
	for (int i = 0; i < height; i++)
		draw_printf(y + i, 0, COLS, ROLE_TEXT, "%*s", COLS, "");
	draw_box(y, x, height, width,
		 ops->name ? ops->name : ops->title(tui, title, sizeof(title)));
	draw_search(tui->chooser, y + 1, x + 2, width - 4);
	if (ops->head)
		ops->head(tui, y + 2, x + 4, width - 6);
	n_lines = n_detail(ops, height, width);
	n_foot = n_lines + 1 + ops->has_note;
	draw_items(tui, height - 3 - n_head - n_foot, y + 2 + n_head, x + 2, width - 4);
	if (n_lines && item >= 0)
		ops->detail(tui, (unsigned)item, y + height - 1 - n_foot, x + 2, width - 4,
			    n_lines);
	if (ops->foot)
		ops->foot(tui, y + height - 2, x + 2, width - 4);
	for (const struct hint *hint = ops->hint; hint->key; hint++)
		hint_x = chooser_hint(y + height - 2, hint_x, x + width - 2, hint->key, hint->what);
}

const struct overlay chooser_overlay = { .draw = chooser_draw, .key = chooser_key };
