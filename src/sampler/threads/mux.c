#include "sampler/threads/internal.h"

#include <math.h>

#include "base/clock.h"

/* Shortest run of a mux group, to limit the cost of switching. The kernel also multiplexes every 4
 * ms. Source: Linux PERF_CPU_HRTIMER in kernel/events/core.c */
#define PART_MIN_NS (4 * NS_PER_MS)

enum {
	ROUNDS_MAX = 16,  /* maximum per interval, so that longer intervals cost less */
	SQUARES_MIN = 4,  /* fewest differences for an estimate */
	SQUARES_KEPT = 8, /* sufficient number of differences */
};

/* Factor for 95 % confidence: Student's t for a variance from eight differences. */
#define STANDARD_ERRORS 2.4

unsigned mux_rounds(uint64_t interval_ns, unsigned n_mux)
{
	uint64_t n = interval_ns / (n_mux * PART_MIN_NS);

	if (n_mux < 2 || n < 1)
		return 1;
	return n < ROUNDS_MAX ? (unsigned)n : ROUNDS_MAX;
}

/* Mix the bits with the finaliser of SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t mux_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

unsigned mux_of_tick(uint64_t seed, uint64_t tick, unsigned n_mux)
{
	uint64_t round = tick / n_mux;

	return (unsigned)((tick + mux_mix(seed + (round + 1) * 0x9e3779b97f4a7c15) % n_mux) %
			  n_mux);
}

void mux_spread_add(struct mux_spread *spread, uint64_t delta, uint64_t running_ns)
{
	double rate, difference;

	if (!running_ns)
		return;
	rate = (double)delta / (double)running_ns;
	difference = rate - spread->rate;
	if (spread->has_rate) {
		spread->squares += difference * difference;
		spread->n_squares++;
	}
	spread->rate = rate;
	spread->has_rate = true;
	spread->n_rounds++;
}

static double error_of(const struct mux_spread *spread, const struct count *count)
{
	double value = (double)count->value, running_ns = (double)count->running_ns;
	double missed_share = 1 - running_ns / (double)count->enabled_ns;

	if (spread->n_squares < SQUARES_MIN)
		return value + 1;

	/* the variance of a rate is half the mean square of the difference of two */
	double of_rate = spread->squares / spread->n_squares / 2;
	double of_count = running_ns * running_ns * of_rate / spread->n_rounds;

	return STANDARD_ERRORS * sqrt(fmax(of_count, value + 1) * missed_share);
}

/* Limit the stored differences to leave space for the next window's rounds. */
static void mux_keep(struct mux_spread *spread)
{
	unsigned most = spread->n_rounds < SQUARES_KEPT ? SQUARES_KEPT - spread->n_rounds : 0;

	if (spread->n_squares > most) {
		spread->squares *= (double)most / spread->n_squares;
		spread->n_squares = most;
	}
	spread->n_rounds = 0;
}

double mux_spread_close(struct mux_spread *spread, const struct count *count)
{
	double error = count->quality == QUALITY_SCALED ? ceil(error_of(spread, count)) : 0;

	mux_keep(spread);
	return error;
}
