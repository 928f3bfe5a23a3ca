#include "pmu/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "base/text.h"

static void join(const char *root, const char *path, char *buf, size_t size)
{
	size_t n = root ? strlen(root) : 0;

	while (n && root[n - 1] == '/')
		n--;
	snprintf(buf, size, "%.*s/%s", (int)n, root ? root : "", path + strspn(path, "/"));
}

int sysfs_read(const char *root, const char *path, char *buf, size_t size)
{
	char full[PATH_MAX];
	size_t used = 0;
	ssize_t n;

	join(root, path, full, sizeof(full));

	AUTO_FD int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not block */

	if (fd < 0)
		return -errno;
	while ((n = read(fd, buf + used, size - used)) > 0) {
		used += (size_t)n;
		if (used == size)
			return -EFBIG;
	}
	if (n < 0)
		return -errno;
	/* device-tree texts end with NUL, sysfs texts with a newline */
	while (used && (!buf[used - 1] || ascii_isspace(buf[used - 1])))
		used--;
	buf[used] = '\0';
	return (int)used;
}

int sysfs_cpu_number(const char *root, unsigned cpu, const char *name, uint64_t *ret,
		     struct err *err)
{
	char path[128], text[32];
	int n;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/%s", cpu, name);
	n = sysfs_read(root, path, text, sizeof(text));
	if (n < 0)
		return err_set(err, -n, "%s: %s", path, strerror(-n));
	if (num_parse_u64(text, ret))
		return err_set(err, EINVAL, "%s: \"%s\" is not a number", path, text);
	return 0;
}

int sysfs_process_name(const char *pid, char *buf, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);

	int n = sysfs_read("", path, buf, size);

	for (int i = 0; i < n; i++)
		if (buf[i] == '\n')
			buf[i] = ' ';
	return n;
}

bool sysfs_process_has(const char *pid, const char *link)
{
	char path[64], target[64];
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);

	AUTO_DIR DIR *dir = opendir(path);

	for (const struct dirent *entry; dir && !found && (entry = readdir(dir));) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

		target[n > 0 ? n : 0] = '\0';
		found = strcmp(target, link) == 0;
	}
	return found;
}

int sysfs_cpus(const char *root, const char *path, struct cpus *ret, struct err *err)
{
	char text[4096];
	int n = sysfs_read(root, path, text, sizeof(text));

	if (n < 0)
		return err_set(err, -n, "%s: %s", path, strerror(-n));

	int rc = cpus_parse(text, ret, err);

	return rc ? err_prefix(err, -rc, "%s: ", path) : 0;
}

int sysfs_online(const char *root, struct cpus *ret, struct err *err)
{
	return sysfs_cpus(root, "/sys/devices/system/cpu/online", ret, err);
}

static void sysfs_add_list(const char *root, const char *path, struct cpus *ret)
{
	struct cpus more = { 0 };

	if (sysfs_cpus(root, path, &more, NULL))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(more.word); i++)
		ret->word[i] |= more.word[i];
}

/* Add the isolated partitions. Linux before 6.7 has no list of all; only children of the root are
 * searched. */
static void add_partitions(const char *root, const char *mount, struct cpus *ret)
{
	AUTO_ENTRIES struct entries list = sysfs_list(root, mount);

	for (int i = 0; i < list.n; i++) {
		const char *name = list.entry[i]->d_name;
		char path[512], text[64];

		snprintf(path, sizeof(path), "%s/%.255s/cpuset.cpus.partition", mount, name);
		if (sysfs_read(root, path, text, sizeof(text)) < 0 || strcmp(text, "isolated") != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%.255s/cpuset.cpus.effective", mount, name);
		sysfs_add_list(root, path, ret);
	}
}

void sysfs_isolated(const char *root, struct cpus *ret)
{
	static const char *const mount[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };

	*ret = (struct cpus){ 0 };
	sysfs_add_list(root, "/sys/devices/system/cpu/isolated", ret);
	sysfs_add_list(root, "/sys/devices/system/cpu/nohz_full", ret);
	for (size_t i = 0; i < ARRAY_SIZE(mount); i++) {
		char path[64];

		snprintf(path, sizeof(path), "%s/cpuset.cpus.isolated", mount[i]);
		sysfs_add_list(root, path, ret);
		add_partitions(root, mount[i], ret);
	}
}

bool sysfs_is_online(const char *root, unsigned cpu)
{
	struct cpus online;

	return sysfs_online(root, &online, NULL) || cpus_has(&online, cpu);
}

bool sysfs_exists(const char *root, const char *path)
{
	char full[PATH_MAX];

	join(root, path, full, sizeof(full));
	return access(full, F_OK) == 0;
}

struct entries sysfs_list(const char *root, const char *path)
{
	struct entries list = { 0 };
	char full[PATH_MAX];

	join(root, path, full, sizeof(full));
	list.n = scandir(full, &list.entry, NULL, alphasort);
	if (list.n < 0)
		list.n = -errno;
	return list;
}

bool sysfs_name_fits(const char *name, const char *const *pattern, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (fnmatch(pattern[i], name, 0) == 0)
			return true;
	}
	return false;
}

/* Source: proc_pid_schedstat() in fs/proc/base.c */
bool thread_times_read(uint32_t pid, uint32_t tid, struct thread_times *ret)
{
	char path[64], text[96];

	snprintf(path, sizeof(path), "/proc/%u/task/%u/schedstat", pid, tid);
	return sysfs_read("", path, text, sizeof(text)) > 0 &&
	       text_word_u64(text, 0, &ret->run_ns) && text_word_u64(text, 1, &ret->wait_ns) &&
	       text_word_u64(text, 2, &ret->n_runs);
}

/* Find tracefs: mounted by itself since Linux 4.1, within debugfs, or elsewhere. Its folder "events" is `ret`. */
static void find_events(const char *root, char ret[static PATH_MAX])
{
	static const char *const usual[] = { "/sys/kernel/tracing/events",
					     "/sys/kernel/debug/tracing/events" };
	struct mount mount;

	for (unsigned i = 0; i < ARRAY_SIZE(usual); i++) {
		snprintf(ret, PATH_MAX, "%s", usual[i]);
		if (sysfs_exists(root, ret))
			return;
	}
	if (mount_of_tracefs(root, &mount))
		snprintf(ret, PATH_MAX, "%s", usual[0]);
	else
		snprintf(ret, PATH_MAX, "%.*s/events", PATH_MAX - 8, mount.at);
}

/* @events  folder of tracefs */
static int tracefs_explain(const char *root, const char *events, const char *name, int code,
			   struct err *err)
{
	if (code == EACCES || code == EPERM)
		return err_set(
			err, EACCES,
			"%s: %s cannot be read: %s. Counting tracepoints needs root's rights: sudo",
			name, events, strerror(code));
	if (code == ENOENT && sysfs_exists(root, events))
		return err_set(err, ENOENT, "no tracepoint is named \"%s\"", name);
	if (code == ENOENT)
		return err_set(
			err, ENOENT,
			"%s: no tracefs is mounted, which has the numbers of tracepoints: sudo "
			"mount -t tracefs tracefs /sys/kernel/tracing",
			name);
	return err_set(err, code, "%s: %s: %s", name, events, strerror(code));
}

int tracefs_id(const char *root, const char *name, uint64_t *ret, struct err *err)
{
	int n = (int)strcspn(name, ":");
	char events[PATH_MAX], path[2 * PATH_MAX], text[32];

	if (strchr(name, '/') || !n || !name[n])
		return err_set(err, ENOENT, "no tracepoint is named \"%s\"", name);
	find_events(root, events);
	snprintf(path, sizeof(path), "%s/%.*s/%s/id", events, n, name, name + n + 1);

	int rc = sysfs_read(root, path, text, sizeof(text));

	if (rc < 0)
		return tracefs_explain(root, events, name, -rc, err);
	return num_parse_u64(text, ret) ? tracefs_explain(root, events, name, EINVAL, err) : 0;
}

/* Walk of the tracepoints. */
struct tracefs_walk {
	const char *root, *events; /* events: folder of tracefs */
	tracefs_fn *each;
	void *data;
};

/* A folder without a number is no tracepoint. */
static void tracefs_visit(const struct tracefs_walk *walk, const char *subsystem, const char *entry)
{
	char name[300 + 128], id[PATH_MAX + 300];

	snprintf(name, sizeof(name), "%.120s:%s", subsystem, entry);
	snprintf(id, sizeof(id), "%s/%.120s/%s/id", walk->events, subsystem, entry);
	if (sysfs_exists(walk->root, id))
		walk->each(walk->data, name);
}

/* Visit a subsystem, or all of them if it is "". */
static int tracefs_visit_below(const struct tracefs_walk *walk, const char *subsystem,
			       struct err *err)
{
	char path[PATH_MAX + 300];

	snprintf(path, sizeof(path), "%s/%s", walk->events, subsystem);

	AUTO_ENTRIES struct entries list = sysfs_list(walk->root, path);

	if (list.n < 0)
		return tracefs_explain(walk->root, walk->events, subsystem, -list.n, err);
	for (int i = 0; i < list.n; i++) {
		const char *name = list.entry[i]->d_name;

		if (name[0] != '.' && *subsystem)
			tracefs_visit(walk, subsystem, name);
		else if (name[0] != '.')
			tracefs_visit_below(walk, name, NULL);
	}
	return 0;
}

int tracefs_each(const char *root, const char *subsystem, tracefs_fn *each, void *data,
		 struct err *err)
{
	char events[PATH_MAX];

	find_events(root, events);
	if (strchr(subsystem, '/'))
		return tracefs_explain(root, events, subsystem, ENOENT, err);
	return tracefs_visit_below(
		&(struct tracefs_walk){
			.root = root, .events = events, .each = each, .data = data },
		subsystem, err);
}
