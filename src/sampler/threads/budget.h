/* budget.h: chooses an interval that keeps m1top within its share of a core; pure */
#ifndef SAMPLER_THREADS_BUDGET_H
#define SAMPLER_THREADS_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* State; initially all zero except `pct`. */
struct budget {
	double pct;            /* share of a core that m1top may use, % */
	uint64_t requested_ns; /* requested interval; never shortened below it */
	uint64_t chosen_ns;  /* last chosen interval; a different current one was requested since */
	uint64_t changed_ns; /* time of the last change */
	bool was_shortened;  /* last change shortened the interval */
	uint64_t patience_ns; /* time to wait before the interval is halved */
};

/**
 * Double the interval while m1top exceeds its share; return towards the requested interval when it
 * does not: soon if the cost would stay within the budget even if all of it came from reading, else
 * by halving now and then, since part of the cost may have other causes. Both wait longer each time
 * a step was too early.
 *
 * @interval_ns  current interval
 * @used_pct     share of a core, measured over the last second or more
 * @t_ns         time of the session
 * @return       next interval; interval_ns: no change
 */
uint64_t budget_choose(struct budget *budget, uint64_t interval_ns, double used_pct, uint64_t t_ns);

/** Note that the interval is in force from now on. */
void budget_take(struct budget *budget, uint64_t interval_ns, uint64_t t_ns);

#endif
