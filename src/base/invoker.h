/* invoker.h: act on the file system as the user who called sudo, not as root */
#ifndef BASE_INVOKER_H
#define BASE_INVOKER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { INVOKER_GROUPS_MAX = 256 };

/** What the calling thread was before invoker_become. */
struct invoker_was {
	bool changed;
	bool uses_files; /* of rights.h */
	uid_t uid;
	gid_t gid;
	gid_t group[INVOKER_GROUPS_MAX];
	size_t n_groups;
};

/**
 * Let the calling thread open files with the invoker's rights: file-system uid and gid of SUDO_UID
 * and SUDO_GID (else the real ones), and the invoker's own groups; where the invoker is root, with
 * root's, if they were kept (RIGHT_FILES). Does nothing unless the effective user is root.
 *
 * @ret_was  for invoker_return; must be used whatever this returned
 * @return   0 or -errno
 */
int invoker_become(struct invoker_was *ret_was);

/** Back to what it was. Must follow every invoker_become. */
void invoker_return(const struct invoker_was *was);

/** The user who called sudo (SUDO_UID), else the real one. */
uid_t invoker_uid(void);

/**
 * Become the invoker with all ids, for ever, with HOME, USER and LOGNAME. Capabilities are the
 * caller's affair. Of no effect unless the effective user is root and the invoker is somebody else.
 *
 * @return 0 or -errno
 */
int invoker_become_for_good(void);

/** What a new file gets, before umask: 0600 where root runs this, or ran it through sudo, else 0666. */
mode_t invoker_file_mode(void);

/** Let it be 0666 for root, too. */
void invoker_share_files(void);

/** The home of the invoker: of the user who called sudo, else $HOME. @return 0; -ENOENT: none is
 * known; -ENAMETOOLONG */
int invoker_home(char *buf, size_t size);

/**
 * A whole text file, read with the invoker's rights.
 *
 * @ret    allocated, ends with a NUL that does not count
 * @return 0; -errno; -EFBIG beyond `max` bytes; else as file_open
 */
int invoker_read(const char *path, size_t max, char **ret, size_t *ret_n);

/**
 * Put a text in place of a file, whole or not at all, with the invoker's rights. Folders that are
 * missing are made.
 *
 * @return 0; -ELOOP where the file is a symbolic link; -errno
 */
int invoker_replace(const char *path, const char *bytes, size_t n);

#endif
