#include "tui/widget/sheet.h"

#include <curses.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tui/term/draw.h"

bool sheet_key(const struct sheet *sheet, uint64_t *ret)
{
	if (sheet->cursor.at >= sheet->table.n)
		return false;
	*ret = sheet->table.key[sheet->order[sheet->cursor.at]];
	return true;
}

static void select_key(struct sheet *sheet, uint64_t key)
{
	for (unsigned i = 0; i < sheet->table.n; i++)
		if (sheet->table.key[sheet->order[i]] == key) {
			sheet->cursor.at = i;
			return;
		}
}

void sheet_sort(struct sheet *sheet)
{
	uint64_t key = 0;
	bool has_key = sheet_key(sheet, &key);

	text_table_sort(&sheet->table, sheet->column, sheet->is_descending, sheet->order);
	if (has_key)
		select_key(sheet, key);
}

int sheet_take(struct sheet *sheet, struct text_table *table)
{
	unsigned *order = calloc(table->n + 1, sizeof(*order));
	uint64_t key = 0;
	/* on the first row one wants to see the first row, whatever comes before it */
	bool has_key = sheet->cursor.at && sheet_key(sheet, &key);

	if (!order || table->failed) {
		free(order);
		text_table_fini(table);
		return -ENOMEM;
	}
	if (!sheet->order)
		sheet->column = table->sorted_by;
	text_table_fini(&sheet->table);
	free(sheet->order);
	sheet->table = *table;
	sheet->order = order;
	text_table_widths(table, sheet->width);
	text_table_sort(&sheet->table, sheet->column, sheet->is_descending, order);
	if (has_key)
		select_key(sheet, key);
	cursor_follow(&sheet->cursor, (unsigned)sheet->table.n, sheet->n_seen);
	return 0;
}

void sheet_sort_by(struct sheet *sheet, unsigned column)
{
	sheet->is_descending = column == sheet->column && !sheet->is_descending;
	sheet->column = column;
	sheet_sort(sheet);
}

void sheet_fini(struct sheet *sheet)
{
	text_table_fini(&sheet->table);
	free(sheet->order);
	*sheet = (struct sheet){ 0 };
}

struct places {
	const struct sheet *sheet;
	int x[TABLE_COLUMNS_MAX], width[TABLE_COLUMNS_MAX];
};

static const char *arrow(const struct sheet *sheet)
{
	return sheet->is_descending ? " ▾" : " ▴";
}

/* Of cells, heading with its mark, and dots. */
static int widest(const struct sheet *sheet, unsigned column)
{
	const struct table_column *of = &sheet->table.column[column];
	int most = of->n_dots ? of->n_dots : draw_columns(of->heading);

	if (of->n_dots || column == sheet->column)
		most += 2;
	return most > sheet->width[column] ? most : sheet->width[column];
}

static void place(const struct sheet *sheet, struct places *ret)
{
	const struct text_table *table = &sheet->table;
	int want[TABLE_COLUMNS_MAX], x = TABLE_GAP;

	ret->sheet = sheet;
	for (unsigned i = 0; i < table->n_columns; i++)
		want[i] = widest(sheet, i);
	table_fit(table->column, table->n_columns, want, COLS - TABLE_GAP - 1, ret->width);
	for (unsigned i = 0; i < table->n_columns; i++) {
		ret->x[i] = x;
		x += ret->width[i] ? ret->width[i] + TABLE_GAP : 0;
	}
}

static void draw_aligned(const struct table_column *of, int y, int x, int width, enum role role,
			 const char *text)
{
	if (of->is_right)
		draw_right(y, x, width, role, text);
	else
		draw_text(y, x, width, role, text);
}

static void draw_heading(const struct places *places, unsigned i, int y)
{
	const struct sheet *sheet = places->sheet;
	const struct table_column *of = &sheet->table.column[i];
	bool is_sorted = i == sheet->column;
	int x = places->x[i], width = places->width[i];
	char text[48];

	snprintf(text, sizeof(text), "%s%s", of->n_dots ? "" : of->heading,
		 is_sorted ? arrow(sheet) : "");
	if (of->n_dots) {
		counter_mask_head_draw(y, x, of->n_dots, of->first_dot, UINT32_MAX);
		x += of->n_dots;
		width -= of->n_dots;
	}
	draw_aligned(of, y, x, width, is_sorted ? ROLE_SELECTED : ROLE_HEADING, text);
}

static void draw_cell(const struct places *places, unsigned row, unsigned i, int y)
{
	const struct text_table *table = &places->sheet->table;
	const struct table_column *of = &table->column[i];
	const struct text_cell *cell = text_table_cell_of(table, row, i);
	int x = places->x[i], width = places->width[i];

	if (of->n_dots && cell->dots) {
		counter_mask_draw(y, x, of->n_dots, of->first_dot, cell->dots);
		x += of->n_dots + 1;
		width -= of->n_dots + 1;
	}
	draw_aligned(of, y, x, width, cell->role, text_table_text_of(table, row, i));
}

static void draw_row(const void *data, unsigned at, int y)
{
	const struct places *places = data;

	for (unsigned i = 0; i < places->sheet->table.n_columns; i++)
		if (places->width[i])
			draw_cell(places, places->sheet->order[at], i, y);
}

static const struct table_ops row_ops = { .draw = draw_row, .mark = ROLE_KEY };

void sheet_draw(struct sheet *sheet, int y, int end, mouse_act *click_heading, mouse_act *click_row)
{
	struct places places;
	struct table_rows rows = {
		.cursor = &sheet->cursor,
		.n = (unsigned)sheet->table.n,
		.y = y + 1,
		.n_seen = end - y - 1,
		.width = COLS,
		.ops = &row_ops,
		.data = &places,
		.click = click_row,
	};

	place(sheet, &places);
	for (unsigned i = 0; i < sheet->table.n_columns; i++) {
		if (!places.width[i])
			continue;
		draw_heading(&places, i, y);
		mouse_area(y, places.x[i] - 1, 1, places.width[i] + TABLE_GAP, click_heading,
			   (int)i);
	}
	sheet->n_seen = (unsigned)(table_rows_draw(&rows) - rows.y);
}
