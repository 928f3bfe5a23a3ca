#include "tui/widget/sheet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* ---- cells ---- */

void text_table_init(struct text_table *table, const struct table_column *column, unsigned n)
{
	*table = (struct text_table){ .column = column, .n_columns = n };
}

void text_table_fini(struct text_table *table)
{
	if (!table)
		return;
	free(table->key);
	free(table->cell);
	text_fini(&table->text);
	*table = (struct text_table){ 0 };
}

void text_table_row(struct text_table *table, uint64_t key)
{
	if (array_reserve((void **)&table->key, &table->key_cap, table->n, sizeof(*table->key)))
		table->failed = true;
	else if (!table->failed)
		table->key[table->n++] = key;
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

void text_table_dots(struct text_table *table, uint64_t dots, enum role role, const char *mark)
{
	text_table_cell(table, role, (double)dots, "%s", mark);
	if (!table->failed)
		table->cell[table->n_cells - 1].dots = dots;
}

const struct text_cell *text_table_cell_of(const struct text_table *table, size_t row,
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
			int width = text_columns(text_table_text_of(table, row, i)),
			    n_dots = table->column[i].n_dots;

			if (n_dots && text_table_cell_of(table, row, i)->dots)
				width += n_dots + 1;
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

static int text_table_compare(const void *left, const void *right, void *data)
{
	const struct sorting *by = data;
	unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;
	int order = compare_cells(by, a, b);

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
