/* A table with what is selected in it. */
#include <errno.h>
#include <stdlib.h>

#include "tui/board_internal.h"

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

	board_sort(&sheet->table, sheet->column, sheet->is_descending, sheet->order);
	if (has_key)
		select_key(sheet, key);
}

int sheet_take(struct sheet *sheet, struct board_table *table)
{
	unsigned *order = calloc(table->n + 1, sizeof(*order));
	uint64_t key = 0;
	/* on the first row one wants to see the first row, whatever comes before it */
	bool has_key = sheet->cursor.at && sheet_key(sheet, &key);

	if (!order || table->failed) {
		free(order);
		board_table_fini(table);
		return -ENOMEM;
	}
	if (!sheet->order)
		sheet->column = table->sorted_by;
	board_table_fini(&sheet->table);
	free(sheet->order);
	sheet->table = *table;
	sheet->order = order;
	board_widths(table, sheet->width);
	board_sort(&sheet->table, sheet->column, sheet->is_descending, order);
	if (has_key)
		select_key(sheet, key);
	cursor_follow(&sheet->cursor, (unsigned)sheet->table.n, sheet->n_seen);
	return 0;
}

void sheet_fini(struct sheet *sheet)
{
	board_table_fini(&sheet->table);
	free(sheet->order);
	*sheet = (struct sheet){ 0 };
}
