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

size_t array_above(const void *items, size_t n, size_t size, size_t offset, uint64_t key)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (*(const uint64_t *)((const char *)items + middle * size + offset) > key)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}
