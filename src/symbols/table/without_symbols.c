/* without_symbols.c: neither libelf nor libiberty: code has addresses */
#include <errno.h>

#include "base/cleanup.h"
#include "symbols/table/lines.h"
#include "symbols/table/table.h"

int table_read_elf(struct code_table *table UNUSED, const void *image UNUSED, size_t size UNUSED)
{
	return -ENOTSUP;
}

int table_read_debug(struct code_table *table UNUSED, const void *image UNUSED, size_t size UNUSED)
{
	return -ENOTSUP;
}

const char *symbol_demangle(const char *name, char *buf UNUSED, size_t size UNUSED)
{
	return name;
}

int lines_write(const void *image UNUSED, size_t size UNUSED, const struct lines_of *of UNUSED,
		FILE *out UNUSED)
{
	return -ENOTSUP;
}

void instructions_load(void)
{
}

int instructions_write(const void *image UNUSED, size_t size UNUSED,
		       const struct lines_of *of UNUSED, FILE *out UNUSED)
{
	return -ENOTSUP;
}
