#include "base/invoker.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/num.h"
#include "base/rights.h"

/* It was root's once; files are for everybody by request. */
static bool has_been_root, shares_files;

/* An id from the environment; 0xffffffff means "leave alone" to the kernel and is none. */
static unsigned env_id(const char *name, unsigned otherwise)
{
	const char *text = getenv(name);
	uint64_t id;

	if (!text || num_parse_u64(text, &id) || id >= UINT32_MAX)
		return otherwise;
	return (unsigned)id;
}

/* glibc's setgroups changes every thread of the process; the system call only this one */
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

/* setfsuid tells no error: it answers the id before, and an impossible id only asks */
static int set_ids(uid_t uid, gid_t gid)
{
	setfsgid(gid);
	setfsuid(uid);
	return (uid_t)setfsuid((uid_t)-1) == uid && (gid_t)setfsgid((gid_t)-1) == gid ? 0 : -EPERM;
}

/* The environment counts only where whoever made it was root already. */
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
	ret_was->uses_files = geteuid() == 0 && uid == 0 && rights_use_files(true);
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
		rights_use_files(false);
	if (!was->changed)
		return;
	set_ids(was->uid, was->gid);
	thread_setgroups(was->group, was->n_groups);
}

/* sudo leaves root's. */
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
	int rc;

	has_been_root |= geteuid() == 0;
	if (geteuid() != 0 || uid == 0)
		return 0;
	rc = invoker_groups(uid, gid, group, &n_groups);
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
