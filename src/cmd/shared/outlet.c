#include "cmd/shared/outlet.h"

#include <errno.h>
#include <langinfo.h>
#include <string.h>
#include <unistd.h>

#include "base/shown.h"

struct outlet {
	int fd;
	struct shown_stream shown;
	struct text text;
};

/* As fopencookie wants it: 0 is an error. */
static ssize_t outlet_write(void *data, const char *bytes, size_t n)
{
	struct outlet *outlet = data;
	size_t done = 0;

	text_clear(&outlet->text);
	shown_add(&outlet->shown, bytes, n, &outlet->text);
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

/* What is no UTF-8 terminal may read 0x9b, a byte of "Û", as the beginning of a sequence. */
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

void outlet_open(void)
{
	static struct outlet out, err;

	stdout = open_one(&out, STDOUT_FILENO, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, stdout);
	stderr = open_one(&err, STDERR_FILENO, _IONBF, stderr);
}

void outlet_clear_line(FILE *out)
{
	static const char sequence[] = { SHOWN_OWN, '\r', '\033', '[', 'K', SHOWN_OWN };

	fwrite(sequence, 1, sizeof(sequence), out);
}
