/* duty CPU BUSY_MS PERIOD_MS: a loop on one CPU, busy for the first part of each period, until it is killed */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void sleep_until(long long ns)
{
	struct timespec t = { ns / 1000000000, ns % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

int main(int argc, char **argv)
{
	cpu_set_t cpus;

	if (argc != 4)
		return 2;
	CPU_ZERO(&cpus);
	CPU_SET(atoi(argv[1]), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return 1;
	for (long long start = now_ns();; start += atoi(argv[3]) * 1000000LL) {
		while (now_ns() < start + atoi(argv[2]) * 1000000LL)
			;
		sleep_until(start + atoi(argv[3]) * 1000000LL);
	}
}
