#include "session/report/digest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Figures are told apart from 1e-12 to 1e20; bucket 0 is what is smaller. */
enum { BUCKET_ONE = 2777, BUCKET_LAST = 7500, BUCKETS_A_STEP = 32 };

static const double tiny = 1e-12, log_step = 0.009950330853168083; /* ln 1.01 */

/* ---- buckets ---- */

static int bucket_of(double value)
{
	double size = fabs(value);

	if (size < tiny)
		return 0;

	int bucket = (int)fmin(floor(log(size) / log_step) + BUCKET_ONE + 1, BUCKET_LAST);

	if (bucket < 1)
		bucket = 1;
	return value < 0 ? -bucket : bucket;
}

static double middle_of(int bucket)
{
	if (!bucket)
		return 0;

	double size = exp((abs(bucket) - BUCKET_ONE - 0.5) * log_step);

	return bucket < 0 ? -size : size;
}

static int round_down(int bucket)
{
	return bucket - (bucket % BUCKETS_A_STEP + BUCKETS_A_STEP) % BUCKETS_A_STEP;
}

/* Room for a bucket, below or above those that there are. */
static int reach(struct digest *digest, int bucket)
{
	int first = round_down(bucket), end = first + BUCKETS_A_STEP;
	int was_end = digest->first_bucket + (int)digest->n_buckets;

	if (digest->n_buckets && digest->first_bucket < first)
		first = digest->first_bucket;
	if (digest->n_buckets && was_end > end)
		end = was_end;
	if (digest->bucket && (size_t)(end - first) == digest->n_buckets)
		return 0;

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

static int put(struct digest *digest, double value)
{
	int bucket = bucket_of(value);
	int rc = reach(digest, bucket);

	if (!rc)
		digest->bucket[bucket - digest->first_bucket]++;
	return rc;
}

int digest_coarsen(struct digest *digest)
{
	struct digest coarse = { .bucket = NULL };
	int rc = 0;

	if (digest->is_coarse)
		return 0;
	for (size_t i = 0; !rc && i < digest->n_values; i++)
		rc = put(&coarse, digest->value[i]);
	if (rc) {
		free(coarse.bucket);
		return rc;
	}
	free(digest->value);
	digest->value = NULL;
	digest->n_values = digest->cap = 0;
	digest->is_coarse = true;
	digest->bucket = coarse.bucket;
	digest->first_bucket = coarse.first_bucket;
	digest->n_buckets = coarse.n_buckets;
	return 0;
}

/* ---- figures ---- */

static int keep(struct digest *digest, double value)
{
	if (digest->is_coarse)
		return put(digest, value);
	return array_append((void **)&digest->value, &digest->cap, &digest->n_values, &value,
			    sizeof(value));
}

int digest_add(struct digest *digest, double value)
{
	int rc = keep(digest, value);

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
	digest->min = fmin(digest->min, value);
	digest->max = fmax(digest->max, value);

	double before = value - digest->mean;

	digest->mean += before / (double)digest->n;
	digest->squares += before * (value - digest->mean);
	return 0;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double exact_percentile(struct digest *digest, uint64_t rank)
{
	if (digest->n_sorted != digest->n_values)
		qsort(digest->value, digest->n_values, sizeof(*digest->value), by_size);
	digest->n_sorted = digest->n_values;
	return digest->value[rank - 1];
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

/* Of each figure with the next one, 0 … 0.99. */
static double likeness(const struct digest *digest)
{
	double n = (double)digest->n, mean = digest->mean - digest->first;
	double last = digest->last - digest->first; /* the first one is 0 */
	double together = digest->neighbours - mean * (2 * n * mean - last) + (n - 1) * mean * mean;

	if (digest->squares <= 0)
		return 0;
	return fmin(fmax(together / digest->squares, 0), 0.99);
}

double digest_error(const struct digest *digest)
{
	double r = likeness(digest);

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
