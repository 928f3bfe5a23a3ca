/* caller.h: act on the file system as the user who called sudo, not as root */
#ifndef SESSION_CALLER_H
#define SESSION_CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CALLER_GROUPS_MAX = 256 };

/** What the calling thread was before caller_become. */
struct caller_was {
	bool changed;
	uid_t uid;
	gid_t gid;
	gid_t group[CALLER_GROUPS_MAX];
	size_t n_groups;
};

/**
 * Let the calling thread open files with the caller's rights: file-system uid and gid of SUDO_UID
 * and SUDO_GID (else the real ones), and the caller's own groups. Does nothing unless the
 * effective user is root and the caller is somebody else.
 *
 * @ret_was  for caller_return; must be used whatever this returned
 * @return   0 or -errno
 */
int caller_become(struct caller_was *ret_was);

/** Back to what it was. Must follow every caller_become. */
void caller_return(const struct caller_was *was);

/** The home of the caller: of the user who called sudo, else $HOME. @return 0; -ENOENT: none is
 * known; -ENAMETOOLONG */
int caller_home(char *buf, size_t size);

/**
 * A whole text file, read with the caller's rights.
 *
 * @ret    allocated, ends with a NUL that does not count
 * @return 0; -errno; -EFBIG beyond `max` bytes; -EINVAL where it is no file
 */
int caller_read(const char *path, size_t max, char **ret, size_t *ret_n);

/**
 * Put a text in place of a file, whole or not at all, with the caller's rights. Folders that are
 * missing are made.
 *
 * @return 0; -ELOOP where the file is a symbolic link; -errno
 */
int caller_replace(const char *path, const char *bytes, size_t n);

#endif
