#include "cmd/shared/inputs.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/read/rotated_files.h"
#include "session/read/reader.h"

static bool is_same(const struct stat *output, const char *input)
{
	struct stat st;
	int rc = strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(input, &st);

	return !rc && st.st_dev == output->st_dev && st.st_ino == output->st_ino;
}

static int check(const struct stat *output, const char *input, struct err *err)
{
	if (!is_same(output, input))
		return 0;
	return err_set(err, EINVAL,
		       "%s is being read and cannot be written to: choose another file",
		       strcmp(input, "-") == 0 ? "standard input" : input);
}

/* A name that cannot be read is for the reader to tell. */
static int check_older(const struct stat *output, const char *input, struct err *err)
{
	char **path;
	size_t n;
	int rc = 0;

	if (rotated_files_find(input, &path, &n, NULL, NULL))
		return 0;
	for (size_t i = 0; i < n && !rc; i++)
		rc = check(output, path[i], err);
	rotated_files_free(path, n);
	return rc;
}

static int check_all(const struct options *options, const struct stat *output, struct err *err)
{
	int rc = 0;

	if (!S_ISREG(output->st_mode))
		return 0;
	for (int i = 0; i < options->n_words && !rc; i++) {
		rc = check(output, options->word[i], err);
		if (!rc && options->part == READER_WITH_OLDER)
			rc = check_older(output, options->word[i], err);
	}
	return rc;
}

int inputs_spare_fd(const struct options *options, int fd, struct err *err)
{
	struct stat output;

	return fstat(fd, &output) ? 0 : check_all(options, &output, err);
}

int inputs_spare(const struct options *options, const char *output, struct err *err)
{
	struct stat st;

	if (strcmp(output, "-") == 0)
		return inputs_spare_fd(options, STDOUT_FILENO, err);
	return stat(output, &st) ? 0 : check_all(options, &st, err);
}
