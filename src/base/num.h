/* num.h: numbers: strict parsing, readable formatting, medians, outliers and Student's t, random ones */
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

/** Parse a size such as "64M": k, M and G are powers of 1024 in either case. @return 0 or -EINVAL */
int num_parse_size(const char *text, double *ret);

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

/**
 * Format the error of a value: 0.12 as "±12 %", below 10 % with a decimal, 0 as "". If it is less downwards, the
 * range of the value: "12k–2.9M".
 *
 * @below, @above  shares of the value
 * @ascii          "+-12 %", "12k-2.9M"
 * @return         buf
 */
const char *num_error(double value, double below, double above, bool ascii, char *buf, size_t size);

/** Return how often num_si divides by 1000: 0, 1 (k) … 6 (E). */
unsigned num_si_step(double value);

/** Format like num_si with a given prefix: 0.98G instead of 980M. @step  0 … 6 */
const char *num_si_at(double value, unsigned step, unsigned digits, unsigned width, char *buf,
		      size_t size);

/* ---- statistics ---- */

/** Sort in ascending order. No NaN. */
void sort_figures(double *value, size_t n);

/** Return the median; sorts the list. @n  at least 1 */
double median_of(double *value, size_t n);

/**
 * Compute the distance from the median beyond which a figure is an outlier: one in ten thousand normal
 * figures exceeds it. Fewer figures tell less about their scatter, so the distance is larger.
 *
 * @value  at least 1; becomes the deviations, in order
 * @least  minimum scatter
 */
double outlier_limit(double *value, size_t n, double least, double *ret_median);

/** Return the probability of a t, of either sign, at least this far from 0. @freedom  degrees of freedom,
 * above 0; whole or not.
 * Method: D. L. Wallace's normal deviate, good to three digits far into the tail */
double student_chance(double t, double freedom);

/** Return the t that is exceeded as rarely as the normal deviate z. */
double student_t(double z, double freedom);

/** Return the next random number. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number
 * generators" (SplitMix64). @state  any initial number */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/** Return a random number from 0 to n-1. */
static inline size_t random_below(uint64_t *state, size_t n)
{
	return (size_t)(random_next(state) % n);
}

#endif
