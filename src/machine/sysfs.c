#include "machine/sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

	AUTO_FD int fd = open(full, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	while ((n = read(fd, buf + used, size - used)) > 0) {
		used += (size_t)n;
		if (used == size)
			return -EFBIG;
	}
	if (n < 0)
		return -errno;
	/* device-tree texts end in NUL, sysfs ones in a newline */
	while (used && (!buf[used - 1] || isspace((unsigned char)buf[used - 1])))
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

int sysfs_online(const char *root, struct cpus *ret, struct err *err)
{
	static const char path[] = "/sys/devices/system/cpu/online";
	char text[4096];
	int n = sysfs_read(root, path, text, sizeof(text));

	if (n < 0)
		return err_set(err, -n, "%s: %s", path, strerror(-n));

	int rc = cpus_parse(text, ret, err);

	return rc ? err_prefix(err, -rc, "%s: ", path) : 0;
}

bool sysfs_exists(const char *root, const char *path)
{
	char full[PATH_MAX];

	join(root, path, full, sizeof(full));
	return access(full, F_OK) == 0;
}

int sysfs_list(const char *root, const char *path, struct dirent ***ret)
{
	char full[PATH_MAX];
	struct dirent **entry;

	join(root, path, full, sizeof(full));

	int n = scandir(full, &entry, NULL, alphasort);

	if (n < 0)
		return -errno;
	*ret = entry;
	return n;
}

bool sysfs_name_fits(const char *name, const char *const *pattern, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (fnmatch(pattern[i], name, 0) == 0)
			return true;
	}
	return false;
}
