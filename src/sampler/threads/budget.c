#include "sampler/threads/budget.h"

#include "base/clock.h"

/* Time after a change of interval until the measured cost reflects it. */
#define PAUSE_NS        (3 * NS_PER_S)
#define PATIENCE_MIN_NS (30 * NS_PER_S)
#define PATIENCE_MAX_NS (600 * NS_PER_S)

static uint64_t half(const struct budget *budget, uint64_t interval_ns)
{
	return interval_ns / 2 > budget->requested_ns ? interval_ns / 2 : budget->requested_ns;
}

/* Find the shortest interval that keeps the budget even if all of the cost comes from reading. */
static uint64_t safe(const struct budget *budget, uint64_t interval_ns, double used_pct)
{
	while (interval_ns > budget->requested_ns && used_pct * 2 <= budget->pct) {
		interval_ns = half(budget, interval_ns);
		used_pct *= 2;
	}
	return interval_ns;
}

static uint64_t back(const struct budget *budget, uint64_t interval_ns, double used_pct,
		     uint64_t since_ns)
{
	uint64_t next_ns = safe(budget, interval_ns, used_pct);

	if (since_ns < budget->patience_ns / 10)
		return interval_ns;
	if (next_ns == interval_ns && since_ns >= budget->patience_ns)
		return half(budget, interval_ns);
	return next_ns;
}

uint64_t budget_choose(struct budget *budget, uint64_t interval_ns, double used_pct, uint64_t t_ns)
{
	if (interval_ns != budget->chosen_ns)
		*budget = (struct budget){ .pct = budget->pct,
					   .requested_ns = interval_ns,
					   .chosen_ns = interval_ns,
					   .changed_ns = t_ns,
					   .patience_ns = PATIENCE_MIN_NS };

	uint64_t since_ns = t_ns - budget->changed_ns;

	if (since_ns < PAUSE_NS)
		return interval_ns;
	if (used_pct > budget->pct)
		return interval_ns * 2;
	return back(budget, interval_ns, used_pct, since_ns);
}

void budget_take(struct budget *budget, uint64_t interval_ns, uint64_t t_ns)
{
	bool is_shorter = interval_ns < budget->chosen_ns;

	if (!is_shorter && budget->was_shortened) {
		/* the last shortening was right if it lasted */
		budget->patience_ns = t_ns - budget->changed_ns >= budget->patience_ns
					      ? PATIENCE_MIN_NS
					      : budget->patience_ns * 2;
		if (budget->patience_ns > PATIENCE_MAX_NS)
			budget->patience_ns = PATIENCE_MAX_NS;
	}
	budget->was_shortened = is_shorter;
	budget->chosen_ns = interval_ns;
	budget->changed_ns = t_ns;
}
