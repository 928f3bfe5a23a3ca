/* listing.h: rows of text under headings, printed as a table or as JSON */
#ifndef CMD_SHARED_LISTING_H
#define CMD_SHARED_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { LISTING_COLUMNS_MAX = 12 };

struct listing {
	const char *heading[LISTING_COLUMNS_MAX]; /* JSON keys, in capitals table headings */
	unsigned n_columns;
	unsigned n_in_table; /* columns that the table has: the first so many */
	char **cell;         /* [row × n_columns + column], allocated */
	size_t n_cells, cap_cells;
	bool failed; /* out of memory */
};

/** Append one row. @cell  n_columns texts; copied */
void listing_add(struct listing *listing, const char *const *cell);

/** A table: every column as wide as its longest cell; the last one runs free. */
void listing_print(const struct listing *listing, FILE *out);

/**
 * Beneath the table: what it leaves out of one row. Of the one that there is, else of those whose first
 * cell is the name, whatever its case; of others nothing is printed.
 *
 * @name  NULL: none
 */
void listing_print_rest(const struct listing *listing, const char *name, FILE *out);

/** An array of objects. */
void listing_print_json(const struct listing *listing, FILE *out);

/** Release the rows. */
void listing_fini(struct listing *listing);

#endif
