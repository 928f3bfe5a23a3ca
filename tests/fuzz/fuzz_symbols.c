/* Any bytes as an ELF file and its debug file; other text as listings of functions, and names. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "symbols/table/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Look up both ends of each symbol, between which no other one may lie. */
static void look_up(struct code_table *table, bool latest_wins)
{
	uint64_t address;

	table_close(table, latest_wins);
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

typedef int read_table(struct code_table *table, int fd);

static void read_as(read_table *read, int fd, bool latest_wins)
{
	struct code_table *table = calloc(1, sizeof(*table));

	lseek(fd, 0, SEEK_SET);
	if (table && !read(table, fd) && read == table_read_elf)
		table_read_debug(table, fd);
	if (table)
		look_up(table, latest_wins);
	table_free(table);
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
	AUTO_FD int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return 0;
	if (size > 4 && memcmp(data, "\177ELF", 4) == 0) {
		read_as(table_read_elf, fd, false);
		return 0;
	}
	read_as(table_read_perf_map, fd, true);
	read_as(table_read_kallsyms, fd, false);
	demangle(data, size);
	return 0;
}
