/* Small files of the invoker's: read and replaced whole. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/invoker.h"

int invoker_read(const char *path, size_t max, char **ret, size_t *ret_n)
{
	struct invoker_was was;
	int rc = invoker_become(&was);
	AUTO_FD int fd = rc ? rc : file_open(path);

	invoker_return(&was);
	return fd < 0 ? fd : file_read_fd(fd, max, ret, ret_n);
}

static int write_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t put = write(fd, bytes, n);

		if (put < 0 && errno != EINTR)
			return -errno;
		if (put > 0) {
			bytes += put;
			n -= (size_t)put;
		}
	}
	return fsync(fd) ? -errno : 0;
}

/* Beside the file, under a name that nobody has. @return fd or -errno */
static int make_beside(const char *path, char *ret, size_t size)
{
	int fd;

	if ((size_t)snprintf(ret, size, "%s.XXXXXX", path) >= size)
		return -ENAMETOOLONG;
	fd = mkostemp(ret, O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* The mode that the file has, or that any new file gets. */
static mode_t mode_of(const struct stat *now)
{
	mode_t mask;

	if (now)
		return now->st_mode & 0777;
	mask = umask(0);
	umask(mask);
	return invoker_file_mode() & ~mask;
}

static int replace(const char *path, const char *bytes, size_t n)
{
	char beside[PATH_MAX];
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

	AUTO_FD int fd = make_beside(path, beside, sizeof(beside));

	if (fd < 0)
		return fd;
	rc = write_all(fd, bytes, n);
	if (!rc && (fchmod(fd, mode_of(is_there ? &now : NULL)) || rename(beside, path)))
		rc = -errno;
	if (rc)
		unlink(beside);
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
