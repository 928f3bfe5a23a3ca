/* estimate.h: how strongly an event responds to a trigger, from runs of several lengths; pure functions */
#ifndef DISCOVER_ESTIMATE_ESTIMATE_H
#define DISCOVER_ESTIMATE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One repeat: what trigger and control of `n` triggers counted, run close together. */
struct pair {
	double n;       /* triggers */
	double trigger; /* counts */
	double control;
};

enum verdict {
	VERDICT_UNKNOWN,    /* too few undisturbed runs, or it could not be counted */
	VERDICT_NONE,       /* no response, or none that stands out among so many tries */
	VERDICT_RELATED,    /* it responds, but by no simple factor or not in proportion */
	VERDICT_CONSISTENT, /* `k` per trigger */
	VERDICT_CYCLES,     /* in proportion to cycles: how long, not what */
	VERDICT_TIME,       /* the same to nanoseconds, where no cycles are counted */
};

struct estimate {
	double slope; /* counts per trigger; NaN: unknown */
	double low,
		high; /* its 99 % interval, at least a count of the longest runs to either side */
	double intercept; /* counts beyond slope × n */
	double residual;  /* the largest of the means', in counts */
	double noise;     /* what a residual may be by chance, in counts */
	double n_largest; /* triggers of the longest runs */
	double p; /* of such a slope by chance; decides together with all others of a sweep */
	double k; /* VERDICT_CONSISTENT: the factor, else NaN */
	uint32_t n_pairs;
	enum verdict verdict;
};

/**
 * Fit trigger - control = intercept + slope × n by least squares through the means of each n, without
 * repeats that lie far off; the interval by Student's t.
 *
 * @pair  put into another order
 * @ret   VERDICT_UNKNOWN with fewer than 2 different n of 3 pairs each, else VERDICT_NONE until decided
 */
void estimate_make(struct pair *pair, size_t n, struct estimate *ret);

/** Would more runs tell whether it responds, or by which factor? */
bool estimate_is_unclear(const struct estimate *estimate);

/**
 * The verdicts of a whole sweep: Benjamini-Hochberg over all p, then which factor alone lies within three
 * times the interval. May be called again when there are more.
 *
 * @rate    accepted share of false discoveries: 0.01
 * @return  0 or -ENOMEM
 */
int estimates_decide(struct estimate *const *estimate, size_t n, double rate);

/**
 * Is a count in proportion to cycles, whatever runs?
 *
 * @count, @cycles  of runs of several kernels, triggers and controls; or nanoseconds for cycles
 * @n               2 or more, else it is not known to be
 * @ret_ratio       counts per cycle; untouched when it is not
 */
bool estimate_is_of_cycles(const double *count, const double *cycles, size_t n, double *ret_ratio);

/**
 * Does an id that is in proportion to cycles respond by a simple factor, while cycles do too? Then
 * nothing tells whether it counts what is triggered or how long that takes.
 */
bool estimate_may_be_of_work(const struct estimate *estimate, double per_cycle);

/** "unknown", "none", "related", "consistent", "cycles", "time". */
const char *estimate_verdict_name(enum verdict verdict);

#endif
