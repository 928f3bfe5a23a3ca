/* duty CPU BUSY_MS PERIOD_MS: a loop on one CPU, busy for the first part of each period, until killed */
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
	CPU_SET(strtol(argv[1], NULL, 0), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return 1;

	long long busy_ns = strtoll(argv[2], NULL, 0) * 1000000;
	long long period_ns = strtoll(argv[3], NULL, 0) * 1000000;

	for (long long start_ns = now_ns();; start_ns += period_ns) {
		while (now_ns() < start_ns + busy_ns)
			;
		sleep_until(start_ns + period_ns);
	}
}
