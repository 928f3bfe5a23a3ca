/* switches.c: two threads of one CPU that hand a byte to each other, so many switches a second; prints
 * "switches 30000" and "cpu_s 0.052", what both took.
 *
 * usage: switches PER_SECOND SECONDS */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BURSTS_PER_S = 100, SWITCHES_A_ROUND = 2 };

static int there[2], back[2];

static void *answer(void *unused)
{
	char byte;

	while (read(there[0], &byte, 1) == 1)
		if (write(back[1], &byte, 1) != 1)
			break;
	return unused;
}

static void hand_over(long rounds)
{
	char byte = 0;

	while (rounds-- > 0)
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			exit(1);
}

static struct timespec later(struct timespec time, long ns)
{
	time.tv_nsec += ns;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? strtol(argv[1], NULL, 10) / BURSTS_PER_S / SWITCHES_A_ROUND : 0;
	long bursts = argc > 2 ? strtol(argv[2], NULL, 10) * BURSTS_PER_S : 0;
	struct timespec next, cpu;
	pthread_t thread;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (rounds < 1 || bursts < 1 || sched_setaffinity(0, sizeof(one), &one) || pipe(there) ||
	    pipe(back) || pthread_create(&thread, NULL, answer, NULL))
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (long i = 0; i < bursts; i++) {
		hand_over(rounds);
		next = later(next, 1000000000 / BURSTS_PER_S);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	printf("switches %ld\ncpu_s %.6f\n", bursts * rounds * SWITCHES_A_ROUND,
	       (double)cpu.tv_sec + (double)cpu.tv_nsec / 1e9);
	return 0;
}
