#include "cmd/shared/listing.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/text.h"
#include "cmd/shared/wrapped.h"

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
		      bool capitals, FILE *out)
{
	unsigned last = listing->n_in_table - 1;

	while (last && !*cell[last])
		last--;
	for (unsigned i = 0; i <= last; i++) {
		for (const char *c = cell[i]; *c; c++)
			fputc(capitals ? toupper((unsigned char)*c) : *c, out);
		if (i < last)
			fprintf(out, "%*s", widths[i] - text_columns(cell[i]) + 2, "");
	}
	fputc('\n', out);
}

void listing_print(const struct listing *listing, FILE *out)
{
	int widths[LISTING_COLUMNS_MAX] = { 0 };

	for (unsigned i = 0; i < listing->n_in_table; i++)
		widths[i] = column_width(listing, i);
	print_row(listing, listing->heading, widths, true, out);
	for (size_t i = 0; i < listing->n_cells; i += listing->n_columns)
		print_row(listing, (const char *const *)&listing->cell[i], widths, false, out);
}

/* Is there a cell left out that says more than the ones before it? */
static bool says_more(const struct listing *listing, const char *const *cell, unsigned i)
{
	for (unsigned known = 0; known < i; known++)
		if (strcmp(cell[known], cell[i]) == 0)
			return false;
	return i >= listing->n_in_table && *cell[i];
}

static void print_rest_of(const struct listing *listing, const char *const *cell, FILE *out)
{
	enum { LABEL = 14 };

	fprintf(out, "\n%s\n", cell[0]);
	for (unsigned i = 0; i < listing->n_columns; i++) {
		if (!says_more(listing, cell, i))
			continue;
		fprintf(out, "  %-*s", LABEL - 2, listing->heading[i]);
		wrapped_print(cell[i], LABEL, LABEL, out);
	}
}

void listing_print_rest(const struct listing *listing, const char *name, FILE *out)
{
	bool is_one = listing->n_cells == listing->n_columns;

	if (!name || listing->n_in_table == listing->n_columns)
		return;
	for (size_t i = 0; i < listing->n_cells; i += listing->n_columns)
		if (is_one || strcasecmp(listing->cell[i], name) == 0)
			print_rest_of(listing, (const char *const *)&listing->cell[i], out);
}

void listing_print_json(const struct listing *listing, FILE *out)
{
	struct text text = { 0 };

	text_printf(&text, "[");
	for (size_t i = 0; i < listing->n_cells; i++) {
		unsigned column = (unsigned)(i % listing->n_columns);

		text_printf(&text, "%s", column ? ", " : i ? "},\n {" : "\n {");
		text_json(&text, listing->heading[column]);
		text_printf(&text, ": ");
		text_json(&text, listing->cell[i]);
	}
	text_printf(&text, "%s]\n", listing->n_cells ? "}\n" : "");
	if (!text.failed)
		fwrite(text.bytes, 1, text.n, out);
	text_fini(&text);
}

void listing_fini(struct listing *listing)
{
	for (size_t i = 0; i < listing->n_cells; i++)
		free(listing->cell[i]);
	free(listing->cell);
	*listing = (struct listing){ 0 };
}
