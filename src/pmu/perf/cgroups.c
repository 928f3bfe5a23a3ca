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
#include "base/text.h"
#include "pmu/perf/perf.h"
#include "pmu/sensors.h"

/* Mount of a hierarchy: its directories are below `at`, the paths of its cgroups begin with `prefix`. */
struct cgroup_mount {
	char at[PATH_MAX];
	char prefix[PATH_MAX]; /* "": the whole hierarchy is mounted */
};

/* Whether a text has a word between blanks, commas and line ends. */
static bool has_word(const char *text, const char *word)
{
	const char *at = text;

	while ((at = strstr(at, word)) &&
	       (!strchr(" ,", at[-(at > text)]) || !strchr(" ,\n", at[strlen(word)])))
		at++;
	return at;
}

/* Parse a line of mountinfo. Source: proc_pid_mountinfo(5)
 *
 * @return version of a hierarchy that may have the controller; 0: it is none */
static int parse_mount(const char *line, const char *controller, struct cgroup_mount *ret)
{
	enum { ROOT_AT = 3 };
	const char *type = strstr(line, " - cgroup");
	char word[PATH_MAX];

	if (!type || (strncmp(type, " - cgroup2 ", 11) != 0 && !has_word(type, controller)))
		return 0;
	for (unsigned i = 0; i < ROOT_AT; i++)
		text_next_word(&line, word, sizeof(word));
	text_next_word(&line, ret->prefix, sizeof(ret->prefix));
	text_next_word(&line, ret->at, sizeof(ret->at));
	/* the root itself, or above that of this cgroup namespace */
	if (!ret->prefix[1] || strstr(ret->prefix, ".."))
		ret->prefix[0] = '\0';
	return type[9] == '2' ? 2 : 1;
}

/* Find the mount; one of version 1 comes before version 2. @return 0 or -ENOENT */
static int find_mount(const char *root, const char *controller, struct cgroup_mount *ret)
{
	char path[PATH_MAX];
	AUTO_FREE char *line = NULL;
	size_t size = 0;
	struct cgroup_mount one;
	int version = 0, best = 0;

	snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);

	AUTO_FILE FILE *file = fopen(path, "re");

	while (file && best != 1 && getline(&line, &size, file) >= 0) {
		version = parse_mount(line, controller, &one);
		if (!version || (best && version == 2))
			continue;
		best = version;
		snprintf(ret->at, sizeof(ret->at), "%s", one.at);
		snprintf(ret->prefix, sizeof(ret->prefix), "%s", one.prefix);
	}
	return best ? 0 : -ENOENT;
}

/* Find the folder of the root cgroup; none if only a part of the hierarchy is mounted. */
static void find_folder(const char *root, const char *controller, char *ret, size_t size)
{
	struct cgroup_mount mount;

	if (!find_mount(root, controller, &mount) && !*mount.prefix)
		snprintf(ret, size, "%s%s", root, mount.at);
}

void cgroup_folders_find(struct cgroup_folders *folders, const char *root)
{
	*folders = (struct cgroup_folders){ .cpu = "" };
	if (!root)
		return;
	find_folder(root, "cpu", folders->cpu, sizeof(folders->cpu));
	find_folder(root, "perf_event", folders->pressure, sizeof(folders->pressure));
}

int perf_cgroups_check(const char *root, struct err *err)
{
	union perf_attr attr;
	struct cgroup_mount mount;

	perf_switches_attr(true, &attr);
	perf_switches_add_cgroups(&attr);

	AUTO_FD int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	/* arguments are checked before rights */
	if (fd < 0 && (errno == EINVAL || errno == E2BIG))
		return err_set(err, ENOTSUP,
			       "the kernel cannot count by cgroup: it needs Linux 5.7 and "
			       "CONFIG_CGROUP_PERF");
	if (find_mount(root, "perf_event", &mount))
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
	struct cgroup_mount mount;
	struct stat st;

	if (find_mount(root, "perf_event", &mount))
		return;
	walk.at = (size_t)snprintf(walk.path, sizeof(walk.path), "%s%s", root, mount.at);
	if (walk.at >= sizeof(walk.path) || stat(walk.path, &st))
		return;
	hand_directory(&walk, mount.prefix, st.st_ino);
	walk_below(&walk, mount.prefix);
}
