#include "base/clock.h"

#include <stdio.h>
#include <time.h>

uint64_t clock_ns(clockid_t id)
{
	struct timespec ts = { 0 };

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

uint64_t clock_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t clock_suspended_ns(void)
{
	uint64_t mono = clock_now_ns();
	uint64_t boot = clock_ns(CLOCK_BOOTTIME);

	return boot > mono ? boot - mono : 0;
}

uint64_t clock_wall_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

const char *clock_rfc3339(uint64_t wall_ns, char *buf, size_t size)
{
	time_t s = (time_t)(wall_ns / NS_PER_S);
	struct tm tm;
	char day[32], zone[8];

	localtime_r(&s, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	strftime(zone, sizeof(zone), "%z", &tm);
	snprintf(buf, size, "%s.%03u%.3s:%s", day, (unsigned)(wall_ns / NS_PER_MS % 1000), zone,
		 zone + 3);
	return buf;
}
