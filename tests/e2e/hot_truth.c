/*
 * hot_truth ROUNDS PAGES TURNS: five functions that have 50, 30, 15, 4 and 1 parts of the page faults and of the CPU time.
 * Per round and part it touches so many pages, on average, and turns a loop so often: its rhythm is never that of the samples,
 * of which each window has one period. At the end it prints for each function its name, page faults and CPU time in ns. A
 * program whose name ends in "2" has them in the reverse order.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { N = 5, PARTS_MAX = 50 };

static volatile char *memory;
static size_t page;

#define FUNCTION(name)                                                                  \
	__attribute__((noinline, aligned(64))) static void name(long pages, long turns) \
	{                                                                               \
		for (long i = 0; i < pages; i++)                                        \
			memory[(size_t)i * page] = 1;                                   \
		for (long i = 0; i < turns; i++)                                        \
			__asm__ volatile("" ::: "memory");                              \
	}

FUNCTION(hot_a)
FUNCTION(hot_b)
FUNCTION(hot_c)
FUNCTION(hot_d)
FUNCTION(hot_e)

static const struct {
	const char *name;
	void (*run)(long, long);
} function[N] = {
	{ "hot_a", hot_a }, { "hot_b", hot_b }, { "hot_c", hot_c },
	{ "hot_d", hot_d }, { "hot_e", hot_e },
};

static long long cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

/* Return a number of pages from 1 to less than twice the mean, the same in each run. */
static long any_pages(long mean)
{
	static unsigned state = 1;

	state = state * 1103515245 + 12345;
	return mean ? 1 + (long)(state >> 16) % (2 * mean - 1) : 0;
}

int main(int argc, char **argv)
{
	static const int parts[N] = { 50, 30, 15, 4, 1 };
	bool is_reverse = argv[0][strlen(argv[0]) - 1] == '2';
	long n_faults[N] = { 0 };
	long long ns[N] = { 0 };

	if (argc != 4)
		return 2;

	long rounds = strtol(argv[1], NULL, 10), pages = strtol(argv[2], NULL, 10),
	     turns = strtol(argv[3], NULL, 10);
	size_t size;

	page = (size_t)sysconf(_SC_PAGESIZE);
	size = (size_t)(PARTS_MAX * (2 * pages + 1)) * page;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise((void *)memory, size, MADV_NOHUGEPAGE);
	for (long round = 0; round < rounds; round++) {
		long now = round ? any_pages(pages) : pages;

		for (int i = 0; i < N; i++) {
			int part = parts[is_reverse ? N - 1 - i : i];
			long before = faults();
			long long from_ns = cpu_ns();

			function[i].run(part * now, part * turns);
			ns[i] += cpu_ns() - from_ns;
			n_faults[i] += faults() - before;
			if (pages)
				madvise((void *)memory, size, MADV_DONTNEED);
		}
	}
	for (int i = 0; i < N; i++)
		printf("%s %ld %lld\n", function[i].name, n_faults[i], ns[i]);
	return 0;
}
