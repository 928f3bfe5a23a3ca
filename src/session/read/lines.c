#include "session/read/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/format/compress.h"

enum { CHUNK = 256 * 1024, LINE_MAX_BYTES = 1024 * 1024 };

/* Start of a compressed block, from which decompression can start. */
struct block {
	uint64_t packed_at, text_at;
};

struct lines {
	char **path;
	size_t n_files, file;
	int fd;
	uint64_t number;
	uint64_t given;                    /* bytes of text in earlier files */
	struct decompressor *decompressor; /* NULL: plain */
	bool in_block;                     /* the block is incomplete */
	bool is_at_end, is_cut;
	char *packed; /* compressed bytes not yet decompressed */
	size_t packed_at, packed_n;
	uint64_t packed_end; /* bytes of the file that were read */
	struct block block[2];
	char *text;       /* [at, n) was not returned yet */
	uint64_t text_at; /* position of `text` in the file's text */
	size_t at, n, cap;
};

static const char *path_of(const struct lines *lines)
{
	return lines->path[lines->file];
}

static int fail_errno(const struct lines *lines, struct err *err)
{
	return err_set(err, errno, "%s: %s", path_of(lines), strerror(errno));
}

static ssize_t read_some(const struct lines *lines, char *to, size_t size, struct err *err)
{
	ssize_t n;

	do {
		n = read(lines->fd, to, size);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? fail_errno(lines, err) : n;
}

/* Make room for a chunk after the remaining text. */
static int lines_make_room(struct lines *lines, struct err *err)
{
	if (lines->at) {
		memmove(lines->text, lines->text + lines->at, lines->n - lines->at);
		lines->n -= lines->at;
		lines->text_at += lines->at;
		lines->at = 0;
	}
	if (lines->n > LINE_MAX_BYTES)
		return err_set(err, EINVAL, "%s:%llu:1: a line of more than %d bytes",
			       path_of(lines), (unsigned long long)lines->number + 1,
			       LINE_MAX_BYTES);
	if (lines->n + CHUNK <= lines->cap)
		return 0;

	size_t cap = lines->n + 2 * CHUNK;
	char *text = realloc(lines->text, cap);

	if (!text)
		return err_set(err, ENOMEM, "%s: out of memory", path_of(lines));
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

/* Remember the start of a block. Two are kept: the newest, and one at or slightly before the first text not yet
 * returned. Less than a line remains after `at` whenever more is read. */
static void note_block(struct lines *lines)
{
	if (lines->block[1].text_at <= lines->text_at + lines->at)
		lines->block[0] = lines->block[1];
	lines->block[1] = (struct block){
		.packed_at = lines->packed_end - (lines->packed_n - lines->packed_at),
		.text_at = lines->text_at + lines->n,
	};
}

static int unpack(struct lines *lines, struct err *err)
{
	if (!lines->in_block)
		note_block(lines);

	struct compressed from = { lines->packed, lines->packed_n, lines->packed_at };
	struct decompressed to = { lines->text, lines->cap, lines->n };
	const char *why;
	int rc = decompressor_run(lines->decompressor, &from, &to, &why);

	if (rc < 0)
		return err_set(err, EINVAL, "%s: not valid zstd data after line %llu: %s",
			       path_of(lines), (unsigned long long)lines->number, why);
	lines->in_block = rc;
	lines->packed_at = from.at;
	lines->n = to.n;
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
		lines->packed_end += (uint64_t)n;
		lines->is_at_end = n == 0;
		if (!n) {
			lines->is_cut |= lines->in_block;
			return 0;
		}
	}
	return unpack(lines, err);
}

static int lines_fill(struct lines *lines, struct err *err)
{
	int rc = lines_make_room(lines, err);

	if (rc)
		return rc;
	return lines->decompressor ? fill_packed(lines, err) : fill_plain(lines, err);
}

/* Detect zstd by the first four bytes, whatever the name of the file. */
static int look_for_zstd(struct lines *lines, struct err *err)
{
	static const char magic[] = { 0x28, '\xb5', 0x2f, '\xfd' };
	int rc = 0;

	while (!rc && !lines->is_at_end && lines->n < sizeof(magic))
		rc = lines_fill(lines, err);
	if (rc || lines->n < sizeof(magic) || memcmp(lines->text, magic, sizeof(magic)) != 0)
		return rc;
	rc = decompressor_new(path_of(lines), &lines->decompressor, err);
	if (rc)
		return rc;
	lines->packed = lines->text;
	lines->packed_n = lines->packed_end = lines->n;
	lines->text = NULL;
	lines->n = lines->cap = 0;
	lines->is_at_end = false;
	return 0;
}

static void close_file(struct lines *lines)
{
	if (lines->fd >= 0)
		close(lines->fd);
	decompressor_free(lines->decompressor);
	free(lines->packed);
	free(lines->text);
	lines->fd = -1;
	lines->decompressor = NULL;
	lines->packed = lines->text = NULL;
	lines->packed_at = lines->packed_n = lines->at = lines->n = lines->cap = 0;
	memset(lines->block, 0, sizeof(lines->block));
	lines->packed_end = lines->text_at = lines->number = 0;
	lines->in_block = lines->is_at_end = false;
}

static int open_file(struct lines *lines, size_t file, struct err *err)
{
	const char *path = lines->path[file];

	close_file(lines);
	lines->file = file;
	lines->fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	return lines->fd < 0 ? fail_errno(lines, err) : look_for_zstd(lines, err);
}

int lines_open_all(char *const *path, size_t n, struct lines **ret, struct err *err)
{
	struct lines *lines = calloc(1, sizeof(*lines));
	int rc = 0;

	if (!lines || !(lines->path = calloc(n, sizeof(*lines->path)))) {
		free(lines);
		return err_set(err, ENOMEM, "%s: out of memory", path[0]);
	}
	lines->fd = -1;
	for (; lines->n_files < n && !rc; lines->n_files++) {
		lines->path[lines->n_files] = strdup(path[lines->n_files]);
		if (!lines->path[lines->n_files])
			rc = err_set(err, ENOMEM, "%s: out of memory", path[lines->n_files]);
	}
	if (!rc)
		rc = open_file(lines, 0, err);
	if (rc) {
		lines_close(lines);
		return rc;
	}
	*ret = lines;
	return 0;
}

int lines_open(const char *path, struct lines **ret, struct err *err)
{
	char *const one[] = { (char *)path };

	return lines_open_all(one, 1, ret, err);
}

void lines_close(struct lines *lines)
{
	if (!lines)
		return;
	close_file(lines);
	for (size_t i = 0; i < lines->n_files; i++)
		free(lines->path[i]);
	free(lines->path);
	free(lines);
}

/* @return 1: the next file is open; 0: there is none; -errno */
static int next_file(struct lines *lines, struct err *err)
{
	lines->is_cut |= lines->n > lines->at;
	if (lines->file + 1 == lines->n_files)
		return 0;
	lines->given += lines->text_at + lines->n;

	int rc = open_file(lines, lines->file + 1, err);

	return rc ? rc : 1;
}

/* Find the end of the next line. @ret  NULL at the end of the file */
static int find_end(struct lines *lines, char **ret, struct err *err)
{
	size_t seen = 0; /* bytes already searched for a newline */

	*ret = NULL;
	for (;;) {
		if (lines->n > lines->at + seen)
			*ret = memchr(lines->text + lines->at + seen, '\n',
				      lines->n - lines->at - seen);
		if (*ret || lines->is_at_end)
			return 0;
		seen = lines->n - lines->at;

		int rc = lines_fill(lines, err);

		if (rc)
			return rc;
	}
}

int lines_next(struct lines *lines, char **ret, size_t *ret_n, struct err *err)
{
	char *end;
	int rc;

	do {
		rc = find_end(lines, &end, err);
		if (!rc && !end)
			rc = next_file(lines, err);
	} while (rc > 0);
	if (rc)
		return rc;
	if (!end) {
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
	return path_of(lines);
}

/* ---- places ---- */

uint64_t lines_given(const struct lines *lines)
{
	return lines->given + lines->text_at + lines->at;
}

struct lines_position lines_position(const struct lines *lines, const char *line)
{
	struct lines_position place = { .file = lines->file,
					.at = lines->text_at + lines->at,
					.number = lines->number };

	if (line) {
		place.at = lines->text_at + (size_t)(line - lines->text);
		place.number--;
	}
	place.packed_at = place.text_at = place.at;
	if (lines->decompressor) {
		const struct block *block = &lines->block[place.at >= lines->block[1].text_at];

		place.packed_at = block->packed_at;
		place.text_at = block->text_at;
	}
	return place;
}

static int skip_to(struct lines *lines, uint64_t text_at, struct err *err)
{
	int rc = 0;

	while (!rc && lines->text_at + lines->n < text_at && !lines->is_at_end) {
		lines->at = lines->n;
		rc = lines_fill(lines, err);
	}
	lines->at =
		lines->text_at + lines->n < text_at ? lines->n : (size_t)(text_at - lines->text_at);
	return rc;
}

int lines_seek(struct lines *lines, const struct lines_position *place, struct err *err)
{
	int rc = 0;

	if (lines->file != place->file)
		rc = open_file(lines, place->file, err);
	if (rc)
		return rc;

	if (lines->decompressor)
		decompressor_restart(lines->decompressor);
	if (lseek(lines->fd, (off_t)place->packed_at, SEEK_SET) < 0)
		return fail_errno(lines, err);
	lines->packed_at = lines->packed_n = lines->at = lines->n = 0;
	lines->packed_end = place->packed_at;
	lines->block[0] = lines->block[1] = (struct block){ place->packed_at, place->text_at };
	lines->text_at = place->text_at;
	lines->in_block = lines->is_at_end = false;
	lines->number = place->number;
	return skip_to(lines, place->at, err);
}
