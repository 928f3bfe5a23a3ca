#include "cmd/shared/standard_output.h"

#include <errno.h>
#include <langinfo.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

struct outlet {
	int fd;
	struct printable_stream shown;
	struct text text;
};

/* Write for fopencookie, which takes 0 as an error. */
static ssize_t outlet_write(void *data, const char *bytes, size_t n)
{
	struct outlet *outlet = data;
	size_t done = 0;

	text_clear(&outlet->text);
	printable_add(&outlet->shown, bytes, n, &outlet->text);
	while (done < outlet->text.n) {
		ssize_t more = write(outlet->fd, outlet->text.bytes + done, outlet->text.n - done);

		if (more < 0 && errno != EINTR)
			return 0;
		done += more < 0 ? 0 : (size_t)more;
	}
	if (outlet->text.failed)
		errno = ENOMEM;
	return outlet->text.failed ? 0 : (ssize_t)n;
}

/* Open a stream. On a terminal without UTF-8 the output is ASCII: the byte 0x9b of "Û" could begin
 * an escape sequence. */
static FILE *open_one(struct outlet *outlet, int fd, int mode, FILE *otherwise)
{
	static const cookie_io_functions_t functions = { .write = outlet_write };
	FILE *file = fopencookie(outlet, "w", functions);

	if (!file)
		return otherwise;
	outlet->fd = fd;
	outlet->shown.ascii = isatty(fd) && strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	setvbuf(file, NULL, mode, 0);
	return file;
}

void standard_output_open(void)
{
	static struct outlet out, err;

	stdout = open_one(&out, STDOUT_FILENO, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, stdout);
	stderr = open_one(&err, STDERR_FILENO, _IONBF, stderr);
}

void standard_output_clear_line(FILE *out)
{
	static const char sequence[] = { PRINTABLE_OWN, '\r', '\033', '[', 'K', PRINTABLE_OWN };

	fwrite(sequence, 1, sizeof(sequence), out);
}

int output_open(const char *path, enum sink_mode mode, struct sink **ret, struct err *err)
{
	int rc = sink_open(path, mode, ret, err);

	return rc == -EEXIST ? err_set(err, EEXIST, "%s exists: --force overwrites it", path) : rc;
}

int output_put(struct sink *sink, struct text *text, struct err *err)
{
	int rc = text->failed ? err_set(err, ENOMEM, "out of memory")
			      : sink_write(sink, text->bytes, text->n, err);

	text_fini(text);
	if (!rc)
		rc = sink_flush(sink, err);
	if (!rc)
		return sink_close(sink, err);
	sink_discard(sink);
	return rc;
}
