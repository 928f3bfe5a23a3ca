/*
 * known: on CPU 0, 1, … in turn touch 50, 100, … new pages and sleep a few times; print how many context switches the
 * kernel counted meanwhile
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096 };

static unsigned long long switches(void)
{
	static char text[1 << 16];
	FILE *stat = fopen("/proc/stat", "r");

	fread(text, 1, sizeof(text) - 1, stat);
	fclose(stat);
	return strtoull(strstr(text, "\nctxt ") + 6, NULL, 10);
}

int main(void)
{
	long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned long long before = switches();

	for (int cpu = 0; cpu < n_cpus; cpu++) {
		size_t size = (size_t)(cpu + 1) * 50 * PAGE;
		char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				   -1, 0);
		cpu_set_t cpus;

		CPU_ZERO(&cpus);
		CPU_SET(cpu, &cpus);
		if (pages == MAP_FAILED || madvise(pages, size, MADV_NOHUGEPAGE) ||
		    sched_setaffinity(0, sizeof(cpus), &cpus))
			return 1;
		for (size_t i = 0; i < size; i += PAGE)
			pages[i] = 1;
		munmap(pages, size);
		for (int i = 0; i <= cpu % 4; i++)
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	printf("%llu\n", switches() - before);
	return 0;
}
