/* rotated_files.h: the files that a session left behind when it went on in a new one */
#ifndef SESSION_READ_ROTATED_FILES_H
#define SESSION_READ_ROTATED_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/**
 * Is there room for older files of this name? With the invoker's rights.
 *
 * @keep   so many older files there will be
 * @n_own  so many there are already, which may be moved, and the last written over
 * @return 0; -EEXIST naming a file that is not one of them, -EBUSY one that somebody writes, -EINVAL
 *         what is not even a file
 */
int rotated_files_check(const char *path, unsigned keep, unsigned n_own, struct err *err);

/**
 * Make room for a new file of this name, with the invoker's rights: it becomes the first older file,
 * that the second, and so on.
 *
 * @keep   so many older files stay; 0: the file itself goes
 * @return 0; as rotated_files_check, then nothing was moved; -errno naming the file
 */
int rotated_files_shift(const char *path, unsigned keep, unsigned n_own, struct err *err);

/**
 * A session's files, the oldest first, `path` last: those whose head says the same host and the
 * same beginning. One that cannot be read is an error: without it, those before it would be missing.
 * One that is empty is left out, also the newest.
 *
 * @path         "-" is refused
 * @ret, @ret_n  at least one; to be freed with rotated_files_free
 * @ret_said     what was left out; untouched when nothing was; may be NULL
 * @return       0, or -errno naming the file
 */
int rotated_files_find(const char *path, char ***ret, size_t *ret_n, struct err *ret_said,
		       struct err *err);

/** Is the newest of a session's older files beside it? */
bool rotated_files_are_there(const char *path);

/** NULL is accepted. */
void rotated_files_free(char **path, size_t n);

#endif
