#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/invoker.h"
#include "base/text.h"
#include "session/format/compress.h"
#include "session/read/lines.h"
#include "session/reader.h"
#include "session/sink.h"

struct sink_out {
	int fd;
	bool is_stream;  /* pipe or terminal: may be full */
	int stop_fd;     /* when readable, waiting for readers is limited; -1: none */
	bool is_hurried; /* waiting for readers is limited */
};

enum { HURRY_MS = 100 };

/* @return 0; -ETIMEDOUT: no reader, and waiting is limited */
static int wait_for_reader(const struct sink_out *out)
{
	struct pollfd fd[] = {
		{ .fd = out->fd, .events = POLLOUT },
		{ .fd = out->stop_fd, .events = POLLIN },
	};

	if (!out->is_hurried)
		poll(fd, 2, -1);
	if (fd[0].revents || (!out->is_hurried && !fd[1].revents))
		return 0; /* or interrupted: the caller tries again */
	return poll(fd, 1, HURRY_MS) ? 0 : -ETIMEDOUT;
}

/* Get the bytes that an empty pipe accepts without blocking. @return 0: not a pipe, or not empty */
static size_t room_of_empty_pipe(int fd)
{
	int size = fcntl(fd, F_GETPIPE_SZ), unread;

	return size > 0 && !ioctl(fd, FIONREAD, &unread) && !unread ? (size_t)size : 0;
}

/* Write bytes. A pipe reported as writable by poll accepts PIPE_BUF bytes without blocking. The inherited stdout may be
 * non-blocking: EAGAIN only means to wait. */
static ssize_t sink_out_write(const struct sink_out *out, const char *bytes, size_t n)
{
	for (;;) {
		size_t room = !out->is_stream ? n : n > PIPE_BUF ? room_of_empty_pipe(out->fd) : 0;
		int rc = room ? 0 : wait_for_reader(out);

		if (rc) {
			errno = -rc;
			return -1;
		}

		room = room ? room : PIPE_BUF;

		ssize_t done = write(out->fd, bytes, n < room ? n : room);

		if (done >= 0 || (errno != EINTR && errno != EAGAIN))
			return done;
	}
}

enum { NUMBERS_MAX = 1000 };

/* Whether the name ends in .zst. */
static bool sink_file_is_zst(const char *path)
{
	size_t n = strlen(path);

	return n > 4 && strcmp(path + n - 4, ".zst") == 0;
}

static int open_flags(enum sink_mode mode)
{
	/* O_NONBLOCK: opening a FIFO must not block before it is rejected */
	int flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

	switch (mode) {
	case SINK_APPEND: return (flags & ~O_ACCMODE) | O_RDWR;
	case SINK_FORCE: return flags;
	case SINK_NEW: break;
	}
	return flags | O_EXCL;
}

static int no_file(const char *path, struct err *err)
{
	return err_set(err, EINVAL, "%s is not a regular file: redirect stdout instead", path);
}

/* @fd  any descriptor of the file */
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
	struct stat st;
	char who[64];

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
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

/* Check that the open file is regular and has no other hard links. */
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

/*
 * Detect that an open file is no longer the one of its path, or is shorter than what was written.
 *
 * @size    bytes that it must have
 * @return  "was truncated" …; NULL: no loss, or unknown
 */
static const char *sink_file_loss(int fd, const char *path, uint64_t size)
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

/*
 * Open a file as described for sink_open.
 *
 * @ret_size  present size: 0 unless it is appended to
 * @return    a descriptor; -errno with a message about what to do
 */
static int sink_file_open(const char *path, enum sink_mode mode, uint64_t *ret_size,
			  struct err *err)
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
	file_lock_sign(fd); /* after the check, which may have opened and closed the file, too */

	int done = fd;

	fd = -1;
	return done;
}

/* Name the n-th file after a path: "run.csv.zst" and 2 give "run-2.csv.zst". @return to be freed */
static char *numbered_name(const char *path, unsigned n)
{
	const char *slash = strrchr(path, '/');
	const char *dot = strchr(slash ? slash + 1 : path, '.');
	size_t stem = dot ? (size_t)(dot - path) : strlen(path);
	char *name;

	return asprintf(&name, "%.*s-%u%s", (int)stem, path, n, path + stem) < 0 ? NULL : name;
}

/* @return as sink_file_open; -EEXIST: the name is in use */
static int open_free(const char *path, unsigned keep, struct err *err)
{
	uint64_t size;
	int rc = rotated_files_check(path, keep, 0, err);

	rc = rc ? rc : sink_file_open(path, SINK_NEW, &size, err);
	return rc == -EBUSY ? -EEXIST : rc;
}

/*
 * Open a new file next to another: the first of run-2.csv, run-3.csv … that does not exist.
 *
 * @keep      number of older files, whose names must be free, too
 * @ret_path  its path, to be freed
 * @return    as sink_file_open
 */
static int sink_file_open_numbered(const char *path, unsigned keep, char **ret_path,
				   struct err *err)
{
	int fd = -EEXIST;

	for (unsigned n = 2; fd == -EEXIST && n < NUMBERS_MAX; n++) {
		char *name = numbered_name(path, n);

		fd = name ? open_free(name, keep, err) : err_set(err, ENOMEM, "out of memory");
		if (fd < 0)
			free(name);
		else
			*ret_path = name;
	}
	return fd;
}

enum { FLUSH_AT = 1 << 16 };

/* A crash may lose a second: this long in the buffer, the rest in queues and until the next flush. */
#define SELDOM_NS (750 * NS_PER_MS)

struct sink {
	struct sink_out out;
	char *path;
	char *given;      /* original path of a file that was lost; NULL: never lost */
	sink_lost *lost;  /* NULL: not watched */
	void *lost_data;  /* argument of `lost` */
	uint64_t in_file; /* bytes that the file must have */
	bool is_begun;    /* some of these were written by this sink */
	bool own;         /* a file opened here: may be truncated, and is closed */
	bool is_new;      /* the file was created */
	bool is_whole;    /* of no use otherwise: sink_keep_whole */
	bool is_shown;    /* made printable: see base/text.h */
	struct printable_stream shown;
	struct text buffer;
	struct compressor *compressor; /* NULL: plain */
	struct text packed;            /* compressed bytes not written yet */
	bool is_seldom;                /* sink_flush_seldom */
	uint64_t pushed_ns;            /* last write of the buffer */
	uint64_t size, older;          /* bytes of this file; of those before it */
	size_t *end; /* end of each write in the buffer: a partial write is truncated to one of
	              * these */
	size_t n_ends, ends_cap;
	unsigned n_writes; /* to this file */
	struct sink_limits limits;
	unsigned n_older; /* number of older files that belong to this session; UINT_MAX: all
	                   * existing ones */
	int failed;       /* -errno of the first failure */
	struct err why;
};

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
	sink->out.fd = fd;
	sink->path = copy;
	sink->out.stop_fd = -1;
	sink->out.is_stream = !fstat(fd, &st) && !S_ISREG(st.st_mode);
	return sink;
}

static int open_own(const char *path, enum sink_mode mode, struct sink **ret, struct err *err)
{
	struct compressor *compressor = NULL;
	uint64_t size = 0;
	int rc = sink_file_is_zst(path) ? compressor_new(path, &compressor, err) : 0;

	if (rc)
		return rc;

	int fd = sink_file_open(path, mode, &size, err);
	struct sink *sink = fd < 0 ? NULL : sink_new(fd, path);

	if (!sink)
		compressor_free(compressor);
	if (fd < 0)
		return fd;
	if (!sink) {
		close(fd);
		return err_set(err, ENOMEM, "%s: out of memory", path);
	}
	sink->own = true;
	sink->compressor = compressor;
	sink->is_seldom = compressor; /* small blocks compress badly */
	sink->is_new = mode == SINK_NEW;
	sink->n_older = sink->is_new ? 0 : UINT_MAX;
	sink->size = sink->in_file = size;
	*ret = sink;
	return 0;
}

static int open_stream(int fd, const char *name, struct sink **ret, struct err *err)
{
	struct sink *sink = sink_new(fd, name);

	if (!sink)
		return err_set(err, ENOMEM, "%s: out of memory", name);
	sink->is_shown = isatty(fd);
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

void sink_show(struct sink *sink)
{
	sink->is_shown = !sink->own;
}

void sink_stop_on(struct sink *sink, int stop_fd)
{
	sink->out.stop_fd = stop_fd;
}

void sink_limit_waits(struct sink *sink)
{
	sink->out.is_hurried = true;
}

void sink_watch(struct sink *sink, sink_lost *lost, void *data)
{
	/* on file systems where the path never leads to the open file, a loss cannot be detected */
	if (!sink->own || sink_file_loss(sink->out.fd, sink->path, sink->in_file))
		return;
	sink->lost = lost;
	sink->lost_data = data;
}

void sink_flush_seldom(struct sink *sink)
{
	sink->is_seldom = true;
}

/* Get the length of complete writes among the bytes written; 0 for a compressed file, where the buffer is one block. */
static size_t whole_part(const struct sink *sink, size_t done)
{
	size_t n = sink->compressor ? 0 : sink->n_ends;

	while (n > 0 && sink->end[n - 1] > done)
		n--;
	return n ? sink->end[n - 1] : 0;
}

/* Truncate a partial write. */
static void cut_partial_write(const struct sink *sink, size_t done)
{
	off_t too_much = (off_t)(done - whole_part(sink, done));
	off_t end = lseek(sink->out.fd, 0, SEEK_CUR);

	/* before the first write to a file that is appended to, its position is 0 */
	if (!sink->own || !too_much || end < too_much)
		return;
	/* if this fails, an incomplete frame remains, which readers accept */
	if (ftruncate(sink->out.fd, end - too_much))
		return;
}

static int sink_error(const struct sink *sink, struct err *err)
{
	if (err)
		*err = sink->why;
	return sink->failed;
}

/* Fail now and in all further writes. */
static int fail_for_good(struct sink *sink, int code, struct err *err)
{
	const char *name = strcmp(sink->path, "-") == 0 ? "standard output" : sink->path;

	err_set(&sink->why, code, "%s: %s", name,
		code == ETIMEDOUT ? "its reader has gone; the last lines are missing"
				  : strerror(code));
	/* ENOSPC means that a set has no room for an event, an error of the user */
	sink->failed = code == ENOSPC ? -EIO : -code;
	return sink_error(sink, err);
}

static int sink_write_all(struct sink *sink, const struct text *bytes, struct err *err)
{
	size_t done = 0;

	while (done < bytes->n) {
		ssize_t n = sink_out_write(&sink->out, bytes->bytes + done, bytes->n - done);

		if (n < 0) {
			fail_for_good(sink, errno, err);
			cut_partial_write(sink, done);
			return sink->failed;
		}
		done += (size_t)n;
	}
	return 0;
}

static int sink_pack(struct sink *sink, struct err *err)
{
	const struct text *plain = &sink->buffer;

	text_clear(&sink->packed);
	if (compressor_add_block(sink->compressor, plain->bytes, plain->n, &sink->packed))
		return fail_for_good(sink, ENOMEM, err);
	sink->size += sink->packed.n;
	return 0;
}

static void put_before(struct sink *sink, const struct text *head)
{
	struct text all = { 0 };

	text_add(&all, head->bytes, head->n);
	text_add(&all, sink->buffer.bytes, sink->buffer.n);
	all.failed |= head->failed;
	text_fini(&sink->buffer);
	sink->buffer = all;
	for (size_t i = 0; i < sink->n_ends; i++)
		sink->end[i] += head->n;
}

/* Switch to a new file; closing the old descriptor releases its lock. */
static void change_file(struct sink *sink, int fd, char *path)
{
	close(sink->out.fd);
	if (sink->given)
		free(sink->path);
	else
		sink->given = sink->path;
	sink->out.fd = fd;
	sink->path = path;
	sink->is_new = true;
	sink->n_older = 0;
	sink->in_file = 0;
	sink->n_writes = (unsigned)sink->n_ends + sink->is_begun;
}

/* Continue in a new file, which gets a head unless that is still in the buffer. */
static int continue_in_new_file(struct sink *sink, const char *what, struct err *err)
{
	unsigned keep = sink->limits.max_bytes ? sink->limits.keep : 0;
	const char *given = sink->given ? sink->given : sink->path;
	AUTO_TEXT struct text head = { 0 };
	struct err warning;
	char *path;
	int fd = sink_file_open_numbered(given, keep, &path, &sink->why);

	if (fd < 0) {
		sink->failed = err_prefix(&sink->why, fd == -ENOSPC ? EIO : -fd,
					  "%s %s: ", sink->path, what);
		return sink_error(sink, err);
	}
	err_set(&warning, 0, "%s %s: what follows is written to %s", sink->path, what, path);
	change_file(sink, fd, path);
	sink->lost(sink->lost_data, &warning, &head);
	if (sink->is_begun)
		put_before(sink, &head);
	sink->size = sink->compressor ? 0 : sink->buffer.n;
	sink->is_begun = false;
	return 0;
}

static const char *loss(const struct sink *sink)
{
	return sink->lost ? sink_file_loss(sink->out.fd, sink->path, sink->in_file) : NULL;
}

static int push_buffer(struct sink *sink, struct err *err)
{
	const struct text *bytes = sink->compressor ? &sink->packed : &sink->buffer;
	const char *what = loss(sink);
	int rc = what ? continue_in_new_file(sink, what, err) : 0;

	sink->pushed_ns = clock_now_ns();
	if (!rc && sink->buffer.failed)
		rc = fail_for_good(sink, ENOMEM, err);
	if (!rc && sink->compressor)
		rc = sink_pack(sink, err);
	if (!rc)
		rc = sink_write_all(sink, bytes, err);
	if (!rc)
		sink->in_file += bytes->n;
	sink->is_begun = true;
	return rc;
}

static int push_out(struct sink *sink, struct err *err)
{
	int rc = 0;

	if (sink->failed)
		return sink_error(sink, err);
	if (sink->buffer.n)
		rc = push_buffer(sink, err);
	text_clear(&sink->buffer);
	sink->n_ends = 0;
	return rc;
}

int sink_flush(struct sink *sink, struct err *err)
{
	if (sink->is_seldom && !sink->failed && clock_now_ns() - sink->pushed_ns < SELDOM_NS)
		return 0;
	return push_out(sink, err);
}

int sink_write(struct sink *sink, const char *bytes, size_t n, struct err *err)
{
	if (sink->failed)
		return sink_error(sink, err);
	if (sink->is_shown)
		printable_add(&sink->shown, bytes, n, &sink->buffer);
	else
		text_add(&sink->buffer, bytes, n);
	if (sink->buffer.failed || ARRAY_RESERVE(sink->end, sink->ends_cap, sink->n_ends))
		return fail_for_good(sink, ENOMEM, err);
	sink->end[sink->n_ends++] = sink->buffer.n;
	sink->n_writes++;
	if (!sink->compressor)
		sink->size += n;
	return sink->buffer.n < FLUSH_AT ? 0 : push_out(sink, err);
}

void sink_keep_whole(struct sink *sink)
{
	sink->is_whole = sink->is_new;
}

int sink_close(struct sink *sink, struct err *err)
{
	struct invoker_was was;
	int rc;

	if (!sink)
		return 0;
	rc = push_out(sink, err);

	/* NFS and quotas report a failed write only here */
	if (sink->own && close(sink->out.fd) && !rc)
		rc = err_set(err, errno, "%s: %s", sink->path, strerror(errno));
	if (rc && sink->is_whole) {
		if (!invoker_become(&was))
			unlink(sink->path);
		invoker_return(&was);
	}
	compressor_free(sink->compressor);
	text_fini(&sink->packed);
	text_fini(&sink->buffer);
	printable_fini(&sink->shown);
	free(sink->end);
	free(sink->path);
	free(sink->given);
	free(sink);
	return rc;
}

void sink_discard(struct sink *sink)
{
	if (sink) {
		sink_keep_whole(sink);
		sink->failed = -ECANCELED;
	}
	sink_close(sink, NULL);
}

int sink_limit(struct sink *sink, const struct sink_limits *limits, struct err *err)
{
	if (!sink->own || !limits->max_bytes)
		return 0;
	sink->limits = *limits;
	return rotated_files_check(sink->path, limits->keep, sink->n_older, err);
}

/* Estimate the size of bytes not yet compressed as an eighth. */
bool sink_is_full_with(const struct sink *sink, size_t n)
{
	uint64_t coming = sink->compressor ? (sink->buffer.n + n) / 8 : n;

	return sink->limits.max_bytes && sink->n_writes > 1 && !sink->failed &&
	       sink->size + coming > sink->limits.max_bytes / (sink->limits.keep + 1);
}

static int sink_make_room(struct sink *sink)
{
	int rc = rotated_files_shift(sink->path, sink->limits.keep, sink->n_older, &sink->why);

	if (rc >= 0 && sink->n_older < UINT_MAX)
		sink->n_older++;
	return rc == -ENOSPC ? -EIO : rc;
}

int sink_rotate(struct sink *sink, struct err *err)
{
	int rc = push_out(sink, err);

	if (rc)
		return rc;

	const char *what = loss(sink);

	if (what) {
		sink->is_begun = false; /* the caller writes the head */
		return continue_in_new_file(sink, what, err);
	}
	rc = sink_make_room(sink);
	if (rc < 0) {
		sink->failed = rc;
		return sink_error(sink, err);
	}

	sink->older += sink->size;

	int fd = sink_file_open(sink->path, SINK_NEW, &sink->size, &sink->why);

	if (fd < 0) {
		sink->failed = fd;
		return sink_error(sink, err);
	}
	close(sink->out.fd);
	sink->out.fd = fd;
	sink->pushed_ns = 0;
	sink->n_writes = 0;
	sink->in_file = 0;
	sink->is_begun = false;
	return rc;
}

uint64_t sink_size(const struct sink *sink)
{
	return sink->older + sink->size;
}

bool sink_has_buffered(const struct sink *sink)
{
	return sink->buffer.n > 0;
}

const char *sink_path(const struct sink *sink)
{
	return sink->path;
}
