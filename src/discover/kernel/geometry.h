/* geometry.h: how large a CPU's pages, lines and caches are, for memory that must not fit into them */
#ifndef DISCOVER_KERNEL_GEOMETRY_H
#define DISCOVER_KERNEL_GEOMETRY_H

#include <stddef.h>

enum cache_name { CACHE_L1D, CACHE_L1I, CACHE_L2, N_CACHES };

struct geometry {
	size_t page;
	size_t line;           /* of the caches; the largest where they differ */
	size_t size[N_CACHES]; /* bytes */
};

/**
 * Read <root>/sys/devices/system/cpu/cpuN/cache. What is not said there is assumed as large as the
 * largest in use (Apple M1's performance cores), so that a miss stays a miss.
 */
void geometry_read(const char *root, unsigned cpu, struct geometry *ret);

#endif
