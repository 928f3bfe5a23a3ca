/* lines.h: lines of source by address, from DWARF, and instructions */
#ifndef SYMBOLS_TABLE_LINES_H
#define SYMBOLS_TABLE_LINES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "symbols/symbols.h"
#include "symbols/table/table.h"

/** Request for lines. */
struct lines_of {
	uint64_t start, end;             /* addresses */
	const struct build_id *build_id; /* that the file must have; NULL, n is 0: any */
	const struct image *image;       /* one of them may be the shared file */
	unsigned n_images;
	bool is_last; /* without the shared file lines have no inlined calls */
};

/** Before the name of a shared file that is missing, in a line of its own; with is_last lines follow. */
enum { LINES_SHARED = 1 };

/* Pieces of a function; calls within calls. */
enum { LINES_MAX = 65536, INLINED_MAX = 64 };

/**
 * Write lines and the calls that were inlined there, as text. In a worker, which ends afterwards.
 *
 * @return  0; -ENODATA: the file has none; -ENOENT: it has another build id; -EFBIG: memory ran out; -ENOEXEC;
 *          -ENOTSUP: built without
 */
int lines_write(const void *image, size_t size, const struct lines_of *of, FILE *out);

/** Load libcapstone, while a worker may open files. Without it instructions_write returns -ENOTSUP. */
void instructions_load(void);

/** Write instructions in the same form, without numbers. @of  start and end alone  @return 0; -ENODATA; -ENOEXEC; -ENOTSUP */
int instructions_write(const void *image, size_t size, const struct lines_of *of, FILE *out);

/** Parse what a worker wrote. @text  ends with a NUL; kept by the lines unless it fails  @return 0; -ENODATA; -ENOMEM */
int lines_parse(char *text, struct code_lines **ret);

/** Release. @lines  NULL accepted */
void lines_free(struct code_lines *lines);

#endif
