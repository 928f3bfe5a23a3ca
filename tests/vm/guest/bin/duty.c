/*
 * duty CPU BUSY_MS PERIOD_MS [PERIODS]: a loop on one CPU, busy for the first part of each period, until killed
 * or for so many; then it says as work.c does what it did
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long long clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
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

	if (argc < 4)
		return 2;
	CPU_ZERO(&cpus);
	CPU_SET(strtol(argv[1], NULL, 0), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return 1;

	long long busy_ns = strtoll(argv[2], NULL, 0) * 1000000;
	long long period_ns = strtoll(argv[3], NULL, 0) * 1000000;
	long periods = argc > 4 ? strtol(argv[4], NULL, 0) : -1;

	for (long long start_ns = clock_ns(CLOCK_MONOTONIC); periods--; start_ns += period_ns) {
		while (clock_ns(CLOCK_MONOTONIC) < start_ns + busy_ns)
			;
		sleep_until(start_ns + period_ns);
	}
	printf("%d %s %lld\n", (int)getpid(), argv[1], clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
