#include "session/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

enum { CHUNK = 256 * 1024, LINE_MAX_BYTES = 1024 * 1024 };

struct lines {
	char *path;
	int fd;
	uint64_t number;
	ZSTD_DStream *zstd; /* NULL: plain */
	bool in_frame;      /* of zstd: more of it must come */
	bool is_at_end, is_cut;
	char *packed; /* compressed bytes not yet looked at */
	size_t packed_at, packed_n;
	char *text; /* [at, n) is not yet given out */
	size_t at, n, cap;
};

static int fail_errno(const struct lines *lines, struct err *err)
{
	return err_set(err, errno, "%s: %s", lines->path, strerror(errno));
}

static ssize_t read_some(const struct lines *lines, char *to, size_t size, struct err *err)
{
	ssize_t n;

	do {
		n = read(lines->fd, to, size);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? fail_errno(lines, err) : n;
}

/* Room for a chunk behind what is left of the text. */
static int make_room(struct lines *lines, struct err *err)
{
	if (lines->at) {
		memmove(lines->text, lines->text + lines->at, lines->n - lines->at);
		lines->n -= lines->at;
		lines->at = 0;
	}
	if (lines->n > LINE_MAX_BYTES)
		return err_set(err, EINVAL, "%s:%llu:1: a line of more than %d bytes", lines->path,
			       (unsigned long long)lines->number + 1, LINE_MAX_BYTES);
	if (lines->n + CHUNK <= lines->cap)
		return 0;

	size_t cap = lines->n + 2 * CHUNK;
	char *text = realloc(lines->text, cap);

	if (!text)
		return err_set(err, ENOMEM, "%s: out of memory", lines->path);
	lines->text = text;
	lines->cap = cap;
	return 0;
}

static int fill_plain(struct lines *lines, struct err *err)
{
	ssize_t n = read_some(lines, lines->text + lines->n, lines->cap - lines->n, err);

	if (n < 0)
		return (int)n;
	lines->n += (size_t)n;
	lines->is_at_end = n == 0;
	return 0;
}

static int unpack(struct lines *lines, struct err *err)
{
	ZSTD_inBuffer in = { lines->packed, lines->packed_n, lines->packed_at };
	ZSTD_outBuffer out = { lines->text, lines->cap, lines->n };
	size_t rc = ZSTD_decompressStream(lines->zstd, &out, &in);

	if (ZSTD_isError(rc))
		return err_set(err, EINVAL, "%s: not what zstd writes, behind line %llu: %s",
			       lines->path, (unsigned long long)lines->number,
			       ZSTD_getErrorName(rc));
	lines->in_frame = rc != 0;
	lines->packed_at = in.pos;
	lines->n = out.pos;
	return 0;
}

static int fill_packed(struct lines *lines, struct err *err)
{
	if (lines->packed_at == lines->packed_n) {
		ssize_t n = read_some(lines, lines->packed, CHUNK, err);

		if (n < 0)
			return (int)n;
		lines->packed_at = 0;
		lines->packed_n = (size_t)n;
		lines->is_at_end = n == 0;
		if (!n) {
			lines->is_cut |= lines->in_frame;
			return 0;
		}
	}
	return unpack(lines, err);
}

static int fill(struct lines *lines, struct err *err)
{
	int rc = make_room(lines, err);

	if (rc)
		return rc;
	return lines->zstd ? fill_packed(lines, err) : fill_plain(lines, err);
}

/* By its first four bytes, whatever the file is called. */
static int look_for_zstd(struct lines *lines, struct err *err)
{
	static const char magic[] = { 0x28, '\xb5', 0x2f, '\xfd' };
	int rc = 0;

	while (!rc && !lines->is_at_end && lines->n < sizeof(magic))
		rc = fill(lines, err);
	if (rc || lines->n < sizeof(magic) || memcmp(lines->text, magic, sizeof(magic)) != 0)
		return rc;
	lines->zstd = ZSTD_createDStream();
	lines->packed = lines->text;
	lines->packed_n = lines->n;
	lines->text = NULL;
	lines->n = lines->cap = 0;
	lines->is_at_end = false;
	return lines->zstd ? 0 : err_set(err, ENOMEM, "%s: out of memory", lines->path);
}

int lines_open(const char *path, struct lines **ret, struct err *err)
{
	struct lines *lines = calloc(1, sizeof(*lines));

	if (!lines || !(lines->path = strdup(path))) {
		free(lines);
		return err_set(err, ENOMEM, "%s: out of memory", path);
	}
	lines->fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);

	int rc = lines->fd < 0 ? fail_errno(lines, err) : look_for_zstd(lines, err);

	if (rc) {
		lines_close(lines);
		return rc;
	}
	*ret = lines;
	return 0;
}

void lines_close(struct lines *lines)
{
	if (!lines)
		return;
	if (lines->fd >= 0)
		close(lines->fd);
	ZSTD_freeDStream(lines->zstd);
	free(lines->packed);
	free(lines->text);
	free(lines->path);
	free(lines);
}

int lines_next(struct lines *lines, char **ret, size_t *ret_n, struct err *err)
{
	size_t seen = 0; /* of the text: without a newline */
	char *end = NULL;

	for (;;) {
		if (lines->n > lines->at + seen)
			end = memchr(lines->text + lines->at + seen, '\n',
				     lines->n - lines->at - seen);
		if (end || lines->is_at_end)
			break;
		seen = lines->n - lines->at;

		int rc = fill(lines, err);

		if (rc)
			return rc;
	}
	if (!end) {
		lines->is_cut |= lines->n > lines->at;
		*ret = NULL;
		return 0;
	}
	*end = '\0';
	*ret = lines->text + lines->at;
	*ret_n = (size_t)(end - *ret);
	lines->at += *ret_n + 1;
	lines->number++;
	return 0;
}

uint64_t lines_number(const struct lines *lines)
{
	return lines->number;
}

bool lines_are_cut(const struct lines *lines)
{
	return lines->is_cut;
}

const char *lines_path(const struct lines *lines)
{
	return lines->path;
}
