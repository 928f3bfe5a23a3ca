/* notices.h: watches frames, reports problems as messages and keeps the CPU budget */
#ifndef SAMPLER_NOTICES_H
#define SAMPLER_NOTICES_H

#include "sampler/messages.h"
#include "sampler/sampler.h"

struct watch;

/**
 * Create a watch.
 *
 * @budget_pct  share of any one core that m1top may use, %; beyond it the interval is lengthened
 *              until the cause is gone
 * @messages    destination of the messages; must outlive the watch
 * @return      0 or -ENOMEM
 */
int watch_new(struct sampler *sampler, double budget_pct, struct messages *messages,
	      struct watch **ret);

/** Pause counting by task when switches cost more than the budget, for a session without a user who could choose. */
void watch_pauses_tasks(struct watch *watch);

/** Free the watch. NULL is accepted. */
void watch_free(struct watch *watch);

/**
 * Check the next frame. Reports: a core that went offline, came back or cannot be counted since; a
 * group that has not run for two ticks and its likely holders; faults of the backend; missed ticks;
 * dropped samples; files whose symbols are not read; an exceeded budget.
 */
void watch_frame(struct watch *watch, const struct frame *frame);

/** Get the share of a core that m1top may use, %. */
double watch_budget_pct(const struct watch *watch);

/** Change the share of any one core that m1top may use, %. */
void watch_set_budget(struct watch *watch, double pct);

/** Get the requested interval; the current one may be longer because of the budget. */
uint64_t watch_requested_interval(const struct watch *watch);

/** Report what is pending: losses, which are otherwise reported every few seconds, and symbols. NULL is accepted. */
void watch_end(struct watch *watch);

#endif
