/* cleanup.h: what goes out of scope is released: AUTO_FREE, AUTO_FD, AUTO_FILE */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define AUTO_FREE     __attribute__((cleanup(cleanup_free)))
#define AUTO_FD       __attribute__((cleanup(cleanup_fd)))
#define AUTO_FILE     __attribute__((cleanup(cleanup_file)))

static inline void cleanup_free(void *place)
{
	free(*(void **)place);
}

static inline void cleanup_fd(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

#endif
