/* file_lock.h: one writer a file: a lock that goes with the descriptor it was taken by */
#ifndef BASE_FILE_LOCK_H
#define BASE_FILE_LOCK_H

#include <stddef.h>

/**
 * Lock a file until the descriptor is closed. Advisory: it keeps out those who lock, too.
 *
 * @fd      open for writing
 * @return  0, also where the file system knows no locks; -EBUSY: another descriptor has it
 */
int file_lock(int fd);

/** Let others see which process has the lock, until this one closes any descriptor of the file. */
void file_lock_sign(int fd);

/**
 * Who has locked a file by another descriptor.
 *
 * @return  buf: "m1top (pid 123)"; "another process" that did not sign; "": nobody
 */
const char *file_lock_holder(int fd, char *buf, size_t size);

#endif
