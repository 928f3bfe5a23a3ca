/* num.h: numbers from text, strictly, and numbers as people read them */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A whole text as an unsigned number: decimal or 0x. @return 0, -EINVAL or -ERANGE */
int num_parse_u64(const char *text, uint64_t *ret);

/** "0-7" or "21" at the head of a list of bits, as a mask; *at moves behind it. @return 0: neither */
uint64_t num_bit_range(const char **at);

/** A whole text as a finite decimal number, C locale always. @return 0, -EINVAL or -ERANGE */
int num_parse_double(const char *text, double *ret);

enum { NUM_SHORTEST_MAX = 32 };

/** The shortest decimal of 6 digits or more that reads back as the same number. @value  finite @return buf */
const char *num_shortest(double value, char buf[NUM_SHORTEST_MAX]);

/** Decimals that show a value: the usual ones, below 0.1 as many as leave two digits of it, so that
 * only a zero is written as zero. */
unsigned num_decimals(double value, unsigned usual);

/**
 * A number in at most `width` characters with an SI suffix: 3.20G, 312M, 9.1k, 0.27. Below 0.1 it is
 * 0.027, .0066 or 6.6e-4, and never 0.00.
 *
 * @digits  significant digits aimed at, 1..6; fewer when width asks for it, and two below 0.1
 * @return  buf; "" for a NaN
 */
const char *num_si(double value, unsigned digits, unsigned width, char *buf, size_t size);

/** A size for a sentence: "1.2 MB", "39 kB", "512 B". @return buf */
const char *num_bytes(uint64_t bytes, char *buf, size_t size);

/** "±12 %" of a share of 0.12, below 10 % with a decimal; "" of 0. @ascii  "+-12 %"  @return buf */
const char *num_error(double share, bool ascii, char *buf, size_t size);

/** How often num_si divides by 1000: 0, 1 (k) … 6 (E). */
unsigned num_si_step(double value);

/** num_si with the prefix given: 0.98G where it would be 980M. @step  0 … 6 */
const char *num_si_at(double value, unsigned step, unsigned digits, unsigned width, char *buf,
		      size_t size);

#endif
