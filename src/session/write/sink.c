#include "session/write/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/shown.h"
#include "base/text.h"
#include "base/invoker.h"
#include "session/compress/compress.h"
#include "session/read/rotated_files.h"
#include "session/write/sink_out.h"

enum { FLUSH_AT = 1 << 16 };

/* A crash may cost a second: this long in the buffer, and the rest in queues and until the next flush
 * is asked for. */
#define SELDOM_NS (750 * NS_PER_MS)

struct sink {
	struct sink_out out;
	char *path;
	char *given;      /* the path before the file was lost; NULL: it never was */
	sink_lost *lost;  /* NULL: it is not watched */
	void *lost_data;  /* of lost */
	uint64_t in_file; /* bytes that the file must have */
	bool is_begun;    /* some of them are ours */
	bool own;         /* a file that we opened: may be cut off, and is closed */
	bool is_new;      /* there was no file before */
	bool is_shown;    /* to people: as base/shown.h has it */
	struct shown_stream shown;
	struct text buffer;
	struct compressor *compressor; /* NULL: as it is */
	struct text packed; /* what of the buffer was compressed and is not yet written */
	bool is_seldom;     /* sink_flush_seldom */
	uint64_t pushed_ns; /* when the buffer was written last */
	uint64_t size;
	size_t *end; /* where in the buffer each write ends: what can be cut off behind it */
	size_t n_ends, ends_cap;
	unsigned n_writes; /* to this file */
	struct sink_limits limits;
	unsigned n_older; /* so many older files are ours; UINT_MAX: all that there are */
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
	uint64_t size;
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

void sink_hurry(struct sink *sink)
{
	sink->out.is_hurried = true;
}

void sink_watch(struct sink *sink, sink_lost *lost, void *data)
{
	/* where a path never leads to what was opened by it, nothing can be told from that */
	if (!sink->own || sink_file_loss(sink->out.fd, sink->path, sink->in_file))
		return;
	sink->lost = lost;
	sink->lost_data = data;
}

void sink_flush_seldom(struct sink *sink)
{
	sink->is_seldom = true;
}

/* So much of what was written is whole: up to the end of a write; of a compressed file nothing,
 * because the buffer is one block. */
static size_t whole_part(const struct sink *sink, size_t done)
{
	size_t n = sink->compressor ? 0 : sink->n_ends;

	while (n > 0 && sink->end[n - 1] > done)
		n--;
	return n ? sink->end[n - 1] : 0;
}

/* Leave no part of a frame in the file. */
static void cut_partial_write(const struct sink *sink, size_t done)
{
	off_t too_much = (off_t)(done - whole_part(sink, done));
	off_t end = lseek(sink->out.fd, 0, SEEK_CUR);

	/* before the first write to it the place in a file that is appended to is its beginning */
	if (!sink->own || !too_much || end < too_much)
		return;
	/* when even this fails, what is left is one unfinished frame: readers must bear that */
	if (ftruncate(sink->out.fd, end - too_much))
		return;
}

static int fail_for_good(struct sink *sink, int code)
{
	const char *name = strcmp(sink->path, "-") == 0 ? "standard output" : sink->path;

	err_set(&sink->why, code, "%s: %s", name,
		code == ETIMEDOUT ? "its reader has gone; the last lines are missing"
				  : strerror(code));
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

static int write_all(struct sink *sink, const struct text *bytes, struct err *err)
{
	size_t done = 0;

	while (done < bytes->n) {
		ssize_t n = sink_out_write(&sink->out, bytes->bytes + done, bytes->n - done);

		if (n < 0) {
			fail_for_good(sink, errno);
			cut_partial_write(sink, done);
			return told(sink, err);
		}
		done += (size_t)n;
	}
	return 0;
}

static int pack(struct sink *sink, struct err *err)
{
	const struct text *plain = &sink->buffer;

	text_clear(&sink->packed);
	if (compressor_add_block(sink->compressor, plain->bytes, plain->n, &sink->packed)) {
		fail_for_good(sink, ENOMEM);
		return told(sink, err);
	}
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

/* The old file's lock goes with its descriptor. */
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

/* Go on in a new file, which begins with its own head unless that is still in the buffer. */
static int go_beside(struct sink *sink, const char *what, struct err *err)
{
	unsigned keep = sink->limits.max_bytes ? sink->limits.keep : 0;
	const char *given = sink->given ? sink->given : sink->path;
	struct text head = { 0 };
	struct err said;
	char *path;
	int fd = sink_file_open_beside(given, keep, &path, &sink->why);

	if (fd < 0) {
		sink->failed = err_prefix(&sink->why, fd == -ENOSPC ? EIO : -fd,
					  "%s %s: ", sink->path, what);
		return told(sink, err);
	}
	err_set(&said, 0, "%s %s: what follows is written to %s", sink->path, what, path);
	change_file(sink, fd, path);
	sink->lost(sink->lost_data, &said, &head);
	if (sink->is_begun)
		put_before(sink, &head);
	text_fini(&head);
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
	int rc = what ? go_beside(sink, what, err) : 0;

	sink->pushed_ns = clock_now_ns();
	if (!rc && sink->buffer.failed) {
		fail_for_good(sink, ENOMEM);
		rc = told(sink, err);
	}
	if (!rc && sink->compressor)
		rc = pack(sink, err);
	if (!rc)
		rc = write_all(sink, bytes, err);
	if (!rc)
		sink->in_file += bytes->n;
	sink->is_begun = true;
	return rc;
}

static int push_out(struct sink *sink, struct err *err)
{
	int rc = 0;

	if (sink->failed)
		return told(sink, err);
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
		return told(sink, err);
	if (sink->is_shown)
		shown_add(&sink->shown, bytes, n, &sink->buffer);
	else
		text_add(&sink->buffer, bytes, n);
	if (sink->buffer.failed ||
	    array_reserve((void **)&sink->end, &sink->ends_cap, sink->n_ends, sizeof(*sink->end))) {
		fail_for_good(sink, ENOMEM);
		return told(sink, err);
	}
	sink->end[sink->n_ends++] = sink->buffer.n;
	sink->n_writes++;
	if (!sink->compressor)
		sink->size += n;
	return sink->buffer.n < FLUSH_AT ? 0 : push_out(sink, err);
}

int sink_close(struct sink *sink, struct err *err)
{
	if (!sink)
		return 0;

	int rc = push_out(sink, err);

	/* NFS and quotas report a failed write only here */
	if (sink->own && close(sink->out.fd) && !rc)
		rc = err_set(err, errno, "%s: %s", sink->path, strerror(errno));
	compressor_free(sink->compressor);
	text_fini(&sink->packed);
	text_fini(&sink->buffer);
	shown_fini(&sink->shown);
	free(sink->end);
	free(sink->path);
	free(sink->given);
	free(sink);
	return rc;
}

void sink_discard(struct sink *sink)
{
	struct invoker_was was;

	if (sink && sink->is_new) {
		if (!invoker_become(&was))
			unlink(sink->path);
		invoker_return(&was);
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

/* What is still to be compressed is taken for an eighth. */
bool sink_is_full_with(const struct sink *sink, size_t n)
{
	uint64_t coming = sink->compressor ? (sink->buffer.n + n) / 8 : n;

	return sink->limits.max_bytes && sink->n_writes > 1 && !sink->failed &&
	       sink->size + coming > sink->limits.max_bytes;
}

static int make_room(struct sink *sink)
{
	int rc = rotated_files_shift(sink->path, sink->limits.keep, sink->n_older, &sink->why);

	if (!rc && sink->n_older < UINT_MAX)
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
		sink->is_begun = false; /* whoever rotates writes the head */
		return go_beside(sink, what, err);
	}
	sink->failed = make_room(sink);
	if (sink->failed)
		return told(sink, err);

	int fd = sink_file_open(sink->path, SINK_NEW, &sink->size, &sink->why);

	if (fd < 0) {
		sink->failed = fd;
		return told(sink, err);
	}
	close(sink->out.fd);
	sink->out.fd = fd;
	sink->pushed_ns = 0;
	sink->n_writes = 0;
	sink->in_file = 0;
	sink->is_begun = false;
	return 0;
}

uint64_t sink_size(const struct sink *sink)
{
	return sink->size;
}

bool sink_has_buffered(const struct sink *sink)
{
	return sink->buffer.n > 0;
}

const char *sink_path(const struct sink *sink)
{
	return sink->path;
}
