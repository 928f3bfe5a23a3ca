/* estimate.h: how strongly an event responds to a trigger, from runs of several lengths; pure functions */
#ifndef DISCOVER_ESTIMATE_H
#define DISCOVER_ESTIMATE_H

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
	VERDICT_NONE,       /* no response: the interval includes 0, or no discovery among so many tries */
	VERDICT_RELATED,    /* it responds, but by no simple factor or not in proportion */
	VERDICT_CONSISTENT, /* `k` per trigger */
	VERDICT_CYCLES,     /* in proportion to cycles: says how long, not what */
	VERDICT_UNKNOWN,    /* too few undisturbed runs, or it could not be counted */
};

struct estimate {
	double slope;       /* counts per trigger, Theil-Sen; NaN without enough pairs */
	double low, high;   /* 99 % bootstrap interval of the slope */
	double intercept;   /* counts of a run with no trigger */
	double residual;    /* largest, as a share of slope × largest n; 0 when slope is 0 */
	double p;           /* of such a slope by chance; decides with all others of a sweep */
	double k;           /* VERDICT_CONSISTENT: the factor, else NaN */
	double per_cycle;   /* slope over the slope of cycles; NaN where cycles were not counted */
	uint32_t n_pairs;
	enum verdict verdict;
};

/**
 * Fit counts(trigger) - counts(control) = intercept + slope × n.
 *
 * @pair   any order, changed order on return
 * @seed   of the bootstrap: equal questions, equal answers
 * @ret    verdict is VERDICT_UNKNOWN with fewer than 2 different n or 5 pairs, else still VERDICT_NONE
 * @return 0 or -ENOMEM
 */
int estimate_make(struct pair *pair, size_t n, uint64_t seed, struct estimate *ret);

/**
 * The verdicts of a whole sweep: Benjamini-Hochberg over all p, then which factor the interval holds.
 *
 * @estimate  every estimate of the sweep, by reference; per_cycle is set where known
 * @rate      accepted share of false discoveries: 0.01
 * @return    0 or -ENOMEM
 */
int estimates_decide(struct estimate **estimate, size_t n, double rate);

/** "k=1", "related", … for tables. */
const char *verdict_name(enum verdict verdict);

#endif
