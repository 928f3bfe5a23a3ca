#include "tui/widget/table.h"

#include <curses.h>

#include "tui/term/draw.h"

bool table_widen(int *left, int gap, int *width, int least, int most)
{
	int cost = *width ? 0 : gap, more = most - *width;

	if (more > *left - cost)
		more = *left - cost;
	if (more > 0 && *width + more >= least) {
		*left -= more + cost;
		*width += more;
	}
	return *width || most <= 0;
}

void table_heading_draw(const struct table_heading *heading)
{
	enum role role = heading->is_selected ? ROLE_SELECTED : ROLE_HEADING;
	int end = heading->x + heading->width;
	int width = draw_right(heading->y, heading->x, heading->width, role, heading->text);

	if (heading->is_selected)
		draw_text(heading->y, end - width - 1, 1, role, "▸");
	if (heading->arrow)
		draw_text(heading->y, end, 1, ROLE_KEY, heading->arrow);
	else if (heading->is_selected)
		draw_text(heading->y, end, 1, role, "◂");
	if (heading->above)
		draw_right(heading->above_y, heading->x, heading->width, role, heading->above);
	if (heading->unit)
		draw_right(heading->unit_y, heading->x, heading->width, ROLE_DIM, heading->unit);
}

void table_text_draw(int y, int x, int width, bool is_right, enum role role, const char *text)
{
	if (is_right)
		draw_right(y, x, width, role, text);
	else
		draw_text(y, x, width, role, text);
}

void table_figure_draw(int y, int x, int width, enum role role, bool is_beyond, const char *text)
{
	int used = draw_right(y, x, width, role, text);

	if (is_beyond)
		draw_text(y, x + width - used - 1, 1, role, "▲");
}

static bool is_cut; /* a table on the screen has columns beyond an edge */

static void draw_more(int y, int x, const char *mark, const char *key)
{
	draw_text(y, x, 1, ROLE_KEY, mark);
	mouse_area(y, x, 1, 1, NULL, 0); /* no heading there */
	mouse_hint(y, x, 1, key);
	is_cut = true;
}

void table_more_draw(int y, int left_x, bool more_left, bool more_right)
{
	if (more_left)
		draw_more(y, left_x, "‹", "(");
	if (more_right)
		draw_more(y, COLS - 1, "›", ")");
}

bool table_take_cut(void)
{
	bool was_cut = is_cut;

	is_cut = false;
	return was_cut;
}

/* @return lines that it takes */
static int table_draw_row(const struct table_rows *rows, unsigned row, int y)
{
	const struct table_ops *ops = rows->ops;
	int height = ops->height ? ops->height(rows->data, row) : 1;
	bool is_selected = row == rows->cursor->at;

	if (!ops->is_heading || !ops->is_heading(rows->data, row)) {
		mouse_area(y, rows->x, height, rows->width, rows->click, (int)row);
		mouse_opens(rows->opens);
	}
	draw_select(is_selected && ops->is_highlighted);
	if (is_selected && ops->is_highlighted)
		draw_printf(y, 1, COLS - 1, ROLE_TEXT, "%*s", COLS - 1, "");
	ops->draw(rows->data, row, y);
	draw_select(false);
	if (is_selected)
		draw_text(y, rows->x, 1, ops->mark, "▸");
	return height;
}

int table_rows_draw(const struct table_rows *rows)
{
	unsigned room = rows->n_seen > 0 ? (unsigned)rows->n_seen : 0;
	unsigned top, end;
	int y = rows->y, x = rows->x > 1 ? rows->x + 1 : 0; /* in a box beside the mark */

	cursor_follow(rows->cursor, rows->n, room);
	top = rows->cursor->top;
	end = rows->n < top + room ? rows->n : top + room;
	for (unsigned row = top; row < end; row++) {
		y += row && rows->ops->is_apart && rows->ops->is_apart(rows->data, row);
		y += table_draw_row(rows, row, y);
	}
	if (rows->has_arrows && end < rows->n)
		draw_text(y - 1, x, 1, ROLE_KEY, "↓");
	if (rows->has_arrows && top)
		draw_text(rows->y, x, 1, ROLE_KEY, "↑");
	return y;
}

void counter_mask_head_draw(int y, int x, int width, unsigned first, unsigned chosen)
{
	for (int i = 0; i < width; i++) {
		unsigned counter = first + (unsigned)i;

		draw_printf(y, x + i, 1, counter == chosen ? ROLE_SELECTED : ROLE_HEADING, "%u",
			    counter % 10);
	}
}

void counter_mask_draw(int y, int x, int width, unsigned first, uint64_t counters)
{
	for (int i = 0; i < width; i++) {
		bool is_in = counters >> (first + (unsigned)i) & 1;

		draw_text(y, x + i, 1, is_in ? ROLE_KEY : ROLE_DIM, is_in ? "●" : "·");
	}
}
