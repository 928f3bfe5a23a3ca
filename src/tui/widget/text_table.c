#include "tui/board_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tui/match.h"

enum { GAP = 2 };

void board_table_init(struct board_table *table, const struct board_column *column, unsigned n)
{
	*table = (struct board_table){ .column = column, .n_columns = n };
}

void board_table_fini(struct board_table *table)
{
	if (!table)
		return;
	free(table->key);
	free(table->cell);
	text_fini(&table->text);
	*table = (struct board_table){ 0 };
}

void board_row(struct board_table *table, uint64_t key)
{
	if (array_reserve((void **)&table->key, &table->key_cap, table->n, sizeof(*table->key)))
		table->failed = true;
	else if (!table->failed)
		table->key[table->n++] = key;
}

static struct board_cell *add_cell(struct board_table *table)
{
	if (array_reserve((void **)&table->cell, &table->cell_cap, table->n_cells,
			  sizeof(*table->cell)))
		table->failed = true;
	if (table->failed)
		return NULL;
	table->cell[table->n_cells].text = table->text.n;
	return &table->cell[table->n_cells++];
}

void board_cell(struct board_table *table, enum role role, double sort, const char *fmt, ...)
{
	struct board_cell *cell = add_cell(table);
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

void board_dots(struct board_table *table, uint64_t dots, enum role role, const char *mark)
{
	board_cell(table, role, (double)dots, "%s", mark);
	if (!table->failed)
		table->cell[table->n_cells - 1].dots = dots;
}

const struct board_cell *board_cell_of(const struct board_table *table, size_t row, unsigned column)
{
	return &table->cell[row * table->n_columns + column];
}

const char *board_text_of(const struct board_table *table, size_t row, unsigned column)
{
	return table->text.bytes + board_cell_of(table, row, column)->text;
}

static int width_of(const struct board_table *table, size_t row, unsigned column)
{
	const struct board_column *of = &table->column[column];
	int width = text_columns(board_text_of(table, row, column));

	return of->n_dots && board_cell_of(table, row, column)->dots ? of->n_dots + 1 + width
								     : width;
}

void board_widths(const struct board_table *table, int *ret)
{
	for (unsigned i = 0; i < table->n_columns; i++)
		ret[i] = 0;
	for (size_t row = 0; row < table->n; row++)
		for (unsigned i = 0; i < table->n_columns; i++) {
			int width = width_of(table, row, i);

			ret[i] = width > ret[i] ? width : ret[i];
		}
}

bool board_row_has(const struct board_table *table, size_t row, const char *search)
{
	char all[1024];
	size_t n = 0;

	all[0] = '\0';
	for (unsigned i = 0; i < table->n_columns && n < sizeof(all); i++)
		n += (size_t)snprintf(all + n, sizeof(all) - n, "%s ",
				      board_text_of(table, row, i));
	return match_has(all, search);
}

struct sorting {
	const struct board_table *table;
	unsigned column;
	bool is_descending;
};

static int compare_cells(const struct sorting *by, unsigned a, unsigned b)
{
	double x = board_cell_of(by->table, a, by->column)->sort;
	double y = board_cell_of(by->table, b, by->column)->sort;

	if (x < y || y < x)
		return x < y ? -1 : 1;
	return strcmp(board_text_of(by->table, a, by->column),
		      board_text_of(by->table, b, by->column));
}

static int compare(const void *left, const void *right, void *data)
{
	const struct sorting *by = data;
	unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;
	int order = compare_cells(by, a, b);

	if (order)
		return by->is_descending ? -order : order;
	return a < b ? -1 : a > b;
}

void board_sort(const struct board_table *table, unsigned column, bool is_descending,
		unsigned *order)
{
	struct sorting by = { table, column, is_descending };

	for (size_t i = 0; i < table->n; i++)
		order[i] = (unsigned)i;
	if (table->n)
		qsort_r(order, table->n, sizeof(*order), compare, &by);
}

/* The one that gives way first of those that are there. @return -1: all that are left stay */
static int next_to_go(const struct board_column *column, unsigned n, const int *width)
{
	int found = -1;

	for (unsigned i = 0; i < n; i++)
		if (width[i] && column[i].gives_way &&
		    (found < 0 || column[i].gives_way >= column[found].gives_way))
			found = (int)i;
	return found;
}

static int total(const int *width, unsigned n)
{
	int sum = -GAP;

	for (unsigned i = 0; i < n; i++)
		sum += width[i] ? width[i] + GAP : 0;
	return sum;
}

void board_fit(const struct board_column *column, unsigned n, const int *want, int width, int *ret)
{
	int go;

	for (unsigned i = 0; i < n; i++) {
		ret[i] = want[i];
		if (column[i].least && column[i].least < want[i])
			ret[i] = column[i].least;
	}
	while (total(ret, n) > width && (go = next_to_go(column, n, ret)) >= 0)
		ret[go] = 0;
	for (unsigned i = 0; i < n; i++) {
		int room = width - total(ret, n);

		if (ret[i] && room > 0)
			ret[i] += want[i] - ret[i] < room ? want[i] - ret[i] : room;
	}
}
