#include "base/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/file.h"

enum { COMM_MAX = 64 };

/* Of the descriptor's lock the kernel tells no process; the process' own goes with any descriptor of
 * the file that it closes. So the first keeps others out, and the second, on a byte behind all others,
 * says who has it. */
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
