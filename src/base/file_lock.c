#include "base/file_lock.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

enum { PROC_MAX = 4096 };

int file_lock(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (!fcntl(fd, F_OFD_SETLK, &lock))
		return 0;
	return errno == EAGAIN || errno == EACCES ? -EBUSY : 0;
}

static bool is_locked(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
}

/* /proc/PID/fdinfo/FD has a line "lock: …" for each that the descriptor holds. */
static bool has_lock(const char *pid, const char *fd)
{
	AUTO_FREE char *text = NULL;
	char path[64];
	size_t n;

	snprintf(path, sizeof(path), "/proc/%.20s/fdinfo/%.20s", pid, fd);
	return !file_read(path, PROC_MAX, &text, &n) && strstr(text, "\nlock:");
}

static bool is_holder(const char *pid, const struct stat *file)
{
	const struct dirent *entry;
	char path[64];
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);

	DIR *dir = opendir(path);

	while (!found && dir && (entry = readdir(dir))) {
		struct stat st;

		found = !fstatat(dirfd(dir), entry->d_name, &st, 0) && st.st_ino == file->st_ino &&
			st.st_dev == file->st_dev && has_lock(pid, entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

static void name_holder(const char *pid, char *buf, size_t size)
{
	AUTO_FREE char *name = NULL;
	char path[64];
	size_t n;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	if (file_read(path, PROC_MAX, &name, &n))
		snprintf(buf, size, "a process (pid %s)", pid);
	else
		snprintf(buf, size, "%.*s (pid %s)", (int)strcspn(name, "\n"), name, pid);
}

/* The kernel tells no pid of such a lock: it is the descriptor's, whoever has that. */
const char *file_lock_holder(int fd, char *buf, size_t size)
{
	const struct dirent *entry;
	struct stat file;
	bool found = false;

	buf[0] = '\0';
	if (!is_locked(fd) || fstat(fd, &file))
		return buf;
	snprintf(buf, size, "another process");

	DIR *dir = opendir("/proc");

	while (!found && dir && (entry = readdir(dir))) {
		found = isdigit((unsigned char)entry->d_name[0]) && is_holder(entry->d_name, &file);
		if (found)
			name_holder(entry->d_name, buf, size);
	}
	if (dir)
		closedir(dir);
	return buf;
}
