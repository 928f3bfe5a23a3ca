/* bits.h: sets of small numbers as bits of 64-bit words */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

/** Get the number of words that hold the numbers 0 … n - 1. */
static inline unsigned bits_n_words(unsigned n)
{
	return (n + 63) / 64;
}

/** Add a number. */
static inline void bits_add(uint64_t *word, unsigned i)
{
	word[i / 64] |= UINT64_C(1) << i % 64;
}

/** Add the numbers first … last. */
static inline void bits_add_range(uint64_t *word, unsigned first, unsigned last)
{
	for (unsigned i = first; i <= last; i = (i | 63) + 1) {
		unsigned end = last < (i | 63) ? last : i | 63;

		word[i / 64] |= UINT64_MAX << i % 64 & UINT64_MAX >> (63 - end % 64);
	}
}

/** Whether the number is a member. */
static inline bool bits_has(const uint64_t *word, unsigned i)
{
	return word[i / 64] >> i % 64 & 1;
}

/** Find the next member above `after`. @after  -1 to begin  @return -1 at the end */
static inline int bits_next(const uint64_t *word, unsigned n_words, int after)
{
	for (unsigned i = (unsigned)(after + 1); i < n_words * 64; i = (i | 63) + 1) {
		uint64_t left = word[i / 64] >> i % 64;

		if (left)
			return (int)i + __builtin_ctzll(left);
	}
	return -1;
}

/** Count the members below `end`. */
static inline unsigned bits_count(const uint64_t *word, unsigned end)
{
	unsigned n = 0, i = 0;

	for (; i < end / 64; i++)
		n += (unsigned)__builtin_popcountll(word[i]);
	if (end % 64)
		n += (unsigned)__builtin_popcountll(word[i] & ((UINT64_C(1) << end % 64) - 1));
	return n;
}

#endif
