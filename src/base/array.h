/* array.h: growing an array by doubling */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/**
 * Make room for item number n (0-based) in an array of items of `size` bytes.
 *
 * @items, @cap  the array and its capacity, changed together; new bytes are zero
 * @return       0 or -ENOMEM with nothing changed
 */
int array_reserve(void **items, size_t *cap, size_t n, size_t size);

/** Append an item to the *n present ones. @return as array_reserve */
int array_append(void **items, size_t *cap, size_t *n, const void *item, size_t size);

/** The same for lvalues of a list, its capacity, its length and an item of its type. */
#define ARRAY_RESERVE(items, cap, n) array_reserve((void **)&(items), &(cap), (n), sizeof(*(items)))
#define ARRAY_APPEND(items, cap, n, item) \
	array_append((void **)&(items), &(cap), &(n), &(item), sizeof(*(items)))

/** Append a copy of a text, to be released with free(). @return as array_reserve */
int array_append_text(char ***items, size_t *cap, size_t *n, const char *text);

/** Find the first of n items whose uint64_t at an offset exceeds a key; it ascends. @return n: none */
size_t array_above(const void *items, size_t n, size_t size, size_t offset, uint64_t key);

#endif
