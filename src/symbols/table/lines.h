/* lines.h: lines of source by address, from DWARF */
#ifndef SYMBOLS_TABLE_LINES_H
#define SYMBOLS_TABLE_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "symbols/symbols.h"

/** What is asked for. */
struct lines_of {
	uint64_t start, end;           /* addresses */
	const unsigned char *build_id; /* that the file must have */
	size_t n_build_id;             /* 0: any */
};

/**
 * Read lines and the calls that were inlined there.
 *
 * @ret     released by lines_free
 * @return  0; -ENODATA: the file has none; -ENOTSUP: built without; -errno
 */
int lines_read(int fd, const struct lines_of *of, struct code_lines **ret);

/** Release. @lines  NULL accepted */
void lines_free(struct code_lines *lines);

#endif
