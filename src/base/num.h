/* num.h: strict parsing of numbers, and readable formatting */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Parse a whole text as an unsigned number: decimal or 0x. @return 0, -EINVAL or -ERANGE */
int num_parse_u64(const char *text, uint64_t *ret);

/** Parse "0-7" or "21" at the start of a list of bits into a mask; *at moves past it. @return 0: neither */
uint64_t num_bit_range(const char **at);

/** Parse a whole text as a finite decimal number, C locale always. @return 0, -EINVAL or -ERANGE */
int num_parse_double(const char *text, double *ret);

enum { NUM_SHORTEST_MAX = 32 };

/** Format the shortest decimal, with 6 digits or more, that reads back as the same number. @value  finite
 * @return buf */
const char *num_shortest(double value, char buf[NUM_SHORTEST_MAX]);

/** Return the decimals for a value: the usual ones, below 0.1 as many as leave two digits of it, so that
 * only a zero is written as zero. */
unsigned num_decimals(double value, unsigned usual);

/**
 * Format a number in at most `width` characters with an SI suffix: 3.20G, 312M, 9.1k, 0.27. Below 0.1 it is
 * 0.027, .0066 or 6.6e-4, and never 0.00.
 *
 * @digits  desired significant digits, 1..6; fewer if width requires it, and two below 0.1
 * @return  buf; "" for a NaN
 */
const char *num_si(double value, unsigned digits, unsigned width, char *buf, size_t size);

/** Format a size for a sentence: "1.2 MB", "39 kB", "512 B". @return buf */
const char *num_bytes(uint64_t bytes, char *buf, size_t size);

/** Format a share of 0.12 as "±12 %", below 10 % with a decimal, 0 as "". @ascii  "+-12 %"  @return buf */
const char *num_error(double share, bool ascii, char *buf, size_t size);

/** Return how often num_si divides by 1000: 0, 1 (k) … 6 (E). */
unsigned num_si_step(double value);

/** Format like num_si with a given prefix: 0.98G instead of 980M. @step  0 … 6 */
const char *num_si_at(double value, unsigned step, unsigned digits, unsigned width, char *buf,
		      size_t size);

#endif
