#include "symbols/table/table.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Template names can have thousands of characters; longer ones are cut to what is shown. */
enum { NAME_MAX_BYTES = 4096, NAME_SHOWN = 1024 };

static bool put_name(struct code_table *table, const char *name, uint32_t *ret)
{
	size_t n = strnlen(name, NAME_MAX_BYTES + 1), first = table->n_names ? table->n_names : 1;

	if (n > NAME_MAX_BYTES)
		n = NAME_SHOWN;
	if (first + n + 1 > UINT32_MAX ||
	    array_reserve((void **)&table->names, &table->cap_names, first + n + 1, 1)) {
		table->is_short = true;
		return false;
	}
	memcpy(table->names + first, name, n);
	table->names[first + n] = '\0';
	table->n_names = first + n + 1;
	*ret = (uint32_t)first;
	return true;
}

void table_add(struct code_table *table, uint64_t start, uint64_t size, bool is_open,
	       const char *name)
{
	uint64_t most = start > UINT64_MAX - SYMBOL_OPEN ? UINT64_MAX - start : SYMBOL_OPEN - 1;
	struct symbol symbol = { .start = start, .size = (uint32_t)(size < most ? size : most) };

	if (!symbol.size || (name && !put_name(table, name, &symbol.name)))
		return;
	if (is_open)
		symbol.size |= SYMBOL_OPEN;
	if (array_append((void **)&table->symbol, &table->cap, &table->n, &symbol, sizeof(symbol)))
		table->is_short = true;
}

/* Order by address; names grow in the order in which symbols were added, and 0 is the last. */
static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	uint32_t m = x->name - 1, n = y->name - 1;

	return x->start != y->start ? (x->start < y->start ? -1 : 1)
	       : m != n             ? (m < n ? -1 : 1)
				    : 0;
}

/* Whether the next one of two overlapping symbols takes the place of the one before it from its start on. */
static bool takes_over(const struct symbol *next, const struct symbol *last, bool latest_wins)
{
	if (latest_wins)
		return next->name > last->name;
	if (last->size & SYMBOL_OPEN)
		return next->start > last->start || !(next->size & SYMBOL_OPEN);
	return next->start > last->start && next->name && !(next->size & SYMBOL_OPEN);
}

/* Give back what doubling has reserved: a browser's names have 100 MB. */
static void shrink(struct code_table *table)
{
	void *symbol = realloc(table->symbol, (table->n + 1) * sizeof(*table->symbol));
	void *names = realloc(table->names, table->n_names + 1);

	if (symbol) {
		table->symbol = symbol;
		table->cap = table->n + 1;
	}
	if (names) {
		table->names = names;
		table->cap_names = table->n_names + 1;
	}
}

void table_close(struct code_table *table, bool latest_wins)
{
	size_t n = 0;

	if (table->n)
		qsort(table->symbol, table->n, sizeof(*table->symbol), compare_symbols);
	for (size_t i = 0; i < table->n; i++) {
		const struct symbol next = table->symbol[i];
		struct symbol *last = n ? &table->symbol[n - 1] : NULL;
		uint64_t distance = last ? next.start - last->start : 0;

		if (last && distance < (last->size & ~SYMBOL_OPEN)) {
			if (!takes_over(&next, last, latest_wins))
				continue;
			last->size = (uint32_t)distance;
			n -= distance == 0;
		}
		table->symbol[n++] = next;
	}
	for (size_t i = 0; i < n; i++)
		table->symbol[i].size &= ~SYMBOL_OPEN;
	table->n = n;
	shrink(table);
}

const struct symbol *table_find(const struct code_table *table, uint64_t address)
{
	size_t i = array_above(table->symbol, table->n, sizeof(*table->symbol),
			       offsetof(struct symbol, start), address);
	const struct symbol *symbol = i ? &table->symbol[i - 1] : NULL;

	return symbol && address - symbol->start < symbol->size ? symbol : NULL;
}

bool table_address(const struct code_table *table, uint64_t offset, uint64_t *ret)
{
	if (!table->n_segments)
		*ret = offset;
	for (size_t i = 0; i < table->n_segments; i++)
		if (offset - table->segment[i].offset < table->segment[i].size) {
			*ret = offset - table->segment[i].offset + table->segment[i].address;
			return true;
		}
	return !table->n_segments;
}

uint64_t table_offset(const struct code_table *table, uint64_t address)
{
	for (size_t i = 0; i < table->n_segments; i++)
		if (address - table->segment[i].address < table->segment[i].size)
			return address - table->segment[i].address + table->segment[i].offset;
	return address;
}

void table_demangle(struct code_table *table)
{
	struct code_table shown = { 0 };
	char buf[NAME_SHOWN];

	for (size_t i = 0; i < table->n; i++) {
		struct symbol *symbol = &table->symbol[i];

		if (symbol->name &&
		    !put_name(&shown,
			      symbol_demangle(table->names + symbol->name, buf, sizeof(buf)),
			      &symbol->name))
			symbol->name = 0;
	}
	free(table->names);
	table->names = shown.names;
	table->n_names = shown.n_names;
	table->cap_names = shown.cap_names;
	table->is_short |= shown.is_short;
}

size_t table_bytes(const struct code_table *table)
{
	return sizeof(*table) + table->cap * sizeof(*table->symbol) + table->cap_names +
	       table->cap_segments * sizeof(*table->segment);
}

void table_free(struct code_table *table)
{
	if (!table)
		return;
	free(table->block);
	if (!table->block) {
		free(table->symbol);
		free(table->names);
		free(table->segment);
	}
	free(table);
}
