#include "cmd/shared/listing.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/json.h"
#include "base/text.h"

void wrapped_print(const char *text, size_t column, size_t indent)
{
	AUTO_TEXT struct text wrapped = { 0 };

	text_wrapped(&wrapped, text, column, indent);
	fwrite(wrapped.bytes, 1, wrapped.n, stdout);
}

void listing_add(struct listing *listing, const char *const *cell)
{
	for (unsigned i = 0; i < listing->n_columns && !listing->failed; i++)
		listing->failed = array_append_text(&listing->cell, &listing->cap_cells,
						    &listing->n_cells, cell[i]);
}

static int column_width(const struct listing *listing, unsigned column)
{
	int widest = text_columns(listing->heading[column]);

	for (size_t i = column; i < listing->n_cells; i += listing->n_columns) {
		int here = text_columns(listing->cell[i]);

		if (here > widest)
			widest = here;
	}
	return widest;
}

static void print_row(const struct listing *listing, const char *const *cell, const int *widths,
		      bool capitals)
{
	unsigned last = listing->n_in_table - 1;
	AUTO_TEXT struct text text = { 0 };

	while (last && !*cell[last])
		last--;
	for (unsigned i = 0; i <= last; i++)
		text_left(&text, cell[i], i < last ? widths[i] + 2 : 0);
	for (size_t i = 0; i < text.n; i++)
		putchar(capitals ? ascii_upper(text.bytes[i]) : text.bytes[i]);
	putchar('\n');
}

void listing_print(const struct listing *listing)
{
	int widths[LISTING_COLUMNS_MAX] = { 0 };

	for (unsigned i = 0; i < listing->n_in_table; i++)
		widths[i] = column_width(listing, i);
	print_row(listing, listing->heading, widths, true);
	for (size_t i = 0; i < listing->n_cells; i += listing->n_columns)
		print_row(listing, (const char *const *)&listing->cell[i], widths, false);
}

void listing_print_json(const struct listing *listing)
{
	AUTO_TEXT struct text text = { 0 };
	const struct json json = { &text, " ", ": " };

	json_begin(&json, NULL, "[");
	for (size_t i = 0; i < listing->n_cells; i++) {
		unsigned column = (unsigned)(i % listing->n_columns);

		if (!column)
			json_begin(&json, NULL, "\n {");
		json_text(&json, listing->heading[column], listing->cell[i]);
		if (column + 1 == listing->n_columns)
			json_end(&json, "}");
	}
	json_end(&json, listing->n_cells ? "\n]\n" : "]\n");
	if (!text.failed)
		fwrite(text.bytes, 1, text.n, stdout);
}

void listing_fini(struct listing *listing)
{
	for (size_t i = 0; i < listing->n_cells; i++)
		free(listing->cell[i]);
	free(listing->cell);
	*listing = (struct listing){ 0 };
}
