#include "session/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/invoker.h"
#include "session/read/lines.h"
#include "session/format/note.h"

/* Number of consecutive files that may be missing. */
enum { HOLE_MAX = 100 };

/* Name the n-th older file: "run.csv.zst" and 2 give "run.2.csv.zst". */
static void name_older(const char *path, unsigned n, struct text *ret)
{
	const char *base = strrchr(path, '/');
	const char *dot = strchr(base ? base + 1 : path, '.');
	size_t stem = dot ? (size_t)(dot - path) : strlen(path);

	text_clear(ret);
	text_printf(ret, "%.*s.%u%s", (int)stem, path, n, path + stem);
}

/* @return 0: no such file, or it may be moved */
static int check_one(const char *path, const char *older, bool is_own, struct err *err)
{
	AUTO_FD int fd = open(older, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	char who[64];

	if (lstat(older, &st))
		return 0;
	if (!S_ISREG(st.st_mode))
		return err_set(err, EINVAL,
			       "%s is not a regular file, and has the name of a rotated file of %s",
			       older, path);
	if (!is_own)
		return err_set(err, EEXIST,
			       "%s exists, and has the name of a rotated file of %s: --append and "
			       "--force accept it as one",
			       older, path);
	if (fd >= 0 && *file_lock_holder(fd, who, sizeof(who)))
		return err_set(
			err, EBUSY,
			"%s is being written by %s, and has the name of a rotated file of %s",
			older, who, path);
	return 0;
}

static int check_all(const char *path, unsigned keep, unsigned n_own, struct err *err)
{
	AUTO_TEXT struct text older = { 0 };
	int rc = 0;

	for (unsigned n = 1; n <= keep && !rc; n++) {
		name_older(path, n, &older);
		rc = older.failed ? err_set(err, ENOMEM, "out of memory")
				  : check_one(path, older.bytes, n <= n_own, err);
	}
	return rc;
}

/* @return 1: the oldest was removed; 0: there were fewer */
static int shift_files(const char *path, unsigned keep, struct err *err)
{
	AUTO_TEXT struct text from = { 0 }, to = { 0 };
	int rc = 0, removed = !keep;

	for (unsigned n = keep; n > 0 && !rc; n--) {
		name_older(path, n - 1, &from);
		name_older(path, n, &to);
		if (from.failed || to.failed)
			return err_set(err, ENOMEM, "out of memory");

		const char *newer = n > 1 ? from.bytes : path;

		removed |= n == keep && !access(newer, F_OK) && !access(to.bytes, F_OK);
		if (rename(newer, to.bytes) && errno != ENOENT)
			rc = err_set(err, errno, "%s cannot become %s: %s", newer, to.bytes,
				     strerror(errno));
	}
	if (!keep && unlink(path) && errno != ENOENT)
		rc = err_set(err, errno, "%s: %s", path, strerror(errno));
	return rc ? rc : removed;
}

static int as_invoker(const char *path, unsigned keep, unsigned n_own, bool is_shift,
		      struct err *err)
{
	struct invoker_was was;
	int rc = invoker_become(&was);

	if (rc)
		err_set(err, -rc, "%s: cannot switch to the rights of the user who called sudo: %s",
			path, strerror(-rc));
	else
		rc = check_all(path, keep, n_own, err);
	if (!rc && is_shift)
		rc = shift_files(path, keep, err);
	invoker_return(&was);
	return rc;
}

int rotated_files_check(const char *path, unsigned keep, unsigned n_own, struct err *err)
{
	return as_invoker(path, keep, n_own, false, err);
}

int rotated_files_shift(const char *path, unsigned keep, unsigned n_own, struct err *err)
{
	return as_invoker(path, keep, n_own, true, err);
}

/* Read the "# host …" line.
 *
 * @ret           to be freed; NULL if the file has none
 * @ret_is_empty  the file has no line at all; may be NULL
 * @return        0 or -errno */
static int read_host(const char *path, char **ret, bool *ret_is_empty, struct err *err)
{
	struct lines *lines;
	char *line = NULL;
	size_t n;
	int rc = lines_open(path, &lines, err);

	*ret = NULL;
	if (rc)
		return rc;
	do {
		rc = lines_next(lines, &line, &n, err);
	} while (!rc && line && lines_number(lines) < 2);
	if (!rc && line && note_is(line, "host"))
		*ret = strdup(line);
	if (ret_is_empty)
		*ret_is_empty = !lines_number(lines);
	lines_close(lines);
	return rc;
}

/* Compare "# host" lines, except for the interval, which may have changed. */
static bool is_same_session(const char *a, const char *b)
{
	const char *of_a = strstr(a, " interval_ms "), *of_b = strstr(b, " interval_ms ");
	const char *from_a = strstr(a, " started "), *from_b = strstr(b, " started ");

	if (!of_a || !of_b || !from_a || !from_b || of_a - a != of_b - b)
		return false;
	return strncmp(a, b, (size_t)(of_a - a)) == 0 && strcmp(from_a, from_b) == 0;
}

/* Files of a session, newest first. */
struct session_files {
	char **path;
	size_t n, cap;
	char *host; /* "# host" line of the newest; NULL: not known yet */
	struct text empty;
};

static int rotated_files_add(struct session_files *files, const char *path, struct err *err)
{
	return array_append_text(&files->path, &files->cap, &files->n, path)
		       ? err_set(err, ENOMEM, "out of memory")
		       : 0;
}

/* Note an empty file. A full disk leaves one: a new file whose first lines did not fit. */
static void note_empty(struct session_files *files, const char *path)
{
	text_printf(&files->empty, "%s%s", files->empty.n ? ", " : "", path);
}

/* @return 1: an older file of the session; 0: missing or another file; -errno */
static int take_older(struct session_files *files, const char *path, struct err *err)
{
	AUTO_FREE char *host = NULL;
	bool is_empty = false;
	int rc = read_host(path, &host, &is_empty, err);

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	if (is_empty)
		note_empty(files, path);
	if (!host || (files->host && !is_same_session(host, files->host)))
		return 0;
	if (!files->host) {
		files->host = host;
		host = NULL;
	}
	rc = rotated_files_add(files, path, err);
	return rc ? rc : 1;
}

/* @return 1: there may be older ones; 0: not a session; -errno */
static int take_newest(struct session_files *files, const char *path, struct err *err)
{
	bool is_empty = false;
	int rc = read_host(path, &files->host, &is_empty, err);

	if (rc)
		return rc;
	if (is_empty) {
		note_empty(files, path);
		return 1;
	}
	rc = rotated_files_add(files, path, err);
	return rc ? rc : files->host != NULL;
}

/* Find all files. A missing one leaves a gap, which the ticks show. */
static int rotated_files_take_all(struct session_files *files, const char *path, struct err *err)
{
	AUTO_TEXT struct text name = { 0 };
	int rc = take_newest(files, path, err);
	bool has_older = rc > 0;

	for (unsigned i = 1, missing = 0; has_older && rc >= 0 && missing < HOLE_MAX; i++) {
		name_older(path, i, &name);
		rc = name.failed ? err_set(err, ENOMEM, "out of memory")
				 : take_older(files, name.bytes, err);
		missing = rc == 0 ? missing + 1 : 0;
	}
	if (rc >= 0 && !files->n) /* so that the reader reports the error */
		rc = rotated_files_add(files, path, err);
	return rc < 0 ? rc : 0;
}

static void reverse(char **path, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		char *other = path[n - 1 - i];

		path[n - 1 - i] = path[i];
		path[i] = other;
	}
}

int rotated_files_find(const char *path, char ***ret, size_t *ret_n, struct err *ret_warning,
		       struct err *err)
{
	struct session_files files = { 0 };
	int rc;

	if (strcmp(path, "-") == 0)
		return err_set(err, EINVAL,
			       "--older needs a file: standard input has no rotated files");
	rc = rotated_files_take_all(&files, path, err);
	if (!rc && files.empty.failed)
		rc = err_set(err, ENOMEM, "out of memory");
	if (!rc && files.empty.n)
		err_set(ret_warning, 0, "%s: empty, no session: left out", files.empty.bytes);
	text_fini(&files.empty);
	free(files.host);
	if (rc) {
		rotated_files_free(files.path, files.n);
		return rc;
	}
	reverse(files.path, files.n);
	*ret = files.path;
	*ret_n = files.n;
	return 0;
}

bool rotated_files_are_there(const char *path)
{
	AUTO_FREE char *host = NULL, *older = NULL;
	AUTO_TEXT struct text name = { 0 };

	if (strcmp(path, "-") == 0 || read_host(path, &host, NULL, NULL) || !host)
		return false;
	name_older(path, 1, &name);
	return !name.failed && !read_host(name.bytes, &older, NULL, NULL) && older &&
	       is_same_session(older, host);
}

void rotated_files_free(char **path, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(path[i]);
	free(path);
}
