/* file.h: reading whole files into memory; one writer per file */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>
#include <sys/types.h>

/**
 * Open a file for reading without blocking: a FIFO may have no writer.
 *
 * @return a descriptor of a regular file, a character device, or an unnamed pipe as of `<(…)`;
 *         -EISDIR: a folder; -EINVAL: anything else; -errno of open
 */
int file_open(const char *path);

/**
 * Open a file below a folder, as file_open does, without following a symbolic link: for files whose
 * author is not trusted.
 *
 * @flags  0: those of file_open; O_PATH | O_CLOEXEC finds it without acting on it
 * @return as file_open; -ELOOP: a link in the path; -EXDEV: the path leads out of the folder
 */
int file_open_beneath(const char *folder, const char *path, int flags);

/**
 * Read a file, or the rest of an open one.
 *
 * @max    maximum number of bytes
 * @ret    NUL-terminated; to be freed by the caller
 * @return 0; -EFBIG beyond max; -ENOMEM; as file_open; -errno of read
 */
int file_read(const char *path, size_t max, char **ret, size_t *ret_n);
int file_read_fd(int fd, size_t max, char **ret, size_t *ret_n);

/** Write all bytes. @return 0 or -errno */
int file_write(int fd, const void *bytes, size_t n);

/** Make the missing folders above a path. @return 0 or -errno */
int file_make_folders(const char *path, mode_t mode);

/** Return the path of the running program, else "m1top", quoted for a shell if it needs to be. @return buf */
const char *file_self(char *buf, size_t size);

/** Return the text of an error of these functions, to follow a path. @rc negative */
const char *file_error(int rc);

/* ---- locks: each is owned by the descriptor that took it ---- */

/**
 * Lock a file until the descriptor is closed. Advisory: it only excludes others that lock.
 *
 * @fd      open for writing
 * @return  0, also if the file system has no locks; -EBUSY: another descriptor has it
 */
int file_lock(int fd);

/** Show others which process has the lock, until it closes any descriptor of the file. */
void file_lock_sign(int fd);

/**
 * Find the process that has locked a file by another descriptor.
 *
 * @return  buf: "m1top (pid 123)"; "another process" that did not sign; "": none
 */
const char *file_lock_holder(int fd, char *buf, size_t size);

#endif
