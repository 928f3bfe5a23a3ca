/* watch.h: reads frames as they pass and says in words what the user must know; keeps the budget */
#ifndef SAMPLER_WATCH_H
#define SAMPLER_WATCH_H

#include "base/messages.h"
#include "sampler/sampler.h"

struct watch;

/**
 * @budget_pct  share of any one core that m1top may use; beyond it the interval is lengthened
 *              until the cause is gone
 * @messages    where sentences go; outlives the watch
 * @return      0 or -ENOMEM
 */
int watch_new(struct sampler *sampler, double budget_pct, struct messages *messages,
	      struct watch **ret);

/** NULL is accepted. */
void watch_free(struct watch *watch);

/**
 * Look at the next frame. Says: a core went off, came back or cannot be counted since, a group that
 * has not run for two ticks and its likely holders, faults of the backend, ticks missed, samples
 * dropped, the budget passed.
 */
void watch_frame(struct watch *watch, const struct frame *frame);

/** Share of a core, in %, that m1top may use. */
double watch_budget_pct(const struct watch *watch);

/** The interval as it was asked for: the budget may have lengthened it. */
uint64_t watch_asked_interval(const struct watch *watch);

/** Say what was held back: losses that go on are told every few seconds. NULL is accepted. */
void watch_end(struct watch *watch);

#endif
