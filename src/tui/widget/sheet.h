/* sheet.h: a table of text: rows of cells independent of their meaning, sort order, selected row */
#ifndef TUI_WIDGET_SHEET_H
#define TUI_WIDGET_SHEET_H

#include <limits.h>
#include <stdint.h>

#include "base/text.h"
#include "tui/widget/table.h"

enum { SHEET_COLUMNS_MAX = 12 };

/** A column. Drawing, the column chooser, the configuration and its manual use this row; a view whose cells are no
 * text adds its functions to it. */
struct sheet_column {
	const char *key;     /* in the configuration and the column chooser; NULL: not there */
	const char *title;   /* heading; NULL: short name of the primary metric */
	const char *what;    /* sentence of the column chooser; NULL: brief of the primary metric */
	int least;           /* minimum width; 0: that of its widest cell */
	unsigned drop_order; /* 0: never dropped; else the column with the largest goes first */
	unsigned order;      /* enum order_by of rows that are sorted by it; 0: none */
	bool is_right;       /* right-aligned, for figures */
	bool is_hidden;      /* at first */
	bool is_of_metric;   /* there only with a primary metric */
};

struct text_cell {
	size_t text; /* offset in the table's text */
	enum role role;
	double sort; /* sort key; equal ones are sorted by the text */
};

struct sheet_row {
	uint64_t key;    /* identifies it, the same at every filling */
	unsigned parent; /* row that it stands below at any order, a child; SHEET_NO_PARENT */
	unsigned depth;  /* number of rows above it */
};

#define SHEET_NO_PARENT UINT_MAX

/** `{ 0 }` is empty. Row r has the cells from r × n_columns on. */
struct text_table {
	const struct sheet_column *column;
	unsigned n_columns;
	unsigned sorted_by; /* initial sort column */
	struct sheet_row *row;
	size_t n, row_cap;
	struct text_cell *cell;
	size_t n_cells, cell_cap;
	struct text text;
	bool failed; /* out of memory: check once, at the end */
};

/** Initialise a table with its columns. @column  owned by the caller, at most SHEET_COLUMNS_MAX */
void text_table_init(struct text_table *table, const struct sheet_column *column, unsigned n);

/** Release and empty. NULL is accepted. */
void text_table_fini(struct text_table *table);

/** Begin a row; a cell for each column must follow. @parent  an earlier row, or SHEET_NO_PARENT */
void text_table_row(struct text_table *table, uint64_t key, unsigned parent);

/** Add the next cell. */
void text_table_cell(struct text_table *table, enum role role, double sort, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** Return the text of a cell. */
const char *text_table_text_of(const struct text_table *table, size_t row, unsigned column);

/** Format a row's cells with blanks between them, for a search. @return buf */
const char *text_table_row_text(const struct text_table *table, size_t row, char *buf, size_t size);

/** Sort the rows by a column, children below their parents. @order  has room for table->n; equal rows keep their order */
void text_table_sort(const struct text_table *table, unsigned column, bool is_descending,
		     unsigned *order);

/** `{ 0 }` is empty. */
struct sheet {
	struct text_table table;
	int width[SHEET_COLUMNS_MAX]; /* width of the widest cells */
	unsigned *order;              /* rows as shown; NULL: none */
	struct cursor cursor;
	unsigned column; /* column that rows are sorted by */
	bool is_descending;
	unsigned n_seen; /* visible rows */
};

/** Get the key of the selected row. @return false: none */
bool sheet_key(const struct sheet *sheet, uint64_t *ret);

/** Replace the table; the selection and the order stay. @table  taken over  @return 0 or -ENOMEM */
int sheet_take(struct sheet *sheet, struct text_table *table);

/** Sort by another column, or reverse the order of the present one. The selected row stays selected. */
void sheet_sort_by(struct sheet *sheet, unsigned column, bool is_descending);

/** Sort again; the selected row stays selected. */
void sheet_sort(struct sheet *sheet);

/** Functions of clicks on a sheet. */
struct sheet_clicks {
	mouse_act *heading; /* by column */
	mouse_act *row;     /* in the order shown */
	int opens;          /* key of a double click on a row; 0: none */
};

/** Draw headings in line y and rows below, down to the line before `end`. @return the line after the last row */
int sheet_draw(struct sheet *sheet, const struct sheet_clicks *clicks, int y, int end);

/**
 * Compute the width of each column of a table of text. Pure.
 *
 * @want   by column: width of its widest cell or heading
 * @width  width of the table
 * @ret    by column; 0: dropped
 */
void sheet_fit(const struct sheet_column *column, unsigned n, const int *want, int width, int *ret);

/** Release and empty. */
void sheet_fini(struct sheet *sheet);

#endif
