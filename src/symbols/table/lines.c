#include <errno.h>

#include "symbols/symbols.h"

int symbols_lines(struct symbols *symbols, const struct function *function,
		  const struct code_lines **ret)
{
	(void)symbols, (void)function, (void)ret;
	return -ENOTSUP;
}

const struct code_line *code_lines_at(const struct code_lines *lines, uint64_t address)
{
	for (size_t i = 0; i < lines->n; i++)
		if (address - lines->line[i].start < lines->line[i].end - lines->line[i].start)
			return &lines->line[i];
	return NULL;
}
