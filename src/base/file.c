#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"

/* Whether it is an unnamed pipe, as of `<(…)`: unlike a FIFO it is on the kernel's pipe file system. */
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
	return fcntl(fd, F_SETFL, 0) ? -errno : 0; /* block: its writer may still be at work */
}

enum { OPEN_FLAGS = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK };

/* @fd  closed if it is of no use; negative: errno is set */
static int opened(int fd)
{
	int rc = fd < 0 ? -errno : check_kind(fd);

	if (rc && fd >= 0)
		close(fd);
	return rc ? rc == -ENXIO ? -EINVAL : rc : fd; /* ENXIO: a socket */
}

int file_open(const char *path)
{
	return opened(open(path, OPEN_FLAGS));
}

int file_open_beneath(const char *folder, const char *path, int flags)
{
	struct open_how how = { .flags = flags ? (unsigned)flags : OPEN_FLAGS,
				.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS };
	AUTO_FD int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return at < 0 ? -errno : opened((int)syscall(SYS_openat2, at, path, &how, sizeof(how)));
}

static int read_on(int fd, size_t max, struct text *text)
{
	char part[16384];

	while (text->n <= max) {
		ssize_t n = read(fd, part, sizeof(part));

		if (n < 0)
			return -errno; /* EINTR, too: a handled signal ends the reading */
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

	text_add(&text, "", 0); /* NUL-terminates even an empty file */
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

int file_write(int fd, const void *bytes, size_t n)
{
	for (const char *at = bytes; n;) {
		ssize_t put = write(fd, at, n);

		if (put < 0 && errno != EINTR)
			return -errno;
		at += put > 0 ? put : 0;
		n -= put > 0 ? (size_t)put : 0;
	}
	return 0;
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
	       : rc == -ELOOP ? "is a symbolic link, or lies behind one"
			      : strerror(-rc);
}

const char *file_self(char *buf, size_t size)
{
	char path[PATH_MAX] = "m1top";
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	AUTO_TEXT struct text quoted = { 0 };

	if (n > 0)
		path[n] = '\0';
	text_shell(&quoted, path);
	snprintf(buf, size, "%s", quoted.bytes ? quoted.bytes : "m1top");
	return buf;
}

/* ---- locks ---- */

enum { COMM_MAX = 64 };

/* The kernel does not report the process of a descriptor's lock; a process's own lock is lost when it
 * closes any descriptor of the file. So the first excludes others, and the second, on a byte after all
 * others, shows the owner. */
#define LAST_BYTE ((off_t)1 << (sizeof(off_t) * 8 - 2))

int file_lock(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = LAST_BYTE };

	if (!fcntl(fd, F_OFD_SETLK, &lock))
		return 0;
	return errno == EAGAIN || errno == EACCES ? -EBUSY : 0;
}

void file_lock_sign(int fd)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LAST_BYTE, .l_len = 1
	};

	fcntl(fd, F_SETLK, &lock);
}

static bool is_locked(int fd, off_t start, off_t n, pid_t *ret)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = n
	};

	if (fcntl(fd, F_OFD_GETLK, &lock) || lock.l_type == F_UNLCK)
		return false;
	*ret = lock.l_pid;
	return true;
}

static void name_process(pid_t pid, char *buf, size_t size)
{
	AUTO_FREE char *name = NULL;
	char path[64];
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	if (file_read(path, COMM_MAX, &name, &n))
		snprintf(buf, size, "a process (pid %d)", pid);
	else
		snprintf(buf, size, "%.*s (pid %d)", (int)strcspn(name, "\n"), name, pid);
}

const char *file_lock_holder(int fd, char *buf, size_t size)
{
	pid_t pid = 0;

	buf[0] = '\0';
	if (!is_locked(fd, 0, LAST_BYTE, &pid))
		return buf;
	if (is_locked(fd, LAST_BYTE, 1, &pid) && pid > 0)
		name_process(pid, buf, size);
	else
		snprintf(buf, size, "another process");
	return buf;
}
