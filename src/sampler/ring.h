/* ring.h: samples from one core's thread to the collector; one writer, one reader, lock-free */
#ifndef SAMPLER_RING_H
#define SAMPLER_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/sample.h"

struct ring;

/**
 * @depth    samples it holds, rounded up to a power of two
 * @n_slots  the most that one of them has (sample.n_slots); there is no room behind these
 * @return   NULL without memory
 */
struct ring *ring_new(unsigned depth, unsigned n_slots);

/** NULL is accepted. */
void ring_free(struct ring *ring);

/** The place to write the next sample into; the core's thread. @return NULL when full: then call
 * ring_drop and carry on */
struct sample *ring_claim(struct ring *ring);

/** Hand over what ring_claim gave. */
void ring_commit(struct ring *ring);

/** Count a sample that found no room. */
void ring_drop(struct ring *ring);

/** The oldest sample, still in the ring; the collector. @return NULL when empty */
const struct sample *ring_peek(const struct ring *ring);

/** How many there are to peek at, or more; the collector. */
unsigned ring_n(const struct ring *ring);

/** Give back the place of the oldest sample. */
void ring_release(struct ring *ring);

/** Samples dropped since the beginning; any thread. */
uint64_t ring_dropped(const struct ring *ring);

#endif
