/* text_table.h: rows of cells of text, filled in by somebody who knows what they mean; pure */
#ifndef TUI_WIDGET_TEXT_TABLE_H
#define TUI_WIDGET_TEXT_TABLE_H

#include <stdint.h>

#include "base/text.h"
#include "tui/widget/table.h"

struct text_cell {
	size_t text; /* where it begins in the table's text */
	enum role role;
	double sort;   /* rows are sorted by this, and where it is the same by the text */
	uint64_t dots; /* bit n: counter n; 0: none are drawn */
};

/** `{ 0 }` is empty. Row r has the cells from r × n_columns on. */
struct text_table {
	const struct table_column *column;
	unsigned n_columns;
	unsigned sorted_by; /* the column that rows are sorted by at first */
	char said[200];     /* a line beneath the bar */
	char title[200];    /* a line above the headings */
	uint64_t *key;      /* by row: what it is about, at every filling */
	size_t n, key_cap;
	struct text_cell *cell;
	size_t n_cells, cell_cap;
	struct text text;
	bool failed; /* memory ran out: check once, at the end */
};

/** Begin with the columns. @column  stays with the caller, at most TABLE_COLUMNS_MAX */
void text_table_init(struct text_table *table, const struct table_column *column, unsigned n);

/** Release and empty. NULL is accepted. */
void text_table_fini(struct text_table *table);

/** Begin a row; a cell for each column follows. */
void text_table_row(struct text_table *table, uint64_t key);

/** The next cell. */
void text_table_cell(struct text_table *table, enum role role, double sort, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** The next cell, of counters. @mark  behind the dots, or in their place where there are none */
void text_table_dots(struct text_table *table, uint64_t dots, enum role role, const char *mark);

/** A cell and its text. */
const struct text_cell *text_table_cell_of(const struct text_table *table, size_t row,
					   unsigned column);
const char *text_table_text_of(const struct text_table *table, size_t row, unsigned column);

/** The widest cell of each column. @ret  by column */
void text_table_widths(const struct text_table *table, int *ret);

/** A row's cells with blanks between them, for a search. @return buf */
const char *text_table_row_text(const struct text_table *table, size_t row, char *buf, size_t size);

/** Rows in the order of a column. @order  has room for table->n; equal rows stay as they are */
void text_table_sort(const struct text_table *table, unsigned column, bool is_descending,
		     unsigned *order);

#endif
