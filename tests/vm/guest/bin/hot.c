/* hot CPU MS: so much CPU time there in two functions, six and four parts of it. Then it prints its pid. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { PART = 20000 };

static long long cpu_time_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* The emulation counts by time: both have the same loop, each in pages of its own. */
#define SPIN(name)                                                    \
	__attribute__((noinline, aligned(4096))) void name(long n)    \
	{                                                             \
		for (long i = 0; i < n; i++)                          \
			__asm__ volatile("nop\n\tnop\n\tnop\n\tnop"); \
	}

SPIN(hot_sixty)
SPIN(hot_forty)

int main(int argc, char **argv)
{
	cpu_set_t cpus;
	long long until_ns;

	if (argc != 3)
		return 2;
	CPU_ZERO(&cpus);
	CPU_SET((int)strtol(argv[1], NULL, 10), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return 1;
	until_ns = cpu_time_ns() + strtoll(argv[2], NULL, 10) * 1000000;
	while (cpu_time_ns() < until_ns) {
		hot_sixty(6 * PART);
		hot_forty(4 * PART);
	}
	printf("%d\n", (int)getpid());
	return 0;
}
