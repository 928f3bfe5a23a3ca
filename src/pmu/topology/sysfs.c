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

/* Find tracefs: mounted by itself since Linux 4.1, and within debugfs. @return its folder "events" */
static const char *find_events(const char *root)
{
	static const char own[] = "/sys/kernel/tracing/events";
	static const char within[] = "/sys/kernel/debug/tracing/events";

	return !sysfs_exists(root, own) && sysfs_exists(root, within) ? within : own;
}

static int tracefs_explain(const char *root, const char *name, int code, struct err *err)
{
	const char *events = find_events(root);

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
	char path[PATH_MAX], text[32];

	if (strchr(name, '/') || !n || !name[n])
		return err_set(err, ENOENT, "no tracepoint is named \"%s\"", name);
	snprintf(path, sizeof(path), "%s/%.*s/%s/id", find_events(root), n, name, name + n + 1);

	int rc = sysfs_read(root, path, text, sizeof(text));

	if (rc < 0)
		return tracefs_explain(root, name, -rc, err);
	return num_parse_u64(text, ret) ? tracefs_explain(root, name, EINVAL, err) : 0;
}

/* A folder without a number is no tracepoint. */
static void tracefs_visit(const char *root, const char *subsystem, const char *entry,
			  tracefs_fn *each, void *data)
{
	char name[300 + 128], id[PATH_MAX + 300];

	snprintf(name, sizeof(name), "%.120s:%s", subsystem, entry);
	snprintf(id, sizeof(id), "%s/%.120s/%s/id", find_events(root), subsystem, entry);
	if (sysfs_exists(root, id))
		each(data, name);
}

int tracefs_each(const char *root, const char *subsystem, tracefs_fn *each, void *data,
		 struct err *err)
{
	char path[PATH_MAX];

	if (strchr(subsystem, '/'))
		return tracefs_explain(root, subsystem, ENOENT, err);
	snprintf(path, sizeof(path), "%s/%s", find_events(root), subsystem);

	AUTO_ENTRIES struct entries list = sysfs_list(root, path);

	if (list.n < 0)
		return tracefs_explain(root, subsystem, -list.n, err);
	for (int i = 0; i < list.n; i++) {
		const char *name = list.entry[i]->d_name;

		if (name[0] != '.' && *subsystem)
			tracefs_visit(root, subsystem, name, each, data);
		else if (name[0] != '.')
			tracefs_each(root, name, each, data, NULL);
	}
	return 0;
}
