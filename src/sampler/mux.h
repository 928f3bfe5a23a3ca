/* mux.h: in what order and how often mux groups count in an interval, and how far the figures that
 * this gives can be off; pure */
#ifndef SAMPLER_MUX_H
#define SAMPLER_MUX_H

#include "event/count.h"

/** How often each mux group counts in an interval: 1 or more. */
unsigned mux_rounds(uint64_t interval_ns, unsigned n_mux);

/**
 * The mux group that counts from a tick on: each of them once in a round of n_mux ticks, from one
 * that is drawn for the round. So no group always has the same part of an interval.
 *
 * @seed  equal seeds, equal order
 */
unsigned mux_of_tick(uint64_t seed, uint64_t tick, unsigned n_mux);

/** How one counter's rate differs from a round to the next. { 0 }: nothing was counted yet. */
struct mux_spread {
	double rate;    /* of the last round, events/ns */
	double squares; /* of the differences, added up */
	unsigned n_squares;
	unsigned n_rounds; /* in this window */
	bool has_rate;
};

/** A round of a group has ended. @running_ns  0: it did not count */
void mux_spread_add(struct mux_spread *spread, uint64_t delta, uint64_t running_ns);

/**
 * The error of a window's count, see struct count; then the next window begins.
 *
 * A window is divided into rounds, and in each a part is counted that is drawn: a stratified sample,
 * whose variance is estimated from the differences between neighbours (Wolter, Introduction to
 * Variance Estimation, chapter 8). Of rare events the error is at least that of a count, its root.
 * Windows of few rounds take those of the last ones too.
 */
double mux_spread_close(struct mux_spread *spread, const struct count *count);

#endif
