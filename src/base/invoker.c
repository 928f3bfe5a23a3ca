#include "base/invoker.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"
#include "base/rights.h"

/* The process has been root; its new files get mode 0666 all the same. */
static bool has_been_root, shares_files;

/* Read an id from the environment; 0xffffffff means "unchanged" to the kernel and is invalid. */
static unsigned env_id(const char *name, unsigned otherwise)
{
	const char *text = getenv(name);
	uint64_t id;

	if (!text || num_parse_u64(text, &id) || id >= UINT32_MAX)
		return otherwise;
	return (unsigned)id;
}

/* Set the groups of this thread alone; glibc's setgroups changes every thread of the process. */
static int thread_setgroups(const gid_t *group, size_t n)
{
	return syscall(SYS_setgroups, n, group) ? -errno : 0;
}

static int invoker_groups(uid_t uid, gid_t gid, gid_t *ret, size_t *ret_n)
{
	const struct passwd *user = getpwuid(uid);
	int n = INVOKER_GROUPS_MAX;

	ret[0] = gid;
	*ret_n = 1;
	if (!user)
		return 0;
	if (getgrouplist(user->pw_name, gid, ret, &n) < 0)
		return -E2BIG;
	*ret_n = (size_t)n;
	return 0;
}

/* Set the file-system ids. setfsuid reports no error: it returns the previous id, and an invalid id only
 * reads it. */
static int set_ids(uid_t uid, gid_t gid)
{
	setfsgid(gid);
	setfsuid(uid);
	return (uid_t)setfsuid((uid_t)-1) == uid && (gid_t)setfsgid((gid_t)-1) == gid ? 0 : -EPERM;
}

/* Whether root started the process: only then its environment can be trusted. */
static bool is_root(void)
{
	return getuid() == 0 && geteuid() == 0;
}

uid_t invoker_uid(void)
{
	return is_root() ? env_id("SUDO_UID", 0) : getuid();
}

static gid_t invoker_gid(void)
{
	return is_root() ? env_id("SUDO_GID", getgid()) : getgid();
}

int invoker_become(struct invoker_was *ret_was)
{
	uid_t uid = invoker_uid();
	gid_t gid = invoker_gid();
	gid_t group[INVOKER_GROUPS_MAX];
	size_t n_groups = 0;

	ret_was->changed = false;
	ret_was->uses_files = geteuid() == 0 && uid == 0 && rights_raise(RIGHT_FILES, true);
	if (geteuid() != 0 || uid == 0)
		return 0;

	int n = getgroups(INVOKER_GROUPS_MAX, ret_was->group);
	int rc = n < 0 ? -errno : invoker_groups(uid, gid, group, &n_groups);

	if (rc)
		return rc;
	ret_was->n_groups = (size_t)n;
	ret_was->uid = (uid_t)setfsuid((uid_t)-1);
	ret_was->gid = (gid_t)setfsgid((gid_t)-1);
	ret_was->changed = true;
	rc = thread_setgroups(group, n_groups);
	return rc ? rc : set_ids(uid, gid);
}

void invoker_return(const struct invoker_was *was)
{
	if (was->uses_files)
		rights_raise(RIGHT_FILES, false);
	if (!was->changed)
		return;
	set_ids(was->uid, was->gid);
	thread_setgroups(was->group, was->n_groups);
}

/* Set HOME, USER and LOGNAME: sudo leaves those of root. */
static int set_environment(uid_t uid)
{
	const struct passwd *user = getpwuid(uid);

	if (!user)
		return 0;
	return setenv("HOME", user->pw_dir, 1) || setenv("USER", user->pw_name, 1) ||
			       setenv("LOGNAME", user->pw_name, 1)
		       ? -errno
		       : 0;
}

int invoker_become_for_good(void)
{
	uid_t uid = invoker_uid();
	gid_t gid = invoker_gid(), group[INVOKER_GROUPS_MAX];
	size_t n_groups;

	has_been_root |= geteuid() == 0;
	if (geteuid() != 0 || uid == 0)
		return 0;

	int rc = invoker_groups(uid, gid, group, &n_groups);

	if (rc)
		return rc;
	if (setgroups(n_groups, group) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return -errno;
	return set_environment(uid);
}

mode_t invoker_file_mode(void)
{
	return !shares_files && (has_been_root || geteuid() == 0) ? 0600 : 0666;
}

void invoker_share_files(void)
{
	shares_files = true;
}

int invoker_home(char *buf, size_t size)
{
	uid_t uid = invoker_uid();
	bool is_sudo = geteuid() == 0 && uid != 0;
	const char *home = is_sudo ? NULL : getenv("HOME");
	const struct passwd *user = home && *home ? NULL : getpwuid(uid);

	if (user)
		home = user->pw_dir;
	if (!home || home[0] != '/')
		return -ENOENT;
	return (size_t)snprintf(buf, size, "%s", home) < size ? 0 : -ENAMETOOLONG;
}

/* ---- small files of the invoker, read and replaced as a whole ---- */

int invoker_read(const char *path, size_t max, char **ret, size_t *ret_n)
{
	struct invoker_was was;
	int rc = invoker_become(&was);
	AUTO_FD int fd = rc ? rc : file_open(path);

	invoker_return(&was);
	return fd < 0 ? fd : file_read_fd(fd, max, ret, ret_n);
}

/* Create a file in the same folder under an unused name. @return fd or -errno */
static int make_temporary(const char *path, char *ret, size_t size)
{
	if ((size_t)snprintf(ret, size, "%s.XXXXXX", path) >= size)
		return -ENAMETOOLONG;

	int fd = mkostemp(ret, O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Return the mode of the file, or that of any new file. */
static mode_t mode_of(const struct stat *now)
{
	if (now)
		return now->st_mode & 0777;

	mode_t mask = umask(0);

	umask(mask);
	return invoker_file_mode() & ~mask;
}

static int replace(const char *path, const char *bytes, size_t n)
{
	char temporary[PATH_MAX];
	struct stat now;
	bool is_there = !lstat(path, &now);
	int rc = 0;

	if (is_there && S_ISLNK(now.st_mode))
		return -ELOOP;
	if (is_there && !S_ISREG(now.st_mode))
		return -EINVAL;
	if (!is_there)
		rc = file_make_folders(path, 0700);
	if (rc)
		return rc;

	AUTO_FD int fd = make_temporary(path, temporary, sizeof(temporary));

	if (fd < 0)
		return fd;
	rc = file_write(fd, bytes, n);
	if (!rc &&
	    (fsync(fd) || fchmod(fd, mode_of(is_there ? &now : NULL)) || rename(temporary, path)))
		rc = -errno;
	if (rc)
		unlink(temporary);
	return rc;
}

int invoker_replace(const char *path, const char *bytes, size_t n)
{
	struct invoker_was was;
	int rc = invoker_become(&was);

	if (!rc)
		rc = replace(path, bytes, n);
	invoker_return(&was);
	return rc;
}
