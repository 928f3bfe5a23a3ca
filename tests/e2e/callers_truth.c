/*
 * callers_truth TIMES: three functions call another one for 60, 30 and 10 page faults, so many times on average, in any order;
 * by_recursion calls itself before. by_jump jumps to it for 20, so that main is its caller on the stack. At the end it prints
 * the page faults of each caller.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define OWN static __attribute__((noinline))

static volatile char *memory;
static size_t size, page;

OWN void nothing(void)
{
	__asm__ volatile("" ::: "memory");
}

/* Compilers leave the frame pointer out of functions without a call. */
OWN void leaf(long pages)
{
	for (long i = 0; i < pages; i++)
		memory[(size_t)i * page] = 1;
	nothing();
	__asm__ volatile("" ::: "memory");
}

/* The empty statements keep the calls from being jumps. */
OWN void by_sixty(long pages)
{
	leaf(pages);
	__asm__ volatile("" ::: "memory");
}

OWN void by_thirty(long pages)
{
	leaf(pages);
	__asm__ volatile("" ::: "memory");
}

OWN void by_recursion(long pages, int depth)
{
	if (depth)
		by_recursion(pages, depth - 1);
	else
		leaf(pages);
	__asm__ volatile("" ::: "memory");
}

OWN void by_jump(long pages)
{
	leaf(pages);
}

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

int main(int argc, char **argv)
{
	enum { SIXTY, THIRTY, RECURSION, JUMP, N };
	static const char *const name[N] = { "by_sixty", "by_thirty", "by_recursion", "main" };
	static const int parts[N] = { 60, 30, 10, 20 };
	unsigned random = 1;
	long n[N] = { 0 }, times = argc == 2 ? strtol(argv[1], NULL, 10) : 0;

	page = (size_t)sysconf(_SC_PAGESIZE);
	size = 60 * page;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise((void *)memory, size, MADV_NOHUGEPAGE);
	for (long i = 0; i < times * N; i++) {
		long before = faults();
		int of = (int)((random = random * 1103515245 + 12345) >> 16) % N;

		if (of == SIXTY)
			by_sixty(parts[of]);
		else if (of == THIRTY)
			by_thirty(parts[of]);
		else if (of == RECURSION)
			by_recursion(parts[of], 5);
		else
			by_jump(parts[of]);
		n[of] += faults() - before;
		madvise((void *)memory, size, MADV_DONTNEED);
	}
	for (int i = 0; i < N; i++)
		printf("%s %ld\n", name[i], n[i]);
	return 0;
}
