/* lines.h: the lines of a text file, plain or compressed with zstd */
#ifndef SESSION_READ_LINES_H
#define SESSION_READ_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct lines;

/** @path  "-": standard input  @return 0 or -errno naming the file */
int lines_open(const char *path, struct lines **ret, struct err *err);

/**
 * Several files one behind the other; line numbers start again with each.
 *
 * @path   in their order; copied
 * @n      1 or more
 * @return as lines_open
 */
int lines_open_all(char *const *path, size_t n, struct lines **ret, struct err *err);

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

/** The file that the line is of, as its path was given. */
const char *lines_path(const struct lines *lines);

/** Before which line: a place to come back to. */
struct lines_place {
	size_t file;
	uint64_t at; /* byte of its text */
	uint64_t number;
	uint64_t packed_at, text_at; /* a compressed block that begins there or before */
};

/** How much text was given out of all files, in bytes, as long as they are read in order. */
uint64_t lines_given(const struct lines *lines);

/** @line  NULL: the next one; else the one that was given last, whose place it is */
struct lines_place lines_place(const struct lines *lines, const char *line);

/** Go on at a place where these lines were before. Not for standard input.
 * @return 0 or as lines_next; then only lines_close may follow */
int lines_go(struct lines *lines, const struct lines_place *place, struct err *err);

#endif
