/* latency_histogram.h: wake-up lateness in buckets, for percentiles */
#ifndef SAMPLER_LATENCY_HISTOGRAM_H
#define SAMPLER_LATENCY_HISTOGRAM_H

#include <stdint.h>

/* Eight steps an octave up to 2^32 ns: a percentile is at most 13 % too large. */
enum { SPREAD_STEPS = 8, SPREAD_BUCKETS = 33 * SPREAD_STEPS };

struct latency_histogram {
	uint32_t n;
	uint32_t bucket[SPREAD_BUCKETS];
};

/** Add one value in nanoseconds. */
void latency_histogram_add(struct latency_histogram *histogram, uint32_t value_ns);

/** Upper bound of the bucket that holds the percentile. @pct 0..100  @return 0 when empty */
uint32_t latency_histogram_percentile(const struct latency_histogram *histogram, double pct);

#endif
