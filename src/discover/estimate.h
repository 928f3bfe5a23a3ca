/* estimate.h: runs of several lengths, and the response of an event to a trigger estimated from them; pure functions */
#ifndef DISCOVER_ESTIMATE_H
#define DISCOVER_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LENGTHS_MAX = 8,
	REPEATS_MIN = 5, /* fewer give no estimate */
	REPEATS_MAX = 64,
	TRIES_MAX = 8, /* tries of a run that is disturbed each time */
};

/** Lengths and repeats of a kernel's runs. */
struct experiment_plan {
	uint64_t length[LENGTHS_MAX]; /* triggers per run, ascending */
	unsigned n_lengths;
	unsigned repeats; /* of trigger and control, at each length */
	uint64_t seed;    /* seed of their order */
};

/** Reason to reject a run. */
enum disturbance {
	UNDISTURBED,
	DISTURBED_MIGRATED,    /* ended on another CPU */
	DISTURBED_SWITCHED,    /* another task ran in between */
	DISTURBED_INTERRUPTED, /* the CPU took interrupts */
	DISTURBED_LOST,        /* a counter did not run all the time */
	DISTURBED_SLOW,        /* far more cycles than its repeats */
	N_DISTURBANCES,
};

/** Counts of one repeat: trigger and control with `n` triggers, run close together. */
struct pair {
	double n;       /* triggers */
	double trigger; /* counts */
	double control;
};

enum verdict {
	VERDICT_UNKNOWN,    /* too few undisturbed runs, or it could not be counted */
	VERDICT_NONE,       /* no response that stands out among all tries */
	VERDICT_RELATED,    /* responds, but not proportionally or by a simple factor */
	VERDICT_CONSISTENT, /* `k` per trigger */
	VERDICT_CYCLES,     /* proportional to cycles: counts time, not work */
	VERDICT_TIME,       /* proportional to time, if cycles are not counted */
};

struct estimate {
	double slope;     /* counts per trigger; NaN: unknown */
	double low, high; /* 99 % interval, at least one count of the longest runs to either side */
	double intercept; /* counts beyond slope × n */
	double residual;  /* largest deviation of a mean from the line, counts */
	double noise;     /* residual that chance allows, counts */
	double n_largest; /* triggers of the longest runs */
	double p; /* probability of such a slope by chance; decided with all others of a sweep */
	double k; /* VERDICT_CONSISTENT: factor; else NaN */
	uint32_t n_pairs;
	enum verdict verdict;
};

/**
 * Fit trigger - control = intercept + slope × n by least squares through the means of each n,
 * without outliers; the interval is by Student's t.
 *
 * @pair  reordered
 * @ret   VERDICT_UNKNOWN with fewer than 2 different n of 3 pairs each, else VERDICT_NONE until
 *        decided
 */
void estimate_make(struct pair *pair, size_t n, struct estimate *ret);

/** Whether more runs could show if it responds, or by which factor. */
bool estimate_is_unclear(const struct estimate *estimate);

/**
 * Decide the verdicts of a whole sweep: Benjamini-Hochberg over all p, then the factor if exactly
 * one lies within three times the interval. May be called again when there are more estimates.
 *
 * @rate    accepted share of false discoveries: 0.01
 * @return  0 or -ENOMEM
 */
int estimates_decide(struct estimate *const *estimate, size_t n, double rate);

/**
 * Whether counts are proportional to cycles in all runs.
 *
 * @count, @cycles  of runs of several kernels, triggers and controls; or nanoseconds instead of
 *                  cycles
 * @n               2 or more, otherwise false
 * @ret_ratio       counts per cycle; unchanged if false
 */
bool estimate_is_of_cycles(const double *count, const double *cycles, size_t n, double *ret_ratio);

/**
 * Whether an id that is proportional to cycles responds by a simple factor while cycles do, too.
 * Then its counts may be work or time.
 */
bool estimate_may_be_of_work(const struct estimate *estimate, double per_cycle);

/** Name a verdict: "unknown", "none", "related", "consistent", "cycles", "time". */
extern const char estimate_verdict_name[][12];

#endif
