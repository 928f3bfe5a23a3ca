/* Any bytes as an ELF file and its debug file; other text as listings of functions, names, and answers of workers. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "symbols/reader/reader.h"
#include "symbols/table/lines.h"
#include "symbols/table/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Look up both ends of each symbol, between which no other one may lie. */
static void look_up(const struct code_table *table)
{
	uint64_t address;

	for (size_t i = 0; i < table->n; i++) {
		const struct symbol *symbol = &table->symbol[i];

		if (table_find(table, symbol->start) != symbol ||
		    table_find(table, symbol->start + symbol->size - 1) != symbol)
			abort();
		if (symbol->name >= table->n_names && symbol->name)
			abort();
	}
	table_address(table, 4096, &address);
	table_find(table, table_offset(table, 4096));
}

static void read_elf(const uint8_t *data, size_t size)
{
	struct code_table *table = calloc(1, sizeof(*table));

	if (table && !table_read_elf(table, data, size))
		table_read_debug(table, data, size);
	if (table) {
		table_close(table, false);
		look_up(table);
	}
	table_free(table);
}

static void read_jitdump(const uint8_t *data, size_t size)
{
	struct code_table *table = calloc(1, sizeof(*table));

	if (table) {
		table_read_jitdump(table, data, size);
		table_close(table, true);
		look_up(table);
	}
	table_free(table);
}

static void read_listing(const uint8_t *data, size_t size, bool is_kernel)
{
	struct code_table *table = calloc(1, sizeof(*table));
	AUTO_FREE char *text = strndup((const char *)data, size);

	if (table && text && is_kernel)
		table_read_kallsyms(table, text);
	if (table && text && !is_kernel)
		table_read_perf_map(table, text);
	if (table) {
		table_close(table, !is_kernel);
		look_up(table);
	}
	table_free(table);
}

/* Any bytes as what a worker answers. */
static void take_answer(const uint8_t *data, size_t size)
{
	struct wire_answer answer;
	struct code_table *table = NULL;
	struct code_lines *lines = NULL;
	AUTO_FREE char *payload = NULL;

	if (size < sizeof(answer))
		return;
	memcpy(&answer, data, sizeof(answer));
	size -= sizeof(answer);
	answer.n_segments &= 7;
	answer.n_symbols %= size / sizeof(struct symbol) + 2;
	if (size >=
	    answer.n_segments * sizeof(struct segment) + answer.n_symbols * sizeof(struct symbol))
		answer.n_text = (uint32_t)(size - answer.n_segments * sizeof(struct segment) -
					   answer.n_symbols * sizeof(struct symbol));
	payload = malloc(size + 1);
	if (!payload)
		return;
	memcpy(payload, data + sizeof(answer), size);
	payload[size] = '\0';
	if (!answer_table(&answer, payload, size, &table)) {
		look_up(table);
		table_free(table);
		payload = NULL;
		return;
	}
	if (!lines_parse(payload, &lines))
		payload = NULL;
	lines_free(lines);
}

static void demangle(const uint8_t *data, size_t size)
{
	char *names = strndup((const char *)data, size), *rest = names, *name, buf[1024];

	while ((name = strsep(&rest, "\n")))
		if (strlen(symbol_demangle(name, buf, sizeof(buf))) >= sizeof(buf) &&
		    strlen(name) < sizeof(buf))
			abort();
	free(names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 4 && memcmp(data, "\177ELF", 4) == 0) {
		read_elf(data, size);
		return 0;
	}
	read_jitdump(data, size);
	read_listing(data, size, false);
	read_listing(data, size, true);
	demangle(data, size);
	take_answer(data, size);
	return 0;
}
