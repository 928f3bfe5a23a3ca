/* array.h: growing an array by doubling */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>

/**
 * Make room for item number n (0-based) in an array of items of `size` bytes.
 *
 * @items, @cap  the array and its capacity, changed together; new bytes are zero
 * @return       0 or -ENOMEM, then nothing has changed
 */
int array_reserve(void **items, size_t *cap, size_t n, size_t size);

#endif
