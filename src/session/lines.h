/* lines.h: the lines of a text file, plain or compressed with zstd */
#ifndef SESSION_LINES_H
#define SESSION_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct lines;

/** @path  "-": standard input  @return 0 or -errno naming the file */
int lines_open(const char *path, struct lines **ret, struct err *err);

/** NULL is accepted. */
void lines_close(struct lines *lines);

/**
 * The next line, NUL-terminated without its newline and the caller's to write into until the next
 * call. Bytes behind the last newline, and behind the last whole block of a compressed file, are
 * what a crash left: they are no line, see lines_are_cut.
 *
 * @ret    NULL at the end
 * @return 0; -errno; -EINVAL for a file that is not compressed as it says, or a line without end
 */
int lines_next(struct lines *lines, char **ret, size_t *ret_n, struct err *err);

/** Number of the line that lines_next gave last, from 1. */
uint64_t lines_number(const struct lines *lines);

/** Did the file end in the middle of a line or of a compressed block? */
bool lines_are_cut(const struct lines *lines);

/** The path as it was given. */
const char *lines_path(const struct lines *lines);

#endif
