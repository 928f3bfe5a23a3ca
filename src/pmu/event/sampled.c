#include "pmu/event.h"

#include "base/num.h"
#include "pmu/machine.h"

const char *event_no_samples(const struct event *event)
{
	if (!event || !event->pmu)
		return event && *event->refused ? event->refused : "it is not counted here";
	switch (event->pmu->kind) {
	case PMU_UNCORE: return "a device outside of the cores counts it";
	case PMU_MSR: return "its register raises no interrupt";
	case PMU_ACTIVITY: return "it is the time or the clock of a core, not an event in code";
	case PMU_CORE:
		return pmu_divides_slots(event->pmu, event->config)
			       ? "the PMU calculates it from its slots"
			       : NULL;
	default: return NULL;
	}
}

enum { SAMPLES_PER_S = 1000 };

/* Smallest period of hardware events: the interrupt itself causes some. */
enum { PERIOD_MIN = 101 };

static bool is_round(uint64_t period)
{
	return period % 2 == 0 || period % 3 == 0 || period % 5 == 0 || period % 7 == 0;
}

/* Return the next number that is no multiple of a small prime, unless it is one: loops have such lengths. */
static uint64_t unround(uint64_t period)
{
	while (period > 7 && is_round(period))
		period++;
	return period;
}

uint64_t event_draw_period(uint64_t period, uint64_t *random)
{
	return unround(period - period / 8 + random_below(random, period / 4 + 1));
}

/* Whether the kernel counts the event itself, and not in time: each one can be a sample. */
static bool is_counted_singly(const struct event *event)
{
	return (event->pmu->kind == PMU_SOFTWARE || event->pmu->kind == PMU_TRACEPOINT) &&
	       !event_is_clock(event);
}

static unsigned at_most(unsigned n, unsigned limit)
{
	return limit && limit < n ? limit : n;
}

unsigned sample_rate_wanted(const struct sample_rate *rate)
{
	return rate->period ? SAMPLE_FREQ_MAX : rate->wanted ? rate->wanted : SAMPLES_PER_S;
}

unsigned sample_rate_aim(const struct sample_rate *rate)
{
	return at_most(sample_rate_wanted(rate), rate->limit / 8);
}

uint64_t event_first_period(const struct event *event, const struct sample_rate *rate)
{
	uint64_t period;

	if (is_counted_singly(event))
		return rate->period ? rate->period : unround(100);
	/* of ns, or of 8 events a ns */
	period = unround((event_is_clock(event) ? 1 : 8) * UINT64_C(1000000000) /
			 sample_rate_aim(rate));
	return period > rate->period ? period : rate->period;
}

uint64_t event_next_period(const struct event *event, uint64_t period, double per_s,
			   double busy_per_s, const struct sample_rate *rate)
{
	double wanted = per_s / sample_rate_aim(rate);
	double least = busy_per_s / at_most(4 * sample_rate_wanted(rate), rate->limit / 4);

	if (per_s <= 0)
		return period;
	wanted = wanted > least ? wanted : least;
	if (wanted <= (double)rate->period)
		return rate->period;
	if (wanted < PERIOD_MIN && !is_counted_singly(event))
		wanted = PERIOD_MIN;
	if (wanted > (double)period * 0.8 && wanted < (double)period * 1.25)
		return period;
	return wanted < 1 ? 1 : unround((uint64_t)(wanted < 1e15 ? wanted : 1e15) + 1);
}
