/* lines.h: lines of source by address, from DWARF */
#ifndef SYMBOLS_TABLE_LINES_H
#define SYMBOLS_TABLE_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "symbols/symbols.h"

/**
 * Read the lines of [start, end) and the calls that were inlined there.
 *
 * @build_id  that the file must have; n_build_id 0: any
 * @ret       released by lines_free
 * @return    0; -ENODATA: the file has none; -EFBIG; -ENOTSUP: built without
 */
int lines_read(int fd, const unsigned char *build_id, size_t n_build_id, uint64_t start,
	       uint64_t end, struct code_lines **ret);

/** Release. @lines  NULL accepted */
void lines_free(struct code_lines *lines);

#endif
