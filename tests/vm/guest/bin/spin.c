/*
 * spin CPU: keep one CPU busy until killed, out of the others' way
 *
 * All CPUs take turns on one thread of the host, and a turn lasts until a timer is due or the
 * instruction YIELD. Whoever flushes a page from all TLBs waits for a turn of each other CPU.
 */
#include <sched.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	cpu_set_t cpus;

	if (argc != 2)
		return 2;
	CPU_ZERO(&cpus);
	CPU_SET(strtol(argv[1], NULL, 0), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return 1;
	for (;;) {
		for (int i = 0; i < 1000; i++)
			__asm__ volatile("nop");
		__asm__ volatile("yield");
	}
}
