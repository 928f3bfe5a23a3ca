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
__attribute__((cold, noinline)) static int reach(struct digest *digest, int bucket)
{
	int first = round_down(bucket), end = first + BUCKETS_A_STEP;
	int was_end = digest->first_bucket + (int)digest->n_buckets;

	if (digest->n_buckets && digest->first_bucket < first)
		first = digest->first_bucket;
	if (digest->n_buckets && was_end > end)
		end = was_end;

	uint32_t *grown = calloc((size_t)(end - first), sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	if (digest->bucket)
		memcpy(grown + (digest->first_bucket - first), digest->bucket,
		       digest->n_buckets * sizeof(*grown));
	free(digest->bucket);
	digest->bucket = grown;
	digest->first_bucket = first;
	digest->n_buckets = (size_t)(end - first);
	return 0;
}

int digest_add_sensed(struct digest *digest, unsigned n, const struct sensed *sensed)
{
	int rc = 0;

	for (unsigned i = 0; i < n && !rc; i++)
		if (!isnan(sensed->value[i]))
			rc = digest_add(&digest[i], sensed->value[i]);
	return rc;
}

static int put_in_bucket(struct digest *digest, double value)
{
	int bucket = bucket_of(value);

	if ((size_t)(bucket - digest->first_bucket) >= digest->n_buckets && reach(digest, bucket))
		return -ENOMEM;
	digest->bucket[bucket - digest->first_bucket]++;
	return 0;
}

int digest_coarsen(struct digest *digest)
{
	digest->is_coarse = true;
	for (; digest->n_values; digest->n_values--)
		if (put_in_bucket(digest, digest->value[digest->n_values - 1]))
			return -ENOMEM;
	free(digest->value);
	digest->value = NULL;
	return 0;
}

/* ---- figures ---- */

/* Inline, without array_append: a report adds each figure of a session. */
static inline int put_exact(struct digest *digest, double value)
{
	if (digest->n_values == digest->cap &&
	    array_reserve((void **)&digest->value, &digest->cap, digest->n_values, sizeof(value)))
		return -ENOMEM;
	digest->value[digest->n_values++] = value;
	digest->n_lowest = 0;
	return 0;
}

int digest_add(struct digest *digest, double value)
{
	int rc = digest->is_coarse ? put_in_bucket(digest, value) : put_exact(digest, value);

	if (rc)
		return rc;
	if (!digest->n) {
		digest->min = digest->max = digest->first = value;
		digest->mean = 0;
	} else {
		digest->neighbours += (digest->last - digest->first) * (value - digest->first);
	}
	digest->n++;
	digest->last = value;
	if (value < digest->min)
		digest->min = value;
	if (value > digest->max)
		digest->max = value;

	double before = value - digest->mean;

	digest->mean += before / (double)digest->n;
	digest->squares += before * (value - digest->mean);
	return 0;
}

static void swap(double *a, double *b)
{
	double was = *a;

	*a = *b;
	*b = was;
}

/* Find a value by Hoare's selection, which sorts only as far as necessary. */
static double exact_percentile(struct digest *digest, uint64_t rank)
{
	ptrdiff_t low = 0, high = (ptrdiff_t)digest->n - 1, wanted = (ptrdiff_t)rank - 1;
	double *value = digest->value;

	if (wanted >= (ptrdiff_t)digest->n_lowest)
		low = (ptrdiff_t)digest->n_lowest;
	digest->n_lowest = (size_t)wanted;

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

static double coarse_percentile(const struct digest *digest, uint64_t rank)
{
	uint64_t seen = 0;
	size_t at = 0;

	while (at + 1 < digest->n_buckets && (seen += digest->bucket[at]) < rank)
		at++;
	return fmax(digest->min, fmin(digest->max, middle_of(digest->first_bucket + (int)at)));
}

double digest_percentile(struct digest *digest, double pct)
{
	uint64_t rank = (uint64_t)ceil((double)digest->n * pct / 100);

	if (!digest->n)
		return NAN;
	if (!rank)
		rank = 1;
	return digest->is_coarse ? coarse_percentile(digest, rank) : exact_percentile(digest, rank);
}

double digest_stddev(const struct digest *digest)
{
	if (digest->n < 2)
		return NAN;
	return sqrt(digest->squares / (double)(digest->n - 1));
}

double digest_correlation(const struct digest *digest)
{
	double n = (double)digest->n, mean = digest->mean - digest->first;
	double last = digest->last - digest->first; /* relative to the first figure, as `mean` */
	double together = digest->neighbours - mean * (2 * n * mean - last) + (n - 1) * mean * mean;

	if (digest->squares <= 0)
		return 0;
	return fmin(fmax(together / digest->squares, 0), 0.99);
}

double digest_error(const struct digest *digest)
{
	double r = digest_correlation(digest);

	return digest_stddev(digest) / sqrt(fmax((double)digest->n * (1 - r) / (1 + r), 1));
}

void digest_fini(struct digest *digest)
{
	if (!digest)
		return;
	free(digest->value);
	free(digest->bucket);
	*digest = (struct digest){ 0 };
}
