#include "session/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "session/caller.h"
#include "session/lines.h"
#include "session/older.h"

enum { FLUSH_AT = 1 << 16, HURRY_MS = 100 };

struct sink {
	int fd;
	char *path;
	bool own;        /* a file that we opened: may be cut off, and is closed */
	bool is_new;     /* there was no file before */
	bool is_stream;  /* a pipe, a terminal: may be full */
	int stop_fd;     /* readable: do not wait for readers any more; -1: none */
	bool is_hurried; /* likewise */
	struct text buffer;
	ZSTD_CCtx *zstd;    /* NULL: as it is */
	struct text packed; /* what of the buffer was compressed and is not yet written */
	uint64_t packed_ns; /* when that was done last */
	uint64_t size;
	int failed; /* -errno of the first failure */
	struct err why;
};

static int open_flags(enum sink_mode mode)
{
	/* O_NONBLOCK: a FIFO must not hold us before we can refuse it */
	int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

	switch (mode) {
	case SINK_APPEND: return (flags & ~O_ACCMODE) | O_RDWR | O_APPEND;
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

static int open_error(const char *path, int code, struct err *err)
{
	switch (code) {
	case EEXIST:
		if (is_no_file(path))
			return no_file(path, err);
		return err_set(err, code, "%s exists: --append adds to it, --force overwrites it",
			       path);
	case ELOOP:
		return err_set(err, code, "%s is a symbolic link: give the path it points to",
			       path);
	case EACCES:
		return err_set(err, code, "%s: you may not write there (%s)", path, strerror(code));
	default: return err_set(err, code, "%s: %s", path, strerror(code));
	}
}

static int open_as_caller(const char *path, enum sink_mode mode, struct err *err)
{
	struct caller_was was;
	int rc = caller_become(&was);
	int fd = rc ? rc : open(path, open_flags(mode), 0666);
	int code = rc ? -rc : errno;

	caller_return(&was);
	if (fd >= 0)
		return fd;
	return rc ? err_set(err, code, "%s: cannot take the caller's rights: %s", path,
			    strerror(code))
		  : open_error(path, code, err);
}

static bool is_zst(const char *path)
{
	size_t n = strlen(path);

	return n > 4 && strcmp(path + n - 4, ".zst") == 0;
}

static int check_whole_zst(const char *path, struct err *err)
{
	struct lines *lines;
	char *line;
	size_t n;
	int rc = lines_open(path, &lines, err);

	if (rc)
		return rc;
	do {
		rc = lines_next(lines, &line, &n, err);
	} while (!rc && line);
	if (!rc && lines_are_cut(lines))
		rc = err_set(err, EINVAL, "%s ends within a block: cannot append to it", path);
	lines_close(lines);
	return rc;
}

static int check_whole(int fd, off_t size, const char *path, struct err *err)
{
	char last = '\n';

	if (is_zst(path))
		return check_whole_zst(path, err);
	if (size > 0 && pread(fd, &last, 1, size - 1) < 0)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	if (last != '\n')
		return err_set(err, EINVAL, "%s ends within a line: cannot append to it", path);
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

static int open_file(const char *path, enum sink_mode mode, uint64_t *ret_size, struct err *err)
{
	AUTO_FD int fd = open_as_caller(path, mode, err);

	if (fd < 0)
		return fd;

	int rc = check_file(fd, mode, path, ret_size, err);

	if (rc)
		return rc;

	int done = fd;

	fd = -1;
	return done;
}

static struct sink *sink_new(int fd, const char *path)
{
	struct sink *sink = calloc(1, sizeof(*sink));
	char *copy = strdup(path);
	struct stat st;

	if (!sink || !copy) {
		free(sink);
		free(copy);
		return NULL;
	}
	sink->fd = fd;
	sink->path = copy;
	sink->stop_fd = -1;
	sink->is_stream = !fstat(fd, &st) && !S_ISREG(st.st_mode);
	return sink;
}

static int open_own(const char *path, enum sink_mode mode, struct sink **ret, struct err *err)
{
	uint64_t size;
	int fd = open_file(path, mode, &size, err);

	if (fd < 0)
		return fd;

	struct sink *sink = sink_new(fd, path);

	if (sink && is_zst(path) && !(sink->zstd = ZSTD_createCCtx())) {
		free(sink->path);
		free(sink);
		sink = NULL;
	}
	if (!sink) {
		close(fd);
		return err_set(err, ENOMEM, "%s: out of memory", path);
	}
	sink->own = true;
	sink->is_new = mode == SINK_NEW;
	sink->size = size;
	*ret = sink;
	return 0;
}

static int open_stream(int fd, const char *name, struct sink **ret, struct err *err)
{
	struct sink *sink = sink_new(fd, name);

	if (!sink)
		return err_set(err, ENOMEM, "%s: out of memory", name);
	*ret = sink;
	return 0;
}

int sink_open(const char *path, enum sink_mode mode, struct sink **ret, struct err *err)
{
	return strcmp(path, "-") == 0 ? open_stream(STDOUT_FILENO, path, ret, err)
				      : open_own(path, mode, ret, err);
}

int sink_open_fd(int fd, struct sink **ret, struct err *err)
{
	int flags = fcntl(fd, F_GETFL);
	char name[32];

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return err_set(err, EINVAL, "%d is not a file that is open for writing", fd);
	snprintf(name, sizeof(name), "file descriptor %d", fd);
	return open_stream(fd, name, ret, err);
}

void sink_stop_on(struct sink *sink, int stop_fd)
{
	sink->stop_fd = stop_fd;
}

void sink_hurry(struct sink *sink)
{
	sink->is_hurried = true;
}

/* Leave no part of a line in the file: go back to behind the last newline that got in, of a
 * compressed file to behind the last block. */
static void cut_partial_line(const struct sink *sink, const struct text *bytes, size_t done)
{
	size_t whole = sink->zstd ? 0 : done;

	while (whole > 0 && bytes->bytes[whole - 1] != '\n')
		whole--;

	off_t end = lseek(sink->fd, 0, SEEK_CUR);

	if (!sink->own || end < (off_t)(done - whole))
		return;
	/* when even this fails, what is left is one unfinished last line: readers must bear that */
	if (ftruncate(sink->fd, end - (off_t)(done - whole)))
		return;
}

static int fail_for_good(struct sink *sink, int code)
{
	const char *name = strcmp(sink->path, "-") == 0 ? "standard output" : sink->path;

	err_set(&sink->why, code, "%s: %s", name,
		code == ETIMEDOUT ? "nobody reads it; the last lines are missing" : strerror(code));
	/* ENOSPC is what a set without room for an event says: a mistake of who asked for it */
	sink->failed = code == ENOSPC ? -EIO : -code;
	return sink->failed;
}

static int told(const struct sink *sink, struct err *err)
{
	if (err)
		*err = sink->why;
	return sink->failed;
}

/* @return 0; -ETIMEDOUT: nobody reads, and we are to end */
static int wait_for_reader(const struct sink *sink)
{
	struct pollfd fd[] = {
		{ .fd = sink->fd, .events = POLLOUT },
		{ .fd = sink->stop_fd, .events = POLLIN },
	};

	if (!sink->is_hurried)
		poll(fd, 2, -1);
	if (fd[0].revents || (!sink->is_hurried && !fd[1].revents))
		return 0; /* or interrupted: come again */
	return poll(fd, 1, HURRY_MS) ? 0 : -ETIMEDOUT;
}

/* A pipe that poll calls writable takes at least PIPE_BUF without making us wait. The caller's own
 * stdout may be non-blocking: that is no failure, only a wait. */
static ssize_t write_some(const struct sink *sink, const char *bytes, size_t n)
{
	for (;;) {
		int rc = sink->is_stream ? wait_for_reader(sink) : 0;

		if (rc) {
			errno = -rc;
			return -1;
		}

		ssize_t done =
			write(sink->fd, bytes, sink->is_stream && n > PIPE_BUF ? PIPE_BUF : n);

		if (done >= 0 || (errno != EINTR && errno != EAGAIN))
			return done;
	}
}

static int write_all(struct sink *sink, const struct text *bytes, struct err *err)
{
	size_t done = 0;

	while (done < bytes->n) {
		ssize_t n = write_some(sink, bytes->bytes + done, bytes->n - done);

		if (n < 0) {
			fail_for_good(sink, errno);
			cut_partial_line(sink, bytes, done);
			return told(sink, err);
		}
		done += (size_t)n;
	}
	return 0;
}

/* A block that can be read without any that follows. */
static int pack(struct sink *sink, struct err *err)
{
	size_t most = ZSTD_compressBound(sink->buffer.n), n = 0;
	char *room = malloc(most);

	text_clear(&sink->packed);
	if (room)
		n = ZSTD_compressCCtx(sink->zstd, room, most, sink->buffer.bytes, sink->buffer.n,
				      ZSTD_CLEVEL_DEFAULT);
	if (room && !ZSTD_isError(n))
		text_add(&sink->packed, room, n);
	free(room);
	if (!room || ZSTD_isError(n) || sink->packed.failed) {
		fail_for_good(sink, ENOMEM);
		return told(sink, err);
	}
	sink->size += n;
	sink->packed_ns = clock_now_ns();
	return 0;
}

static int push_out(struct sink *sink, struct err *err)
{
	int rc = 0;

	if (sink->failed)
		return told(sink, err);
	if (sink->zstd && sink->buffer.n)
		rc = pack(sink, err);
	if (!rc && sink->buffer.n)
		rc = write_all(sink, sink->zstd ? &sink->packed : &sink->buffer, err);
	text_clear(&sink->buffer);
	return rc;
}

/* Small blocks compress badly: one a second loses no more than a crash may cost. */
int sink_flush(struct sink *sink, struct err *err)
{
	if (sink->zstd && !sink->failed && clock_now_ns() - sink->packed_ns < NS_PER_S)
		return 0;
	return push_out(sink, err);
}

int sink_write(struct sink *sink, const char *bytes, size_t n, struct err *err)
{
	if (sink->failed)
		return told(sink, err);
	text_add(&sink->buffer, bytes, n);
	if (sink->buffer.failed) {
		fail_for_good(sink, ENOMEM);
		return told(sink, err);
	}
	if (!sink->zstd)
		sink->size += n;
	return sink->buffer.n < FLUSH_AT ? 0 : push_out(sink, err);
}

int sink_close(struct sink *sink, struct err *err)
{
	if (!sink)
		return 0;

	int rc = push_out(sink, err);

	/* NFS and quotas report a failed write only here */
	if (sink->own && close(sink->fd) && !rc)
		rc = err_set(err, errno, "%s: %s", sink->path, strerror(errno));
	ZSTD_freeCCtx(sink->zstd);
	text_fini(&sink->packed);
	text_fini(&sink->buffer);
	free(sink->path);
	free(sink);
	return rc;
}

void sink_discard(struct sink *sink)
{
	struct caller_was was;

	if (sink && sink->is_new) {
		if (!caller_become(&was))
			unlink(sink->path);
		caller_return(&was);
	}
	sink_close(sink, NULL);
}

bool sink_is_full(const struct sink *sink, const struct sink_limits *limits)
{
	return limits->max_bytes && sink->own && !sink->failed &&
	       sink->size + sink->buffer.n * (sink->zstd != NULL) / 8 >= limits->max_bytes;
}

int sink_rotate(struct sink *sink, const struct sink_limits *limits, struct err *err)
{
	int rc = push_out(sink, err);

	if (rc)
		return rc;
	rc = older_shift(sink->path, limits->keep);
	if (rc) {
		fail_for_good(sink, -rc);
		return told(sink, err);
	}

	int fd = open_file(sink->path, SINK_NEW, &sink->size, &sink->why);

	if (fd < 0) {
		sink->failed = fd;
		return told(sink, err);
	}
	close(sink->fd);
	sink->fd = fd;
	sink->packed_ns = 0;
	return 0;
}

uint64_t sink_size(const struct sink *sink)
{
	return sink->size;
}

const char *sink_path(const struct sink *sink)
{
	return sink->path;
}
