#include "session/write/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file_lock.h"
#include "base/invoker.h"
#include "session/read/lines.h"
#include "session/read/rotated_files.h"

enum { BESIDE_MAX = 1000 };

bool sink_file_is_zst(const char *path)
{
	size_t n = strlen(path);

	return n > 4 && strcmp(path + n - 4, ".zst") == 0;
}

static int open_flags(enum sink_mode mode)
{
	/* O_NONBLOCK: a FIFO must not hold us before we can refuse it */
	int flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

	switch (mode) {
	case SINK_APPEND: return (flags & ~O_ACCMODE) | O_RDWR;
	case SINK_FORCE: return flags;
	case SINK_NEW: break;
	}
	return flags | O_EXCL;
}

static bool is_no_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static int no_file(const char *path, struct err *err)
{
	return err_set(err, EINVAL, "%s is not a regular file: redirect stdout instead", path);
}

/* @fd  of any kind */
static int writer_error(const char *path, int fd, struct err *err)
{
	char who[64];

	file_lock_holder(fd, who, sizeof(who));
	return err_set(err, EBUSY, "%s is being written by %s: choose another file, or end that",
		       path, *who ? who : "another process");
}

static int exists_error(const char *path, struct err *err)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char who[64];

	if (is_no_file(path))
		return no_file(path, err);
	if (fd >= 0 && *file_lock_holder(fd, who, sizeof(who)))
		return writer_error(path, fd, err);
	return err_set(err, EEXIST, "%s exists: --append adds to it, --force overwrites it", path);
}

static int open_error(const char *path, int code, struct err *err)
{
	switch (code) {
	case EEXIST: return exists_error(path, err);
	case ELOOP:
		return err_set(err, code, "%s is a symbolic link: use the path it points to", path);
	case EACCES:
		return err_set(err, code, "%s: you may not write there (%s)", path, strerror(code));
	default: return err_set(err, code, "%s: %s", path, strerror(code));
	}
}

static int open_as_invoker(const char *path, enum sink_mode mode, struct err *err)
{
	struct invoker_was was;
	int rc = invoker_become(&was);
	int fd = rc ? rc : open(path, open_flags(mode), invoker_file_mode());
	int code = rc ? -rc : errno;

	invoker_return(&was);
	if (fd >= 0)
		return fd;
	return rc ? err_set(err, code,
			    "%s: cannot switch to the rights of the user who called sudo: %s", path,
			    strerror(code))
		  : open_error(path, code, err);
}

static int check_whole_zst(const char *path, struct err *err)
{
	struct invoker_was was;
	struct lines *lines;
	char *line;
	size_t n;
	int rc = invoker_become(&was) ? err_set(err, EPERM, "%s: %s", path, strerror(EPERM))
				      : lines_open(path, &lines, err);

	invoker_return(&was);
	if (rc)
		return rc;
	do {
		rc = lines_next(lines, &line, &n, err);
	} while (!rc && line);
	if (!rc && lines_are_cut(lines))
		rc = err_set(err, EINVAL, "%s ends in the middle of a block: cannot append to it",
			     path);
	lines_close(lines);
	return rc;
}

static int check_whole(int fd, off_t size, const char *path, struct err *err)
{
	char last = '\n';

	if (sink_file_is_zst(path))
		return check_whole_zst(path, err);
	if (size > 0 && pread(fd, &last, 1, size - 1) < 0)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	if (last != '\n')
		return err_set(err, EINVAL, "%s ends in the middle of a line: cannot append to it",
			       path);
	return 0;
}

/* What was opened must be a plain file that goes by this one name. */
static int check_file(int fd, enum sink_mode mode, const char *path, uint64_t *ret_size,
		      struct err *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return no_file(path, err);
	if (st.st_nlink > 1)
		return err_set(err, EMLINK, "%s has several names (hard links): choose another",
			       path);
	if (mode == SINK_APPEND) {
		*ret_size = (uint64_t)st.st_size;
		return check_whole(fd, st.st_size, path, err);
	}
	*ret_size = 0;
	if (st.st_size > 0 && ftruncate(fd, 0))
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	return 0;
}

int sink_file_open(const char *path, enum sink_mode mode, uint64_t *ret_size, struct err *err)
{
	AUTO_FD int fd = open_as_invoker(path, mode, err);

	if (fd < 0)
		return fd;

	int rc = file_lock(fd) ? writer_error(path, fd, err) : 0;

	if (!rc && mode != SINK_NEW && sink_file_loss(fd, path, 0)) /* its writer has rotated it */
		rc = err_set(err, EBUSY, "%s has just been moved: try again", path);
	if (!rc)
		rc = check_file(fd, mode, path, ret_size, err);
	if (rc)
		return rc;
	file_lock_sign(fd); /* behind the check, which may have opened and closed it, too */

	int done = fd;

	fd = -1;
	return done;
}

/* What the n-th of a path is called: "run.csv.zst" and 2 give "run-2.csv.zst". @return to be freed */
static char *name_beside(const char *path, unsigned n)
{
	const char *slash = strrchr(path, '/');
	const char *dot = strchr(slash ? slash + 1 : path, '.');
	size_t stem = dot ? (size_t)(dot - path) : strlen(path);
	char *name;

	return asprintf(&name, "%.*s-%u%s", (int)stem, path, n, path + stem) < 0 ? NULL : name;
}

/* @return as sink_file_open; -EEXIST: the name is not free */
static int open_free(const char *path, unsigned keep, struct err *err)
{
	uint64_t size;
	int rc = rotated_files_check(path, keep, 0, err);

	rc = rc ? rc : sink_file_open(path, SINK_NEW, &size, err);
	return rc == -EBUSY ? -EEXIST : rc;
}

int sink_file_open_beside(const char *path, unsigned keep, char **ret_path, struct err *err)
{
	int fd = -EEXIST;

	for (unsigned n = 2; fd == -EEXIST && n < BESIDE_MAX; n++) {
		char *name = name_beside(path, n);

		fd = name ? open_free(name, keep, err) : err_set(err, ENOMEM, "out of memory");
		if (fd < 0)
			free(name);
		else
			*ret_path = name;
	}
	return fd;
}

const char *sink_file_loss(int fd, const char *path, uint64_t size)
{
	struct stat ours, there;

	if (fstat(fd, &ours))
		return NULL;
	if (lstat(path, &there))
		return errno == ENOENT || errno == ENOTDIR ? "was removed or moved" : NULL;
	if (ours.st_dev != there.st_dev || ours.st_ino != there.st_ino)
		return "was replaced by another file";
	return (uint64_t)ours.st_size < size ? "was truncated" : NULL;
}
