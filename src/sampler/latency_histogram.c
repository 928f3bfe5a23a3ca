#include "sampler/latency_histogram.h"

static unsigned bucket_of(uint32_t value)
{
	if (value < SPREAD_STEPS)
		return value;

	unsigned octave = 31u - (unsigned)__builtin_clz(value); /* ≥ 3 */
	unsigned step = value >> (octave - 3) & (SPREAD_STEPS - 1);

	return (octave - 2) * SPREAD_STEPS + step;
}

static uint32_t upper_bound(unsigned bucket)
{
	if (bucket < SPREAD_STEPS)
		return bucket;

	unsigned octave = bucket / SPREAD_STEPS + 2;
	uint64_t first = ((uint64_t)SPREAD_STEPS + bucket % SPREAD_STEPS) << (octave - 3);
	uint64_t last = first + (UINT64_C(1) << (octave - 3)) - 1;

	return last > UINT32_MAX ? UINT32_MAX : (uint32_t)last;
}

void latency_histogram_add(struct latency_histogram *histogram, uint32_t value_ns)
{
	histogram->bucket[bucket_of(value_ns)]++;
	histogram->n++;
}

uint32_t latency_histogram_percentile(const struct latency_histogram *histogram, double pct)
{
	double wanted = (double)histogram->n * pct / 100;
	double seen = 0;

	for (unsigned i = 0; i < SPREAD_BUCKETS; i++) {
		seen += histogram->bucket[i];
		if (seen >= wanted && seen > 0)
			return upper_bound(i);
	}
	return 0;
}
