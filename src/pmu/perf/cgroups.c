/* cgroups.c: the cgroups that perf's records name: those of the hierarchy that has the controller
 * perf_event, version 1 or 2. An id is the inode of its directory. Source: Linux cgroup_id() */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "pmu/perf/perf.h"

int perf_cgroups_check(const char *root, struct err *err)
{
	union perf_attr attr;
	struct mount mount;

	perf_switches_attr(true, &attr);
	perf_switches_add_cgroups(&attr);

	AUTO_FD int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	/* arguments are checked before rights */
	if (fd < 0 && (errno == EINVAL || errno == E2BIG))
		return err_set(err, ENOTSUP,
			       "the kernel cannot count by cgroup: it needs Linux 5.7 and "
			       "CONFIG_CGROUP_PERF");
	if (mount_of_cgroups(root, "perf_event", &mount))
		return err_set(err, ENOENT,
			       "no cgroup file system is mounted, so cgroups have no names; to "
			       "mount it: mount -t cgroup2 cgroup2 /sys/fs/cgroup && echo +pids "
			       ">/sys/fs/cgroup/cgroup.subtree_control");
	return 0;
}

/* Walk of the directories. */
struct cgroup_walk {
	char path[PATH_MAX]; /* the directory */
	size_t at;           /* bytes before the cgroup's path */
	const struct switch_sink *sink;
};

static void hand_directory(const struct cgroup_walk *walk, const char *prefix, uint64_t id)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", prefix, walk->path + walk->at);
	walk->sink->take_note(walk->sink->data, &(struct task_note){ .kind = NOTE_CGROUP,
								     .cgroup = id,
								     .path = *path ? path : "/" });
}

/* Hand over the cgroups below a directory. One that is removed meanwhile is left out. */
static void walk_below(struct cgroup_walk *walk, const char *prefix)
{
	AUTO_DIR DIR *dir = opendir(walk->path);
	size_t n = strlen(walk->path);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0 ||
		    n + strlen(entry->d_name) + 2 > sizeof(walk->path))
			continue;
		snprintf(walk->path + n, sizeof(walk->path) - n, "/%s", entry->d_name);
		hand_directory(walk, prefix, entry->d_ino);
		walk_below(walk, prefix);
		walk->path[n] = '\0';
	}
}

void perf_cgroups(struct backend *backend, const struct switch_sink *sink)
{
	const char *root = ((const struct perf *)backend)->root;
	struct cgroup_walk walk = { .sink = sink };
	struct mount mount;
	struct stat st;

	if (mount_of_cgroups(root, "perf_event", &mount))
		return;
	walk.at = (size_t)snprintf(walk.path, sizeof(walk.path), "%s%s", root, mount.at);
	if (walk.at >= sizeof(walk.path) || stat(walk.path, &st))
		return;
	hand_directory(&walk, mount.prefix, st.st_ino);
	walk_below(&walk, mount.prefix);
}
