/* cleanup.h: release of variables that go out of scope: AUTO_FREE, AUTO_FD, AUTO_FILE, AUTO_DIR,
 * AUTO_ENTRIES; ARRAY_SIZE, UNUSED */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define UNUSED        __attribute__((unused)) /* a parameter that this callback does not need */
#define AUTO_FREE     __attribute__((cleanup(cleanup_free)))
#define AUTO_FD       __attribute__((cleanup(cleanup_fd)))
#define AUTO_FILE     __attribute__((cleanup(cleanup_file)))
#define AUTO_DIR      __attribute__((cleanup(cleanup_dir)))
#define AUTO_ENTRIES  __attribute__((cleanup(cleanup_entries)))

/** Entries of a folder, from scandir. `{ 0 }` is empty. */
struct entries {
	struct dirent **entry;
	int n; /* negative: -errno */
};

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

static inline void cleanup_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static inline void cleanup_entries(struct entries *entries)
{
	for (int i = 0; i < entries->n; i++)
		free(entries->entry[i]);
	free(entries->entry);
}

#endif
