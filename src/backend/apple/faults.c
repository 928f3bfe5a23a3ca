#include <stdio.h>

#include "pmu/backend_apple.h"

enum { CPU_BITS = 16 };

static const char *const register_name[] = {
	[NEWS_PMCR0] = "PMCR0",
	[NEWS_PMCR1] = "PMCR1",
	[NEWS_PMESR0] = "PMESR0",
	[NEWS_PMESR1] = "PMESR1",
};

void apple_tell(struct apple *apple, enum apple_news what, unsigned cpu)
{
	/* relaxed: the number is the whole message */
	atomic_store_explicit(&apple->news, (uint32_t)what << CPU_BITS | cpu, memory_order_relaxed);
}

const char *apple_news(struct backend *backend, char *buf, size_t size)
{
	struct apple *apple = (struct apple *)backend;
	uint32_t news = atomic_exchange_explicit(&apple->news, 0, memory_order_relaxed);
	unsigned what = news >> CPU_BITS, cpu = news & ((1U << CPU_BITS) - 1);

	buf[0] = '\0';
	if (what == NEWS_EL0)
		snprintf(buf, size,
			 "cpu %u: user access to the counters was taken away: what they counted "
			 "since is lost",
			 cpu);
	else if (what == NEWS_REFUSED)
		snprintf(buf, size,
			 "cpu %u: m1pmu refused the set: one of its events cannot be "
			 "counted on the counter it was placed on",
			 cpu);
	else if (what)
		snprintf(buf, size,
			 "cpu %u: %s is not as m1top wrote it, somebody else did or the core lost "
			 "its state: what was counted since is lost, counting begins anew",
			 cpu, register_name[what]);
	return buf;
}
