/* file.h: a whole file in memory */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>
#include <sys/types.h>

/**
 * Open a file for reading and wait for nobody: a FIFO may have no writer.
 *
 * @return a descriptor of a regular file, a character device, or a pipe without a name as `<(…)` is;
 *         -EINVAL for anything else but a folder: -EISDIR; -errno of open
 */
int file_open(const char *path);

/**
 * Read a file, or what is left of an open one.
 *
 * @max    bytes at most
 * @ret    a NUL behind it; to be freed by the caller
 * @return 0; -EFBIG beyond max; -ENOMEM; as file_open; -errno of read
 */
int file_read(const char *path, size_t max, char **ret, size_t *ret_n);
int file_read_fd(int fd, size_t max, char **ret, size_t *ret_n);

/** Make the folders above a path that are not there yet. @return 0 or -errno */
int file_make_folders(const char *path, mode_t mode);

/** The program that runs: the path of its file, else "m1top". @return buf */
const char *file_self(char *buf, size_t size);

/** The words for what these functions returned, to stand behind a path. @rc negative */
const char *file_error(int rc);

#endif
