#include "catalog/build.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"

/* Linux's largest is below 2 MiB; more than this is not event data */
enum { FILE_BYTES_MAX = 64 * 1024 * 1024 };

/* bytes of the character at s, 0 when it is none; surrogates and overlong forms are none */
static size_t utf8_char(const unsigned char *s, size_t left)
{
	if (s[0] < 0x80)
		return s[0] != 0;

	size_t n = s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : 2;

	if (s[0] < 0xc2 || s[0] > 0xf4 || n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

static int text_is_utf8(const char *path, const char *bytes, size_t n, struct err *err)
{
	unsigned line = 1;

	for (size_t i = 0, step; i < n; i += step) {
		step = utf8_char((const unsigned char *)bytes + i, n - i);
		if (!step)
			return err_set(err, EINVAL, "%s:%u: not UTF-8", path, line);
		line += bytes[i] == '\n';
	}
	return 0;
}

int catalog_read_text(const char *path, char **ret, size_t *ret_n, struct err *err)
{
	AUTO_FREE char *bytes = NULL;
	size_t n;
	int r = file_read(path, FILE_BYTES_MAX, &bytes, &n);

	if (r == -EFBIG)
		return err_set(err, EFBIG, "%s: larger than %d MiB", path, FILE_BYTES_MAX >> 20);
	if (r)
		return err_set(err, -r, "%s: %s", path, file_error(r));
	r = text_is_utf8(path, bytes, n, err);
	if (r)
		return r;
	*ret = bytes;
	*ret_n = n;
	bytes = NULL;
	return 0;
}
