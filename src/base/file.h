/* file.h: a whole file in memory */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>

/**
 * Read a file, or what is left of an open one.
 *
 * @max    bytes at most
 * @ret    a NUL behind it; to be freed by the caller
 * @return 0; -EFBIG beyond max; -ENOMEM; -errno of open and read
 */
int file_read(const char *path, size_t max, char **ret, size_t *ret_n);
int file_read_fd(int fd, size_t max, char **ret, size_t *ret_n);

#endif
