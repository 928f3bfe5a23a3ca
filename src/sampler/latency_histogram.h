/* spread.h: how wake-up lateness is spread: a histogram that gives percentiles */
#ifndef SAMPLER_SPREAD_H
#define SAMPLER_SPREAD_H

#include <stdint.h>

/* Eight steps an octave up to 2^32 ns: a percentile is at most 13 % too large. */
enum { SPREAD_STEPS = 8, SPREAD_BUCKETS = 33 * SPREAD_STEPS };

struct spread {
	uint32_t n;
	uint32_t bucket[SPREAD_BUCKETS];
};

/** Add one value in nanoseconds. */
void spread_add(struct spread *spread, uint32_t value_ns);

/** Upper bound of the bucket that holds the percentile. @pct 0..100  @return 0 when empty */
uint32_t spread_percentile(const struct spread *spread, double pct);

#endif
