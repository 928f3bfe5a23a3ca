/* digest.h: how the figures of many intervals are spread: percentiles, mean, error of the mean */
#ifndef SESSION_REPORT_DIGEST_H
#define SESSION_REPORT_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Percentiles are exact as long as every figure is kept; digest_coarsen puts those that are there
 * into buckets of 1 %, whose middle is at most 0.5 % beside the figure. The rest is always exact.
 * `{ 0 }` is empty.
 */
struct digest {
	uint64_t n;
	double min, max;                /* without meaning while it is empty, like mean */
	double mean, squares;           /* Σ (x - mean)², as Welford has it */
	double first, last, neighbours; /* Σ (x_i - first) × (x_i+1 - first) */
	double *value;                  /* those that are in no bucket, in any order */
	size_t n_values, cap;
	bool is_coarse;
	uint32_t *bucket; /* of those between the smallest and the largest */
	int first_bucket;
	size_t n_buckets;
};

/** Add one figure, finite. @return 0 or -ENOMEM */
int digest_add(struct digest *digest, double value);

/** Put the figures that were added into buckets, to have room for others. @return 0 or -ENOMEM, then
 * some are not */
int digest_coarsen(struct digest *digest);

/** The smallest figure that at least pct % are not above. @pct 0..100  @return NaN when empty */
double digest_percentile(struct digest *digest, double pct);

/** Standard deviation between the figures. @return NaN below two */
double digest_stddev(const struct digest *digest);

/**
 * Standard error of the mean. Neighbouring intervals are alike: with r, the correlation of each
 * with the next, n of them are worth n (1 - r) / (1 + r), at least 1; r below 0 counts as 0.
 *
 * @return NaN below two figures
 */
double digest_error(const struct digest *digest);

/** Release. NULL is accepted. */
void digest_fini(struct digest *digest);

#endif
