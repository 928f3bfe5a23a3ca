/* loop.c: a fixed amount of work on one CPU; prints the nanoseconds that it took.
 *
 * usage: loop spin|memory */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINE = 64, LINES = 1 << 20, SPINS_M = 1024, LOADS = 2 << 20 };

struct line {
	struct line *next;
	char rest[LINE - sizeof(struct line *)];
};

static void spin(void)
{
	for (unsigned long i = 0; i < (unsigned long)SPINS_M << 20; i++)
		__asm__ volatile("" : "+r"(i));
}

/* A random cycle through 64 MiB: each load waits for the one before. */
static struct line *cycle(void)
{
	struct line *line = calloc(LINES, sizeof(*line));
	unsigned *order = calloc(LINES, sizeof(*order));
	uint64_t random = 1;

	if (!line || !order)
		exit(1);
	for (unsigned i = 0; i < LINES; i++) {
		unsigned other = (unsigned)(random >> 33) % (i + 1);

		order[i] = order[other];
		order[other] = i;
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
	}
	for (unsigned i = 0; i < LINES; i++)
		line[order[i]].next = &line[order[(i + 1) % LINES]];
	free(order);
	return line;
}

static void load(struct line *line)
{
	for (unsigned i = 0; i < LOADS; i++)
		line = line->next;
	if (!line)
		exit(1);
}

int main(int argc, char **argv)
{
	struct line *line = argc > 1 && strcmp(argv[1], "memory") == 0 ? cycle() : NULL;
	struct timespec begin, end;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	if (line)
		load(line);
	else
		spin();
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%lld\n", (end.tv_sec - begin.tv_sec) * 1000000000LL + end.tv_nsec - begin.tv_nsec);
	free(line);
}
