#include "tui/widget/sheet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tui/term/draw.h"

/* ---- cells ---- */

void text_table_init(struct text_table *table, const struct sheet_column *column, unsigned n)
{
	*table = (struct text_table){ .column = column, .n_columns = n };
}

void text_table_fini(struct text_table *table)
{
	if (!table)
		return;
	free(table->row);
	free(table->cell);
	text_fini(&table->text);
	*table = (struct text_table){ 0 };
}

void text_table_row(struct text_table *table, uint64_t key, unsigned parent)
{
	unsigned depth =
		parent == SHEET_NO_PARENT || table->failed ? 0 : table->row[parent].depth + 1;
	const struct sheet_row row = { key, parent, depth };

	if (!table->failed &&
	    array_append((void **)&table->row, &table->row_cap, &table->n, &row, sizeof(row)))
		table->failed = true;
}

static struct text_cell *add_cell(struct text_table *table)
{
	if (array_reserve((void **)&table->cell, &table->cell_cap, table->n_cells,
			  sizeof(*table->cell)))
		table->failed = true;
	if (table->failed)
		return NULL;
	table->cell[table->n_cells].text = table->text.n;
	return &table->cell[table->n_cells++];
}

void text_table_cell(struct text_table *table, enum role role, double sort, const char *fmt, ...)
{
	struct text_cell *cell = add_cell(table);
	va_list args;

	if (!cell)
		return;
	cell->role = role;
	cell->sort = sort;
	va_start(args, fmt);
	text_vprintf(&table->text, fmt, args);
	va_end(args);
	text_add(&table->text, "", 1);
	table->failed |= table->text.failed;
}

static const struct text_cell *text_table_cell_of(const struct text_table *table, size_t row,
						  unsigned column)
{
	return &table->cell[row * table->n_columns + column];
}

const char *text_table_text_of(const struct text_table *table, size_t row, unsigned column)
{
	return table->text.bytes + text_table_cell_of(table, row, column)->text;
}

/* Compute the width of the widest cell of each column. @ret  by column */
static void text_table_widths(const struct text_table *table, int *ret)
{
	for (unsigned i = 0; i < table->n_columns; i++)
		ret[i] = 0;
	for (size_t row = 0; row < table->n; row++)
		for (unsigned i = 0; i < table->n_columns; i++) {
			int width = text_columns(text_table_text_of(table, row, i));

			ret[i] = width > ret[i] ? width : ret[i];
		}
}

const char *text_table_row_text(const struct text_table *table, size_t row, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < table->n_columns && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s ", text_table_text_of(table, row, i));
	return buf;
}

struct sorting {
	const struct text_table *table;
	unsigned column;
	bool is_descending;
};

static int compare_cells(const struct sorting *by, unsigned a, unsigned b)
{
	double x = text_table_cell_of(by->table, a, by->column)->sort;
	double y = text_table_cell_of(by->table, b, by->column)->sort;

	if (x < y || y < x)
		return x < y ? -1 : 1;
	return strcmp(text_table_text_of(by->table, a, by->column),
		      text_table_text_of(by->table, b, by->column));
}

/* Replace two rows by those of which they are or descend and which have one parent; by one if that is so of both. */
static void find_siblings(const struct sheet_row *row, unsigned *a, unsigned *b)
{
	while (row[*a].depth > row[*b].depth)
		*a = row[*a].parent;
	while (row[*b].depth > row[*a].depth)
		*b = row[*b].parent;
	while (*a != *b && row[*a].parent != row[*b].parent) {
		*a = row[*a].parent;
		*b = row[*b].parent;
	}
}

static int text_table_compare(const void *left, const void *right, void *data)
{
	const struct sorting *by = data;
	unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;
	int order = a < b ? -1 : a > b; /* a parent is before its children */

	find_siblings(by->table->row, &a, &b);
	if (a == b)
		return order;
	order = compare_cells(by, a, b);

	if (order)
		return by->is_descending ? -order : order;
	return a < b ? -1 : a > b;
}

void text_table_sort(const struct text_table *table, unsigned column, bool is_descending,
		     unsigned *order)
{
	struct sorting by = { table, column, is_descending };

	for (size_t i = 0; i < table->n; i++)
		order[i] = (unsigned)i;
	if (table->n)
		qsort_r(order, table->n, sizeof(*order), text_table_compare, &by);
}

/* ---- order and selection ---- */

bool sheet_key(const struct sheet *sheet, uint64_t *ret)
{
	if (sheet->cursor.at >= sheet->table.n)
		return false;
	*ret = sheet->table.row[sheet->order[sheet->cursor.at]].key;
	return true;
}

static void select_key(struct sheet *sheet, uint64_t key)
{
	for (unsigned i = 0; i < sheet->table.n; i++)
		if (sheet->table.row[sheet->order[i]].key == key) {
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

void sheet_sort_by(struct sheet *sheet, unsigned column, bool is_descending)
{
	sheet->is_descending = column == sheet->column ? !sheet->is_descending : is_descending;
	sheet->column = column;
	sheet_sort(sheet);
}

int sheet_take(struct sheet *sheet, struct text_table *table)
{
	unsigned *order = calloc(table->n + 1, sizeof(*order));
	uint64_t key = 0;
	/* a cursor on the first row stays there, whatever row that is */
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

void sheet_fini(struct sheet *sheet)
{
	text_table_fini(&sheet->table);
	free(sheet->order);
	*sheet = (struct sheet){ 0 };
}

/* ---- drawing ---- */

static int least_of(const struct sheet_column *column, int want)
{
	return column->least && column->least < want ? column->least : want;
}

void sheet_fit(const struct sheet_column *column, unsigned n, const int *want, int width, int *ret)
{
	int left = width + TABLE_GAP;
	bool fits = true;

	for (unsigned i = 0; i < n; i++) {
		ret[i] = column[i].drop_order ? 0 : least_of(&column[i], want[i]);
		left -= ret[i] ? ret[i] + TABLE_GAP : 0;
	}
	for (unsigned level = 1; level <= n; level++)
		for (unsigned i = 0; i < n && fits; i++) {
			int least = least_of(&column[i], want[i]);

			if (column[i].drop_order == level)
				fits = table_widen(&left, TABLE_GAP, &ret[i], least, least);
		}
	for (unsigned i = 0; i < n; i++)
		if (ret[i])
			table_widen(&left, TABLE_GAP, &ret[i], 0, want[i]);
}

struct sheet_places {
	const struct sheet *sheet;
	int x[SHEET_COLUMNS_MAX], width[SHEET_COLUMNS_MAX];
};

/* Return the width of the widest cell, or of the heading with its mark. */
static int sheet_widest(const struct sheet *sheet, unsigned column)
{
	int most = draw_columns(sheet->table.column[column].title);

	if (column == sheet->column)
		most += 2;
	return most > sheet->width[column] ? most : sheet->width[column];
}

static void sheet_place(const struct sheet *sheet, struct sheet_places *ret)
{
	const struct text_table *table = &sheet->table;
	int want[SHEET_COLUMNS_MAX], x = TABLE_GAP;

	ret->sheet = sheet;
	for (unsigned i = 0; i < table->n_columns; i++)
		want[i] = sheet_widest(sheet, i);
	sheet_fit(table->column, table->n_columns, want, COLS - TABLE_GAP - 1, ret->width);
	for (unsigned i = 0; i < table->n_columns; i++) {
		ret->x[i] = x;
		x += ret->width[i] ? ret->width[i] + TABLE_GAP : 0;
	}
}

static void sheet_draw_heading(const struct sheet_places *places, unsigned i, int y)
{
	const struct sheet *sheet = places->sheet;
	const struct sheet_column *of = &sheet->table.column[i];
	bool is_sorted = i == sheet->column;
	char text[48];

	snprintf(text, sizeof(text), "%s%s", of->title,
		 !is_sorted             ? ""
		 : sheet->is_descending ? " ▾"
					: " ▴");
	table_text_draw(y, places->x[i], places->width[i], of->is_right,
			is_sorted ? ROLE_SELECTED : ROLE_HEADING, text);
}

static void sheet_draw_cell(const struct sheet_places *places, unsigned row, unsigned i, int y)
{
	const struct text_table *table = &places->sheet->table;

	table_text_draw(y, places->x[i], places->width[i], table->column[i].is_right,
			text_table_cell_of(table, row, i)->role, text_table_text_of(table, row, i));
}

static void sheet_draw_row(const void *data, unsigned at, int y)
{
	const struct sheet_places *places = data;

	for (unsigned i = 0; i < places->sheet->table.n_columns; i++)
		if (places->width[i])
			sheet_draw_cell(places, places->sheet->order[at], i, y);
}

static const struct table_ops row_ops = { .draw = sheet_draw_row, .mark = ROLE_KEY };

int sheet_draw(struct sheet *sheet, const struct sheet_clicks *clicks, int y, int end)
{
	struct sheet_places places;
	struct table_rows rows = {
		.cursor = &sheet->cursor,
		.n = (unsigned)sheet->table.n,
		.y = y + 1,
		.n_seen = end - y - 1,
		.width = COLS,
		.ops = &row_ops,
		.data = &places,
		.click = clicks->row,
		.opens = clicks->opens,
	};

	sheet_place(sheet, &places);
	for (unsigned i = 0; i < sheet->table.n_columns; i++) {
		if (!places.width[i])
			continue;
		sheet_draw_heading(&places, i, y);
		mouse_area(y, places.x[i] - 1, 1, places.width[i] + TABLE_GAP, clicks->heading,
			   (int)i);
	}
	y = table_rows_draw(&rows);
	sheet->n_seen = (unsigned)(y - rows.y);
	return y;
}
