/* listing.h: rows of text with headings, printed as a table or JSON; wrapped text */
#ifndef CMD_SHARED_LISTING_H
#define CMD_SHARED_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { LISTING_COLUMNS_MAX = 12 };

struct listing {
	const char *heading[LISTING_COLUMNS_MAX]; /* JSON keys; uppercase as table headings */
	unsigned n_columns;
	unsigned n_in_table; /* number of columns in the table, the first ones */
	char **cell;         /* [row × n_columns + column], allocated */
	size_t n_cells, cap_cells;
	bool failed; /* out of memory */
};

/** Append a row. @cell  n_columns texts; copied */
void listing_add(struct listing *listing, const char *const *cell);
#define LISTING_ADD(listing, ...) listing_add(listing, (const char *const[]){ __VA_ARGS__ })

/** Print a table: each column as wide as its longest cell; the last one is not padded. */
void listing_print(const struct listing *listing);

/** Print a JSON array of objects. */
void listing_print_json(const struct listing *listing);

/** Free the rows. */
void listing_fini(struct listing *listing);

/** Print text wrapped by text_wrapped: base/text.h. */
void wrapped_print(const char *text, size_t column, size_t indent);

#endif
