/* sheet.h: a table of text on the screen: its order, the selected row, what fits the width */
#ifndef TUI_WIDGET_SHEET_H
#define TUI_WIDGET_SHEET_H

#include "tui/widget/text_table.h"

/** `{ 0 }` is empty. */
struct sheet {
	struct text_table table;
	int width[TABLE_COLUMNS_MAX]; /* of the widest cells */
	unsigned *order;              /* rows as they are shown; NULL: there are none */
	struct cursor cursor;
	unsigned column; /* sorted by */
	bool is_descending;
	unsigned n_seen; /* rows in the picture */
};

/** Key of the selected row. @return false: there is none */
bool sheet_key(const struct sheet *sheet, uint64_t *ret);

/** Put another table in place, the selection and the order stay. @return 0 or -ENOMEM */
int sheet_take(struct sheet *sheet, struct text_table *table);

/** In order again; the selected row stays so. */
void sheet_sort(struct sheet *sheet);

/** Sort by a column; by the same once more in the other direction. */
void sheet_sort_by(struct sheet *sheet, unsigned column);

/** Release and empty. */
void sheet_fini(struct sheet *sheet);

/** Headings in line y, beneath them the rows, down to the line before `end`. Clicks give the number
 * of the column or the row. */
void sheet_draw(struct sheet *sheet, int y, int end, mouse_act *click_heading,
		mouse_act *click_row);

#endif
