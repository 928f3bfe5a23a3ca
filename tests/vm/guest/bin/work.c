/*
 * work CPU:MS…: so much CPU time on one CPU after the other, out of the others' way, as spin.c says. Of each it then
 * prints its pid, the CPU and the CPU time in ns, the first one's from its very start on
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long long cpu_time_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int move_to(long cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return sched_setaffinity(0, sizeof(cpus), &cpus);
}

/* The time is looked at seldom: that is a system call, and nearly all of this is to be user mode. */
static void work_until(long long ns)
{
	while (cpu_time_ns() < ns)
		for (int i = 0; i < 100; i++) {
			for (int k = 0; k < 1000; k++)
				__asm__ volatile("nop");
			__asm__ volatile("yield");
		}
}

int main(int argc, char **argv)
{
	long long since_ns = 0;

	if (argc < 2)
		return 2;
	for (int i = 1; i < argc; i++) {
		char *ms;
		long cpu = strtol(argv[i], &ms, 0);

		if (*ms++ != ':' || move_to(cpu))
			return 1;
		work_until(cpu_time_ns() + strtoll(ms, NULL, 0) * 1000000);

		long long until_ns = cpu_time_ns();

		printf("%d %ld %lld\n", (int)getpid(), cpu, until_ns - since_ns);
		since_ns = until_ns;
	}
	return 0;
}
