/* board_table.h: what a board shows: rows of cells, filled by who knows what they mean; pure */
#ifndef TUI_BOARD_TABLE_H
#define TUI_BOARD_TABLE_H

#include <stdint.h>

#include "base/text.h"
#include "tui/theme.h"

enum { BOARD_COLUMNS_MAX = 12 };

struct board_column {
	const char *heading;
	unsigned gives_way; /* 0: it stays; of the others the one with the largest goes first */
	int least;          /* columns that it may shrink to; 0: it is as wide as its widest cell */
	bool is_right;      /* figures */
	int n_dots;         /* of counters: dots, then the text as a mark; 0: text alone */
	unsigned first_dot; /* the first one's counter */
};

struct board_cell {
	size_t text; /* where it begins in the table's text */
	enum role role;
	double sort;   /* rows are sorted by this, and where it is the same by the text */
	uint64_t dots; /* bit n: counter n; 0: none are drawn */
};

/** `{ 0 }` is empty. Row r has the cells from r × n_columns on. */
struct board_table {
	const struct board_column *column;
	unsigned n_columns;
	unsigned sorted_by; /* the column that rows are sorted by at first */
	char said[200];     /* a line beneath the bar */
	char title[200];    /* a line above the headings */
	uint64_t *key;      /* by row: what it is about, at every filling */
	size_t n, key_cap;
	struct board_cell *cell;
	size_t n_cells, cell_cap;
	struct text text;
	bool failed; /* memory ran out: check once, at the end */
};

/** Begin with the columns. @column  stays with the caller, at most BOARD_COLUMNS_MAX */
void board_table_init(struct board_table *table, const struct board_column *column, unsigned n);

/** Release and empty. NULL is accepted. */
void board_table_fini(struct board_table *table);

/** Begin a row; a cell for each column follows. */
void board_row(struct board_table *table, uint64_t key);

/** The next cell. */
void board_cell(struct board_table *table, enum role role, double sort, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** The next cell, of counters. @mark  behind the dots, or in their place where there are none */
void board_dots(struct board_table *table, uint64_t dots, enum role role, const char *mark);

/** A cell and its text. */
const struct board_cell *board_cell_of(const struct board_table *table, size_t row,
				       unsigned column);
const char *board_text_of(const struct board_table *table, size_t row, unsigned column);

/** The widest cell of each column. @ret  by column */
void board_widths(const struct board_table *table, int *ret);

/** Has a row every word of a search, in whatever cell? */
bool board_row_has(const struct board_table *table, size_t row, const char *search);

/** Rows in the order of a column. @order  has room for table->n; equal rows stay as they are */
void board_sort(const struct board_table *table, unsigned column, bool is_descending,
		unsigned *order);

/**
 * How wide each column is.
 *
 * @want   by column: its widest cell or heading
 * @width  of the screen; two columns are between two
 * @ret    by column; 0: it has given way
 */
void board_fit(const struct board_column *column, unsigned n, const int *want, int width, int *ret);

#endif
