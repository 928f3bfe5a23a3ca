/* lines.h: lines of text files, plain or compressed with zstd */
#ifndef SESSION_READ_LINES_H
#define SESSION_READ_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct lines;

/** Open a file. @path  "-": standard input  @return 0 or -errno naming the file */
int lines_open(const char *path, struct lines **ret, struct err *err);

/**
 * Open several files, read one after the other; line numbers restart in each.
 *
 * @path   in order; copied
 * @n      1 or more
 * @return as lines_open
 */
int lines_open_all(char *const *path, size_t n, struct lines **ret, struct err *err);

/** Close the files. NULL is accepted. */
void lines_close(struct lines *lines);

/**
 * Read the next line, NUL-terminated without its newline; the caller may modify it until the next call. Bytes after the
 * last newline, or after the last complete block of a compressed file, remain from a crash and are not returned, see
 * lines_are_cut.
 *
 * @ret    NULL at the end
 * @return 0; -errno; -EINVAL for invalid compressed data, or a line that is too long
 */
int lines_next(struct lines *lines, char **ret, size_t *ret_n, struct err *err);

/** Get the number of the last line returned, from 1. */
uint64_t lines_number(const struct lines *lines);

/** Whether the file ended within a line or a compressed block. */
bool lines_are_cut(const struct lines *lines);

/** Get the path of the last line's file, as given. */
const char *lines_path(const struct lines *lines);

/** A position before a line, to return to. */
struct lines_position {
	size_t file;
	uint64_t at; /* byte in its text */
	uint64_t number;
	uint64_t packed_at, text_at; /* start of a compressed block at or before the position */
};

/** Get the bytes of text returned from all files, valid while they are read in order. */
uint64_t lines_given(const struct lines *lines);

/** Get a position. @line  NULL: before the next line; else the last line returned: before that */
struct lines_position lines_position(const struct lines *lines, const char *line);

/**
 * Continue at an earlier position. Not for standard input.
 * @return 0 or as lines_next; then only lines_close may follow
 */
int lines_seek(struct lines *lines, const struct lines_position *place, struct err *err);

#endif
