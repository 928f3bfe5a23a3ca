#include "base/file.h"

#include <errno.h>
#include <fcntl.h>

#include "base/cleanup.h"
#include "base/text.h"

static int read_on(int fd, size_t max, struct text *text)
{
	char part[16384];

	while (text->n <= max) {
		ssize_t n = read(fd, part, sizeof(part));

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return 0;
		if (n > 0)
			text_add(text, part, (size_t)n);
	}
	return -EFBIG;
}

int file_read_fd(int fd, size_t max, char **ret, size_t *ret_n)
{
	struct text text = { 0 };
	int rc = read_on(fd, max, &text);

	text_add(&text, "", 0); /* an empty file has its NUL, too */
	if (rc == 0 && text.failed)
		rc = -ENOMEM;
	if (rc) {
		text_fini(&text);
		return rc;
	}
	*ret = text.bytes;
	*ret_n = text.n;
	return 0;
}

int file_read(const char *path, size_t max, char **ret, size_t *ret_n)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : file_read_fd(fd, max, ret, ret_n);
}
