/* budget.h: which interval keeps m1top within its share of a core; pure */
#ifndef SAMPLER_BUDGET_H
#define SAMPLER_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* All zero but `pct` to begin with. */
struct budget {
	double pct;           /* share of a core that m1top may use */
	uint64_t asked_ns;    /* the interval that was asked for: none shorter is chosen */
	uint64_t chosen_ns;   /* the last that was taken; any other was asked for meanwhile */
	uint64_t changed_ns;  /* when it was taken */
	bool was_shortened;   /* by that */
	uint64_t patience_ns; /* how long to stay before half the interval is tried */
};

/**
 * Twice the interval while m1top uses too much, and back towards the one asked for when it does not:
 * soon if the cost would be within the budget although all of it came from reading; and, as some may
 * not, a try of half the interval now and then. Both wait longer each time that it was too early.
 *
 * @interval_ns  the present one
 * @used_pct     measured over the last second or more
 * @t_ns         time of the session
 * @return       the interval to go to; interval_ns: stay
 */
uint64_t budget_choose(struct budget *budget, uint64_t interval_ns, double used_pct, uint64_t t_ns);

/** That interval is in force from now on. */
void budget_take(struct budget *budget, uint64_t interval_ns, uint64_t t_ns);

#endif
