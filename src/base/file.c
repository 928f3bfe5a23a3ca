#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"

/* Of `<(…)` the kernel's own folder of pipes tells: a FIFO is in one of somebody's. */
static bool is_nameless_pipe(int fd, mode_t mode)
{
	struct statfs folder;

	return S_ISFIFO(mode) && !fstatfs(fd, &folder) && folder.f_type == PIPEFS_MAGIC;
}

static int check_kind(int fd)
{
	struct stat stat;

	if (fstat(fd, &stat))
		return -errno;
	if (S_ISDIR(stat.st_mode))
		return -EISDIR;
	if (S_ISREG(stat.st_mode) || S_ISCHR(stat.st_mode))
		return 0;
	if (!is_nameless_pipe(fd, stat.st_mode))
		return -EINVAL;
	return fcntl(fd, F_SETFL, 0) ? -errno : 0; /* its writer may still be at work */
}

int file_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int rc = fd < 0 ? -errno : check_kind(fd);

	if (rc && fd >= 0)
		close(fd);
	return rc ? rc == -ENXIO ? -EINVAL : rc : fd; /* ENXIO: a socket */
}

static int read_on(int fd, size_t max, struct text *text)
{
	char part[16384];

	while (text->n <= max) {
		ssize_t n = read(fd, part, sizeof(part));

		if (n < 0)
			return -errno; /* EINTR, too: whoever handles a signal wants an end */
		if (n == 0)
			return 0;
		text_add(text, part, (size_t)n);
	}
	return -EFBIG;
}

int file_read_fd(int fd, size_t max, char **ret, size_t *ret_n)
{
	struct text text = { 0 };
	int rc = read_on(fd, max, &text);

	text_add(&text, "", 0); /* an empty file has its NUL, too */
	if (rc == 0 && text.failed)
		rc = -ENOMEM;
	if (rc) {
		text_fini(&text);
		return rc;
	}
	*ret = text.bytes;
	*ret_n = text.n;
	return 0;
}

int file_read(const char *path, size_t max, char **ret, size_t *ret_n)
{
	AUTO_FD int fd = file_open(path);

	return fd < 0 ? fd : file_read_fd(fd, max, ret, ret_n);
}

int file_make_folders(const char *path, mode_t mode)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s", path);
	for (char *at = strchr(folder + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		if (mkdir(folder, mode) && errno != EEXIST)
			return -errno;
		*at = '/';
	}
	return 0;
}

const char *file_error(int rc)
{
	return rc == -EINVAL  ? "is not a regular file"
	       : rc == -EFBIG ? "is too long"
			      : strerror(-rc);
}

const char *file_self(char *buf, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", buf, size - 1);

	if (n < 0)
		snprintf(buf, size, "m1top");
	else
		buf[n] = '\0';
	return buf;
}
