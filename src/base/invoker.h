/* invoker.h: act on the file system as the user who called sudo, not as root */
#ifndef BASE_INVOKER_H
#define BASE_INVOKER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { INVOKER_GROUPS_MAX = 256 };

/** Identity of the calling thread before invoker_become. */
struct invoker_was {
	bool changed;
	bool uses_files; /* RIGHT_FILES was turned on */
	uid_t uid;
	gid_t gid;
	gid_t group[INVOKER_GROUPS_MAX];
	size_t n_groups;
};

/**
 * Let the calling thread open files with the invoker's rights: file-system uid and gid of SUDO_UID
 * and SUDO_GID (else the real ones), and the invoker's own groups; if the invoker is root, with
 * root's, if they were kept (RIGHT_FILES). Does nothing unless the effective user is root.
 *
 * @ret_was  for invoker_return; must be used whatever this returned
 * @return   0 or -errno
 */
int invoker_become(struct invoker_was *ret_was);

/** Restore the identity. Must follow every invoker_become. */
void invoker_return(const struct invoker_was *was);

/** Return the user who called sudo (SUDO_UID), else the real one. */
uid_t invoker_uid(void);

/**
 * Become the invoker permanently: all ids, HOME, USER and LOGNAME. Capabilities are left to the caller.
 * Does nothing unless the effective user is root and the invoker is another user.
 *
 * @return 0 or -errno
 */
int invoker_become_for_good(void);

/** Return the mode of a new file before umask: 0600 if root runs this, or ran it through sudo, else 0666. */
mode_t invoker_file_mode(void);

/** Use 0666 for root as well. */
void invoker_share_files(void);

/** Get the home folder of the invoker: of the user who called sudo, else $HOME. @return 0; -ENOENT:
 * unknown; -ENAMETOOLONG */
int invoker_home(char *buf, size_t size);

/**
 * Read a whole text file with the invoker's rights.
 *
 * @ret    allocated, ends with a NUL that does not count
 * @return 0; -errno; -EFBIG beyond `max` bytes; else as file_open
 */
int invoker_read(const char *path, size_t max, char **ret, size_t *ret_n);

/**
 * Replace the contents of a file, completely or not at all, with the invoker's rights. Missing folders
 * are made.
 *
 * @return 0; -ELOOP if the file is a symbolic link; -errno
 */
int invoker_replace(const char *path, const char *bytes, size_t n);

#endif
