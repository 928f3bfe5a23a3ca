#include "session/report/summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A bucket has the numbers of the same sign, exponent and first bits of the fraction: 1/128 of a power of two. Bucket 0
 * has all smaller ones. */
enum { BUCKETS_A_STEP = 32, BUCKET_BITS = 52 - 7 };

union size {
	double value;
	int64_t bits; /* grows with the value: exponent, then fraction */
};

static const union size tiny = { 0x1p-40 };
static const double huge = 0x1p68;

/* ---- buckets ---- */

static int bucket_of(double value)
{
	union size size = { fabs(value) < huge ? fabs(value) : huge };
	int bucket =
		size.value < tiny.value ? 0 : 1 + (int)((size.bits - tiny.bits) >> BUCKET_BITS);

	return value < 0 ? -bucket : bucket;
}

static double middle_of(int bucket)
{
	int64_t halves = 2 * (int64_t)abs(bucket) - 1;
	union size size = { .bits = tiny.bits + halves * (INT64_C(1) << (BUCKET_BITS - 1)) };

	return !bucket ? 0 : bucket < 0 ? -size.value : size.value;
}

static int round_down(int bucket)
{
	return bucket - (bucket % BUCKETS_A_STEP + BUCKETS_A_STEP) % BUCKETS_A_STEP;
}

/* Make room for a bucket outside the present range. Cold, because most are within it. */
__attribute__((cold, noinline)) static int reach(struct distribution *distribution, int bucket)
{
	int first = round_down(bucket), end = first + BUCKETS_A_STEP;
	int was_end = distribution->first_bucket + (int)distribution->n_buckets;

	if (distribution->n_buckets && distribution->first_bucket < first)
		first = distribution->first_bucket;
	if (distribution->n_buckets && was_end > end)
		end = was_end;

	uint32_t *grown = calloc((size_t)(end - first), sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	if (distribution->bucket)
		memcpy(grown + (distribution->first_bucket - first), distribution->bucket,
		       distribution->n_buckets * sizeof(*grown));
	free(distribution->bucket);
	distribution->bucket = grown;
	distribution->first_bucket = first;
	distribution->n_buckets = (size_t)(end - first);
	return 0;
}

int distribution_add_sensed(struct distribution *distribution, unsigned n,
			    const struct sensed *sensed)
{
	int rc = 0;

	for (unsigned i = 0; i < n && !rc; i++)
		if (!isnan(sensed->value[i]))
			rc = distribution_add(&distribution[i], sensed->value[i]);
	return rc;
}

static int put_in_bucket(struct distribution *distribution, double value)
{
	int bucket = bucket_of(value);

	if ((size_t)(bucket - distribution->first_bucket) >= distribution->n_buckets &&
	    reach(distribution, bucket))
		return -ENOMEM;
	distribution->bucket[bucket - distribution->first_bucket]++;
	return 0;
}

int distribution_coarsen(struct distribution *distribution)
{
	distribution->is_coarse = true;
	for (; distribution->n_values; distribution->n_values--)
		if (put_in_bucket(distribution, distribution->value[distribution->n_values - 1]))
			return -ENOMEM;
	free(distribution->value);
	distribution->value = NULL;
	return 0;
}

/* ---- figures ---- */

/* Inline, without array_append: a report adds each figure of a session. */
static inline int put_exact(struct distribution *distribution, double value)
{
	if (distribution->n_values == distribution->cap &&
	    ARRAY_RESERVE(distribution->value, distribution->cap, distribution->n_values))
		return -ENOMEM;
	distribution->value[distribution->n_values++] = value;
	distribution->n_lowest = 0;
	return 0;
}

int distribution_add(struct distribution *distribution, double value)
{
	int rc = distribution->is_coarse ? put_in_bucket(distribution, value)
					 : put_exact(distribution, value);

	if (rc)
		return rc;
	if (!distribution->n) {
		distribution->min = distribution->max = distribution->first = value;
		distribution->mean = 0;
	} else {
		distribution->neighbours +=
			(distribution->last - distribution->first) * (value - distribution->first);
	}
	distribution->n++;
	distribution->last = value;
	if (value < distribution->min)
		distribution->min = value;
	if (value > distribution->max)
		distribution->max = value;

	double before = value - distribution->mean;

	distribution->mean += before / (double)distribution->n;
	distribution->squares += before * (value - distribution->mean);
	return 0;
}

static void swap(double *a, double *b)
{
	double was = *a;

	*a = *b;
	*b = was;
}

/* Find a value by Hoare's selection, which sorts only as far as necessary. */
static double exact_percentile(struct distribution *distribution, uint64_t rank)
{
	ptrdiff_t low = 0, high = (ptrdiff_t)distribution->n - 1, wanted = (ptrdiff_t)rank - 1;
	double *value = distribution->value;

	if (wanted >= (ptrdiff_t)distribution->n_lowest)
		low = (ptrdiff_t)distribution->n_lowest;
	distribution->n_lowest = (size_t)wanted;

	while (low < high) {
		double pivot = value[low + (high - low) / 2];
		ptrdiff_t i = low, j = high;

		while (i <= j) {
			while (value[i] < pivot)
				i++;
			while (value[j] > pivot)
				j--;
			if (i <= j)
				swap(&value[i++], &value[j--]);
		}
		if (j < wanted)
			low = i;
		if (i > wanted)
			high = j;
	}
	return value[wanted];
}

static double coarse_percentile(const struct distribution *distribution, uint64_t rank)
{
	uint64_t seen = 0;
	size_t at = 0;

	while (at + 1 < distribution->n_buckets && (seen += distribution->bucket[at]) < rank)
		at++;
	return fmax(distribution->min,
		    fmin(distribution->max, middle_of(distribution->first_bucket + (int)at)));
}

double distribution_percentile(struct distribution *distribution, double pct)
{
	uint64_t rank = (uint64_t)ceil((double)distribution->n * pct / 100);

	if (!distribution->n)
		return NAN;
	if (!rank)
		rank = 1;
	return distribution->is_coarse ? coarse_percentile(distribution, rank)
				       : exact_percentile(distribution, rank);
}

double distribution_stddev(const struct distribution *distribution)
{
	if (distribution->n < 2)
		return NAN;
	return sqrt(distribution->squares / (double)(distribution->n - 1));
}

double distribution_correlation(const struct distribution *distribution)
{
	double n = (double)distribution->n, mean = distribution->mean - distribution->first;
	double last = distribution->last -
		      distribution->first; /* relative to the first figure, as `mean` */
	double together =
		distribution->neighbours - mean * (2 * n * mean - last) + (n - 1) * mean * mean;

	if (distribution->squares <= 0)
		return 0;
	return fmin(fmax(together / distribution->squares, 0), 0.99);
}

double distribution_error(const struct distribution *distribution)
{
	double r = distribution_correlation(distribution);

	return distribution_stddev(distribution) /
	       sqrt(fmax((double)distribution->n * (1 - r) / (1 + r), 1));
}

void distribution_fini(struct distribution *distribution)
{
	if (!distribution)
		return;
	free(distribution->value);
	free(distribution->bucket);
	*distribution = (struct distribution){ 0 };
}
