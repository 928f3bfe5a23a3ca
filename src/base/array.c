#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int array_reserve(void **items, size_t *cap, size_t n, size_t size)
{
	if (n < *cap)
		return 0;

	size_t more = *cap ? *cap * 2 : 8;

	while (more <= n)
		more *= 2;

	char *grown = reallocarray(*items, more, size);

	if (!grown)
		return -ENOMEM;
	memset(grown + *cap * size, 0, (more - *cap) * size);
	*items = grown;
	*cap = more;
	return 0;
}

int array_append(void **items, size_t *cap, size_t *n, const void *item, size_t size)
{
	int rc = array_reserve(items, cap, *n, size);

	if (!rc)
		memcpy((char *)*items + (*n)++ * size, item, size);
	return rc;
}

int array_append_text(char ***items, size_t *cap, size_t *n, const char *text)
{
	char *copy = strdup(text);
	int rc = copy ? array_append((void **)items, cap, n, &copy, sizeof(copy)) : -ENOMEM;

	if (rc)
		free(copy);
	return rc;
}
