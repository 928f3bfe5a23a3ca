#include "tui/tasks/users.h"

#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

/* @return false: there is no such process any more */
static bool find_uid(struct users *users, uint32_t pid, uint64_t first_ns, uid_t *ret)
{
	unsigned at = pid % USERS_PIDS;
	char path[32];
	struct stat is;

	if (users->of[at].pid == pid && users->of[at].first_ns == first_ns) {
		*ret = users->of[at].uid;
		return true;
	}
	snprintf(path, sizeof(path), "/proc/%u", pid);
	if (stat(path, &is))
		return false;
	users->of[at].pid = pid;
	users->of[at].first_ns = first_ns;
	users->of[at].uid = *ret = is.st_uid;
	return true;
}

static void ask_name(uid_t uid, char *buf, size_t size)
{
	struct passwd entry, *found = NULL;
	char text[1024];

	if (getpwuid_r(uid, &entry, text, sizeof(text), &found) || !found)
		snprintf(buf, size, "%u", uid);
	else
		snprintf(buf, size, "%s", found->pw_name);
}

const char *users_name(struct users *users, uint32_t pid, uint64_t first_ns)
{
	uid_t uid;

	if (!find_uid(users, pid, first_ns, &uid))
		return "-";

	unsigned at = uid % USERS_NAMES;

	if (!users->name[at].name[0] || users->name[at].uid != uid) {
		users->name[at].uid = uid;
		ask_name(uid, users->name[at].name, sizeof(users->name[at].name));
	}
	return users->name[at].name;
}
